//! Mounted file systems of this machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use marigraph_model::{Mount, MountTable};

/// Kernel file systems, which hold no data of jobs.
const PSEUDO: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "efivarfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "ramfs",
    "rpc_pipefs",
    "securityfs",
    "sysfs",
    "tracefs",
];

pub fn read(text: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        let mut fields = line.split(' ').skip(1);
        let (path, fs_type) = (unescape(fields.next()?), fields.next()?.to_string());
        (!PSEUDO.contains(&fs_type.as_str())).then_some(Mount { path, fs_type })
    };
    text.lines().filter_map(mount).collect()
}

/// The mounts of this machine; empty if unknown.
pub fn here() -> Vec<Mount> {
    read(&fs::read_to_string("/proc/self/mounts").unwrap_or_default())
}

fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|_| byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = after.get(3..).unwrap_or(&[]);
            }
            None => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Block sizes of file systems, queried when first needed: an unused mount may not respond.
#[derive(Debug)]
pub struct BlockSizes {
    mounts: MountTable,
    known: Mutex<BTreeMap<usize, i64>>,
}

impl BlockSizes {
    pub fn new(mounts: &[Mount]) -> BlockSizes {
        BlockSizes { mounts: MountTable::new(mounts), known: Mutex::default() }
    }

    /// Block size of the file system that holds a path; 4096 where unknown.
    pub fn of(&self, path: &[u8]) -> i64 {
        const USUAL: i64 = 4096;
        let Some(at) = self.mounts.find(path) else { return USUAL };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(at).or_insert_with(|| {
            let point = self.mounts.mounts().get(at).map_or("/", |mount| mount.path.as_str());
            let metadata = fs::metadata(Path::new(OsStr::from_bytes(point.as_bytes())));
            metadata.ok().and_then(|metadata| i64::try_from(metadata.blksize()).ok()).unwrap_or(USUAL)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_from_lines() {
        let text =
            "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\nmds:/x /lus\\040two lustre rw 0 0\nodd\n";
        let mounts = read(text);
        let pairs: Vec<(&str, &str)> =
            mounts.iter().map(|mount| (mount.path.as_str(), mount.fs_type.as_str())).collect();
        assert_eq!(pairs, [("/", "ext4"), ("/lus two", "lustre")]);
        assert!(BlockSizes::new(&here()).of(b"/tmp/x") >= 512);
        assert_eq!(BlockSizes::new(&[]).of(b"/x"), 4096);
    }
}
