//! Texts of Lustre: statistics of a target, and of the jobs that use it.

use marigraph_model::TargetKind;

/// Places of the columns that an OST and its jobs have in common.
const READS: usize = 0;
const READ_BYTES: usize = 1;
const WRITES: usize = 2;
const WRITE_BYTES: usize = 3;
/// Of jobs alone.
const REQUESTS: usize = 4;

/// The counters of an OST (`stats`) or an MDT (`md_stats`). A line is `NAME COUNT samples [UNIT] MIN MAX SUM [SUMSQ]`;
/// requests have no more than their count.
pub(super) fn target(kind: TargetKind, text: &str) -> Vec<u64> {
    let mut values = vec![0; kind.columns().len()];
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(name), Some(count)) = (words.next(), words.next().and_then(|word| word.parse().ok()))
        else {
            continue;
        };
        let sum = words.nth(4).and_then(|word| word.parse().ok()).unwrap_or(0);
        let mut set = |at: usize, value: u64| values.get_mut(at).into_iter().for_each(|to| *to = value);
        match (kind, name) {
            (TargetKind::Ost, "read_bytes") => (set(READS, count), set(READ_BYTES, sum)),
            (TargetKind::Ost, "write_bytes") => (set(WRITES, count), set(WRITE_BYTES, sum)),
            (TargetKind::Mdt, _) => {
                let at = kind.columns().iter().position(|column| column.name == name);
                (at.into_iter().for_each(|at| set(at, count)), ())
            }
            _ => continue,
        };
    }
    values
}

/// The jobs of a `job_stats`, each with the values of its columns.
pub(super) fn jobs(text: &str, mut each: impl FnMut(&str, &[u64])) {
    let mut job: Option<&str> = None;
    let mut values = [0; REQUESTS + 1];
    for line in text.lines() {
        let (key, rest) = line.trim_start_matches(['-', ' ', '\t']).split_once(':').unwrap_or((line, ""));
        if key == "job_id" {
            job.into_iter().for_each(|job| each(job, &values));
            job = Some(rest.trim().trim_matches('"')).filter(|job| !job.is_empty());
            values = [0; REQUESTS + 1];
        } else if let Some(samples) = number_after(rest, "samples:") {
            add(&mut values, key, samples, number_after(rest, "sum:").unwrap_or(0));
        }
    }
    job.into_iter().for_each(|job| each(job, &values));
}

fn add(values: &mut [u64; REQUESTS + 1], key: &str, samples: u64, sum: u64) {
    let [reads, read_bytes, writes, write_bytes, requests] = values;
    match key {
        "read_bytes" => (*reads, *read_bytes) = (samples, sum),
        "write_bytes" => (*writes, *write_bytes) = (samples, sum),
        // How long the same requests took.
        "read" | "write" => {}
        _ => *requests = requests.saturating_add(samples),
    }
}

fn number_after(text: &str, key: &str) -> Option<u64> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start();
    rest.get(..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sums() {
        let text = "snapshot_time 1497639750.12141 secs.usecs\nread_bytes 3 samples [bytes] 1 8 12\n\
                    write_bytes 5 samples [bytes] 4 9 4294967297 7\nread 3 samples [usecs] 1 2 3 4\nping 9 samples [reqs]\n";
        assert_eq!(target(TargetKind::Ost, text), [3, 12, 5, 4_294_967_297]);
        let text = "open 10 samples [reqs]\nsync 7 samples [usecs] 1 2 3 4\nclose x samples\nsamedir_rename 4 samples [reqs]\n";
        let values = target(TargetKind::Mdt, text);
        assert_eq!((values[0], values[13], values.iter().sum::<u64>()), (10, 7, 17));
    }

    #[test]
    fn jobs_old_and_new() {
        let text = "job_stats:\n- job_id:          24\n  snapshot_time:   1510782606\n  \
            read_bytes:      { samples:           2, unit: bytes, min:       0, max:       0, sum:               77 }\n  \
            write_bytes:     { samples:       64575, unit: bytes, min:    4096, max: 4194304, sum:    215147593728 }\n  \
            punch:           { samples:           1, unit:  reqs }\n\
            - job_id:          \"cp.500 a:b\"\n  snapshot_time:   1720516680\n  \
            write_bytes:     { samples:          52, unit: bytes, min:     4096, max:   475136, sum:          5468160, sumsq:      1071040692224 }\n  \
            write:           { samples:          52, unit: usecs, min:       12, max:    40081, sum:           692342, sumsq:        17432258604 }\n  \
            getattr:         { samples:           4, unit: usecs, min:        0, max:        0, sum:                0, sumsq: 0 }\n";
        let mut found = Vec::new();
        jobs(text, |job, values| found.push((job.to_string(), values.to_vec())));
        let expected =
            [("24", vec![2, 77, 64_575, 215_147_593_728, 1]), ("cp.500 a:b", vec![0, 0, 52, 5_468_160, 4])];
        assert_eq!(found, expected.map(|(job, values)| (job.to_string(), values)));
        jobs("job_stats:\n", |job, _| panic!("{job}"));
    }
}
