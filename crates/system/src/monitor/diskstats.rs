//! Lines of `/proc/diskstats`.

/// Indices of the fields after the name, in the order of a disk's columns: reads, sectors read,
/// milliseconds reading, the same of writes, requests in flight, milliseconds busy, weighted
/// milliseconds. The others are merged requests, and discards and flushes of newer kernels.
const FIELDS: [usize; 9] = [0, 2, 3, 4, 6, 7, 8, 9, 10];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) number: (u32, u32),
    pub(super) name: &'a str,
    pub(super) values: [u64; FIELDS.len()],
}

/// The devices of a text; malformed lines are skipped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().filter_map(line)
}

fn line(text: &str) -> Option<Line<'_>> {
    let mut words = text.split_ascii_whitespace();
    let number = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let name = words.next()?;
    let mut all = [0; 11];
    for to in &mut all {
        *to = words.next()?.parse().ok()?;
    }
    let values = FIELDS.map(|at| all.get(at).copied().unwrap_or(0));
    Some(Line { number, name, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_kernels() {
        let text = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8       1 sda1 1 2 3 4\nodd\n \
                    259       0 nvme0n1 12 0 96 1 4294967297 0 8 2 1 3 4294967295 0 0 0 0 7 1\n";
        let found: Vec<Line> = lines(text).collect();
        let sda = Line { number: (8, 0), name: "sda", values: [1, 3, 4, 5, 7, 8, 9, 10, 11] };
        let nvme = [12, 96, 1, 4_294_967_297, 8, 2, 1, 3, 4_294_967_295];
        assert_eq!(found, [sda, Line { number: (259, 0), name: "nvme0n1", values: nvme }]);
    }
}
