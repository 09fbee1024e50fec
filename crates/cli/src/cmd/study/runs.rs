//! Recorded runs, put together from the tables that tell of them.

use std::collections::HashMap;

use marigraph_analysis::asked::{Asked, Interface};
use marigraph_analysis::files::Sharing;
use marigraph_analysis::study::{Access, Run, RunFinding};
use marigraph_store::tables::{CATEGORIES, COUNTERS, FINDINGS, INTERFACES, JOBS, SHARING};
use marigraph_store::{Cell, Error, Snapshot};

use super::load::{count, number, word};

/// All runs, by their start, and what there is to be told about them.
pub fn load(study: &Snapshot) -> Result<(Vec<Run>, Vec<RunFinding>), Error> {
    let mut runs = Runs::new(study)?;
    runs.add_asked(study)?;
    runs.add_counters(study)?;
    runs.add_labels(study)?;
    let findings = runs.findings(study)?;
    Ok((runs.all, findings))
}

struct Runs {
    all: Vec<Run>,
    places: HashMap<String, usize>,
}

const COLUMNS: [&str; 17] = [
    "job_key",
    "job_id",
    "exe",
    "nprocs",
    "nnodes",
    "start_s",
    "runtime_s",
    "files",
    "files_written",
    "files_new",
    "bytes_read",
    "bytes_written",
    "read_time_s",
    "write_time_s",
    "metadata_time_s",
    "mib_per_s",
    "io_time_s",
];

impl Runs {
    fn new(study: &Snapshot) -> Result<Runs, Error> {
        let mut all: Vec<(String, Run)> = Vec::new();
        let columns: Vec<&str> = COLUMNS.into_iter().chain(["period_s"]).collect();
        study.read(&JOBS, &columns, &mut |cells| all.extend(run(cells)))?;
        // Parts come in any order; results do not depend on it.
        all.sort_by(|one, two| one.1.start_s.total_cmp(&two.1.start_s).then_with(|| one.0.cmp(&two.0)));
        let (keys, all): (Vec<String>, Vec<Run>) = all.into_iter().unzip();
        let places = keys.into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        Ok(Runs { all, places })
    }

    fn of(&mut self, key: Cell<'_>) -> Option<&mut Run> {
        self.places.get(word(key)).and_then(|&at| self.all.get_mut(at))
    }

    fn add_asked(&mut self, study: &Snapshot) -> Result<(), Error> {
        let columns = ["job_key", "interface", "opens", "files", "bytes_read", "bytes_written"];
        study.read(&INTERFACES, &columns, &mut |cells| {
            let &[key, name, opens, files, read, written] = cells else { return };
            if let (Some(run), Some(interface)) = (self.of(key), Interface::named(word(name))) {
                run.interfaces.push((interface, asked([opens, files, read, written])));
            }
        })?;
        let columns = ["job_key", "way", "files", "bytes_read", "bytes_written"];
        study.read(&SHARING, &columns, &mut |cells| {
            let &[key, way, files, read, written] = cells else { return };
            let ways = [Sharing::One, Sharing::Some, Sharing::All];
            let place = ways.iter().position(|sharing| sharing.name() == word(way));
            if let (Some(run), Some(place)) = (self.of(key), place) {
                run.sharing[place] = asked([Cell::Null, files, read, written]);
            }
        })
    }

    fn add_counters(&mut self, study: &Snapshot) -> Result<(), Error> {
        study.read(&COUNTERS, &["job_key", "name", "value"], &mut |cells| {
            let &[key, name, value] = cells else { return };
            let (Some(counter), Some(value)) = (word(name).strip_prefix("POSIX_"), number(value)) else {
                return;
            };
            if is_needed(counter)
                && let Some(run) = self.of(key)
            {
                count_access(&mut run.access, counter, value);
            }
        })
    }

    fn add_labels(&mut self, study: &Snapshot) -> Result<(), Error> {
        study.read(&CATEGORIES, &["job_key", "label"], &mut |cells| {
            let &[key, label] = cells else { return };
            if let Some(run) = self.of(key) {
                run.labels.push(word(label).to_string());
            }
        })
    }

    fn findings(&self, study: &Snapshot) -> Result<Vec<RunFinding>, Error> {
        let mut all = Vec::new();
        let columns = ["job_key", "code", "severity", "title", "seconds_at_stake"];
        study.read(&FINDINGS, &columns, &mut |cells| {
            let &[key, code, severity, title, seconds] = cells else { return };
            let Some(&run) = self.places.get(word(key)) else { return };
            // Facts and good news are no findings of a system.
            if matches!(word(severity), "info" | "ok") {
                return;
            }
            all.push(RunFinding {
                run,
                code: word(code).to_string(),
                severity: word(severity).to_string(),
                title: word(title).to_string(),
                seconds_at_stake: number(seconds),
            });
        })?;
        all.sort_by(|one, two| one.run.cmp(&two.run).then_with(|| one.code.cmp(&two.code)));
        Ok(all)
    }
}

fn run(cells: &[Cell<'_>]) -> Option<(String, Run)> {
    let &[
        key,
        job,
        exe,
        processes,
        nodes,
        start,
        runtime,
        files,
        files_written,
        files_new,
        read,
        written,
        read_time,
        write_time,
        meta_time,
        speed,
        io_time,
        period,
    ] = cells
    else {
        return None;
    };
    let seconds = |cell| number(cell).unwrap_or(0.0);
    let run = Run {
        job_id: count(job).unwrap_or(0),
        exe: word(exe).to_string(),
        processes: count(processes).unwrap_or(0),
        nodes: count(nodes),
        start_s: seconds(start),
        runtime_s: seconds(runtime),
        files: count(files).unwrap_or(0),
        files_written: count(files_written).unwrap_or(0),
        files_new: count(files_new),
        bytes_read: count(read).unwrap_or(0),
        bytes_written: count(written).unwrap_or(0),
        times_s: [seconds(read_time), seconds(write_time), seconds(meta_time)],
        mib_per_s: number(speed),
        io_time_s: number(io_time),
        period_s: number(period),
        interfaces: Vec::new(),
        sharing: [Asked::default(); 3],
        access: Access::default(),
        labels: Vec::new(),
    };
    Some((word(key).to_string(), run))
}

fn asked(cells: [Cell<'_>; 4]) -> Asked {
    let [opens, files, read, written] = cells.map(|cell| count(cell).unwrap_or(0));
    Asked { opens, files, read, written }
}

/// Whether a counter of POSIX is one of those below.
fn is_needed(counter: &str) -> bool {
    ["READS", "WRITES", "SEQ_", "FILE_NOT_ALIGNED", "SIZE_", "ACCESS"]
        .iter()
        .any(|start| counter.starts_with(start))
}

/// Ends of the names of counters of sizes, from the smallest on.
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
