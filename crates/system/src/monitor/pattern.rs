//! Patterns of names: `*` matches anything, `?` one character.

/// Whether a pattern matches a whole name.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut star) = (0, None);
    let mut place = 0;
    while let Some(&found) = name.get(place) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == found => {
                at += 1;
                place += 1;
            }
            // The last star takes one character more.
            _ => match star.as_mut() {
                Some((star, from)) => {
                    *from += 1;
                    (at, place) = (*star + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|&left| left == '*'))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in
            [("sd*", "sda"), ("sd?", "sda"), ("*", ""), ("dm-*1*", "dm-212"), ("a*b*c", "axbybzc")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("sd?", "sda1"), ("", "a"), ("sd", "sda"), ("*b", "abc"), ("a?c", "ac")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
