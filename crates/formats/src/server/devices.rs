//! Selects the devices of a server whose bytes count.
//!
//! Logs of block devices list some bytes more than once: for a disk, for its partitions, and for
//! devices built on disks. Bytes count at the disk, unless the log has only devices built on
//! others.

use std::collections::HashSet;

/// Name prefixes of devices built on others or on memory: device mapper, software RAID, loops.
const BUILT: &[&str] = &["dm-", "md", "loop", "ram", "zram", "drbd", "bcache", "nbd", "sr", "fd", "mapper/"];

fn is_built(name: &str) -> bool {
    let after = |known: &&str| name.strip_prefix(*known);
    BUILT
        .iter()
        .filter_map(after)
        .any(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
        || name.starts_with("mapper/")
}

/// The disk that a name would be a partition of: `sda` for `sda1`, `nvme0n1` for `nvme0n1p2`.
fn disk_of(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() || stem.is_empty() {
        return None;
    }
    match stem.strip_suffix('p') {
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => Some(disk),
        _ if stem.ends_with(|c: char| c.is_ascii_lowercase()) => Some(stem),
        _ => None,
    }
}

/// Whether the bytes of each device of a report count: it is neither built on others nor a
/// partition of a listed disk. If all devices are built on others, all of them count.
pub(super) fn counted<'n>(names: &[&'n str]) -> Vec<bool> {
    let known: HashSet<&str> = names.iter().copied().collect();
    let partition = |name: &'n str| disk_of(name).is_some_and(|disk| known.contains(disk));
    let disks = names.iter().any(|name| !is_built(name));
    names.iter().map(|name| !(partition(name) || disks && is_built(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_where_they_meet_the_disk() {
        let names =
            ["sda", "sda1", "nvme0n1", "nvme0n1p2", "dm-0", "md127", "loop3", "sdb1", "md", "mdx", "vda"];
        let counted: Vec<&str> = names
            .into_iter()
            .zip(counted(&names))
            .filter(|(_, counts)| *counts)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(counted, ["sda", "nvme0n1", "sdb1", "mdx", "vda"]);
        assert_eq!(super::counted(&["dm-0", "dm-1"]), [true, true]);
        assert_eq!((disk_of("sda"), disk_of("1"), disk_of("mmcblk0p1")), (None, None, Some("mmcblk0")));
    }
}
