//! Use of each file, and statistics over the files of a job.

use std::collections::BTreeMap;

use marigraph_model::{FileId, FileMap, FileTable, Module, MountTable, Record, Records, Scope, Sink};

use crate::usage::bump;

/// Interfaces whose records describe files, in the bit order of [`FileUse::interfaces`].
pub const INTERFACES: [Module; 7] = [
    Module::Posix,
    Module::Stdio,
    Module::MpiIo,
    Module::H5f,
    Module::PnetcdfFile,
    Module::Dfs,
    Module::Daos,
];

/// Sums of one layer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moved {
    /// In bytes.
    pub read: u64,
    pub written: u64,
    pub reads: u64,
    pub writes: u64,
    /// Metadata calls, including opens.
    pub meta: u64,
    /// Sum over all ranks.
    pub seconds: f64,
}

impl Moved {
    fn join(&mut self, other: &Moved) {
        bump(&mut self.read, other.read);
        bump(&mut self.written, other.written);
        bump(&mut self.reads, other.reads);
        bump(&mut self.writes, other.writes);
        bump(&mut self.meta, other.meta);
        self.seconds += other.seconds;
    }

    fn add(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        bump(&mut self.read, record.amount(roles.bytes_read));
        bump(&mut self.written, record.amount(roles.bytes_written));
        bump(&mut self.reads, record.sum(roles.reads));
        bump(&mut self.writes, record.sum(roles.writes));
        bump(&mut self.meta, record.sum(roles.opens));
        bump(&mut self.meta, record.sum(roles.other_metadata));
        self.seconds += record.seconds(roles.read_time)
            + record.seconds(roles.write_time)
            + record.seconds(roles.meta_time);
    }
}

/// How many processes use a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    One,
    Some,
    All,
}

impl Sharing {
    pub const fn name(self) -> &'static str {
        match self {
            Sharing::One => "unique",
            Sharing::Some => "partial",
            Sharing::All => "shared",
        }
    }
}

/// Use of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FileUse {
    /// Bits of [`INTERFACES`].
    pub interfaces: u8,
    /// Per stack of interfaces, the level of the lowest one recorded, and its sums.
    stacks: [(u8, Moved); Module::STACKS.len()],
    /// Per stack, the level of the highest one that moved bytes, with bytes read and written.
    highest: [(u8, u64, u64); Module::STACKS.len()],
    /// Highest offset plus one, where known.
    pub size: Option<u64>,
    /// Whether one record stands for all ranks.
    pub shared: bool,
    ranks: [u32; INTERFACES.len()],
    /// Size when the job first opened it; `None` where the log does not tell.
    found_size: Option<u64>,
}

impl FileUse {
    /// Bytes, calls and seconds of all stacks of interfaces, each at its lowest recorded level.
    pub fn moved(&self) -> Moved {
        let mut all = Moved::default();
        self.stacks.iter().for_each(|(_, moved)| all.join(moved));
        all
    }

    fn add(&mut self, record: Record<'_>) {
        let place = |stack: &&[Module]| stack.iter().position(|&module| module == record.module);
        let Some((stack, height)) =
            Module::STACKS.iter().enumerate().find_map(|(at, stack)| place(stack).map(|height| (at, height)))
        else {
            return;
        };
        // 0 means "nothing yet", so heights count from 1.
        let height = height as u8 + 1;
        let (known, moved) = &mut self.stacks[stack];
        if *known == 0 || height < *known {
            (*known, *moved) = (height, Moved::default());
        }
        if height == *known {
            moved.add(record);
        }
        let roles = record.module.roles();
        let (read, written) = (record.amount(roles.bytes_read), record.amount(roles.bytes_written));
        let highest = &mut self.highest[stack];
        if height > highest.0 && (read > 0 || written > 0) {
            *highest = (height, 0, 0);
        }
        if height == highest.0 {
            bump(&mut highest.1, read);
            bump(&mut highest.2, written);
        }
    }

    /// Bytes read and written per stack of interfaces, as the highest one counted them: what the
    /// program requested.
    pub fn asked(&self) -> [(u64, u64); Module::STACKS.len()] {
        self.highest.map(|(_, read, written)| (read, written))
    }

    pub fn through(&self, module: Module) -> bool {
        INTERFACES
            .iter()
            .position(|&known| known == module)
            .is_some_and(|bit| self.interfaces >> bit & 1 == 1)
    }

    pub fn sharing(&self, nprocs: u64) -> Sharing {
        match self.ranks() {
            None if nprocs > 1 => Sharing::All,
            Some(ranks) if ranks > 1 && u64::from(ranks) >= nprocs => Sharing::All,
            Some(ranks) if ranks > 1 => Sharing::Some,
            _ => Sharing::One,
        }
    }

    /// Number of ranks that used it; `None` means all.
    pub fn ranks(&self) -> Option<u32> {
        (!self.shared).then(|| self.ranks.iter().copied().max().unwrap_or(0))
    }
}

/// Collects the use of every file.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// In order of first appearance.
    uses: Vec<(FileId, FileUse)>,
    /// Index into `uses`.
    index: FileMap<u32>,
}

impl Files {
    fn of(&mut self, id: FileId) -> &mut FileUse {
        let next = self.uses.len();
        let at = *self.index.entry(id).or_insert(u32::try_from(next).unwrap_or(u32::MAX)) as usize;
        if at >= next {
            self.uses.push((id, FileUse::default()));
        }
        let last = self.uses.len() - 1;
        &mut self.uses[at.min(last)].1
    }
}

impl Sink for Files {
    fn records(&mut self, block: &Records) {
        let Some(at) = INTERFACES.iter().position(|&module| module == block.module()) else { return };
        for record in block.iter() {
            let file = self.of(record.file);
            file.interfaces |= 1 << at;
            file.add(record);
            match record.scope {
                Scope::Shared => file.shared = true,
                Scope::Rank(_) => file.ranks[at] += 1,
            }
            if let Some((read, written)) = record.module.roles().max_byte {
                let highest = record.int(read).amount().max(record.int(written).amount());
                let roles = record.module.roles();
                if record.amount(roles.bytes_read) > 0 || record.amount(roles.bytes_written) > 0 {
                    file.size = Some(file.size.unwrap_or(0).max(highest.saturating_add(1)));
                }
            }
        }
    }

    fn found_size(&mut self, file: FileId, bytes: u64) {
        // A file without records does not belong to the job.
        if let Some(&at) = self.index.get(&file)
            && let Some((_, known)) = self.uses.get_mut(at as usize)
        {
            known.found_size.get_or_insert(bytes);
        }
    }
}

/// Sums over a group of files.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Group {
    pub files: u64,
    /// In bytes.
    pub read: u64,
    pub written: u64,
    /// Sum over all ranks.
    pub seconds: f64,
    /// Sum of the known sizes.
    pub size_sum: u64,
    pub sized: u64,
    pub size_max: u64,
}

impl Group {
    fn add(&mut self, file: &FileUse) {
        let moved = file.moved();
        self.files += 1;
        bump(&mut self.read, moved.read);
        bump(&mut self.written, moved.written);
        self.seconds += moved.seconds;
        if let Some(size) = file.size {
            self.sized += 1;
            bump(&mut self.size_sum, size);
            self.size_max = self.size_max.max(size);
        }
    }
}

/// Files by kind of use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByUse {
    pub total: Group,
    pub read_only: Group,
    pub write_only: Group,
    pub read_write: Group,
    /// Opened or stat'ed, but no bytes moved.
    pub untouched: Group,
}

/// Files by number of users. With N processes, N:1 is one file for all, N:N a file each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BySharing {
    pub all: Group,
    pub one: Group,
    pub some: Group,
}

impl Files {
    /// Iterates over files and standard streams in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &FileUse)> {
        self.uses.iter().map(|(id, file)| (*id, file))
    }

    /// Number of files, without standard streams.
    pub fn count(&self) -> u64 {
        self.uses.iter().filter(|(id, _)| !id.is_standard_stream()).count() as u64
    }

    /// Number of written files that were absent or empty before; `None` if the log does not tell
    /// for every one.
    pub fn written_new(&self) -> Option<u64> {
        let written = self.real().filter(|(_, file)| file.asked().iter().any(|&(_, written)| written > 0));
        written.map(|(_, file)| file.found_size.map(|size| u64::from(size == 0))).sum()
    }

    pub fn count_through(&self, module: Module) -> u64 {
        self.uses.iter().filter(|(_, file)| file.through(module)).count() as u64
    }

    /// Iterates over all but standard streams.
    pub fn real(&self) -> impl Iterator<Item = (FileId, &FileUse)> {
        self.iter().filter(|(id, _)| !id.is_standard_stream())
    }

    pub fn by_use(&self) -> ByUse {
        let mut by = ByUse::default();
        for (_, file) in self.real() {
            by.total.add(file);
            let moved = file.moved();
            match (moved.read > 0, moved.written > 0) {
                (true, false) => by.read_only.add(file),
                (false, true) => by.write_only.add(file),
                (true, true) => by.read_write.add(file),
                (false, false) => by.untouched.add(file),
            }
        }
        by
    }

    pub fn by_sharing(&self, nprocs: u64) -> BySharing {
        let mut by = BySharing::default();
        for (_, file) in self.real() {
            match file.sharing(nprocs) {
                Sharing::All => by.all.add(file),
                Sharing::Some => by.some.add(file),
                Sharing::One => by.one.add(file),
            }
        }
        by
    }

    /// Groups by mount point; standard streams are separate.
    pub fn by_mount(&self, names: &FileTable, mounts: &MountTable) -> BTreeMap<Place, Group> {
        let mut by: BTreeMap<Place, Group> = BTreeMap::new();
        for (id, file) in self.iter() {
            by.entry(place(id, names, mounts)).or_default().add(file);
        }
        by
    }
}

/// Where a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Index into the mount table.
    Mount(usize),
    Stream,
    /// On no file system that the log lists.
    Unknown,
}

pub fn place(id: FileId, names: &FileTable, mounts: &MountTable) -> Place {
    if id.is_standard_stream() {
        return Place::Stream;
    }
    names.name(id).and_then(|name| mounts.find(name)).map_or(Place::Unknown, Place::Mount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::counters::posix;
    use marigraph_model::{Count, Extra, Measure, Mount, Rank};

    fn push(records: &mut Records, file: u64, scope: Scope, read: i64, written: i64) {
        let module = records.module();
        let mut ints = vec![Count::new(0); module.ints().len()];
        let roles = module.roles();
        ints[roles.bytes_read.expect("role").at()] = Count::new(read);
        ints[roles.bytes_written.expect("role").at()] = Count::new(written);
        ints[roles.reads[0].at()] = Count::new(i64::from(read > 0));
        ints[roles.writes[0].at()] = Count::new(i64::from(written > 0));
        if module == Module::Posix {
            ints[posix::MAX_BYTE_WRITTEN.at()] = Count::new(written.max(1) - 1);
        }
        records.push(FileId(file), scope, ints, vec![Measure::new(0.0); module.floats().len()], Extra::None);
    }

    fn sample() -> Files {
        let rank = |n| Scope::Rank(Rank(n));
        let mut posix_records = Records::new(Module::Posix);
        push(&mut posix_records, 1, Scope::Shared, 0, 100);
        push(&mut posix_records, 2, rank(0), 5, 0);
        push(&mut posix_records, 3, rank(0), 0, 0);
        push(&mut posix_records, 4, rank(0), 1, 1);
        push(&mut posix_records, 4, rank(1), 1, 1);
        push(&mut posix_records, FileId::STDOUT.0, rank(0), 0, 9);
        let mut mpi_records = Records::new(Module::MpiIo);
        push(&mut mpi_records, 1, Scope::Shared, 0, 100);
        let mut files = Files::default();
        files.records(&posix_records);
        files.records(&mpi_records);
        files
    }

    #[test]
    fn files_are_sorted_by_use_and_sharing() {
        let files = sample();
        assert_eq!(files.count(), 4);
        let by = files.by_use();
        assert_eq!((by.total.files, by.total.written, by.total.read), (4, 102, 7));
        assert_eq!(
            (by.read_only.files, by.write_only.files, by.read_write.files, by.untouched.files),
            (1, 1, 1, 1)
        );
        assert_eq!(by.total.size_max, 100);
        let sharing = files.by_sharing(4);
        assert_eq!((sharing.all.files, sharing.one.files, sharing.some.files), (1, 2, 1));
        assert_eq!(files.by_sharing(2).all.files, 2);
    }

    #[test]
    fn layers_of_one_stack_count_once() {
        let mut files = Files::default();
        for module in [Module::Daos, Module::Dfs, Module::MpiIo, Module::Posix] {
            let mut records = Records::new(module);
            push(&mut records, 1, Scope::Shared, 0, 100);
            files.records(&records);
        }
        let written = files.iter().next().expect("file").1.moved().written;
        assert_eq!(written, 200, "once through DAOS, once through POSIX");
    }

    #[test]
    fn mounts_streams_and_the_unknown_are_apart() {
        let mut names = FileTable::default();
        names.insert(FileId(1), b"/lus/a");
        names.insert(FileId(2), b"relative");
        names.insert(FileId::STDOUT, b"<STDOUT>");
        let mounts = MountTable::new(&[Mount { path: "/lus".into(), fs_type: "lustre".into() }]);
        let by = sample().by_mount(&names, &mounts);
        assert_eq!(by[&Place::Mount(0)].written, 100);
        assert_eq!(by[&Place::Stream].written, 9);
        assert_eq!(by[&Place::Unknown].files, 3);
    }
}
