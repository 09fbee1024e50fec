//! Counter records: what one rank, or all ranks, did to one object through one interface.

use crate::counters::{FloatIdx, IntIdx};
use crate::file::FileId;
use crate::job::Rank;
use crate::module::Module;
use crate::value::{Count, Measure};

/// The ranks that a record covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All ranks of the job, reduced to one record.
    Shared,
    Rank(Rank),
}

/// Data of some modules besides counters.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Extra {
    #[default]
    None,
    /// The file that a dataset or variable belongs to.
    Parent(FileId),
    /// Location of a DAOS object.
    Container {
        /// UUID.
        pool: [u8; 16],
        /// UUID.
        container: [u8; 16],
        /// Object id, high and low half, where the record is about an object.
        object: Option<(u64, u64)>,
    },
    /// Requests per server.
    Servers(Vec<i64>),
    Node(String),
}

/// Records of one module, row by row in adjacent memory: a block of a stream, or a whole log.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    module: Module,
    n_ints: usize,
    n_floats: usize,
    files: Vec<FileId>,
    scopes: Vec<Scope>,
    ints: Vec<Count>,
    floats: Vec<Measure>,
    extras: Vec<Extra>,
}

/// One record, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<'a> {
    pub module: Module,
    pub file: FileId,
    pub scope: Scope,
    /// In the module's order.
    pub ints: &'a [Count],
    /// In the module's order.
    pub floats: &'a [Measure],
    pub extra: &'a Extra,
}

impl Records {
    pub fn new(module: Module) -> Records {
        Records {
            module,
            n_ints: module.ints().len(),
            n_floats: module.floats().len(),
            files: Vec::new(),
            scopes: Vec::new(),
            ints: Vec::new(),
            floats: Vec::new(),
            extras: Vec::new(),
        }
    }

    pub fn module(&self) -> Module {
        self.module
    }

    /// Pads short rows with missing values and cuts long ones.
    pub fn push(
        &mut self,
        file: FileId,
        scope: Scope,
        ints: impl IntoIterator<Item = Count>,
        floats: impl IntoIterator<Item = Measure>,
        extra: Extra,
    ) {
        self.files.push(file);
        self.scopes.push(scope);
        self.ints.extend(ints.into_iter().take(self.n_ints));
        self.ints.resize(self.files.len() * self.n_ints, Count::MISSING);
        self.floats.extend(floats.into_iter().take(self.n_floats));
        self.floats.resize(self.files.len() * self.n_floats, Measure::MISSING);
        self.extras.push(extra);
    }

    /// `block` must be of the same module.
    pub fn append(&mut self, block: &Records) {
        debug_assert_eq!(self.module, block.module);
        self.files.extend_from_slice(&block.files);
        self.scopes.extend_from_slice(&block.scopes);
        self.ints.extend_from_slice(&block.ints);
        self.floats.extend_from_slice(&block.floats);
        self.extras.extend_from_slice(&block.extras);
    }

    /// Keeps the memory.
    pub fn clear(&mut self) {
        self.files.clear();
        self.scopes.clear();
        self.ints.clear();
        self.floats.clear();
        self.extras.clear();
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<Record<'_>> {
        Some(Record {
            module: self.module,
            file: *self.files.get(at)?,
            scope: *self.scopes.get(at)?,
            ints: self.ints.get(at * self.n_ints..(at + 1) * self.n_ints)?,
            floats: self.floats.get(at * self.n_floats..(at + 1) * self.n_floats)?,
            extra: self.extras.get(at)?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl Record<'_> {
    pub fn int(&self, idx: IntIdx) -> Count {
        self.ints.get(idx.at()).copied().unwrap_or(Count::MISSING)
    }

    pub fn float(&self, idx: FloatIdx) -> Measure {
        self.floats.get(idx.at()).copied().unwrap_or(Measure::MISSING)
    }

    /// 0 if the module lacks the role or it was not measured.
    pub fn amount(&self, role: Option<IntIdx>) -> u64 {
        role.map_or(0, |idx| self.int(idx).amount())
    }

    /// In seconds; 0 if the module lacks the role or it was not measured.
    pub fn seconds(&self, role: Option<FloatIdx>) -> f64 {
        role.map_or(0.0, |idx| self.float(idx).amount())
    }

    pub fn sum(&self, roles: &[IntIdx]) -> u64 {
        roles.iter().map(|&idx| self.int(idx).amount()).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::stdio;

    #[test]
    fn rows_keep_their_width() {
        let mut records = Records::new(Module::Stdio);
        records.push(FileId(1), Scope::Shared, [Count::new(3)], [], Extra::None);
        let long = vec![Count::new(1); 100];
        records.push(FileId(2), Scope::Rank(Rank(0)), long, [], Extra::None);
        let first = records.get(0).expect("first");
        assert_eq!(first.int(stdio::OPENS), Count::new(3));
        assert_eq!(first.int(stdio::READS), Count::MISSING);
        let second = records.get(1).expect("second");
        assert_eq!(second.ints.len(), stdio::INTS.len());
        assert_eq!(second.sum(&[stdio::OPENS, stdio::READS]), 2);
        assert!(records.get(2).is_none());
    }
}
