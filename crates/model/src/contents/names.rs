//! Names of files as text. Names may be any bytes, so bytes that are not plain text are escaped as
//! `%FF`, and `%` itself as `%25`.

pub fn name_text(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for part in name.utf8_chunks() {
        for letter in part.valid().chars() {
            if letter == '%' || letter.is_control() {
                let mut room = [0; 4];
                letter.encode_utf8(&mut room).bytes().for_each(|byte| text += &format!("%{byte:02X}"));
            } else {
                text.push(letter);
            }
        }
        part.invalid().iter().for_each(|byte| text += &format!("%{byte:02X}"));
    }
    text
}

/// The inverse of [`name_text`].
pub fn name_bytes(text: &str) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let byte = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                name.push(byte);
                rest = &after[2..];
            }
            None => {
                name.push(first);
                rest = after;
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{name_bytes, name_text};

    #[test]
    fn names_survive_as_text() {
        for name in [&b"plain"[..], b"100%", b"%41", b"\xf0\x9f\xa6\x80", b"\xf0\x9f", b"line\nbreak\t", b""]
        {
            assert_eq!(name_bytes(&name_text(name)), name);
        }
        assert_eq!(name_text(b"a\xffb%"), "a%FFb%25");
    }
}
