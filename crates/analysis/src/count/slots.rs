//! What a process has open, by the numbers that the recorder gives to opens.
//!
//! Memory follows what is open now, not how often something was opened.

use std::collections::{BTreeMap, HashMap};

use marigraph_model::{FileId, Module};

use super::{EXCLUDED_NO_MORE, Options};
use marigraph_model::Names;

/// One open of a file, stream, MPI file, dataset, ...: the rows it counts into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    /// Row of the descriptor calls.
    pub(super) posix: Option<u32>,
    /// Row of the stream calls.
    pub(super) stdio: Option<u32>,
    /// The interface that opened it and the row in its table, where it is neither of these.
    pub(super) other: Option<(Module, u32)>,
    /// The open file description: aliases share one.
    pub(super) open: u32,
    /// The descriptor's slot under a stream that was made of one.
    pub(super) under: u32,
    /// One of the three streams every process has.
    pub(super) standard: bool,
}

impl Slot {
    /// A slot of another interface than descriptors and streams.
    pub(super) fn of(module: Module, row: Option<u32>) -> Slot {
        Slot { other: row.map(|row| (module, row)), ..Slot::default() }
    }

    /// Its row in the table of an interface, if that opened it.
    pub(super) fn made_by(&self, module: Module) -> Option<u32> {
        self.other.filter(|(maker, _)| *maker == module).map(|(_, row)| row)
    }
}

/// An open file description.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Open {
    /// Where the next read or write goes.
    pub(super) position: i64,
    /// Writes go to the end instead.
    pub(super) append: bool,
    pub(super) holders: u32,
}

const CACHED: usize = 32;

/// Slots of a process.
#[derive(Debug)]
pub(super) struct Slots {
    slots: BTreeMap<u32, Slot>,
    /// Those used last, each in the place its number gives it.
    cache: [(u32, Slot); CACHED],
    opens: Vec<Open>,
    free: Vec<u32>,
}

impl Slots {
    pub(super) fn new() -> Slots {
        Slots {
            slots: BTreeMap::new(),
            cache: [(0, Slot::default()); CACHED],
            opens: Vec::new(),
            free: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn get(&mut self, number: u32) -> Option<Slot> {
        let cached = self.cache.get_mut(number as usize % CACHED)?;
        if cached.0 == number && number != 0 {
            return Some(cached.1);
        }
        let slot = *self.slots.get(&number)?;
        *cached = (number, slot);
        Some(slot)
    }

    pub(super) fn put(&mut self, number: u32, slot: Slot) {
        if number == 0 {
            return;
        }
        if let Some(cached) = self.cache.get_mut(number as usize % CACHED) {
            *cached = (number, slot);
        }
        self.slots.insert(number, slot);
    }

    /// A new slot with a description of its own.
    pub(super) fn open(&mut self, number: u32, mut slot: Slot, open: Open) {
        self.close(number);
        let open = Open { holders: 1, ..open };
        slot.open = match self.free.pop() {
            Some(at) => {
                if let Some(old) = self.opens.get_mut(at as usize) {
                    *old = open;
                }
                at
            }
            None => {
                self.opens.push(open);
                u32::try_from(self.opens.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.put(number, slot);
    }

    /// A new slot that shares the description of another.
    pub(super) fn alias(&mut self, number: u32, slot: Slot) {
        if let Some(open) = self.opens.get_mut(slot.open as usize) {
            open.holders = open.holders.saturating_add(1);
        }
        self.close(number);
        self.put(number, slot);
    }

    pub(super) fn close(&mut self, number: u32) -> Option<Slot> {
        let slot = self.slots.remove(&number)?;
        if let Some(cached) = self.cache.get_mut(number as usize % CACHED).filter(|cached| cached.0 == number)
        {
            cached.0 = 0;
        }
        if let Some(open) = self.opens.get_mut(slot.open as usize) {
            open.holders = open.holders.saturating_sub(1);
            if open.holders == 0 {
                self.free.push(slot.open);
            }
        }
        Some(slot)
    }

    pub(super) fn description(&mut self, slot: &Slot) -> Option<&mut Open> {
        self.opens.get_mut(slot.open as usize)
    }
}

/// The files a process has to do with.
#[derive(Debug, Default)]
pub(super) struct Files {
    by_name: HashMap<i64, Option<u32>>,
    by_id: BTreeMap<FileId, u32>,
    paths: Vec<(FileId, Vec<u8>)>,
}

impl Files {
    /// The file of a name; `None` if it is not known or not to be profiled.
    pub(super) fn named(&mut self, id: i64, names: &dyn Names, options: &Options) -> Option<u32> {
        if let Some(&known) = self.by_name.get(&id) {
            return known;
        }
        let file = names.name(id).and_then(|path| self.path(path, options));
        self.by_name.insert(id, file);
        file
    }

    /// The file of a path.
    pub(super) fn path(&mut self, path: &[u8], options: &Options) -> Option<u32> {
        let excluded = options.exclude.iter().any(|prefix| path.starts_with(prefix))
            && !EXCLUDED_NO_MORE.iter().any(|prefix| path.starts_with(prefix.as_bytes()));
        if excluded {
            return None;
        }
        let id = FileId::of_name(path);
        let next = u32::try_from(self.paths.len()).ok()?;
        let file = *self.by_id.entry(id).or_insert(next);
        if file == next {
            self.paths.push((id, path.to_vec()));
        }
        Some(file)
    }

    pub(super) fn get(&self, file: u32) -> Option<(FileId, &[u8])> {
        self.paths.get(file as usize).map(|(id, path)| (*id, path.as_slice()))
    }
}

/// The rows of one interface.
#[derive(Debug)]
pub(super) struct Table<T> {
    rows: Vec<(u32, T)>,
    by_file: BTreeMap<u32, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { rows: Vec::new(), by_file: BTreeMap::new() }
    }
}

impl<T> Table<T> {
    /// The row of a file, made if there is none.
    pub(super) fn row(&mut self, file: u32, new: impl FnOnce() -> T) -> u32 {
        let next = self.rows.len() as u32;
        let at = *self.by_file.entry(file).or_insert(next);
        if at == next {
            self.rows.push((file, new()));
        }
        at
    }

    /// The row of a file, if there is one.
    pub(super) fn find(&self, file: u32) -> Option<u32> {
        self.by_file.get(&file).copied()
    }

    #[inline]
    pub(super) fn get(&mut self, row: Option<u32>) -> Option<&mut T> {
        self.rows.get_mut(row? as usize).map(|(_, row)| row)
    }

    /// Which file a row is about.
    pub(super) fn file(&self, row: Option<u32>) -> Option<u32> {
        self.rows.get(row? as usize).map(|(file, _)| *file)
    }

    pub(super) fn take(&mut self) -> Vec<(u32, T)> {
        self.by_file.clear();
        std::mem::take(&mut self.rows)
    }
}
