//! Maps addresses to locations in program files, from lines of `/proc/self/maps`.

/// A location in a program, the same in every process that runs the same files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Site {
    /// The program or library; empty if unknown.
    pub module: Vec<u8>,
    pub offset: u64,
}

#[derive(Debug)]
struct Mapping {
    from: u64,
    to: u64,
    offset: u64,
    path: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Maps(Vec<Mapping>);

impl Maps {
    /// Lines of later texts come first, because addresses are reused.
    pub(super) fn read(texts: &[&[u8]]) -> Maps {
        let lines = texts.iter().rev().flat_map(|text| text.split(|&byte| byte == b'\n'));
        Maps(lines.filter_map(mapping).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn site(&self, address: u64) -> Option<Site> {
        let mapping = self.0.iter().find(|mapping| (mapping.from..mapping.to).contains(&address))?;
        let offset = (address - mapping.from).checked_add(mapping.offset)?;
        Some(Site { module: mapping.path.clone(), offset })
    }
}

/// Parses `from-to perms offset dev inode path`; only files have a path that begins with a slash.
fn mapping(line: &[u8]) -> Option<Mapping> {
    let slash = line.iter().position(|&byte| byte == b'/')?;
    let (fields, path) = line.split_at_checked(slash)?;
    let mut fields = std::str::from_utf8(fields).ok()?.split_ascii_whitespace();
    let (from, to) = fields.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let offset = number(fields.nth(1)?)?;
    Some(Mapping { from: number(from)?, to: number(to)?, offset, path: path.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_offsets_in_files() {
        let text = b"55d0c000-55d0d000 r-xp 00002000 08:01 131 /usr/bin/my app\n7f00-7f10 r-xp 0 0:0 0 [vdso]\nrubbish / x";
        let later = b"7fff1000-7fff2000 r-xp 00000000 08:01 9 /lib/libm.so";
        let maps = Maps::read(&[text, later]);
        let site = Site { module: b"/usr/bin/my app".to_vec(), offset: 0x2010 };
        assert_eq!(maps.site(0x55d0_c010), Some(site));
        assert_eq!(maps.site(0x7fff_1001).map(|site| site.offset), Some(1));
        assert_eq!(maps.site(0x7f05), None);
    }
}
