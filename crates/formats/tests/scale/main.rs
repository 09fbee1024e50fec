//! Programs whose I/O follows from rank and size, extrapolated to unrecorded sizes: the prediction
//! matches the program, or is refused.

#![allow(clippy::expect_used, clippy::print_stdout)] // a test may stop, and says what it measured

mod files;
mod names;
mod programs;
mod random;

use std::collections::HashMap;

use marigraph_analysis::extrapolate::{Input, Verdict, extrapolate};
use marigraph_formats::native::mari::{
    Context, Mari, Meta, Site, StreamKey, Times, TraceWriter, write_classes,
};
use marigraph_model::{Call, NameId, Names, Nanos, SiteId, Slot};
use marigraph_wire::op::Op;

/// The calls of one rank.
#[derive(Default)]
pub struct Rank {
    calls: Vec<Call>,
    names: HashMap<NameId, Vec<u8>>,
}

const SITES: u32 = 16;

impl Rank {
    fn put(&mut self, site: u32, op: Op, slot: u32, args: [i64; 3]) {
        let ret = if op == Op::Pwrite { args[1] } else { 0 };
        let start = Nanos(1000 * self.calls.len() as i64);
        let end = Nanos(start.0 + 10);
        let (slot, site) = (Slot(slot), SiteId(site % SITES));
        self.calls.push(Call { op, depth: 0, flags: 0, slot, args, ret, start, end, site });
    }

    pub fn open(&mut self, site: u32, name: String) {
        let id = self.names.len() as i64 + 1;
        self.names.insert(NameId(id), name.into_bytes());
        self.put(site, Op::Open, 1, [id, 65, 0]);
    }

    pub fn write(&mut self, site: u32, at: i64, bytes: i64) {
        self.put(site, Op::Pwrite, 1, [at, bytes, 0]);
    }

    pub fn close(&mut self, site: u32) {
        self.put(site, Op::Close, 1, [0; 3]);
    }
}

/// A program: adds the calls of a rank, given rank and size.
pub type Program<'a> = &'a dyn Fn(i64, i64, &mut Rank);

fn ran(program: Program<'_>, rank: u32, ranks: u32) -> Rank {
    let mut calls = Rank::default();
    program(i64::from(rank), i64::from(ranks), &mut calls);
    calls
}

fn recorded(program: Program<'_>, ranks: u32) -> Vec<u8> {
    let site = |offset: u32| Site { module: "app".into(), offset: u64::from(offset) };
    let sites: Vec<Site> = (0..SITES).map(site).collect();
    let mut writer = TraceWriter::new(Times::Histogram);
    for rank in 0..ranks {
        let Rank { calls, names } = ran(program, rank, ranks);
        let mut stream = writer.stream(StreamKey { process: 0, thread: 0, rank }).expect("once");
        calls.iter().for_each(|call| stream.call(call, &Context { names: &names, sites: &sites }));
        stream.end();
    }
    writer.finish(&Meta { ranks: u64::from(ranks), ..Meta::default() }, &[])
}

type Told = (Op, Vec<u8>, [i64; 3], i64);

fn told(call: &Call, names: &dyn Names) -> Told {
    let mut unnamed = *call;
    unnamed.map_names(|_| NameId::default());
    let name = call.names().next().map_or(Vec::new(), |id| names.name(id).unwrap_or(b"?").to_vec());
    (call.op, name, unnamed.args, call.ret)
}

fn difference(bytes: &[u8], program: Program<'_>, ranks: u32) -> Option<String> {
    let mari = Mari::read(bytes).expect("what is written reads");
    let mut streams: Vec<_> = mari.streams().collect();
    streams.sort_by_key(|stream| stream.key());
    if streams.len() != ranks as usize {
        return Some(format!("{} streams", streams.len()));
    }
    for (rank, stream) in (0..ranks).zip(streams) {
        let loaded = match stream.load() {
            Ok(loaded) => loaded,
            // The command refuses to write contradictory traces.
            Err(_) => return None,
        };
        let mut found = Vec::new();
        let mut calls = loaded.calls();
        while let Some(call) = calls.next() {
            found.push(told(&call, &Named(&calls)));
        }
        let real = ran(program, rank, ranks);
        let wanted: Vec<Told> = real.calls.iter().map(|call| told(call, &real.names)).collect();
        if let Some(at) = (0..found.len().max(wanted.len())).find(|&at| found.get(at) != wanted.get(at)) {
            return Some(format!("rank {rank}, call {at}: {:?} is {:?}", found.get(at), wanted.get(at)));
        }
    }
    None
}

struct Named<'a, 'l>(&'a marigraph_formats::native::mari::Calls<'l>);

impl Names for Named<'_, '_> {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        self.0.name(id)
    }
}

/// Outcome of a prediction.
pub struct Foretold {
    verdict: Verdict,
    said: String,
    /// Where the trace that would be written differs from what the program does.
    wrong: Option<String>,
}

pub fn tried(program: Program<'_>, sizes: &[u32], target: u32) -> Foretold {
    let input = |&ranks: &u32| {
        let bytes = recorded(program, ranks);
        let streams = Mari::read(&bytes).expect("reads").skeleton().expect("is whole");
        Input { ranks, streams }
    };
    let inputs: Vec<Input> = sizes.iter().map(input).collect();
    let outcome = match extrapolate(&inputs, target, &[]) {
        Ok(outcome) => outcome,
        Err(why) => return Foretold { verdict: Verdict::Refused, said: format!("{why:?}"), wrong: None },
    };
    let line = |detail: &marigraph_analysis::extrapolate::Detail| {
        let (event, why) = (detail.event.split(' ').next().unwrap_or(""), &detail.why);
        format!("{:?} {event} {}: {} ({why})\n", detail.verdict, detail.parameter, detail.model)
    };
    let said: String = outcome.details.iter().map(line).collect();
    let verdict = outcome.verdict();
    let meta = Meta { ranks: u64::from(target), ..Meta::default() };
    let written = || difference(&write_classes(&outcome.classes, &meta), program, target);
    let wrong = (verdict <= Verdict::Assumed).then(written).flatten();
    Foretold { verdict, said, wrong }
}

/// Verdict and messages of a prediction. Unless it is refused, it must be right; one that is only
/// assumed may be wrong, and then the message says so.
pub fn predicted(program: Program<'_>, sizes: &[u32], target: u32) -> (Verdict, String) {
    let Foretold { verdict, mut said, wrong } = tried(program, sizes, target);
    if let Some(difference) = wrong {
        assert!(verdict == Verdict::Assumed, "{sizes:?} to {target}: {difference}\n{said}");
        said += &format!("WRONG: {difference}");
    }
    (verdict, said)
}

pub const SIZES: [u32; 4] = [4, 6, 9, 12];

pub fn exact(what: &str, program: Program<'_>, sizes: &[u32], targets: &[u32]) {
    for &target in targets {
        let (verdict, said) = predicted(program, sizes, target);
        assert_eq!(verdict, Verdict::Exact, "{what}, {sizes:?} to {target}: {said}");
    }
}
