//! Collects reports of `iostat`, whose intervals follow only from their times.
//!
//! A run of `iostat` begins with a report about everything since boot, which is not a reading.
//! Every other report covers the time since the previous one, unless reports are missing in
//! between.

use std::borrow::Cow;

use marigraph_model::{Problem, ProblemKind, Reading};

use super::super::moment::Clock;
use super::super::spacing::{GAP, usual};
use super::stamp::moments;
use super::{Device, Devices, Rates, show};

#[derive(Debug, Default)]
pub(super) struct Runs<'a> {
    devices: Devices,
    /// Times of reports, whether each begins a run, and where its rates end.
    stamps: Vec<Cow<'a, str>>,
    first: Vec<bool>,
    ends: Vec<usize>,
    rates: Vec<Rates>,
    begins: bool,
}

impl<'a> Runs<'a> {
    pub fn begin(&mut self) {
        self.begins = true;
    }

    pub fn report(&mut self, host: &str, stamp: Cow<'a, str>, devices: &[Device]) {
        self.devices.count(host, devices, &mut self.rates);
        self.stamps.push(stamp);
        self.first.push(std::mem::take(&mut self.begins));
        self.ends.push(self.rates.len());
    }

    pub fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    pub fn finish(self, clock: &mut Clock<'_>, each: &mut dyn FnMut(Reading)) -> (Vec<String>, Vec<Problem>) {
        let (moments, doubt) = moments(&self.stamps, clock);
        let (mut from, mut shown) = (0, 0u64);
        while from < moments.len() {
            let next = self.first.iter().skip(from + 1).position(|first| *first);
            let to = next.map_or(moments.len(), |after| from + 1 + after);
            self.show_run(&moments, from..to, &mut |reading| {
                shown += 1;
                each(reading);
            });
            from = to;
        }
        let alone = (shown == 0 && !self.rates.is_empty()).then(|| {
            let message = "only reports since boot: iostat needs an interval (iostat -x -t 2)";
            Problem::new(ProblemKind::NotRecorded, message)
        });
        let (names, left_out) = self.devices.finish();
        (names, doubt.into_iter().chain(alone).chain(left_out).collect())
    }

    fn show_run(&self, moments: &[Option<f64>], run: std::ops::Range<usize>, each: &mut dyn FnMut(Reading)) {
        let times = moments[run.clone()].iter().flatten().map(|moment| (0, *moment)).collect();
        let Some(usual) = usual(times).map(|usual| usual.seconds) else { return };
        let mut before = None;
        for at in run {
            let Some(end) = moments[at] else { continue };
            let distance = before.map(|before: f64| end - before);
            before = Some(end);
            if self.first[at] {
                continue;
            }
            let near = distance.filter(|distance| *distance > 0.0 && *distance <= usual * GAP);
            let from = if at == 0 { 0 } else { self.ends[at - 1] };
            show(&self.rates[from..self.ends[at]], end, near.unwrap_or(usual), each);
        }
    }
}
