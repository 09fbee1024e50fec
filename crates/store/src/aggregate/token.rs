//! Splits a query into words, numbers and signs.

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub what: What<'a>,
    pub from: usize,
    pub to: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum What<'a> {
    Word(&'a str),
    Int(i64),
    Float(f64),
    Text(String),
    Sign(&'a str),
}

pub(super) fn tokens(sql: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut from = 0;
    while from < sql.len() {
        let rest = &sql[from..];
        let first = rest.chars().next()?;
        if first.is_ascii_whitespace() {
            from += 1;
            continue;
        }
        let (what, length) = if first.is_ascii_alphabetic() || first == '_' {
            word(rest)
        } else if first.is_ascii_digit() {
            number(rest)?
        } else if first == '\'' {
            text(rest)?
        } else {
            sign(rest)?
        };
        tokens.push(Token { what, from, to: from + length });
        from += length;
    }
    Some(tokens)
}

fn word(rest: &str) -> (What<'_>, usize) {
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    (What::Word(&rest[..length]), length)
}

fn number(rest: &str) -> Option<(What<'_>, usize)> {
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    let digits = &rest[..length];
    // SQLite handles exponents and hexadecimal numbers.
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let what = if digits.contains('.') {
        What::Float(digits.parse().ok()?)
    } else {
        What::Int(digits.parse().ok()?)
    };
    Some((what, length))
}

/// A quoted text; a quote in it is doubled.
fn text(rest: &str) -> Option<(What<'_>, usize)> {
    let mut text = String::new();
    let mut at = 1;
    loop {
        let length = rest.get(at..)?.find('\'')?;
        text.push_str(&rest[at..at + length]);
        at += length + 1;
        if !rest[at..].starts_with('\'') {
            return Some((What::Text(text), at));
        }
        text.push('\'');
        at += 1;
    }
}

fn sign(rest: &str) -> Option<(What<'_>, usize)> {
    // A comment is not a subtraction.
    if rest.starts_with("--") || rest.starts_with("/*") {
        return None;
    }
    let known = ["<=", ">=", "<>", "!=", "==", "<", ">", "=", "(", ")", ",", "*", ";", "-"];
    let found = known.iter().find(|sign| rest.starts_with(**sign))?;
    Some((What::Sign(&rest[..found.len()]), found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_apart() {
        let kinds: Vec<What<'_>> =
            tokens("a>=-1.5 'it''s' 7;").expect("known").into_iter().map(|token| token.what).collect();
        let expected = [
            What::Word("a"),
            What::Sign(">="),
            What::Sign("-"),
            What::Float(1.5),
            What::Text("it's".into()),
            What::Int(7),
            What::Sign(";"),
        ];
        assert_eq!(kinds, expected);
        for unknown in ["1e5", "0x1F", "'open", "a -- b", "a /* b", "\"a\"", "?1", "ä"] {
            assert_eq!(tokens(unknown), None, "{unknown}");
        }
    }
}
