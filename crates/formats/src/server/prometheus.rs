//! Reads range queries of Prometheus as JSON: `data.result[]` with `metric` and `values[[time,
//! "value"]]`.
//!
//! Counters (`..._total`) are differenced into rates. Other series are rates already, stamped at
//! the end of their interval. All series of a source are summed.

use std::collections::BTreeMap;

use marigraph_model::{Problem, ProblemKind, Reading};

use super::devices::counted;
use super::json::{Piece, documents};
use super::number::{decimal, finite};
use super::sources::Sources;
use super::spacing::{GAP, usual};
use super::zone::Zone;
use crate::csv::row::Bad;
use crate::error::Error;

pub(super) fn sniff(content: &[u8]) -> bool {
    let beginning = content.get(..content.len().min(4096)).unwrap_or(&[]).trim_ascii_start();
    let has = |word: &str| memchr::memmem::find(beginning, word.as_bytes()).is_some();
    beginning.starts_with(b"{") && (has("\"resultType\"") || has("\"metric\"") || has("\"errorType\""))
}

pub(super) fn read(
    content: &[u8],
    _: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let (mut answer, mut found) = (Answer::default(), Vec::new());
    for document in documents(content) {
        if let Some(error) = document.get("error").and_then(Piece::value::<String>) {
            let detail = format!("Prometheus did not answer the query: {error}");
            return Err(Error::Lacking { detail, hint: "repeat the query (/api/v1/query_range)" });
        }
        answer.cut |= !document.whole;
        let result = document.get("data").unwrap_or(document).get("result");
        found.extend(result.into_iter().flat_map(Piece::items).map(|series| (Labels::of(series), series)));
    }
    for ((labels, series), counts) in found.iter().zip(counted_series(&found)) {
        if !labels.bytes {
            answer.others += 1;
        } else if counts {
            answer.series(labels, *series);
        } else {
            answer.left_out += 1;
        }
    }
    answer.finish(each)
}

fn counted_series(series: &[(Labels, Piece<'_>)]) -> Vec<bool> {
    let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (labels, _)) in series.iter().enumerate() {
        hosts.entry(&labels.host).or_default().push(at);
    }
    // If a target reports all its bytes, those of its jobs are included.
    let all_told = series.iter().any(|(labels, _)| labels.counter && labels.bytes && !labels.of_job);
    let mut counts: Vec<bool> = series.iter().map(|(labels, _)| !(labels.of_job && all_told)).collect();
    for places in hosts.values() {
        let names: Vec<&str> = places.iter().map(|&at| series[at].0.source.as_str()).collect();
        places.iter().zip(counted(&names)).for_each(|(&at, counted)| counts[at] &= counted);
    }
    counts
}

/// Rates of one source by the bits of their end: duration, bytes read and written per second.
type Rates = BTreeMap<u64, (f64, f64, f64)>;

#[derive(Default)]
struct Answer {
    sources: Sources,
    rates: Vec<Rates>,
    bad: Bad,
    cut: bool,
    unnamed: u64,
    /// Series whose bytes are counted in others.
    left_out: u64,
    others: u64,
    /// Series without samples over time, as from an instant query.
    instant: u64,
}

struct Labels {
    host: String,
    source: String,
    counter: bool,
    bytes: bool,
    of_job: bool,
    reads: Option<bool>,
}

impl Answer {
    fn series(&mut self, labels: &Labels, series: Piece<'_>) {
        let Some(values) = series.get("values") else {
            self.instant += u64::from(series.whole);
            return;
        };
        self.unnamed += u64::from(labels.reads.is_none());
        let samples = self.samples(values);
        self.add(labels, &samples);
    }

    fn samples(&mut self, values: Piece<'_>) -> Vec<(f64, f64)> {
        let mut samples = Vec::new();
        for item in values.items().filter(|item| item.whole) {
            self.bad.next += 1;
            match sample(item.text) {
                Some(sample) => samples.push(sample),
                None => {
                    let text = String::from_utf8_lossy(item.text).into_owned();
                    self.bad.add(self.bad.next, format!("no sample: {text}"));
                }
            }
        }
        samples.sort_by(|one, other| one.0.total_cmp(&other.0));
        samples
    }

    fn add(&mut self, labels: &Labels, samples: &[(f64, f64)]) {
        let Some(usual) = usual(samples.iter().map(|sample| (0, sample.0)).collect()) else { return };
        let number = self.sources.number(labels.host.as_bytes(), labels.source.as_bytes()) as usize;
        if self.rates.len() <= number {
            self.rates.resize_with(number + 1, Rates::default);
        }
        let before = std::iter::once(None).chain(samples.iter().map(Some));
        for (before, &(end, value)) in before.zip(samples) {
            let distance = before.map(|before| end - before.0);
            let near = distance.filter(|distance| *distance > 0.0 && *distance <= usual.seconds * GAP);
            let (seconds, rate) = match (labels.counter, before, near) {
                (false, ..) => (near.unwrap_or(usual.seconds), value),
                // A counter that decreased was restarted: its growth is unknown.
                (true, Some(before), Some(near)) if value >= before.1 => (near, (value - before.1) / near),
                _ => continue,
            };
            let sum = self.rates[number].entry(end.to_bits()).or_insert((seconds, 0.0, 0.0));
            sum.0 = sum.0.min(seconds);
            *(if labels.reads == Some(true) { &mut sum.1 } else { &mut sum.2 }) += rate;
        }
    }

    fn finish(self, each: &mut dyn FnMut(Reading)) -> Result<(Vec<String>, Vec<Problem>), Error> {
        if self.instant > 0 && self.rates.is_empty() {
            let detail = "the answer to an instant query".to_string();
            return Err(Error::Lacking { detail, hint: "query a range (/api/v1/query_range)" });
        }
        for (source, rates) in (0u32..).zip(&self.rates) {
            // Times are positive, and positive floats sort like their bits.
            for (&end, &(seconds, read, write)) in rates {
                if !(read + write).is_finite() {
                    continue;
                }
                each(Reading { source, start: f64::from_bits(end) - seconds, seconds, read, write });
            }
        }
        let cut = Problem::new(
            ProblemKind::Truncated,
            "the JSON is truncated: complete samples before the end are used",
        );
        let others = format!("{} series are left out: their names do not count bytes", self.others);
        let unnamed = format!(
            "{} series have no direction and count as written; query reads and writes separately under a label direction=\"read\" and \"write\"",
            self.unnamed
        );
        let left_out = format!("{} series are left out: other series count their bytes", self.left_out);
        let told = [
            self.cut.then_some(cut),
            (self.unnamed > 0).then(|| Problem::new(ProblemKind::BadText, unnamed)),
            (self.left_out > 0).then(|| Problem::new(ProblemKind::NotRecorded, left_out)),
            (self.others > 0).then(|| Problem::new(ProblemKind::NotRecorded, others)),
            self.bad.problem_of("sample"),
        ];
        Ok((self.sources.into_names(), told.into_iter().flatten().collect()))
    }
}

/// Parses `[1767571200, "1.5e6"]`.
fn sample(text: &[u8]) -> Option<(f64, f64)> {
    let inner = text.strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii();
    let (time, length) = decimal(inner)?;
    let value = inner[length..].trim_ascii_start().strip_prefix(b",")?.trim_ascii();
    let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    Some((time, finite(value).filter(|value| *value >= 0.0)?))
}

/// Labels that name a server, best first.
const HOSTS: &[&str] = &["instance", "host", "hostname", "nodename", "server", "node"];
const NAMES: &[&str] = &["device", "target", "ost", "disk", "volume", "component", "fs"];
const DIRECTIONS: &[&str] = &["__name__", "direction", "op", "operation", "type", "mode"];

/// Words in names of series that count something else, unless they count bytes.
const OTHERS: &[&str] =
    &["_total", "seconds", "completed", "merged", "sectors", "samples", "requests", "_ops"];

impl Labels {
    fn of(series: Piece<'_>) -> Labels {
        let metric = series.get("metric");
        let labels: BTreeMap<String, String> = metric.and_then(Piece::value).unwrap_or_default();
        let first = |keys: &[&str]| keys.iter().find_map(|key| labels.get(*key)).cloned().unwrap_or_default();
        let name = labels.get("__name__").map(String::as_str).unwrap_or_default();
        let direction = |key: &&str| {
            let text = labels.get(*key)?.to_ascii_lowercase();
            match (text.contains("read"), text.contains("writ")) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            }
        };
        Labels {
            host: first(HOSTS),
            source: first(NAMES),
            counter: name.ends_with("_total"),
            bytes: name.contains("byte") || !OTHERS.iter().any(|word| name.contains(word)),
            of_job: name.contains("_job_"),
            reads: DIRECTIONS.iter().find_map(direction),
        }
    }
}
