//! What a writer knows of a study: its logs, and the log that counts of each run.

use std::collections::{HashMap, HashSet};

use crate::key::JobKey;
use crate::rows::Rows;
use crate::tables::{JobRow, SourceRow};

/// A log and the run that it tells of.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub key: JobKey,
    pub job_id: i64,
    /// `None` if the log does not say.
    pub run: Option<JobKey>,
    /// How much it tells: of several logs of a run the one with the highest number counts.
    pub detail: u64,
    pub format: &'a str,
    pub version: &'a str,
    pub source: &'a str,
    /// Whether rows of it were added before.
    pub stored: bool,
}

impl Source<'_> {
    pub(super) fn add_to(&self, rows: &mut Rows) {
        rows.push(SourceRow {
            job_key: &self.key.to_string(),
            job_id: self.job_id,
            run_key: &self.run.unwrap_or(self.key).to_string(),
            detail: self.detail,
            format: self.format,
            version: self.version,
            source: self.source,
            stored: self.stored,
        });
    }
}

/// A log in the batch, which another log may still surpass.
#[derive(Debug)]
pub(super) struct Fresh {
    job_id: i64,
    run: JobKey,
    detail: u64,
    format: String,
    version: String,
    source: String,
}

impl Fresh {
    /// `None` if it belongs to no run.
    pub fn of(log: &Source<'_>) -> Option<Fresh> {
        let Source { job_id, run, detail, .. } = *log;
        let [format, version, source] = [log.format, log.version, log.source].map(String::from);
        Some(Fresh { job_id, run: run?, detail, format, version, source })
    }

    pub fn as_source(&self, key: JobKey) -> Source<'_> {
        let Fresh { job_id, run, detail, ref format, ref version, ref source } = *self;
        Source { key, job_id, run: Some(run), detail, format, version, source, stored: true }
    }
}

crate::view! {
    /// A log that may turn out not to be the one that counts.
    pub(super) struct Told<'a> of JobRow {
        job_key: &'a str, job_id: i64, run_key: Option<&'a str>, detail: Option<u64>,
        format: &'a str, version: &'a str, source: &'a str,
    }
}

impl<'a> Told<'a> {
    /// `None` if it belongs to no run.
    pub fn as_source(&self) -> Option<Source<'a>> {
        let Told { job_id, format, version, source, .. } = *self;
        let run = self.run_key.and_then(JobKey::parse)?;
        let (key, detail) = (JobKey::parse(self.job_key)?, self.detail.unwrap_or(0));
        Some(Source { key, job_id, run: Some(run), detail, format, version, source, stored: true })
    }
}

/// Logs and runs of a study.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub keys: HashSet<JobKey>,
    runs: HashMap<JobKey, (u64, JobKey)>,
}

/// How a log stands to those known of its run.
pub(crate) enum Standing {
    /// It is the first one.
    First,
    /// It tells more than this one.
    Surpasses(JobKey),
    /// It tells no more than the one that counts.
    Further,
}

impl Known {
    /// Of equal logs the first counts.
    pub fn add_run(&mut self, run: JobKey, key: JobKey, detail: u64) {
        if self.runs.get(&run).is_none_or(|known| detail > known.0) {
            self.runs.insert(run, (detail, key));
        }
    }

    pub fn place(&mut self, log: &Source<'_>) -> Standing {
        let Some(run) = log.run else { return Standing::First };
        match self.runs.insert(run, (log.detail, log.key)) {
            None => Standing::First,
            Some((detail, key)) if log.detail > detail => Standing::Surpasses(key),
            Some(better) => {
                self.runs.insert(run, better);
                Standing::Further
            }
        }
    }
}
