//! What a process has open, by the numbers that the recorder gives to opens.
//!
//! Memory follows what is open now, not how often something was opened.

use std::collections::{BTreeMap, HashMap};

use marigraph_model::{FileId, Module, NameId, Names, Slot};

use super::{EXCLUDED_NO_MORE, Options};

/// One open of a file, stream, MPI file, dataset, ...: the rows it counts into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenFile {
    pub(super) posix: Option<u32>,
    pub(super) stdio: Option<u32>,
    /// The interface that opened it and the row in its table, where it is neither of these.
    pub(super) other: Option<(Module, u32)>,
    /// The open file description: aliases share one.
    pub(super) open: u32,
    /// The descriptor's slot under a stream that was made of one.
    pub(super) under: Slot,
    /// One of the three streams every process has.
    pub(super) standard: bool,
}

impl OpenFile {
    pub(super) fn of(module: Module, row: Option<u32>) -> OpenFile {
        OpenFile { other: row.map(|row| (module, row)), ..OpenFile::default() }
    }

    /// Its row in the table of an interface, if that opened it.
    pub(super) fn made_by(&self, module: Module) -> Option<u32> {
        self.other.filter(|(maker, _)| *maker == module).map(|(_, row)| row)
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Open {
    /// Where the next read or write goes.
    pub(super) position: i64,
    pub(super) append: bool,
    pub(super) holders: u32,
}

const CACHED: usize = 32;

#[derive(Debug)]
pub(super) struct Slots {
    slots: BTreeMap<Slot, OpenFile>,
    /// Those used last, each in the place its number gives it.
    cache: [(Slot, OpenFile); CACHED],
    opens: Vec<Open>,
    free: Vec<u32>,
}

impl Slots {
    pub(super) fn new() -> Slots {
        Slots {
            slots: BTreeMap::new(),
            cache: [(Slot::NONE, OpenFile::default()); CACHED],
            opens: Vec::new(),
            free: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn get(&mut self, slot: Slot) -> Option<OpenFile> {
        let cached = self.cache.get_mut(slot.0 as usize % CACHED)?;
        if cached.0 == slot && slot != Slot::NONE {
            return Some(cached.1);
        }
        let file = *self.slots.get(&slot)?;
        *cached = (slot, file);
        Some(file)
    }

    pub(super) fn put(&mut self, slot: Slot, file: OpenFile) {
        if slot == Slot::NONE {
            return;
        }
        if let Some(cached) = self.cache.get_mut(slot.0 as usize % CACHED) {
            *cached = (slot, file);
        }
        self.slots.insert(slot, file);
    }

    pub(super) fn open(&mut self, slot: Slot, mut file: OpenFile, open: Open) {
        self.close(slot);
        let open = Open { holders: 1, ..open };
        file.open = match self.free.pop() {
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
        self.put(slot, file);
    }

    pub(super) fn alias(&mut self, slot: Slot, file: OpenFile) {
        if let Some(open) = self.opens.get_mut(file.open as usize) {
            open.holders = open.holders.saturating_add(1);
        }
        self.close(slot);
        self.put(slot, file);
    }

    pub(super) fn close(&mut self, slot: Slot) -> Option<OpenFile> {
        let file = self.slots.remove(&slot)?;
        if let Some(cached) = self.cache.get_mut(slot.0 as usize % CACHED).filter(|cached| cached.0 == slot) {
            cached.0 = Slot::NONE;
        }
        if let Some(open) = self.opens.get_mut(file.open as usize) {
            open.holders = open.holders.saturating_sub(1);
            if open.holders == 0 {
                self.free.push(file.open);
            }
        }
        Some(file)
    }

    pub(super) fn description(&mut self, file: &OpenFile) -> Option<&mut Open> {
        self.opens.get_mut(file.open as usize)
    }
}

#[derive(Debug, Default)]
pub(super) struct Files {
    by_name: HashMap<NameId, Option<u32>>,
    by_id: BTreeMap<FileId, u32>,
    paths: Vec<(FileId, Vec<u8>)>,
}

impl Files {
    /// The file of a name; `None` if it is unknown or excluded.
    pub(super) fn named(&mut self, id: NameId, names: &dyn Names, options: &Options) -> Option<u32> {
        if let Some(&known) = self.by_name.get(&id) {
            return known;
        }
        let file = names.name(id).and_then(|path| self.path(path, options));
        self.by_name.insert(id, file);
        file
    }

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
    pub(super) fn row(&mut self, file: u32, new: impl FnOnce() -> T) -> u32 {
        let next = self.rows.len() as u32;
        let at = *self.by_file.entry(file).or_insert(next);
        if at == next {
            self.rows.push((file, new()));
        }
        at
    }

    pub(super) fn find(&self, file: u32) -> Option<u32> {
        self.by_file.get(&file).copied()
    }

    #[inline]
    pub(super) fn get(&mut self, row: Option<u32>) -> Option<&mut T> {
        self.rows.get_mut(row? as usize).map(|(_, row)| row)
    }

    pub(super) fn file(&self, row: Option<u32>) -> Option<u32> {
        self.rows.get(row? as usize).map(|(file, _)| *file)
    }

    pub(super) fn take(&mut self) -> Vec<(u32, T)> {
        self.by_file.clear();
        std::mem::take(&mut self.rows)
    }
}
