//! Recorded runs, assembled from their tables.

use std::collections::HashMap;

use marigraph_analysis::asked::{Asked, Interface};
use marigraph_analysis::files::Sharing;
use marigraph_analysis::study::{Access, RecordedRun, RunFinding};
use marigraph_store::tables::{CategoryRow, CounterRow, FindingRow, InterfaceRow, JobRow, SharingRow};
use marigraph_store::{Error, Snapshot, view};

/// Runs are sorted by start.
pub fn load(study: &Snapshot) -> Result<(Vec<RecordedRun>, Vec<RunFinding>), Error> {
    let mut runs = Runs::new(study)?;
    runs.add_asked(study)?;
    runs.add_counters(study)?;
    runs.add_labels(study)?;
    let findings = runs.findings(study)?;
    Ok((runs.all, findings))
}

struct Runs {
    all: Vec<RecordedRun>,
    places: HashMap<String, usize>,
}

view! {
    /// What a run tells of itself.
    struct Told<'a> of JobRow {
        job_key: &'a str, job_id: i64, exe: Option<&'a str>, nprocs: u64, nnodes: Option<u64>,
        start_s: Option<f64>, runtime_s: Option<f64>,
        files: u64, files_written: Option<u64>, files_new: Option<u64>, bytes_read: u64, bytes_written: u64,
        read_time_s: Option<f64>, write_time_s: Option<f64>, metadata_time_s: Option<f64>,
        mib_per_s: Option<f64>, io_time_s: Option<f64>, period_s: Option<f64>,
    }
}

view! {
    struct Counted<'a> of CounterRow { job_key: &'a str, name: &'a str, value: Option<f64> }
}

view! {
    struct Labelled<'a> of CategoryRow { job_key: &'a str, label: &'a str }
}

view! {
    struct Found<'a> of FindingRow {
        job_key: &'a str, code: &'a str, severity: &'a str, title: &'a str, seconds_at_stake: Option<f64>,
    }
}

impl Runs {
    fn new(study: &Snapshot) -> Result<Runs, Error> {
        let mut all: Vec<(String, RecordedRun)> = Vec::new();
        study.read::<Told>(|told| all.push((told.job_key.to_string(), run(&told))))?;
        // Parts come in any order; results do not depend on it.
        all.sort_by(|one, two| one.1.start_s.total_cmp(&two.1.start_s).then_with(|| one.0.cmp(&two.0)));
        let (keys, all): (Vec<String>, Vec<RecordedRun>) = all.into_iter().unzip();
        let places = keys.into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        Ok(Runs { all, places })
    }

    fn of(&mut self, key: &str) -> Option<&mut RecordedRun> {
        self.places.get(key).and_then(|&at| self.all.get_mut(at))
    }

    fn add_asked(&mut self, study: &Snapshot) -> Result<(), Error> {
        study.read::<InterfaceRow>(|row| {
            if let (Some(run), Some(interface)) = (self.of(row.job_key), Interface::named(row.interface)) {
                let (read, written) = (row.bytes_read, row.bytes_written);
                run.interfaces.push((interface, Asked { opens: row.opens, files: row.files, read, written }));
            }
        })?;
        study.read::<SharingRow>(|row| {
            let ways = [Sharing::One, Sharing::Some, Sharing::All];
            let place = ways.iter().position(|sharing| sharing.name() == row.way);
            if let (Some(run), Some(place)) = (self.of(row.job_key), place) {
                let (read, written) = (row.bytes_read, row.bytes_written);
                run.sharing[place] = Asked { opens: 0, files: row.files, read, written };
            }
        })
    }

    fn add_counters(&mut self, study: &Snapshot) -> Result<(), Error> {
        study.read::<Counted>(|row| {
            let (Some(counter), Some(value)) = (row.name.strip_prefix("POSIX_"), row.value) else { return };
            if is_needed(counter)
                && let Some(run) = self.of(row.job_key)
            {
                count_access(&mut run.access, counter, value);
            }
        })
    }

    fn add_labels(&mut self, study: &Snapshot) -> Result<(), Error> {
        study.read::<Labelled>(|row| {
            if let Some(run) = self.of(row.job_key) {
                run.labels.push(row.label.to_string());
            }
        })
    }

    fn findings(&self, study: &Snapshot) -> Result<Vec<RunFinding>, Error> {
        let mut all = Vec::new();
        study.read::<Found>(|row| {
            let Some(&run) = self.places.get(row.job_key) else { return };
            // Facts and good practices are not findings of a system.
            if matches!(row.severity, "info" | "ok") {
                return;
            }
            all.push(RunFinding {
                run,
                code: row.code.to_string(),
                severity: row.severity.to_string(),
                title: row.title.to_string(),
                seconds_at_stake: row.seconds_at_stake,
            });
        })?;
        all.sort_by(|one, two| one.run.cmp(&two.run).then_with(|| one.code.cmp(&two.code)));
        Ok(all)
    }
}

fn run(told: &Told<'_>) -> RecordedRun {
    RecordedRun {
        job_id: u64::try_from(told.job_id).unwrap_or(0),
        exe: told.exe.unwrap_or_default().to_string(),
        processes: told.nprocs,
        nodes: told.nnodes,
        start_s: told.start_s.unwrap_or(0.0),
        runtime_s: told.runtime_s.unwrap_or(0.0),
        files: told.files,
        files_written: told.files_written.unwrap_or(0),
        files_new: told.files_new,
        bytes_read: told.bytes_read,
        bytes_written: told.bytes_written,
        times_s: [told.read_time_s, told.write_time_s, told.metadata_time_s].map(Option::unwrap_or_default),
        mib_per_s: told.mib_per_s,
        io_time_s: told.io_time_s,
        period_s: told.period_s,
        interfaces: Vec::new(),
        sharing: [Asked::default(); 3],
        access: Access::default(),
        labels: Vec::new(),
    }
}

fn is_needed(counter: &str) -> bool {
    ["READS", "WRITES", "SEQ_", "FILE_NOT_ALIGNED", "SIZE_", "ACCESS"]
        .iter()
        .any(|start| counter.starts_with(start))
}

/// Suffixes of the size counters, smallest first.
const SIZES: [&str; 10] =
    ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"];

fn count_access(access: &mut Access, counter: &str, value: f64) {
    let bin = |size: &str| SIZES.iter().position(|known| *known == size);
    match counter {
        "READS" | "WRITES" => access.calls += value,
        "SEQ_READS" | "SEQ_WRITES" => access.sequential += value,
        "FILE_NOT_ALIGNED" => access.misaligned += value,
        "ACCESS1_ACCESS" => access.common = Some((value, access.common.map_or(0.0, |common| common.1))),
        "ACCESS1_COUNT" => access.common = Some((access.common.map_or(0.0, |common| common.0), value)),
        _ => {
            let sizes = [("SIZE_READ_", &mut access.read_sizes), ("SIZE_WRITE_", &mut access.write_sizes)];
            for (start, sums) in sizes {
                if let Some(at) = counter.strip_prefix(start).and_then(bin) {
                    sums[at] += value;
                }
            }
        }
    }
}
