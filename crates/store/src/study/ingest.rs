//! Adds to a study, batch by batch.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::commit::{Commit, Named};
use super::known::{Fresh, Known, Source, Standing, Told};
use super::{PENDING, Snapshot, Study};
use crate::error::Error;
use crate::key::JobKey;
use crate::part::Encoder;
use crate::rows::{Columns, Rows};
use crate::tables::Table;

/// Size of the parts and age at which a batch is committed: a kill loses at most this much.
const FULL_BYTES: usize = 128 << 20;
const FULL_TIME: Duration = Duration::from_secs(30);
const PART_BYTES: usize = 512 << 20;
/// Size of rows that are encoded together: a log has few rows, and each call of the encoder costs.
const ENCODED_BYTES: usize = 1 << 20;

/// Adds jobs to a study. Any number of threads may share one, and any number of processes may add
/// to the study.
pub struct Ingest {
    study: Study,
    state: Mutex<State>,
}

struct State {
    /// What the study is known to have, and what this run added.
    known: Known,
    /// Commits whose jobs are all in `known`.
    seen: Vec<String>,
    batch: Batch,
    /// Logs that others of the batch surpass; their rows of `sources` are added by the commit.
    surpassed: HashSet<JobKey>,
    fresh: HashMap<JobKey, Fresh>,
    added: BTreeMap<&'static str, u64>,
}

impl Ingest {
    /// Opens a study, creating it if missing, and cleans up after killed processes.
    pub fn begin(root: &Path) -> Result<Ingest, Error> {
        let study = Study::create(root)?;
        let snapshot = study.snapshot()?;
        super::sweep::sweep(&study, &snapshot, super::sweep::KEEP)?;
        let mut known = Known::default();
        snapshot.learn(&[], &mut known)?;
        let batch = Batch::new(study.clone());
        let (surpassed, fresh, added) = (HashSet::new(), HashMap::new(), BTreeMap::new());
        let state = State { known, seen: names(&snapshot), batch, surpassed, fresh, added };
        Ok(Ingest { study, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a job; false if the study has it or it was claimed before.
    pub fn claim(&self, key: JobKey) -> bool {
        self.state().known.keys.insert(key)
    }

    /// Adds rows of a claimed job and empties `rows`.
    pub fn add(&self, rows: &mut Rows) -> Result<(), Error> {
        self.state().add(rows)
    }

    /// Adds the rows of a log, unless a log of the same run that tells no less is known: then only
    /// its source is noted. Returns whether the rows count.
    pub fn add_log(&self, rows: &mut Rows, log: &Source<'_>) -> Result<bool, Error> {
        let state = &mut *self.state();
        match state.known.place(log) {
            Standing::Further => {
                let mut noted = Rows::default();
                log.add_to(&mut noted);
                state.add(&mut noted)?;
                return Ok(false);
            }
            Standing::Surpasses(other) => {
                state.surpassed.insert(other);
            }
            Standing::First => {}
        }
        state.fresh.extend(Fresh::of(log).map(|fresh| (log.key, fresh)));
        state.add(rows)?;
        Ok(true)
    }

    pub fn added(&self) -> BTreeMap<&'static str, u64> {
        self.state().added.clone()
    }

    /// Commits the batch if it is large or old enough. All jobs in it must be complete.
    pub fn commit_if_full(&self) -> Result<(), Error> {
        let full = self.state().batch.is_full();
        if full { self.commit() } else { Ok(()) }
    }

    /// Makes everything added so far visible at once, and merges commits when there are many.
    pub fn commit(&self) -> Result<(), Error> {
        let mut state = self.state();
        state.note_surpassed(&self.study)?;
        let next = Batch::new(self.study.clone());
        let batch = std::mem::replace(&mut state.batch, next);
        let saw = state.seen.clone();
        let Some(name) = batch.commit(saw, Vec::new())? else { return Ok(()) };
        state.seen.push(name);
        super::compact::compact(&self.study)?;
        state.refresh(&self.study)
    }
}

impl State {
    fn add(&mut self, rows: &mut Rows) -> Result<(), Error> {
        for (table, columns) in rows.tables() {
            *self.added.entry(table.name).or_default() += columns.len() as u64;
            if !columns.is_empty() {
                self.batch.add(table, columns)?;
            }
        }
        Ok(())
    }

    /// Adds the rows of `sources` for logs that others of this batch surpass, so that both become
    /// visible at once.
    fn note_surpassed(&mut self, study: &Study) -> Result<(), Error> {
        let fresh = std::mem::take(&mut self.fresh);
        let mut wanted = std::mem::take(&mut self.surpassed);
        let mut noted = Rows::default();
        wanted.retain(|key| match fresh.get(key) {
            Some(log) => {
                log.as_source(*key).add_to(&mut noted);
                false
            }
            None => true,
        });
        if !wanted.is_empty() {
            study.snapshot()?.all_logs::<Told>(&mut |told| {
                if let Some(log) = told.as_source().filter(|log| wanted.remove(&log.key)) {
                    log.add_to(&mut noted);
                }
            })?;
        }
        self.add(&mut noted)
    }

    fn refresh(&mut self, study: &Study) -> Result<(), Error> {
        let snapshot = study.snapshot()?;
        snapshot.learn(&self.seen, &mut self.known)?;
        self.seen = names(&snapshot);
        Ok(())
    }
}

fn names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.live.iter().map(|commit| commit.name.clone()).collect()
}

/// Parts to be committed together. Dropping it without a commit removes them.
pub(super) struct Batch {
    study: Study,
    name: String,
    open: BTreeMap<&'static str, OpenPart>,
    done: Vec<Named>,
    begun: Instant,
}

/// A part that is being written, and rows that wait to be encoded.
struct OpenPart {
    encoder: Encoder<BufWriter<File>>,
    waiting: Columns,
}

impl OpenPart {
    fn bytes(&self) -> usize {
        self.encoder.bytes() + self.waiting.bytes()
    }
}

impl Batch {
    /// Its name is unique across hosts.
    pub fn new(study: Study) -> Batch {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let random = RandomState::new().hash_one((std::process::id(), now));
        let name = format!("{now:020}-{random:016x}");
        Batch { study, name, open: BTreeMap::new(), done: Vec::new(), begun: Instant::now() }
    }

    fn pending(&self, file: &str) -> PathBuf {
        self.study.root().join(PENDING).join(file)
    }

    fn file_of(&self, table: &str) -> String {
        let before = self.done.iter().filter(|part| part.table == table).count();
        format!("{table}-{}-{before}.parquet", self.name)
    }

    pub fn add(&mut self, table: &'static Table, rows: &mut Columns) -> Result<(), Error> {
        if !self.open.contains_key(table.name) {
            let path = self.pending(&self.file_of(table.name));
            let file = File::create_new(&path).map_err(Error::io(&path))?;
            let encoder = Encoder::new(BufWriter::with_capacity(1 << 20, file), rows)?;
            self.open.insert(table.name, OpenPart { encoder, waiting: Columns::new(table) });
        }
        let Some(part) = self.open.get_mut(table.name) else { return Ok(()) };
        part.waiting.append(rows)?;
        if part.waiting.bytes() > ENCODED_BYTES {
            part.encoder.take(&mut part.waiting)?;
        }
        if part.bytes() > PART_BYTES { self.close(table.name) } else { Ok(()) }
    }

    fn is_full(&self) -> bool {
        let bytes: usize = self.open.values().map(OpenPart::bytes).sum();
        let done: u64 = self.done.iter().map(|part| part.bytes).sum();
        bytes as u64 + done > FULL_BYTES as u64 || self.begun.elapsed() > FULL_TIME
    }

    fn close(&mut self, table: &'static str) -> Result<(), Error> {
        let Some(OpenPart { mut encoder, mut waiting }) = self.open.remove(table) else { return Ok(()) };
        let file = self.file_of(table);
        let path = self.pending(&file);
        let rows = encoder.len() + waiting.len() as u64;
        // From here on dropping the batch removes it.
        self.done.push(Named { table: table.to_string(), file, rows, bytes: 0 });
        if !waiting.is_empty() {
            encoder.take(&mut waiting)?;
        }
        let buffer = encoder.finish()?;
        let written = buffer.into_inner().map_err(std::io::IntoInnerError::into_error);
        let on_disk = written.and_then(|file| file.sync_all().and_then(|()| file.metadata()));
        let bytes = on_disk.map_err(Error::io(&path))?.len();
        self.done.iter_mut().rev().take(1).for_each(|part| part.bytes = bytes);
        Ok(())
    }

    /// Makes the batch visible. Returns the commit's name, or `None` if there was nothing to
    /// commit.
    pub fn commit(mut self, saw: Vec<String>, replaces: Vec<String>) -> Result<Option<String>, Error> {
        let tables: Vec<&'static str> = self.open.keys().copied().collect();
        for table in tables {
            self.close(table)?;
        }
        if self.done.is_empty() {
            return Ok(None);
        }
        let folder = self.study.root().join(PENDING);
        File::open(&folder).and_then(|folder| folder.sync_all()).map_err(Error::io(&folder))?;
        let commit = Commit { name: self.name.clone(), saw, replaces, parts: self.done.clone() };
        commit.publish(&self.study.commits())?;
        // The parts now belong to the study: only their location changes.
        self.done.clear();
        super::sweep::place(&self.study, &commit);
        Ok(Some(commit.name))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let open = self.open.keys().map(|table| self.file_of(table));
        let files: Vec<String> = open.chain(self.done.iter().map(|part| part.file.clone())).collect();
        for file in files {
            let _ = fs::remove_file(self.pending(&file));
        }
    }
}
