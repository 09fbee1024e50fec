//! Texts in memory of fixed size.

use core::ffi::CStr;

/// A text of at most `N - 1` bytes; what does not fit is left out.
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    /// No text.
    pub const EMPTY: Text<N> = Text { bytes: [0; N], len: 0 };

    /// Appends; says whether all of it fit.
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

    /// Appends a number in base 10 or 16.
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

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    /// For the kernel; a NUL follows the text.
    pub fn c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }

    /// Lets `fill` write from the end on; it says how much it wrote.
    pub fn fill(&mut self, fill: impl FnOnce(&mut [u8]) -> Option<usize>) -> Option<()> {
        let last = N.saturating_sub(1);
        let room = self.bytes.get_mut(self.len..last)?;
        let most = room.len();
        let len = fill(room)?.min(most);
        self.len += len;
        // What was read may have left bytes behind it; `push` ends what it appends.
        if let Some(end) = self.bytes.get_mut(self.len) {
            *end = 0;
        }
        Some(())
    }

    /// Cuts to a length.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            if let Some(end) = self.bytes.get_mut(len) {
                *end = 0;
            }
            self.len = len;
        }
    }
}
