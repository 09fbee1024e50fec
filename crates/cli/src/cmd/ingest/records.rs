//! Counter records as rows of the tables `files` and `counters`.

use std::collections::BTreeMap;

use marigraph_analysis::Aggregate;
use marigraph_analysis::files::INTERFACES;
use marigraph_model::counters::FloatIdx;
use marigraph_model::{FileTable, Job, Module, Record, Records, Scope, Sink};
use marigraph_store::tables::{CounterRow, FileRow};
use marigraph_store::{Error, Ingest, Rows};

/// Maximum number of rows in memory; a log with more files adds them in between.
const WAITING: usize = 1 << 16;

/// Converts records to rows.
pub struct RecordRows<'a> {
    ingest: &'a Ingest,
    key: &'a str,
    job: &'a Job,
    names: &'a FileTable,
    rows: Rows,
    totals: BTreeMap<Module, Aggregate>,
    failed: Option<Error>,
    flushed: bool,
}

impl<'a> RecordRows<'a> {
    pub fn new(ingest: &'a Ingest, key: &'a str, job: &'a Job, names: &'a FileTable) -> RecordRows<'a> {
        let (rows, totals) = (Rows::per_job(), BTreeMap::new());
        RecordRows { ingest, key, job, names, rows, totals, failed: None, flushed: false }
    }

    /// The rows, and whether there were more that are added already.
    pub fn finish(mut self) -> Result<(Rows, bool), Error> {
        for (module, total) in &self.totals {
            let ints = module.ints().iter().zip(total.ints());
            let ints = ints.map(|(def, count)| (def.name, count.get().map(|value| value as f64)));
            let floats = module.floats().iter().zip(total.floats());
            let floats = floats.map(|(def, measure)| (def.name, measure.get()));
            for (name, value) in ints.chain(floats) {
                if let Some(value) = value.filter(|&value| value != 0.0) {
                    self.rows.push(CounterRow {
                        job_key: self.key,
                        job_id: self.job.id,
                        module: module.name(),
                        name,
                        value: Some(value),
                    });
                }
            }
        }
        self.failed.map_or(Ok((self.rows, self.flushed)), Err)
    }

    fn file(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        let name = match self.names.name(record.file) {
            Some(name) if !name.is_empty() => String::from_utf8_lossy(name),
            _ => self.names.label(record.file).into(),
        };
        let rank = match record.scope {
            Scope::Shared => None,
            Scope::Rank(rank) => Some(i64::from(rank.0)),
        };
        let opens = record.sum(roles.opens);
        let first = |span: Option<(FloatIdx, FloatIdx)>| moment(record, span.map(|span| span.0));
        let last = |span: Option<(FloatIdx, FloatIdx)>| moment(record, span.map(|span| span.1));
        let seconds = |role: Option<FloatIdx>| role.map(|_| record.seconds(role));
        self.rows.push(FileRow {
            job_key: self.key,
            job_id: self.job.id,
            // The same bits: SQL has no unsigned integers.
            file_id: record.file.0.cast_signed(),
            path: &name,
            module: record.module.name(),
            rank,
            bytes_read: record.amount(roles.bytes_read),
            bytes_written: record.amount(roles.bytes_written),
            reads: record.sum(roles.reads),
            writes: record.sum(roles.writes),
            opens,
            metadata_ops: opens.saturating_add(record.sum(roles.other_metadata)),
            read_time_s: seconds(roles.read_time),
            write_time_s: seconds(roles.write_time),
            metadata_time_s: seconds(roles.meta_time),
            open_start_s: first(roles.open_span),
            close_end_s: last(roles.open_span),
            read_start_s: first(roles.read_span),
            read_end_s: last(roles.read_span),
            write_start_s: first(roles.write_span),
            write_end_s: last(roles.write_span),
        });
    }
}

/// Logs write 0 where something never happened.
fn moment(record: Record<'_>, role: Option<FloatIdx>) -> Option<f64> {
    role.and_then(|idx| record.float(idx).get()).filter(|&seconds| seconds != 0.0)
}

impl Sink for RecordRows<'_> {
    fn records(&mut self, block: &Records) {
        let module = block.module();
        let total = self.totals.entry(module).or_insert_with(|| Aggregate::new(module));
        for record in block.iter() {
            let ranks = if record.scope == Scope::Shared { self.job.nprocs } else { 1 };
            total.add(record, ranks);
        }
        if !INTERFACES.contains(&module) {
            return;
        }
        block.iter().for_each(|record| self.file(record));
        if self.rows.len() >= WAITING && self.failed.is_none() {
            self.flushed = true;
            self.failed = self.ingest.add(&mut self.rows).err();
        }
    }
}
