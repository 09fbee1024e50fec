//! Reads files of rates as logs.

use std::sync::OnceLock;

use memchr::memmem;

use marigraph_model::{
    Event, Events, FileTable, Job, Module, ModuleInfo, Nanos, Problem, ProblemKind, Reader, Sink, Streamed,
};

use super::gather::{Gather, Unit};
use super::tally::Tally;
use super::{gekko, lines, series, stream};
use crate::ahead::ahead;
use crate::blocks::{Blocks, plain_job};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    MessagePack,
    /// GekkoFS's lines of `name: value`.
    Text,
    /// A table of rates per step.
    Series,
}

/// Content of at least this length is read ahead on another thread.
const AHEAD_FROM: usize = 1 << 20;
/// Requests per block: such logs are short, and fresh memory costs more than handing over blocks.
const BLOCK: usize = Events::BLOCK / 8;
const BEGINNING: usize = 64 << 10;

/// One of these words is near the beginning of any JSON of rates.
const KEYS: [&str; 14] = [
    "\"read_sync\"",
    "\"write_sync\"",
    "\"read_async",
    "\"write_async",
    "\"io_time\"",
    "\"bandwidth\"",
    "\"b_rank",
    "\"t_rank_s\"",
    "\"b_ind\"",
    "\"b_overlap",
    "\"t_overlap\"",
    "\"start_t_micro\"",
    "\"avg_thr",
    "\"total_iops\"",
];

pub fn sniff(content: &[u8]) -> bool {
    form(content).is_some()
}

fn form(content: &[u8]) -> Option<Form> {
    let beginning = &content[..content.len().min(BEGINNING)];
    if is_json(beginning) {
        Some(Form::Json)
    } else if stream::begins(beginning) {
        Some(Form::MessagePack)
    } else if gekko::is_text(beginning) {
        Some(Form::Text)
    } else if series::sniff(beginning) {
        Some(Form::Series)
    } else {
        None
    }
}

fn is_json(beginning: &[u8]) -> bool {
    let Some(object) = lines::without_mark(beginning).trim_ascii_start().strip_prefix(b"{") else {
        return false;
    };
    if KEYS.iter().any(|key| contains(object, key)) {
        return true;
    }
    // The plainest form: a column of rates or times comes first.
    let mut words = object.trim_ascii_start().splitn(3, |&byte| byte == b'"');
    let (before, key, after) = (words.next(), words.next(), words.next());
    before == Some(b"")
        && key.is_some_and(|key| key.starts_with(b"b") || key.starts_with(b"t"))
        && after.is_some_and(|after| {
            let value = after.trim_ascii_start().strip_prefix(b":");
            value.is_some_and(|value| value.trim_ascii_start().starts_with(b"["))
        })
}

fn contains(text: &[u8], word: &str) -> bool {
    memmem::find(text, word.as_bytes()).is_some()
}

/// A file of rates.
pub struct Log<'a> {
    content: &'a [u8],
    form: Form,
    unit: Unit,
    facts: OnceLock<Facts>,
}

#[derive(Debug, Clone, Copy)]
struct Facts {
    ranks: u64,
    end: Nanos,
}

impl<'a> Log<'a> {
    /// Nothing but the form is parsed before it is streamed.
    pub fn open(content: &'a [u8], unit: Unit) -> Option<Log<'a>> {
        Some(Log { content, form: form(content)?, unit, facts: OnceLock::new() })
    }

    /// TMIO traces MPI-IO; GekkoFS is below POSIX.
    fn module(&self) -> Module {
        let beginning = &self.content[..self.content.len().min(BEGINNING)];
        let client = match self.form {
            Form::Text => true,
            Form::Json => contains(beginning, "\"start_t_micro\""),
            Form::MessagePack => stream::is_client(beginning),
            Form::Series => false,
        };
        if client { Module::DxtPosix } else { Module::DxtMpiio }
    }

    fn read(&self, emit: &mut dyn FnMut(Event)) -> Tally {
        let mut tally = Tally::default();
        let mut gather = Gather::new(&mut tally, self.unit, emit);
        match self.form {
            Form::Json => lines::read(self.content, &mut gather),
            Form::MessagePack => stream::read(self.content, &mut gather),
            Form::Text => gekko::text(self.content, &mut gather),
            Form::Series => series::table(self.content, &mut gather),
        }
        // One pass collects everything: streaming need not read again for the job.
        self.facts.get_or_init(|| Facts { ranks: tally.ranks, end: tally.end });
        tally
    }

    fn blocks(&self, take: impl FnMut(&mut Events)) -> (u64, Tally) {
        let mut blocks = Blocks::of(BLOCK, take);
        let tally = self.read(&mut |event| blocks.push(event));
        (blocks.finish(), tally)
    }

    fn facts(&self) -> Facts {
        if self.facts.get().is_none() {
            self.read(&mut |_| {});
        }
        self.facts.get().copied().unwrap_or(Facts { ranks: 0, end: Nanos(0) })
    }
}

impl Reader for Log<'_> {
    fn format(&self) -> &'static str {
        match self.form {
            Form::Json => "tmio-json",
            Form::MessagePack => "tmio-msgpack",
            Form::Text => "gekkofs",
            Form::Series => "series",
        }
    }
    fn job(&self) -> Job {
        let Facts { ranks, end } = self.facts();
        plain_job(ranks.max(1), end)
    }
    fn names(&self) -> (FileTable, Vec<Problem>) {
        (FileTable::default(), Vec::new())
    }
    fn modules(&self) -> Vec<ModuleInfo> {
        vec![ModuleInfo { module: self.module(), version: 1, partial: false }]
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let mut streamed = Streamed::default();
        let module = self.module();
        if !wanted(module) {
            return streamed;
        }
        let (count, tally) = if self.content.len() >= AHEAD_FROM {
            ahead(|take| self.blocks(take), |block| sink.events(block))
        } else {
            self.blocks(|block| sink.events(block))
        };
        streamed.records.insert(module, count);
        streamed.problems = tally.problems();
        if tally.requests == 0 {
            let message = "there is no request with a time and a rate";
            streamed.problems.push(Problem::new(ProblemKind::NotRecorded, message));
        }
        streamed
    }
}
