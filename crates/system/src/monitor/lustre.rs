//! Parses Lustre's statistics of a target and of the jobs that use it.

use std::io::{self, BufRead};

use marigraph_model::TargetKind;

/// Indices of the columns that an OST and its jobs share.
const READS: usize = 0;
const READ_BYTES: usize = 1;
const WRITES: usize = 2;
const WRITE_BYTES: usize = 3;
/// Those four, and other requests.
const JOB_COLUMNS: usize = 5;

/// The counters of an OST (`stats`) or an MDT (`md_stats`). A line is `NAME COUNT samples [UNIT]
/// MIN MAX SUM [SUMSQ]`; requests have only a count.
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

/// Visits the jobs of a `job_stats` with their counters, line by line: there may be many thousands.
pub(super) fn jobs(mut text: impl BufRead, mut each: impl FnMut(&str, &[u64])) -> io::Result<()> {
    let mut job = String::new();
    let mut values = [0; JOB_COLUMNS];
    let mut line = Vec::new();
    while text.read_until(b'\n', &mut line)? > 0 {
        let shown = line.trim_ascii();
        if let Some(name) = shown.strip_prefix(b"- job_id:") {
            if !job.is_empty() {
                each(&job, &values);
            }
            job.clear();
            job.push_str(String::from_utf8_lossy(name).trim().trim_matches('"'));
            values = [0; JOB_COLUMNS];
        } else if let Some((key, samples, sum)) = entry(shown) {
            add(&mut values, key, samples, sum);
        }
        line.clear();
    }
    if !job.is_empty() {
        each(&job, &values);
    }
    Ok(())
}

fn add(values: &mut [u64; JOB_COLUMNS], key: &[u8], samples: u64, sum: u64) {
    let [reads, read_bytes, writes, write_bytes, requests] = values;
    match key {
        b"read_bytes" => (*reads, *read_bytes) = (samples, sum),
        b"write_bytes" => (*writes, *write_bytes) = (samples, sum),
        // Durations of the same requests.
        b"read" | b"write" => {}
        _ => *requests = requests.saturating_add(samples),
    }
}

/// Key, count and sum of `KEY: { samples: COUNT, unit: bytes, min: A, max: B, sum: SUM, ... }`;
/// `None` where the count is 0, as in most lines.
fn entry(line: &[u8]) -> Option<(&[u8], u64, u64)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (key, rest) = line.split_at_checked(colon)?;
    let mut parts =
        rest.strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"{")?.split(|&byte| byte == b',');
    let samples = number(parts.next()?, b"samples:").filter(|&samples| samples > 0)?;
    let sum = parts.find_map(|part| number(part, b"sum:")).unwrap_or(0);
    Some((key, samples, sum))
}

fn number(part: &[u8], key: &[u8]) -> Option<u64> {
    let digits = part.trim_ascii_start().strip_prefix(key)?.trim_ascii();
    let digits = digits.split(|byte| !byte.is_ascii_digit()).next().filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
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
        let all = |job: &str, values: &[u64]| found.push((job.to_string(), values.to_vec()));
        jobs(text.as_bytes(), all).expect("reads");
        let expected =
            [("24", vec![2, 77, 64_575, 215_147_593_728, 1]), ("cp.500 a:b", vec![0, 0, 52, 5_468_160, 4])];
        assert_eq!(found, expected.map(|(job, values)| (job.to_string(), values)));
        jobs(&b"job_stats:\n"[..], |job, _| panic!("{job}")).expect("reads");
    }
}
