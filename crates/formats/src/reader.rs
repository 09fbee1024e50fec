//! The table of formats.

use marigraph_model::{FileId, FileTable, Job, Module, ModuleInfo, Problem, Reader, Sink, Streamed, Trace};

use crate::error::Error;
use crate::inflate::Limits;
use crate::native::log::TraceLog;
use crate::native::mari;
use crate::{csv, darshan, darshan2, recorder_dump, tmio};

type Open = for<'a> fn(&'a [u8], Limits) -> Result<Box<dyn Reader + 'a>, Error>;

/// A format that can be read.
pub struct Format {
    pub name: &'static str,
    pub sniff: fn(&[u8]) -> bool,
    pub open: Open,
}

/// The first that recognises the content reads it.
pub static FORMATS: &[Format] = &[
    Format {
        name: "darshan",
        sniff: darshan::sniff,
        open: |content, limits| Ok(Box::new(darshan::Log::open(content, limits)?)),
    },
    Format {
        name: "darshan2",
        sniff: darshan2::sniff,
        open: |content, _| {
            let version = String::from_utf8_lossy(content.get(..4).unwrap_or(&[])).into_owned();
            Ok(Box::new(Whole { format: "darshan", version, trace: darshan2::read(content)? }))
        },
    },
    Format {
        name: "mari",
        sniff: mari::sniff,
        open: |content, limits| match TraceLog::open(content, limits) {
            Ok(log) => Ok(Box::new(log)),
            Err(error) => Err(error.into()),
        },
    },
    Format {
        name: "csv",
        sniff: csv::sniff,
        open: |content, limits| Ok(Box::new(csv::Table::open(content, limits)?)),
    },
    Format {
        name: "recorder-text",
        sniff: recorder_dump::sniff,
        open: |content, _| Ok(Box::new(recorder_dump::Dump::open(content))),
    },
    Format {
        name: "tmio",
        sniff: tmio::sniff,
        open: |content, _| {
            let log = tmio::Log::open(content, tmio::Unit::Bytes).ok_or(Error::Unrecognised)?;
            Ok(Box::new(log))
        },
    },
];

/// Whether an input with this beginning could be read: its format or compression is known.
pub fn recognises(beginning: &[u8]) -> bool {
    crate::container::is_packed(beginning) || FORMATS.iter().any(|format| (format.sniff)(beginning))
}

pub fn open(content: &[u8], limits: Limits) -> Result<Box<dyn Reader + '_>, Error> {
    if content.is_empty() {
        return Err(Error::Empty);
    }
    match FORMATS.iter().find(|format| (format.sniff)(content)) {
        Some(format) => (format.open)(content, limits),
        // A job that died while its log was written leaves a header of zeros.
        None if content.len() >= 16 && content.iter().take(360).all(|&byte| byte == 0) => {
            Err(Error::Unfinished)
        }
        None => Err(Error::Unrecognised),
    }
}

impl Reader for darshan::Log<'_> {
    fn format(&self) -> &'static str {
        "darshan"
    }
    fn version(&self) -> String {
        self.header.version.clone()
    }
    fn job(&self) -> Job {
        darshan::Log::job(self)
    }
    fn names(&self) -> (FileTable, Vec<Problem>) {
        darshan::Log::names(self)
    }
    fn each_name(&self, each: &mut dyn FnMut(FileId, &[u8])) -> Vec<Problem> {
        darshan::Log::each_name(self, each)
    }
    fn modules(&self) -> Vec<ModuleInfo> {
        darshan::Log::modules(self)
    }
    fn open_problems(&self) -> Vec<Problem> {
        self.problems().to_vec()
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        darshan::Log::stream(self, wanted, sink)
    }
}

struct Whole {
    format: &'static str,
    version: String,
    trace: Trace,
}

impl Reader for Whole {
    fn format(&self) -> &'static str {
        self.format
    }
    fn version(&self) -> String {
        self.version.clone()
    }
    fn job(&self) -> Job {
        self.trace.job.clone()
    }
    fn names(&self) -> (FileTable, Vec<Problem>) {
        (self.trace.files.clone(), Vec::new())
    }
    fn modules(&self) -> Vec<ModuleInfo> {
        self.trace.modules.clone()
    }
    fn open_problems(&self) -> Vec<Problem> {
        self.trace.problems.clone()
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let trace = &self.trace;
        let mut streamed = Streamed::default();
        for (&module, records) in trace.records.iter().filter(|(module, _)| wanted(**module)) {
            sink.records(records);
            streamed.records.insert(module, records.len() as u64);
        }
        if [Module::DxtPosix, Module::DxtMpiio].into_iter().any(wanted) && !trace.events.is_empty() {
            sink.events(&trace.events);
        }
        if wanted(Module::Heatmap) {
            trace.series.iter().for_each(|series| sink.series(series));
        }
        if wanted(Module::Lustre) {
            trace.layouts.iter().for_each(|layout| sink.layout(layout));
        }
        trace.hosts.iter().for_each(|(&rank, host)| sink.host(rank, host));
        trace.found_sizes.iter().for_each(|(&file, &bytes)| sink.found_size(file, bytes));
        streamed
    }
}
