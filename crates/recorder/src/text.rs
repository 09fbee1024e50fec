//! Texts in memory of fixed size.

use core::ffi::CStr;

/// A text of at most `N - 1` bytes; the rest is cut off.
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    pub const EMPTY: Text<N> = Text { bytes: [0; N], len: 0 };

    /// Returns whether all of it fit.
    pub fn push(&mut self, text: &[u8]) -> bool {
        let room = N.saturating_sub(1).saturating_sub(self.len);
        let fits = text.len().min(room);
        let to = self.bytes.get_mut(self.len..self.len.saturating_add(fits));
        if let (Some(to), Some(from)) = (to, text.get(..fits)) {
            to.copy_from_slice(from);
            self.len += fits;
            if let Some(end) = self.bytes.get_mut(self.len) {
                *end = 0;
            }
        }
        fits == text.len()
    }

    /// `base` is 10 or 16.
    pub fn push_number(&mut self, mut number: u64, base: u64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            let digit = (number % base.max(2)) as u8;
            if let Some(to) = digits.get_mut(at) {
                *to = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
            }
            number /= base.max(2);
            if number == 0 || at == 0 {
                break;
            }
        }
        self.push(digits.get(at..).unwrap_or(&[]));
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    /// A NUL follows the text.
    pub fn c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }

    /// Lets `fill` write after the text; `fill` returns the number of bytes written.
    pub fn fill(&mut self, fill: impl FnOnce(&mut [u8]) -> Option<usize>) -> Option<()> {
        let last = N.saturating_sub(1);
        let room = self.bytes.get_mut(self.len..last)?;
        let most = room.len();
        let len = fill(room)?.min(most);
        self.len += len;
        // `fill` may have left bytes after the end; `push` terminates its own text.
        if let Some(end) = self.bytes.get_mut(self.len) {
            *end = 0;
        }
        Some(())
    }

    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            if let Some(end) = self.bytes.get_mut(len) {
                *end = 0;
            }
            self.len = len;
        }
    }
}
