//! Reads the lines of a table block by block.

use std::io;

use crate::source::Source;

/// Bytes per block; a longer line extends its block.
const BLOCK: usize = 1 << 18;
/// Longer lines are split: nothing in a table needs them.
const LONGEST: usize = 1 << 26;

#[derive(Clone, Copy)]
pub(super) enum Lines<'a> {
    Held(&'a [u8]),
    /// In a source, starting at an offset.
    Elsewhere(&'a dyn Source, u64),
}

impl Lines<'_> {
    /// The last line may lack its end.
    pub(super) fn each_block(self, mut show: impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Lines::Held(mut rest) => {
                while !rest.is_empty() {
                    let cut = if rest.len() <= BLOCK { None } else { whole_lines(&rest[..BLOCK]) };
                    let cut = cut.or_else(|| first_line(rest)).unwrap_or(rest.len());
                    show(&rest[..cut]);
                    rest = &rest[cut..];
                }
                Ok(())
            }
            Lines::Elsewhere(source, from) => each_block_of(source, from, show),
        }
    }
}

fn each_block_of(source: &dyn Source, mut from: u64, mut show: impl FnMut(&[u8])) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    let mut filled = 0;
    loop {
        if filled == block.len() {
            block.resize(2 * filled, 0);
        }
        let count = source.read_at(from, &mut block[filled..])?;
        from += count as u64;
        filled += count;
        let end = if count == 0 || filled >= LONGEST { Some(filled) } else { whole_lines(&block[..filled]) };
        if let Some(end) = end {
            show(&block[..end]);
            block.copy_within(end..filled, 0);
            filled -= end;
        }
        if count == 0 {
            return Ok(());
        }
    }
}

fn whole_lines(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1)
}

/// Length of the first line, including its end.
fn first_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == b'\n').map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_of_whole_lines_wherever_the_bytes_are() {
        let long = "x".repeat(3 * BLOCK);
        let mut text: String = (0..40_000).map(|n| format!("line {n}\n")).collect();
        text.push_str(&format!("{long}\nend"));
        let bytes = text.as_bytes();
        for lines in [Lines::Held(bytes), Lines::Elsewhere(&Halting(bytes), 0)] {
            let mut all = Vec::new();
            let shown = lines.each_block(|block| {
                assert!(block.ends_with(b"\n") || block.ends_with(b"end"), "whole lines only");
                all.extend_from_slice(block);
            });
            assert!(shown.is_ok() && all == bytes);
        }
        let mut none = 0;
        assert!(Lines::Elsewhere(&Halting(b""), 0).each_block(|block| none += block.len()).is_ok());
        assert_eq!(none, 0);
    }

    /// Returns a few bytes per read.
    struct Halting<'a>(&'a [u8]);

    impl Source for Halting<'_> {
        fn read_at(&self, from: u64, into: &mut [u8]) -> io::Result<usize> {
            let rest = self.0.get(from as usize..).unwrap_or(&[]);
            let count = rest.len().min(into.len()).min(70_001);
            into[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }
    }
}
