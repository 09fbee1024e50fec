//! One log as rows of all tables.

use marigraph_analysis::advice::{Facts, USUAL, advise};
use marigraph_analysis::asked::{self, Asked, Interface};
use marigraph_analysis::category::{Categories, Operation};
use marigraph_analysis::examine::{Examination, Opened, Questions, examine};
use marigraph_analysis::files::{Files, Sharing};
use marigraph_analysis::period::Outcome;
use marigraph_analysis::run::{Detail, Run};
use marigraph_analysis::usage::JobUsage;
use marigraph_analysis::valid::Invalid;
use marigraph_model::{FileTable, Job, Problem, Reader};
use marigraph_report::findings::{severity, word};
use marigraph_store::tables::{
    CategoryRow, FindingRow, InterfaceRow, InvalidRow, JobRow, OperationRow, PhaseRow, SharingRow,
};
use marigraph_store::{Error, Ingest, JobKey, Rows, Source};

use super::records::RecordRows;
use crate::input::Input;

/// A folded trace with more calls is not unfolded: its counters are taken, not its times.
const MAX_UNFOLDED: u64 = 20_000_000;

/// One log as rows, and what it says of its run.
pub struct Gathered {
    pub rows: Rows,
    pub key: JobKey,
    pub job_id: i64,
    pub run: Option<JobKey>,
    detail: Detail,
    format: &'static str,
    version: String,
    /// Whether rows of it were added before it was read to its end.
    flushed: bool,
    /// Why it cannot be trusted: then its only row is one of `invalid`.
    pub invalid: Option<Invalid>,
}

impl Gathered {
    pub fn source<'a>(&'a self, name: &'a str) -> Source<'a> {
        Source {
            key: self.key,
            job_id: self.job_id,
            run: self.run,
            detail: self.detail as u64,
            format: self.format,
            version: &self.version,
            source: name,
            stored: self.flushed,
        }
    }
}

pub fn gather(
    reader: &dyn Reader,
    input: &Input<'_>,
    key: JobKey,
    ingest: &Ingest,
) -> Result<Gathered, Error> {
    let text = key.to_string();
    let opened = Opened::of(reader, input.damage.clone());
    let Opened { job, names, .. } = &opened;
    let mut records = RecordRows::new(ingest, &text, job, names);
    let (advice, unfold) = (Some(USUAL), MAX_UNFOLDED);
    let questions = Questions { advice, rhythm: true, category: true, pictures: false, unfold };
    let found = examine(reader, &opened, &questions, &mut records);
    let (rows, flushed) = records.finish()?;
    let run = Run::of(job).map(|run| JobKey::of(run.identity(&found.usage.totals()).as_bytes()));
    let detail = Detail::of(&reader.modules(), reader.trace_facts().is_some());
    let (format, version, job_id) = (reader.format(), reader.version(), job.id);
    let mut log = Log { rows, reader, input, key: &text, job, run, detail };
    let invalid = match &found.categories {
        Some(Err(reason)) => {
            log.rows = Rows::default();
            log.invalid_row(*reason, flushed);
            Some(*reason)
        }
        _ => {
            log.sound(&found, names);
            None
        }
    };
    Ok(Gathered { rows: log.rows, key, job_id, run, detail, format, version, flushed, invalid })
}

struct Log<'a> {
    rows: Rows,
    reader: &'a dyn Reader,
    input: &'a Input<'a>,
    key: &'a str,
    job: &'a Job,
    run: Option<JobKey>,
    detail: Detail,
}

impl Log<'_> {
    fn sound(&mut self, found: &Examination, names: &FileTable) {
        let job = self.job;
        let unfolds = self.reader.trace_facts().is_none_or(|facts| facts.events <= MAX_UNFOLDED);
        let rhythm = found.rhythm.as_ref().map(|found| &found.outcome);
        let kind = found.categories.as_ref().and_then(|kind| kind.as_ref().ok()).filter(|_| unfolds);
        let (usage, files) = (&found.usage, &found.files);
        self.job_row(usage, files, rhythm, &found.problems);
        self.operations(kind);
        self.phases(rhythm);
        self.labels(kind);
        self.interfaces(&asked::by_interface(files, usage));
        self.sharing(&asked::by_sharing(files, job.nprocs));
        if let Some(survey) = &found.survey {
            self.findings(&Facts { job, usage, files, survey, nodes: usage.nodes(job.nprocs) }, names);
        }
    }

    fn invalid_row(&mut self, reason: Invalid, stored: bool) {
        let job = self.job;
        self.rows.push(InvalidRow {
            job_key: self.key,
            job_id: job.id,
            reason: reason.code(),
            problem: reason.meaning(),
            uid: job.uid,
            exe: job.exe.split_whitespace().next(),
            nprocs: job.nprocs,
            start_s: Some(job.start.since_1970()),
            end_s: Some(job.end.since_1970()),
            format: self.reader.format(),
            version: &self.reader.version(),
            source: self.input.name,
            stored,
        });
    }

    fn job_row(&mut self, usage: &JobUsage, files: &Files, rhythm: Option<&Outcome>, problems: &[Problem]) {
        let job = self.job;
        let performance = usage.performance().map(|(_, estimate)| estimate);
        let totals = usage.totals();
        let modules = self.reader.modules();
        let names: Vec<&str> = modules.iter().map(|info| info.module.name()).collect();
        self.rows.push(JobRow {
            job_key: self.key,
            job_id: job.id,
            uid: job.uid,
            exe: job.exe.split_whitespace().next(),
            command: &job.exe,
            nprocs: job.nprocs,
            nnodes: usage.nodes(job.nprocs),
            start_s: Some(job.start.since_1970()),
            end_s: Some(job.end.since_1970()),
            runtime_s: Some(job.runtime_s()),
            bytes_read: totals.read_bytes,
            bytes_written: totals.written_bytes,
            reads: totals.reads,
            writes: totals.writes,
            metadata_ops: totals.metadata_ops,
            read_time_s: Some(totals.read_s),
            write_time_s: Some(totals.write_s),
            metadata_time_s: Some(totals.meta_s),
            files: files.count(),
            mib_per_s: performance.as_ref().map(|estimate| estimate.mib_per_s()),
            period_s: rhythm.and_then(|outcome| outcome.period_s),
            period_confidence: rhythm
                .filter(|outcome| outcome.period_s.is_some())
                .map(|outcome| outcome.confidence),
            modules: &names.join(","),
            partial: modules.iter().any(|info| info.partial),
            problems: problems.len() as u64,
            format: self.reader.format(),
            version: &self.reader.version(),
            source: self.input.name,
            io_time_s: performance.as_ref().map(|estimate| estimate.seconds()),
            files_written: Some(asked::written(files)),
            files_new: files.written_new(),
            run_key: self.run.map(|run| run.to_string()).as_deref(),
            detail: Some(self.detail as u64),
        });
    }

    /// Good practices are included: a query may ask for them.
    fn findings(&mut self, facts: &Facts<'_>, names: &FileTable) {
        for finding in advise(facts).iter().map(|finding| word(finding, names)) {
            self.rows.push(FindingRow {
                job_key: self.key,
                job_id: self.job.id,
                code: finding.code,
                severity: severity(finding.severity),
                seconds_at_stake: Some(finding.seconds_at_stake),
                title: finding.title,
                evidence: &finding.evidence,
            });
        }
    }

    fn interfaces(&mut self, asked: &[(Interface, Asked)]) {
        for &(interface, Asked { opens, files, read, written }) in asked {
            self.rows.push(InterfaceRow {
                job_key: self.key,
                job_id: self.job.id,
                interface: interface.name(),
                opens,
                files,
                bytes_read: read,
                bytes_written: written,
            });
        }
    }

    fn sharing(&mut self, asked: &[(Sharing, Asked)]) {
        for &(sharing, Asked { files, read, written, .. }) in asked.iter().filter(|(_, sum)| sum.files > 0) {
            self.rows.push(SharingRow {
                job_key: self.key,
                job_id: self.job.id,
                way: sharing.name(),
                files,
                bytes_read: read,
                bytes_written: written,
            });
        }
    }

    fn phases(&mut self, rhythm: Option<&Outcome>) {
        for (at, phase) in rhythm.iter().flat_map(|outcome| &outcome.phases).enumerate() {
            self.rows.push(PhaseRow {
                job_key: self.key,
                job_id: self.job.id,
                phase: at as u64,
                start_s: Some(phase.start_s),
                end_s: Some(phase.end_s),
                bytes: Some(phase.bytes),
            });
        }
    }

    fn operations(&mut self, kind: Option<&Categories>) {
        let sides = kind.map(|kind| [("read", &kind.read), ("write", &kind.write)]);
        for (name, direction) in sides.into_iter().flatten() {
            for &Operation { start_s, end_s, bytes, .. } in &direction.merged {
                self.rows.push(OperationRow {
                    job_key: self.key,
                    job_id: self.job.id,
                    direction: name,
                    start_s: Some(start_s),
                    end_s: Some(end_s),
                    bytes,
                    evidence: direction.found_in.name(),
                });
            }
        }
    }

    fn labels(&mut self, kind: Option<&Categories>) {
        for labelled in kind.iter().flat_map(|kind| &kind.labels) {
            self.rows.push(CategoryRow {
                job_key: self.key,
                job_id: self.job.id,
                label: labelled.label.name(),
                confidence: Some(labelled.confidence),
                evidence: labelled.evidence.name(),
            });
        }
    }
}
