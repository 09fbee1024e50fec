//! Writes logs of the current version, from the model or from another log field by field.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;

use flate2::write::ZlibEncoder;
use marigraph_model::{Direction, Event, FileId, FileTable, Module, Problem, ProblemKind, Rank, Trace};

use super::Log;
use super::convert::{self, is_stream, stream_record};
use super::dxt::{self, Form, Head, Segment};
use super::header::{self, MAGIC, SIZE, SLOTS};
use super::heatmap::{self, RawHeatmap};
use super::job::RawJob;
use super::layout::{self, Decoder, RawRecord};
use super::lustre::{self, RawLayout};
use super::region::{self, Item, ModuleHeader};
use crate::bytes::until_nul;

const VERSION: &[u8] = b"3.41";

struct Builder {
    regions: BTreeMap<Module, (u32, ZlibEncoder<Vec<u8>>)>,
    partial: u64,
    scratch: Vec<u8>,
}

impl Builder {
    fn new() -> Builder {
        Builder { regions: BTreeMap::new(), partial: 0, scratch: Vec::new() }
    }

    fn mark_partial(&mut self, module: Module) {
        self.partial |= 1 << header::id_of(module);
    }

    fn add(&mut self, module: Module, version: u32, encode: impl FnOnce(&mut Vec<u8>)) {
        self.scratch.clear();
        encode(&mut self.scratch);
        let region = self.regions.entry(module).or_insert_with(|| (version, compressor(module)));
        region.0 = version;
        // Writing into memory cannot fail.
        let _ = region.1.write_all(&self.scratch);
    }

    fn add_record(&mut self, module: Module, record: &RawRecord) {
        self.add(module, layout::written_version(module), |out| layout::encode(module, record, out));
    }

    fn finish(self, job: &RawJob, names: &FileTable, problems: &mut Vec<Problem>) -> Vec<u8> {
        let mut out = vec![0; SIZE];
        out.extend(compressed(&job.encode(problems)));
        let mut text = Vec::new();
        for (id, name) in names.iter() {
            text.extend_from_slice(&id.0.to_le_bytes());
            // A NUL would end the name here and garble the next.
            text.extend_from_slice(until_nul(name));
            text.push(0);
        }
        let names_at = out.len();
        if !text.is_empty() {
            out.extend(compressed(&text));
            put(&mut out, 32, &(names_at as u64).to_le_bytes());
            let len = out.len() - names_at;
            put(&mut out, 40, &(len as u64).to_le_bytes());
        }
        for (module, (version, encoder)) in self.regions {
            let id = header::id_of(module);
            let region = encoder.finish().unwrap_or_default();
            let at = out.len() as u64;
            put(&mut out, 48 + id * 16, &at.to_le_bytes());
            put(&mut out, 56 + id * 16, &(region.len() as u64).to_le_bytes());
            put(&mut out, 48 + SLOTS * 16 + id * 4, &version.to_le_bytes());
            out.extend(region);
        }
        put(&mut out, 0, VERSION);
        put(&mut out, 8, &MAGIC.to_le_bytes());
        put(&mut out, 24, &self.partial.to_le_bytes());
        out
    }
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    out[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Operations make up most of a log and are written while someone waits: favor speed.
fn compressor(module: Module) -> ZlibEncoder<Vec<u8>> {
    let level = if module.is_operations() { 1 } else { 6 };
    ZlibEncoder::new(Vec::new(), flate2::Compression::new(level))
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Also returns what a log cannot hold.
pub fn write(trace: &Trace) -> (Vec<u8>, Vec<Problem>) {
    let mut builder = Builder::new();
    let mut problems = Vec::new();
    let mut names = trace.files.clone();
    for info in trace.modules.iter().filter(|info| info.partial) {
        builder.mark_partial(info.module);
    }
    add_headers(trace, &mut builder);
    for (&module, records) in &trace.records {
        for record in records.iter() {
            builder.add_record(module, &convert::from_model(record));
        }
    }
    for layout in &trace.layouts {
        let raw = RawLayout::from_model(layout);
        builder.add(Module::Lustre, layout::written_version(Module::Lustre), |out| lustre::encode(&raw, out));
    }
    problems.extend(add_events(trace, &mut builder));
    for series in &trace.series {
        if !heatmap::has(series.interface) {
            let message =
                format!("a log cannot hold heat maps of {}: one is left out", series.interface.name());
            problems.push(Problem::new(ProblemKind::NotRecorded, message).in_module(Module::Heatmap));
            continue;
        }
        let raw = RawHeatmap::from_model(series);
        let name = heatmap::name_of(series.interface);
        names.insert(FileId::of_name(name.as_bytes()), name.as_bytes());
        builder
            .add(Module::Heatmap, layout::written_version(Module::Heatmap), |out| heatmap::encode(&raw, out));
    }
    let log = builder.finish(&RawJob::from_model(&trace.job), &names, &mut problems);
    (log, problems)
}

fn add_headers(trace: &Trace, builder: &mut Builder) {
    if let Some(mpi) = trace.mpi {
        let id = FileId::of_name(b"darshan-apmpi-header").0;
        let header = ModuleHeader::Apmpi(id, 0, mpi.sync_measured, mpi.time_variance, mpi.sync_variance);
        builder.add(Module::Apmpi, 1, |out| region::encode_header(&header, out));
    }
    if let Some(net) = trace.network {
        let numbers = [net.blades, net.chassis, net.groups, net.memory_mode, net.cluster_mode];
        let header = ModuleHeader::Apxc(FileId::of_name(b"darshan-apxc-header").0, 0, numbers, net.app_id);
        builder.add(Module::Apxc, 1, |out| region::encode_header(&header, out));
    }
}

#[derive(Default)]
struct Group {
    writes: Vec<Segment>,
    reads: Vec<Segment>,
}

fn add_events(trace: &Trace, builder: &mut Builder) -> Option<Problem> {
    let mut order: Vec<(Module, FileId, Rank)> = Vec::new();
    let mut groups: HashMap<(Module, FileId, Rank), Group> = HashMap::new();
    for event in trace.events.iter().filter(|event| traced(event).is_some()) {
        let key = (event.interface, event.file, event.rank);
        let group = groups.entry(key).or_insert_with(|| {
            order.push(key);
            Group::default()
        });
        match event.direction {
            Direction::Read => group.reads.push(dxt::from_event(&event)),
            _ => group.writes.push(dxt::from_event(&event)),
        }
    }
    let threaded = |interface: Module| {
        trace.events.iter().any(|event| event.interface == interface && event.thread.is_some())
    };
    let threads_of = [(Module::Posix, threaded(Module::Posix)), (Module::MpiIo, threaded(Module::MpiIo))];
    for key @ (interface, file, rank) in order {
        let threads = threads_of.iter().any(|&(of, has)| of == interface && has);
        let (Some(group), Some((module, version))) = (groups.get(&key), dxt_module(interface, threads))
        else {
            continue;
        };
        let head = Head {
            id: file.0,
            rank: i64::from(rank.0),
            host: trace.hosts.get(&rank).map(|host| host.clone().into_bytes()).unwrap_or_default(),
            writes: group.writes.len() as u64,
            reads: group.reads.len() as u64,
        };
        let segments = group.writes.iter().chain(&group.reads).copied();
        builder.add(module, version, |out| dxt::encode(&head, segments, threads, out));
    }
    let left_out = trace.events.iter().filter(|event| traced(event).is_none()).count();
    let message =
        format!("{left_out} operations of other kinds than POSIX and MPI-IO reads and writes are left out");
    (left_out > 0).then(|| Problem::new(ProblemKind::NotRecorded, message))
}

fn traced(event: &Event) -> Option<(Module, u32)> {
    matches!(event.direction, Direction::Read | Direction::Write)
        .then(|| dxt_module(event.interface, false))
        .flatten()
}

/// The DXT module of an interface and the version to write: the oldest that holds everything,
/// because released tools reject newer ones.
fn dxt_module(interface: Module, threads: bool) -> Option<(Module, u32)> {
    match interface {
        Module::Posix => Some((Module::DxtPosix, if threads { 2 } else { 1 })),
        Module::MpiIo => Some((Module::DxtMpiio, if threads { 3 } else { 2 })),
        _ => None,
    }
}

/// Rewrites a log in the current version, little-endian, with zlib. Keeps every counter and
/// operation except those without a place in the current version (the totals of LUSTRE version 1).
pub fn rewrite(log: &Log<'_>) -> (Vec<u8>, Vec<Problem>) {
    let mut builder = Builder::new();
    let (names, mut problems) = log.names();
    problems.splice(0..0, log.problems.iter().cloned());
    for slot in &log.header.slots {
        let Some(module) = slot.module else { continue };
        if slot.partial {
            builder.mark_partial(module);
        }
        if slot.extent.len > 0 && !layout::knows(module, slot.version) {
            let message =
                format!("record version {} of {} is unknown: it is left out", slot.version, module.name());
            problems.push(Problem::new(ProblemKind::UnknownVersion, message).in_module(module));
            continue;
        }
        problems.extend(rewrite_module(log, module, slot.version, &mut builder));
    }
    let bytes = builder.finish(&log.job, &names, &mut problems);
    (bytes, problems)
}

fn rewrite_module(log: &Log<'_>, module: Module, version: u32, builder: &mut Builder) -> Option<Problem> {
    let order = log.header.order;
    let mut window = log.window(log.header.slot(module)?.extent);
    let broken = match module {
        Module::Lustre => loop {
            match lustre::read(&mut window, order, version) {
                Item::Some(raw) => {
                    builder.add(module, layout::written_version(module), |out| lustre::encode(&raw, out));
                }
                other => break other == Item::Broken,
            }
        },
        Module::Heatmap => loop {
            match heatmap::read(&mut window, order) {
                Item::Some(raw) => {
                    builder.add(module, layout::written_version(module), |out| heatmap::encode(&raw, out));
                }
                other => break other == Item::Broken,
            }
        },
        Module::DxtPosix | Module::DxtMpiio => rewrite_dxt(module, version, order, &mut window, builder),
        _ => {
            if let Some(header) = region::read_header(module, &mut window, order) {
                builder.add(module, 1, |out| region::encode_header(&header, out));
            }
            let decoder = Decoder::new(module, version, order)?;
            region::for_each_record(module, &decoder, &mut window, order, &mut |raw| {
                if log.is_padding(raw) {
                    return;
                }
                if is_stream(raw) {
                    builder.add_record(Module::Stdio, &stream_record(raw));
                }
                if !is_stream(raw) || raw.ints.first().is_some_and(|&opens| opens > 0) {
                    builder.add_record(module, raw);
                }
            })
        }
    };
    region::problems_of(&window, broken, module.name())
}

fn rewrite_dxt(
    module: Module,
    version: u32,
    order: crate::bytes::Order,
    window: &mut crate::inflate::Window<'_>,
    builder: &mut Builder,
) -> bool {
    let Some(form) = Form::new(module, version, order) else { return false };
    let written = if module == Module::DxtMpiio { version.max(2) } else { version };
    loop {
        let mut head = match form.read_head(window) {
            Item::Some(head) => head,
            other => return other == Item::Broken,
        };
        let mut segments = Vec::new();
        let claimed = (head.writes, head.reads);
        head.writes = form.read_segments(window, claimed.0, |segment| segments.push(segment));
        head.reads = form.read_segments(window, claimed.1, |segment| segments.push(segment));
        builder.add(module, written, |out| dxt::encode(&head, segments, form.has_threads(), out));
        if (head.writes, head.reads) != claimed {
            return true;
        }
    }
}
