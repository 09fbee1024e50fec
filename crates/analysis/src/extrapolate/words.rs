//! What people call things.

use marigraph_model::folded::Name;
use marigraph_wire::op::Op;

/// What people call a number of an event.
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
