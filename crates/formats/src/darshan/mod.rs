//! Darshan logs, format 3.00 to today: read, streamed, printed and written.
//!
//! Two levels. [`Log`] and the modules beside it know the bytes: header, regions, records field for
//! field. From there the textual twins of Darshan's own tools are printed ([`text`]), with no
//! meaning added. [`Log::stream`] is where meaning begins: records become those of the model.
//!
//! `header` finds the regions, `job` and `names` read theirs, `layout` says where each record
//! version keeps its counters, `region` walks through records; `dxt`, `heatmap` and `lustre` are
//! the modules that are not counters. `convert` crosses to the model and back, `write` makes a log.

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

/// An opened log: header and job are read, the rest waits in its regions.
pub struct Log<'a> {
    file: &'a [u8],
    /// The header.
    pub header: Header,
    /// The job as stored.
    job: RawJob,
    limits: Limits,
    problems: Vec<Problem>,
}

impl<'a> Log<'a> {
    /// Reads header and job. An error only if there is no header; all else is a problem.
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

    /// The job as the model has it.
    pub fn job(&self) -> Job {
        self.job.to_model()
    }

    /// Trouble found when the log was opened.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The names of all records, with the trouble found in reading them.
    pub fn names(&self) -> (FileTable, Vec<Problem>) {
        let mut table = FileTable::default();
        let problems = self.each_name(&mut |id, name| table.insert(id, name));
        (table, problems)
    }

    /// Shows every name once or more often, with the trouble found in reading them.
    pub fn each_name(&self, each: &mut dyn FnMut(FileId, &[u8])) -> Vec<Problem> {
        let mut window = self.window(self.header.names);
        let broken = names::read(&mut window, self.header.order, self.header.numbers < (3, 10), each);
        broken.into_iter().chain(region::problems_of(&window, false, "record names")).collect()
    }

    /// The modules that the header mentions and this reader knows.
    pub fn modules(&self) -> Vec<ModuleInfo> {
        let info = |slot: &Slot| {
            slot.module.map(|module| ModuleInfo { module, version: slot.version, partial: slot.partial })
        };
        self.header.slots.iter().filter_map(info).collect()
    }

    /// Bytes of a module's region, compressed.
    pub fn region_len(&self, module: Module) -> u64 {
        self.header.slot(module).map_or(0, |slot| slot.extent.len)
    }

    /// All regions' compressed bytes, for measuring what inflating alone costs.
    pub fn regions(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let extents = [self.header.job, self.header.names];
        let modules = self.header.slots.iter().map(|slot| slot.extent);
        extents.into_iter().chain(modules).map(|extent| extent.of(self.file))
    }
}
