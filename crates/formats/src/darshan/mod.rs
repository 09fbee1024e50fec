//! Darshan logs since format 3.00: reading, streaming, printing and writing.
//!
//! There are two levels. [`Log`] and its sibling modules know the bytes: header, regions, and
//! records field by field. [`text`] prints them as Darshan's own tools do, without interpretation.
//! [`Log::stream`] interprets: it converts records to those of the model.
//!
//! `header` finds the regions, `job` and `names` read theirs, `layout` knows where each record
//! version stores its counters, `region` iterates over records; `dxt`, `heatmap` and `lustre`
//! handle the modules without counters. `convert` converts to and from the model, `write` writes
//! logs.

mod convert;
mod dxt;
mod header;
mod heatmap;
mod job;
mod layout;
mod lustre;
mod names;
mod region;
mod stream;
pub mod text;
mod write;

use marigraph_model::{FileId, FileTable, Job, Module, ModuleInfo, Problem, ProblemKind};

pub use header::{Extent, Header, Slot, sniff};
pub use write::{rewrite, write};

use crate::error::Error;
use crate::inflate::{Compression, Limits, Window};
use job::RawJob;

/// An opened log: header and job are read, the other regions are not.
pub struct Log<'a> {
    file: &'a [u8],
    pub header: Header,
    job: RawJob,
    limits: Limits,
    problems: Vec<Problem>,
}

impl<'a> Log<'a> {
    /// Fails only without a valid header; all else is a problem.
    pub fn open(file: &'a [u8], limits: Limits) -> Result<Log<'a>, Error> {
        let mut problems = Vec::new();
        let header = Header::read(file, &mut problems)?;
        let mut log = Log { file, header, job: RawJob::default(), limits, problems };
        log.read_job();
        Ok(log)
    }

    fn read_job(&mut self) {
        let window = self.window(self.header.job);
        let (region, stop) = window.rest(job::READ_AT_MOST);
        if let Some(stop) = stop {
            let message = format!("the job description is truncated ({stop:?})");
            self.problems.push(Problem::new(ProblemKind::Corrupt, message).at("job"));
        }
        let current = self.header.is_current();
        self.job = RawJob::read(&region, self.header.order, current, &mut self.problems);
        if self.job.runtime() < 0.0 {
            let message = "the job ends before it starts: its run time and rates are unknown";
            self.problems.push(Problem::new(ProblemKind::ClockWentBack, message).at("job"));
        }
    }

    fn window(&self, extent: Extent) -> Window<'a> {
        let bytes = if self.header.compression.is_some() { extent.of(self.file) } else { &[] };
        let compression = self.header.compression.unwrap_or(Compression::None);
        Window::new(bytes, compression, self.limits).one_of(self.header.slots.len())
    }

    pub fn job(&self) -> Job {
        self.job.to_model()
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn names(&self) -> (FileTable, Vec<Problem>) {
        let mut table = FileTable::default();
        let problems = self.each_name(&mut |id, name| table.insert(id, name));
        (table, problems)
    }

    pub fn each_name(&self, each: &mut dyn FnMut(FileId, &[u8])) -> Vec<Problem> {
        let mut window = self.window(self.header.names);
        let broken = names::read(&mut window, self.header.order, self.header.numbers < (3, 10), each);
        broken.into_iter().chain(region::problems_of(&window, false, "record names")).collect()
    }

    pub fn modules(&self) -> Vec<ModuleInfo> {
        let info = |slot: &Slot| {
            slot.module.map(|module| ModuleInfo { module, version: slot.version, partial: slot.partial })
        };
        self.header.slots.iter().filter_map(info).collect()
    }

    /// Compressed size of a module's region in bytes.
    pub fn region_len(&self, module: Module) -> u64 {
        self.header.slot(module).map_or(0, |slot| slot.extent.len)
    }

    /// Compressed bytes of all regions, to measure the cost of inflating alone.
    pub fn regions(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let extents = [self.header.job, self.header.names];
        let modules = self.header.slots.iter().map(|slot| slot.extent);
        extents.into_iter().chain(modules).map(|extent| extent.of(self.file))
    }
}
