//! All applications together: the traffic that one explains is subtracted for the others.
//!
//! The log is the sum over all running jobs. A known signature gives the share of each of its runs,
//! and the runs of other applications are mined again without that share.

use super::application::{ApplicationRun, Unusable, samples};
use super::sample::Sample;
use super::sign::{Signature, Used};
use super::throughput::Throughput;

/// Minimum confidence of a signature that explains traffic.
const SURE: f64 = 0.6;

/// Where others explain more than this share of the traffic, the rest is uncertain.
const MUCH: f64 = 0.2;

/// A throughput log and the explained part of it.
#[derive(Debug, Clone)]
pub struct Joint<'a> {
    throughput: &'a Throughput,
    /// Written bytes per second that known signatures explain.
    explained: Vec<f64>,
}

impl<'a> Joint<'a> {
    pub fn new(throughput: &'a Throughput) -> Joint<'a> {
        Joint { throughput, explained: vec![0.0; throughput.write.len()] }
    }

    pub fn add(&mut self, signature: &Signature) {
        if is_sure(signature) {
            for used in &signature.used {
                let start = self.throughput.start;
                let interval = self.throughput.interval_s;
                share_of(signature, used, start, interval, &mut |at, rate| {
                    if let Some(explained) = self.explained.get_mut(at) {
                        *explained += rate;
                    }
                });
            }
        }
    }

    pub fn concerns(&self, signature: &Signature) -> bool {
        signature.used.iter().any(|used| {
            let others = self.others(&used.run, Some((signature, used)));
            others.iter().any(|rate| *rate > 1e-3 * signature.bytes() / signature.write.len().max(1) as f64)
        })
    }

    /// Returns the server traffic during a run without the part that other applications explain.
    /// `own` is the known signature of the application itself.
    pub fn samples(&self, run: &ApplicationRun, own: Option<&Signature>) -> Result<[Sample; 2], Unusable> {
        let [mut write, read] = samples(run, self.throughput)?;
        let used = own.and_then(|own| own.used.iter().find(|used| used.run == *run).map(|used| (own, used)));
        let others = self.others(run, used);
        write.mended = others.iter().zip(&write.rates).map(|(others, rate)| *others > MUCH * rate).collect();
        for (rate, others) in write.rates.iter_mut().zip(others) {
            *rate = if rate.is_nan() { *rate } else { (*rate - others).max(0.0) };
        }
        Ok([write, read])
    }

    fn others(&self, run: &ApplicationRun, own: Option<(&Signature, &Used)>) -> Vec<f64> {
        let (start, interval) = (self.throughput.start, self.throughput.interval_s);
        let from = ((run.start - start) / interval).floor().max(0.0) as usize;
        let to = (((run.end - start) / interval).ceil().max(0.0) as usize).min(self.explained.len());
        let mut others = self.explained.get(from..to.max(from)).unwrap_or(&[]).to_vec();
        if let Some((signature, used)) = own.filter(|(signature, _)| is_sure(signature)) {
            share_of(signature, used, start, interval, &mut |at, rate| {
                if let Some(other) = at.checked_sub(from).and_then(|at| others.get_mut(at)) {
                    *other = (*other - rate).max(0.0);
                }
            });
        }
        others
    }
}

fn is_sure(signature: &Signature) -> bool {
    signature.confidence.is_some_and(|confidence| confidence >= SURE)
}

fn share_of(signature: &Signature, used: &Used, start: f64, interval: f64, add: &mut dyn FnMut(usize, f64)) {
    for (burst, &(from_s, to_s)) in signature.bursts.iter().zip(&used.placed) {
        let (from, to) = (used.run.start + from_s - start, used.run.start + to_s - start);
        let stretch = (burst.end_s - burst.start_s) / (to - from).max(0.5);
        let shape = |second: f64| {
            let at = burst.start_s + (second - from) * stretch;
            signature.write.get(at.max(0.0) as usize).copied().unwrap_or(0.0) * stretch
        };
        for number in (from / interval).floor().max(0.0) as usize..=(to / interval).max(0.0) as usize {
            let begin = number as f64 * interval;
            let (low, high) = (begin.max(from), (begin + interval).min(to));
            if high > low {
                add(number, shape((low + high) / 2.0) * (high - low) / interval);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Application, Burst};
    use super::*;

    fn run(job: &str, start: f64, end: f64) -> ApplicationRun {
        ApplicationRun { job: job.into(), start, end }
    }

    /// Writes 100 bytes per second from second 20 to 40 of its only run, which begins at second 100.
    fn known() -> Signature {
        let mut write = vec![0.0; 80];
        write[20..40].fill(100.0);
        let sample = Sample {
            rates: Vec::new(),
            mended: Vec::new(),
            interval_s: 2.0,
            offset_s: 0.0,
            duration_s: 80.0,
        };
        Signature {
            application: Application { app: "known".into(), user: "u".into(), nodes: None },
            used: vec![Used { run: run("1", 100.0, 180.0), sample, placed: vec![(20.0, 40.0)] }],
            dropped: Vec::new(),
            write,
            read: Vec::new(),
            bursts: vec![Burst {
                start_s: 20.0,
                end_s: 40.0,
                peak: 100.0,
                bytes: 2000.0,
                support: 1,
                spread_s: 0.0,
            }],
            period_s: None,
            confidence: Some(0.9),
            evidence: None,
        }
    }

    #[test]
    fn others_do_not_see_what_is_explained_and_the_application_itself_does() {
        let mut write = vec![7.0; 150];
        write[60..70].fill(107.0);
        let throughput = Throughput { start: 0.0, interval_s: 2.0, read: vec![0.0; 150], write };
        let mut joint = Joint::new(&throughput);
        let known = known();
        joint.add(&known);
        let other = run("2", 110.0, 150.0);
        let [seen, _] = joint.samples(&other, None).expect("within the log");
        assert!(seen.rates.iter().all(|rate| (rate - 7.0).abs() < 1e-9), "{:?}", seen.rates);
        assert_eq!(seen.mended.iter().filter(|mended| **mended).count(), 10);
        let [own, _] = joint.samples(&known.used[0].run, Some(&known)).expect("within the log");
        assert_eq!(own.rates.iter().filter(|rate| **rate == 107.0).count(), 10);
        assert!(!joint.concerns(&known), "nobody else explains anything");
        let unsure = Signature { confidence: Some(0.3), ..known.clone() };
        let mut joint = Joint::new(&throughput);
        joint.add(&unsure);
        let [seen, _] = joint.samples(&other, None).expect("within the log");
        assert!(seen.rates.contains(&107.0), "what is not certain explains nothing");
    }
}
