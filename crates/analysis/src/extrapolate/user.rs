//! Models supplied by the user: `offset@pwrite: rank*960/size + 960*i`.
//!
//! A model names a parameter and a call, followed by an integer expression over `rank`, `size` and
//! `i`, the 0-based count of the calls at this place. Supported are `+ - * / %` with C semantics,
//! parentheses, `min(a, b)` and `max(a, b)`.

use std::fmt;

/// A user's model for one parameter of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserModel {
    /// Name as extrapolation reports it.
    pub parameter: String,
    pub call: String,
    expression: Expression,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Number(i128),
    Rank,
    Size,
    Turn,
    Both(Operation, Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Plus,
    Minus,
    Times,
    Over,
    Rest,
    Min,
    Max,
}

/// A syntax error in a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// 0-based character.
    pub at: usize,
    pub expected: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at character {}", self.expected, self.at + 1)
    }
}

impl std::error::Error for Wrong {}

impl UserModel {
    /// Parses `parameter@call: expression`.
    pub fn parse(text: &str) -> Result<UserModel, Wrong> {
        let colon =
            text.find(':').ok_or(Wrong { at: text.len(), expected: "a colon after parameter@call" })?;
        let (head, rest) = text.split_at(colon);
        let at = head.find('@').ok_or(Wrong { at: colon, expected: "an @ between parameter and call" })?;
        let (parameter, call) = (head[..at].trim(), head[at + 1..].trim());
        if parameter.is_empty() || call.is_empty() {
            return Err(Wrong { at, expected: "a parameter before the @ and a call after it" });
        }
        let mut parser = Parser { text: rest.as_bytes(), at: 1, base: colon, depth: 0 };
        let expression = parser.sum()?;
        parser.skip();
        if parser.at < parser.text.len() {
            return Err(parser.wrong("an operator or the end"));
        }
        let (parameter, call) = (parameter.to_string(), call.to_string());
        Ok(UserModel { parameter, call, expression, text: rest[1..].trim().to_string() })
    }

    /// Its value; `None` on division by zero or overflow.
    pub fn at(&self, rank: u64, size: u64, turn: u64) -> Option<i64> {
        i64::try_from(self.expression.at(rank, size, turn)?).ok()
    }
}

impl fmt::Display for UserModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

impl Expression {
    fn at(&self, rank: u64, size: u64, turn: u64) -> Option<i128> {
        let (operation, one, other) = match self {
            Expression::Number(number) => return Some(*number),
            Expression::Rank => return Some(i128::from(rank)),
            Expression::Size => return Some(i128::from(size)),
            Expression::Turn => return Some(i128::from(turn)),
            Expression::Both(operation, one, other) => (operation, one, other),
        };
        let (one, other) = (one.at(rank, size, turn)?, other.at(rank, size, turn)?);
        match operation {
            Operation::Plus => one.checked_add(other),
            Operation::Minus => one.checked_sub(other),
            Operation::Times => one.checked_mul(other),
            Operation::Over => one.checked_div(other),
            Operation::Rest => one.checked_rem(other),
            Operation::Min => Some(one.min(other)),
            Operation::Max => Some(one.max(other)),
        }
    }
}

const DEEPEST: usize = 64;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the text begins in the user's input.
    base: usize,
    depth: usize,
}

impl Parser<'_> {
    fn wrong(&self, expected: &'static str) -> Wrong {
        Wrong { at: self.base + self.at, expected }
    }

    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The next non-blank character, if it is one of these.
    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        self.skip();
        let byte = *self.text.get(self.at).filter(|byte| wanted.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn sum(&mut self) -> Result<Expression, Wrong> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(b"+-") {
            let operation = if sign == b'+' { Operation::Plus } else { Operation::Minus };
            sum = Expression::Both(operation, Box::new(sum), Box::new(self.product()?));
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Expression, Wrong> {
        let mut product = self.factor()?;
        while let Some(sign) = self.take(b"*/%") {
            let operation = match sign {
                b'*' => Operation::Times,
                b'/' => Operation::Over,
                _ => Operation::Rest,
            };
            product = Expression::Both(operation, Box::new(product), Box::new(self.factor()?));
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<Expression, Wrong> {
        if self.depth >= DEEPEST {
            return Err(self.wrong("less nesting"));
        }
        if self.take(b"(").is_some() {
            self.depth += 1;
            let inside = self.sum()?;
            self.depth -= 1;
            return self.take(b")").map(|_| inside).ok_or_else(|| self.wrong("a closing bracket"));
        }
        if self.take(b"-").is_some() {
            self.depth += 1;
            let zero = Box::new(Expression::Number(0));
            let factor = Expression::Both(Operation::Minus, zero, Box::new(self.factor()?));
            self.depth -= 1;
            return Ok(factor);
        }
        let rest = &self.text[self.at.min(self.text.len())..];
        let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let word = std::str::from_utf8(&rest[..word]).unwrap_or("");
        let found = match word {
            "rank" => Expression::Rank,
            "size" => Expression::Size,
            "i" => Expression::Turn,
            "min" | "max" => {
                self.at += word.len();
                return self.pair(if word == "min" { Operation::Min } else { Operation::Max });
            }
            number => match number.parse::<i64>() {
                Ok(number) => Expression::Number(i128::from(number)),
                Err(_) => return Err(self.wrong("a number, rank, size, i, min, max or a parenthesis")),
            },
        };
        self.at += word.len();
        Ok(found)
    }

    /// Parses `(a, b)`.
    fn pair(&mut self, operation: Operation) -> Result<Expression, Wrong> {
        self.depth += 1;
        self.take(b"(").ok_or_else(|| self.wrong("an opening parenthesis"))?;
        let one = self.sum()?;
        self.take(b",").ok_or_else(|| self.wrong("a comma"))?;
        let other = self.sum()?;
        self.take(b")").ok_or_else(|| self.wrong("a closing bracket"))?;
        self.depth -= 1;
        Ok(Expression::Both(operation, Box::new(one), Box::new(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_in_c() {
        let model = UserModel::parse("offset@pwrite: rank*960/size + 960*i").expect("reads");
        assert_eq!((model.parameter.as_str(), model.call.as_str()), ("offset", "pwrite"));
        assert_eq!(model.at(6, 8, 2), Some(2640));
        assert_eq!(model.at(6, 0, 2), None, "no division by zero");
        let value = |text: &str| UserModel::parse(&format!("a@b:{text}")).ok()?.at(5, 12, 3);
        assert_eq!(value("-(2+3)*4%7"), Some(-20 % 7));
        assert_eq!(value("min(rank, i) + max(1, size)"), Some(15));
        assert_eq!(value("2 - 3 - 4"), Some(-5));
        assert_eq!(value("9223372036854775807 + 1"), None);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, at) in [
            ("offset", 6),
            ("a: 1", 1),
            ("@b: 1", 0),
            ("a@b: 1 +", 8),
            ("a@b: (1", 7),
            ("a@b: 1 2", 7),
            ("a@b: x", 5),
        ] {
            assert_eq!(UserModel::parse(text).map_err(|wrong| wrong.at), Err(at), "{text}");
        }
        let deep = format!("a@b: {}1", "(".repeat(100_000));
        assert!(UserModel::parse(&deep).is_err(), "and does not overflow");
        assert!(UserModel::parse(&format!("a@b: {}1", "-".repeat(100_000))).is_err());
    }
}
