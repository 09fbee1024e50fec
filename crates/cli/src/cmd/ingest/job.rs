//! One log as rows of all tables.

use marigraph_analysis::advice::{Facts, Survey, USUAL, advise};
use marigraph_analysis::asked::{self, Asked, Interface};
use marigraph_analysis::category::{Categories, Collector, Direction, Families, Operation, Thresholds};
use marigraph_analysis::files::{Files, Sharing};
use marigraph_analysis::period::Outcome;
use marigraph_analysis::usage::JobUsage;
use marigraph_formats::Reader;
use marigraph_model::{Both, FileTable, Job, Problem};
use marigraph_report::findings::{severity, word};
use marigraph_store::tables::{
    CATEGORIES, COUNTERS, FILES, FINDINGS, INTERFACES, JOBS, OPERATIONS, PHASES, SHARING,
};
use marigraph_store::{Cell, Error, Ingest, JobKey, Rows};

use super::Tables;
use super::records::RecordRows;
use crate::cmd::categorize::Opened;
use crate::cmd::rhythm::Rhythm;
use crate::cmd::stream_all;
use crate::input::Input;

/// A folded trace of more calls is not unfolded: its counters are taken, not its times.
const MOST_UNFOLDED: u64 = 20_000_000;

/// Everything that the study keeps of a log.
pub fn gather(reader: &dyn Reader, input: &Input<'_>, key: JobKey, ingest: &Ingest) -> Result<Tables, Error> {
    let key = key.to_string();
    let job = reader.job();
    let (names, mut problems) = reader.names();
    let (mut usage, mut seen) = (JobUsage::default(), Files::default());
    let mut records = RecordRows::new(ingest, &key, &job, &names);
    let unfolds = reader.trace_facts().is_none_or(|facts| facts.events <= MOST_UNFOLDED);
    let thresholds = Thresholds::default();
    let mut rhythm = Rhythm::new(unfolds);
    let mut collector = Collector::new(&job, &thresholds).with_families(Families::of(&names));
    let mut survey = Survey::new(USUAL);
    let found = &mut Both(&mut Both(&mut rhythm, &mut survey), &mut collector);
    let sums = &mut Both(&mut Both(&mut records, found), &mut Both(&mut usage, &mut seen));
    let streamed = if unfolds {
        stream_all(reader, sums)
    } else {
        reader.stream(&|module| !module.is_operations(), sums)
    };
    problems.extend(input.damage.clone());
    problems.extend(reader.open_problems());
    problems.extend(streamed.problems);
    let (files, counters) = records.finish()?;
    let log = Log { reader, input, key: &key, job: &job };
    let rhythm = rhythm.answer().map(|found| found.outcome);
    // Nothing is told of a log that is not to be trusted.
    let kind = Opened::new(reader).conclude(collector, &problems, &thresholds).ok().filter(|_| unfolds);
    let jobs = log.job_row(&usage, &seen, rhythm.as_ref(), &problems);
    let nodes = usage.nodes(job.nprocs);
    let facts = Facts { job: &job, usage: &usage, files: &seen, survey: &survey, nodes };
    Ok(vec![
        (&JOBS, jobs),
        (&FILES, files),
        (&COUNTERS, counters),
        (&OPERATIONS, log.operations(kind.as_ref())),
        (&PHASES, log.phases(rhythm.as_ref())),
        (&CATEGORIES, log.labels(kind.as_ref())),
        (&INTERFACES, log.interfaces(&asked::by_interface(&seen, &usage))),
        (&SHARING, log.sharing(&asked::by_sharing(&seen, job.nprocs))),
        (&FINDINGS, log.findings(&facts, &names)),
    ])
}

struct Log<'a> {
    reader: &'a dyn Reader,
    input: &'a Input<'a>,
    key: &'a str,
    job: &'a Job,
}

impl Log<'_> {
    fn job_row(
        &self,
        usage: &JobUsage,
        files: &Files,
        rhythm: Option<&Outcome>,
        problems: &[Problem],
    ) -> Rows {
        let job = self.job;
        let performance = usage.performance().map(|(_, estimate)| estimate);
        let totals = usage.totals();
        let modules = self.reader.modules();
        let names: Vec<&str> = modules.iter().map(|info| info.module.name()).collect();
        let names = names.join(",");
        let version = self.reader.version();
        let mut rows = Rows::new(&JOBS);
        rows.push(&[
            self.key.into(),
            job.id.into(),
            job.uid.into(),
            job.exe.split_whitespace().next().into(),
            job.exe.as_str().into(),
            job.nprocs.into(),
            usage.nodes(job.nprocs).into(),
            job.start.since_1970().into(),
            job.end.since_1970().into(),
            job.runtime_s().into(),
            totals.read_bytes.into(),
            totals.written_bytes.into(),
            totals.reads.into(),
            totals.writes.into(),
            totals.metadata_ops.into(),
            totals.read_s.into(),
            totals.write_s.into(),
            totals.meta_s.into(),
            files.count().into(),
            performance.as_ref().map(|estimate| estimate.mib_per_s()).into(),
            rhythm.and_then(|outcome| outcome.period_s).into(),
            rhythm.filter(|outcome| outcome.period_s.is_some()).map(|outcome| outcome.confidence).into(),
            names.as_str().into(),
            i64::from(modules.iter().any(|info| info.partial)).into(),
            (problems.len() as u64).into(),
            self.reader.format().into(),
            version.as_str().into(),
            self.input.name.into(),
            performance.as_ref().map(|estimate| estimate.seconds()).into(),
            asked::written(files).into(),
            files.written_new().into(),
        ]);
        rows
    }

    /// What there is to be told, good news too: a query may ask for it.
    fn findings(&self, facts: &Facts<'_>, names: &FileTable) -> Rows {
        let mut rows = Rows::new(&FINDINGS);
        for finding in advise(facts).iter().map(|finding| word(finding, names)) {
            rows.push(&[
                self.key.into(),
                self.job.id.into(),
                finding.code.into(),
                severity(finding.severity).into(),
                finding.seconds_at_stake.into(),
                finding.title.into(),
                finding.evidence.as_str().into(),
            ]);
        }
        rows
    }

    fn interfaces(&self, asked: &[(Interface, Asked)]) -> Rows {
        let mut rows = Rows::new(&INTERFACES);
        for (interface, Asked { opens, files, read, written }) in asked {
            let (name, opens) = (interface.name().into(), (*opens).into());
            let sums = [(*files).into(), (*read).into(), (*written).into()];
            rows.push(&[self.key.into(), self.job.id.into(), name, opens, sums[0], sums[1], sums[2]]);
        }
        rows
    }

    fn sharing(&self, asked: &[(Sharing, Asked)]) -> Rows {
        let mut rows = Rows::new(&SHARING);
        for (sharing, Asked { files, read, written, .. }) in asked.iter().filter(|(_, sum)| sum.files > 0) {
            let way = sharing.name().into();
            let (read, written) = ((*read).into(), (*written).into());
            rows.push(&[self.key.into(), self.job.id.into(), way, (*files).into(), read, written]);
        }
        rows
    }

    fn phases(&self, rhythm: Option<&Outcome>) -> Rows {
        let mut rows = Rows::new(&PHASES);
        for (at, phase) in rhythm.iter().flat_map(|outcome| &outcome.phases).enumerate() {
            let (start, end) = (phase.start_s.into(), phase.end_s.into());
            rows.push(&[
                self.key.into(),
                self.job.id.into(),
                (at as u64).into(),
                start,
                end,
                phase.bytes.into(),
            ]);
        }
        rows
    }

    fn operations(&self, kind: Option<&Categories>) -> Rows {
        let mut rows = Rows::new(&OPERATIONS);
        let Some(kind) = kind else { return rows };
        let sides: [(&str, &Direction); 2] = [("read", &kind.read), ("write", &kind.write)];
        for (name, direction) in sides {
            let evidence = Cell::from(direction.found_in.name());
            for Operation { start_s, end_s, bytes, .. } in &direction.merged {
                let (start, end) = ((*start_s).into(), (*end_s).into());
                rows.push(&[
                    self.key.into(),
                    self.job.id.into(),
                    name.into(),
                    start,
                    end,
                    (*bytes).into(),
                    evidence,
                ]);
            }
        }
        rows
    }

    fn labels(&self, kind: Option<&Categories>) -> Rows {
        let mut rows = Rows::new(&CATEGORIES);
        for labelled in kind.iter().flat_map(|kind| &kind.labels) {
            let (label, evidence) = (labelled.label.name().into(), labelled.evidence.name().into());
            rows.push(&[self.key.into(), self.job.id.into(), label, labelled.confidence.into(), evidence]);
        }
        rows
    }
}
