//! Encodes observations of counters as the monitor's file.

use marigraph_model::{Gap, Observed, Sample, TargetKind};
use marigraph_wire::sequence::put_varint;

use super::change::growth;
use super::frame;
use super::record::{Head, Rows, begin_step, put_full};

/// Samples between full records. Damage can cost the name of a target for at most this long: an
/// hour at intervals of two seconds.
const REPEAT: u64 = 1800;

/// What a file states about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub interval_us: u64,
    pub host: String,
    /// Changes with each boot of the machine.
    pub boot: String,
}

/// Writes one run of the monitor. Encoded data count as written only after [`Writer::commit`]: the
/// next record includes what could not be written, so that no traffic is lost.
#[derive(Debug)]
pub struct Writer {
    header: Header,
    session: u32,
    number: u64,
    full: u64,
    last: Sample,
    out: Vec<u8>,
    body: Vec<u8>,
}

impl Writer {
    /// Begins a run at this time, in microseconds since 1970; the time distinguishes it from other
    /// runs.
    pub fn new(header: Header, begin_us: i64) -> Writer {
        // Milliseconds; 32 bits of them wrap in seven weeks.
        let session = (begin_us / 1000) as u32;
        let last = Sample::default();
        Writer { header, session, number: 0, full: 0, last, out: Vec::new(), body: Vec::new() }
    }

    /// The bytes to append for a sample. `gap` is the unobserved time before it, `at_start` says
    /// that the file is still empty.
    pub fn encode(&mut self, sample: &Sample, gap: Option<Gap>, at_start: bool) -> &[u8] {
        self.out.clear();
        if self.number == 0 {
            self.put_full(self.head(sample, gap), false, sample);
            return &self.out;
        }
        if at_start || self.number - self.full > REPEAT {
            let last = std::mem::take(&mut self.last);
            let head = Head { number: self.number - 1, elapsed_us: 0, ..self.head(&last, None) };
            self.put_full(head, true, &last);
            self.last = last;
        }
        let head = self.head(sample, gap);
        self.body.clear();
        put_step(&mut self.body, &head, &self.last.observed, &sample.observed);
        frame::put(&mut self.out, &self.body);
        &self.out
    }

    /// The bytes of this sample are in the file.
    pub fn commit(&mut self, sample: &Sample, at_start: bool) {
        if at_start || self.number == 0 || self.number - self.full > REPEAT {
            self.full = self.number;
        }
        self.number += 1;
        self.last.wall_us = sample.wall_us;
        self.last.steady_us = sample.steady_us;
        let known = &mut self.last.observed;
        let same = known.iter().map(|row| row.id).eq(sample.observed.iter().map(|row| row.id));
        if same {
            known.iter_mut().zip(&sample.observed).for_each(|(to, from)| to.values.clone_from(&from.values));
        } else {
            known.clone_from(&sample.observed);
        }
    }

    fn head(&self, sample: &Sample, gap: Option<Gap>) -> Head {
        let elapsed_us =
            if self.number == 0 { 0 } else { sample.steady_us.saturating_sub(self.last.steady_us) };
        Head { session: self.session, number: self.number, wall_us: sample.wall_us, elapsed_us, gap }
    }

    fn put_full(&mut self, head: Head, again: bool, sample: &Sample) {
        self.body.clear();
        put_full(&mut self.body, &head, again, &self.header, &sample.observed);
        frame::put(&mut self.out, &self.body);
    }
}

fn put_step(out: &mut Vec<u8>, head: &Head, old: &[Observed], new: &[Observed]) {
    let is_in = |list: &[Observed], id: u64| list.binary_search_by_key(&id, |row| row.id).is_ok();
    let present = new.iter().filter(|row| row.target.kind != TargetKind::Job).count();
    begin_step(out, head, present as u64);
    let gone = || old.iter().filter(|row| !is_in(new, row.id));
    put_varint(out, gone().count() as u64);
    let mut rows = Rows::new(out);
    gone().for_each(|row| rows.id(row.id));
    let born = || new.iter().filter(|row| !is_in(old, row.id));
    put_varint(out, born().count() as u64);
    let mut rows = Rows::new(out);
    born().for_each(|row| rows.observed(row));
    let mut rows = Rows::new(out);
    let mut before = old.iter().peekable();
    for row in new {
        while before.next_if(|old| old.id < row.id).is_some() {}
        let Some(old) = before.next_if(|old| old.id == row.id) else { continue };
        match growth(row.target.kind, &old.values, &row.values) {
            Some(grown) => rows.change(row.id, false, &grown),
            None => rows.change(row.id, true, &row.values),
        }
    }
}
