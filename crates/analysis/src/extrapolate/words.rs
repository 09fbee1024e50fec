//! Names of parameters in reports and user models.

use marigraph_model::folded::{Name, place as place_of};
use marigraph_wire::op::Op;

pub fn parameter(op: Op, names: &[Name], place: usize) -> String {
    match place {
        0 => return "calls in a row".to_string(),
        1 => return "open file".to_string(),
        _ => {}
    }
    let mut at = 2;
    for argument in 0..3 {
        let name = names.iter().find(|name| name.argument == argument);
        if at == place {
            let word = if name.is_some() { "name" } else { crate::compare::argument(op, argument) };
            return word.to_string();
        }
        at += 1;
        let numbers = name.map_or(0, |name| name.numbers);
        if place < at + numbers {
            return format!("number {} in the name", place - at + 1);
        }
        at += numbers;
    }
    "return value".to_string()
}

/// Whether a user means this number of an event. Models from before arguments had names use their
/// letters.
pub fn is_called(word: &str, op: Op, names: &[Name], place: usize) -> bool {
    let letter = |(argument, letter): (usize, &str)| place_of(names, argument) == place && letter == word;
    word == parameter(op, names, place) || ["a", "b", "c"].into_iter().enumerate().any(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_answer_to_their_names_and_letters() {
        let meant =
            |word| (0..6).filter(|&place| is_called(word, Op::Pwrite, &[], place)).collect::<Vec<_>>();
        assert_eq!((meant("offset"), meant("a")), (vec![2], vec![2]));
        assert_eq!((meant("bytes"), meant("b"), meant("c")), (vec![3], vec![3], vec![4]));
        assert!(meant("d").is_empty());
    }
}
