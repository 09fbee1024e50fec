//! What a program requested: bytes at the highest interface that it called, and how its processes
//! share files.
//!
//! A byte passes through several interfaces, and each counts it. Sums at the lowest one tell what
//! storage did ([`crate::usage`]); the sums here tell what the program requested.

use marigraph_model::Module;

use crate::files::{FileUse, Files, Sharing};
use crate::usage::{JobUsage, bump};

/// An interface as programs see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interface {
    Posix,
    Stdio,
    MpiIo,
    Hdf5,
    Pnetcdf,
    /// By files (DFS) or by objects.
    Daos,
}

impl Interface {
    pub const ALL: [Interface; 6] = [
        Interface::Posix,
        Interface::Stdio,
        Interface::MpiIo,
        Interface::Hdf5,
        Interface::Pnetcdf,
        Interface::Daos,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Interface::Posix => "POSIX",
            Interface::Stdio => "STDIO",
            Interface::MpiIo => "MPI-IO",
            Interface::Hdf5 => "HDF5",
            Interface::Pnetcdf => "PnetCDF",
            Interface::Daos => "DAOS",
        }
    }

    /// The letter in tables: those of the Intrepid study, plus N and D.
    pub const fn letter(self) -> char {
        match self {
            Interface::Posix => 'P',
            Interface::Stdio => 'S',
            Interface::MpiIo => 'M',
            Interface::Hdf5 => 'H',
            Interface::Pnetcdf => 'N',
            Interface::Daos => 'D',
        }
    }

    pub fn named(name: &str) -> Option<Interface> {
        Interface::ALL.into_iter().find(|interface| interface.name() == name)
    }

    const fn modules(self) -> &'static [Module] {
        match self {
            Interface::Posix => &[Module::Posix],
            Interface::Stdio => &[Module::Stdio],
            Interface::MpiIo => &[Module::MpiIo],
            Interface::Hdf5 => &[Module::H5f],
            Interface::Pnetcdf => &[Module::PnetcdfFile],
            Interface::Daos => &[Module::Dfs, Module::Daos],
        }
    }
}

/// Requests through one interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    pub opens: u64,
    /// Files for which it is the highest interface.
    pub files: u64,
    pub read: u64,
    pub written: u64,
}

impl Asked {
    fn add(&mut self, (read, written): (u64, u64)) {
        self.files += 1;
        bump(&mut self.read, read);
        bump(&mut self.written, written);
    }
}

/// Sums what a job requested from each interface that it used, in the order of [`Interface::ALL`].
pub fn by_interface(files: &Files, usage: &JobUsage) -> Vec<(Interface, Asked)> {
    let mut sums = [Asked::default(); Interface::ALL.len()];
    for (interface, sum) in Interface::ALL.into_iter().zip(&mut sums) {
        let opens = |module: &Module| usage.modules.get(module).map_or(0, |usage| usage.opens);
        sum.opens = interface.modules().iter().map(opens).sum();
    }
    for (_, file) in files.real() {
        for (interface, bytes) in highest(file).into_iter().flatten() {
            sums[interface as usize].add(bytes);
        }
    }
    let used = |(_, asked): &(Interface, Asked)| asked.opens > 0 || asked.files > 0;
    Interface::ALL.into_iter().zip(sums).filter(used).collect()
}

/// Returns the highest interface of each stack that a file was used through, with the bytes.
fn highest(file: &FileUse) -> [Option<(Interface, (u64, u64))>; 3] {
    let [layered, streams, daos] = file.asked();
    let top = [Interface::Hdf5, Interface::Pnetcdf, Interface::MpiIo, Interface::Posix];
    let is = |interface: Interface| interface.modules().iter().any(|&module| file.through(module));
    let layers = top.into_iter().find(|&interface| is(interface)).map(|interface| (interface, layered));
    let of = |interface: Interface, bytes| is(interface).then_some((interface, bytes));
    [layers, of(Interface::Stdio, streams), of(Interface::Daos, daos)]
}

/// Sums files by [`Sharing`]: one process, some, all.
pub fn by_sharing(files: &Files, nprocs: u64) -> [(Sharing, Asked); 3] {
    let mut sums = [Sharing::One, Sharing::Some, Sharing::All].map(|sharing| (sharing, Asked::default()));
    for (_, file) in files.real() {
        let bytes = file
            .asked()
            .into_iter()
            .fold((0u64, 0u64), |sum, bytes| (sum.0.saturating_add(bytes.0), sum.1.saturating_add(bytes.1)));
        sums[file.sharing(nprocs) as usize].1.add(bytes);
    }
    sums
}

/// Counts the files that bytes were written to.
pub fn written(files: &Files) -> u64 {
    files.real().filter(|(_, file)| file.asked().iter().any(|&(_, written)| written > 0)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::{Asked, Interface, by_interface, by_sharing, written};
    use crate::files::{Files, Sharing};
    use crate::usage::JobUsage;
    use marigraph_model::{Count, Extra, FileId, Measure, Module, Rank, Records, Scope, Sink};

    /// Records of one module: file, rank, bytes read, bytes written.
    fn records(module: Module, rows: &[(u64, Option<u32>, i64, i64)]) -> Records {
        let mut records = Records::new(module);
        for &(file, rank, read, written) in rows {
            let mut ints = vec![Count::new(0); module.ints().len()];
            let roles = module.roles();
            for (role, value) in [(roles.bytes_read, read), (roles.bytes_written, written)] {
                role.into_iter().for_each(|idx| ints[idx.at()] = Count::new(value));
            }
            ints[roles.opens[0].at()] = Count::new(1);
            let scope = rank.map_or(Scope::Shared, |rank| Scope::Rank(Rank(rank)));
            let floats = vec![Measure::new(0.0); module.floats().len()];
            records.push(FileId(file), scope, ints, floats, Extra::None);
        }
        records
    }

    fn sample() -> (Files, JobUsage) {
        let (mut files, mut usage) = (Files::default(), JobUsage::default());
        for block in [
            // Through MPI-IO, with more bytes below it; through POSIX alone; through HDF5, whose
            // bytes MPI-IO counts.
            records(
                Module::Posix,
                &[(1, None, 0, 150), (2, Some(0), 7, 0), (3, None, 0, 90), (4, Some(1), 1, 1)],
            ),
            records(Module::MpiIo, &[(1, None, 0, 100), (3, None, 0, 80)]),
            records(Module::H5f, &[(3, None, 0, 0)]),
            // A stream beside a descriptor; standard output is not a file.
            records(Module::Stdio, &[(4, Some(2), 5, 0), (FileId::STDOUT.0, Some(0), 0, 999)]),
        ] {
            files.records(&block);
            usage.records(&block);
        }
        (files, usage)
    }

    #[test]
    fn bytes_count_at_the_highest_interface() {
        let (files, usage) = sample();
        let asked = |opens, files, read, written| Asked { opens, files, read, written };
        assert_eq!(
            by_interface(&files, &usage),
            [
                (Interface::Posix, asked(4, 2, 8, 1)),
                (Interface::Stdio, asked(2, 1, 5, 0)),
                (Interface::MpiIo, asked(2, 1, 0, 100)),
                (Interface::Hdf5, asked(1, 1, 0, 80)),
            ]
        );
        assert_eq!(written(&files), 3);
    }

    #[test]
    fn files_are_told_apart_by_who_uses_them() {
        let (files, _) = sample();
        let [one, some, all] = by_sharing(&files, 8);
        assert_eq!((one.0, one.1.files, one.1.read, one.1.written), (Sharing::One, 2, 13, 1));
        assert_eq!((some.0, some.1.files), (Sharing::Some, 0));
        assert_eq!((all.0, all.1.files, all.1.written), (Sharing::All, 2, 180));
        // A job of one process shares nothing.
        assert_eq!(by_sharing(&files, 1)[0].1.files, 4);
    }

    #[test]
    fn names_and_letters_are_told_apart() {
        for interface in Interface::ALL {
            assert_eq!(Interface::named(interface.name()), Some(interface));
        }
        assert_eq!(Interface::named("FTP"), None);
    }
}
