//! Counter lines: module, rank, id, counter, value, name, mount point, file system.

use marigraph_model::counters::{IntKind, apmpi};
use marigraph_model::{FileId, FileTable, Module};

use super::number::{push_fixed, push_i64, push_u64};
use crate::darshan::heatmap::RawHeatmap;
use crate::darshan::job::RawJob;
use crate::darshan::layout::{RawRecord, Tail};
use crate::darshan::lustre::RawLayout;
use crate::darshan::region::ModuleHeader;

/// Formats records as lines.
pub struct Printer<'a> {
    names: &'a FileTable,
    mounts: Vec<(&'a [u8], &'a [u8])>,
}

struct Lines<'o> {
    before: Vec<u8>,
    after: Vec<u8>,
    out: &'o mut Vec<u8>,
}

impl Lines<'_> {
    fn line(&mut self, counter: &[u8], value: impl FnOnce(&mut Vec<u8>)) {
        self.out.extend_from_slice(&self.before);
        self.out.extend_from_slice(counter);
        self.out.push(b'\t');
        value(self.out);
        self.out.extend_from_slice(&self.after);
    }

    fn int(&mut self, counter: &str, value: i64) {
        self.line(counter.as_bytes(), |out| push_i64(out, value));
    }

    fn unsigned(&mut self, counter: &str, value: u64) {
        self.line(counter.as_bytes(), |out| push_u64(out, value));
    }

    fn float(&mut self, counter: &str, value: f64) {
        self.line(counter.as_bytes(), |out| push_fixed(out, value, 6));
    }

    fn word(&mut self, counter: &str, value: &[u8]) {
        self.line(counter.as_bytes(), |out| out.extend_from_slice(value));
    }
}

impl<'a> Printer<'a> {
    pub fn new(names: &'a FileTable, job: &'a RawJob) -> Printer<'a> {
        Printer { names, mounts: job.sorted_mounts() }
    }

    /// Name, mount point and file system type of a record, as the reference finds them.
    pub fn place(&self, module: Module, id: u64) -> (&[u8], &[u8], &[u8]) {
        let Some(name) = self.names.name(FileId(id)) else {
            let name: &[u8] = if module == Module::Bgq { b"darshan-bgq-record" } else { b"(null)" };
            return (name, b"UNKNOWN", b"UNKNOWN");
        };
        match self.mounts.iter().find(|(_, path)| name.starts_with(path)) {
            Some((kind, path)) => (name, path, kind),
            None => (name, b"UNKNOWN", b"UNKNOWN"),
        }
    }

    fn lines<'o>(&self, module: Module, id: u64, rank: i64, out: &'o mut Vec<u8>) -> Lines<'o> {
        let (name, mount, kind) = self.place(module, id);
        lines(module, id, rank, [name, mount, kind], out)
    }

    /// `synced` says whether APMPI measured sync times.
    pub fn record(&self, module: Module, record: &RawRecord, synced: bool, out: &mut Vec<u8>) {
        if let (Module::Apmpi, Tail::Node(node)) = (module, &record.tail) {
            return apmpi_record(record, node, synced, out);
        }
        let mut lines = match &record.tail {
            Tail::Container(pool, container, object) => {
                self.daos_lines(module, record, (pool, container, *object), out)
            }
            _ => self.lines(module, record.id, record.rank, out),
        };
        for (def, &value) in module.ints().iter().zip(&record.ints) {
            match def.kind {
                IntKind::Id => lines.unsigned(def.name, value as u64),
                _ => lines.int(def.name, value),
            }
        }
        for (def, &value) in module.floats().iter().zip(&record.floats) {
            lines.float(def.name, value);
        }
        let parent = if let Tail::Parent(id) = record.tail { id } else { 0 };
        match module {
            Module::H5d => lines.unsigned("H5D_FILE_REC_ID", parent),
            Module::PnetcdfVar => lines.unsigned("PNETCDF_VAR_FILE_REC_ID", parent),
            _ => {}
        }
        if let Tail::Servers(servers) = &record.tail {
            let declared = record.ints.last().copied().unwrap_or(0);
            for (at, &value) in servers.iter().enumerate().take_while(|(at, _)| (*at as i64) < declared) {
                lines.int(&format!("MDHIM_SERVER_{at}"), value);
            }
        }
    }

    /// DAOS records show pool and container instead of a mount, and objects show their id as name.
    fn daos_lines<'o>(
        &self,
        module: Module,
        record: &RawRecord,
        (pool, container, object): (&[u8; 16], &[u8; 16], Option<(u64, u64)>),
        out: &'o mut Vec<u8>,
    ) -> Lines<'o> {
        let known = module == Module::Daos || (*pool != [0; 16] && *container != [0; 16]);
        let mount = if known { format!("{}:{}", uuid(pool), uuid(container)) } else { "UNKNOWN".to_string() };
        let id = object.map(|(high, low)| format!("{high}.{low}"));
        let name = id.as_deref().map_or(self.place(module, record.id).0, str::as_bytes);
        lines(module, record.id, record.rank, [name, mount.as_bytes(), b"N/A"], out)
    }

    pub fn heatmap(&self, heatmap: &RawHeatmap, out: &mut Vec<u8>, flush: &mut dyn FnMut(&mut Vec<u8>)) {
        let mut lines = self.lines(Module::Heatmap, heatmap.id, heatmap.rank, out);
        lines.float("HEATMAP_F_BIN_WIDTH_SECONDS", heatmap.bin_s);
        let mut counter = Vec::new();
        for (prefix, bins) in [("HEATMAP_READ_BIN_", &heatmap.read), ("HEATMAP_WRITE_BIN_", &heatmap.written)]
        {
            for (at, &value) in bins.iter().enumerate() {
                counter.clear();
                counter.extend_from_slice(prefix.as_bytes());
                push_u64(&mut counter, at as u64);
                lines.line(&counter, |out| push_i64(out, value));
                flush(lines.out);
            }
        }
    }

    pub fn lustre(&self, layout: &RawLayout, out: &mut Vec<u8>) {
        let mut lines = self.lines(Module::Lustre, layout.id, layout.rank, out);
        let stripes: i64 = layout.components.iter().map(|c| c.stripe_count()).fold(0, i64::wrapping_add);
        lines.int("LUSTRE_NUM_COMPONENTS", layout.components.len() as i64);
        lines.int("LUSTRE_NUM_STRIPES", stripes);
        let mut targets = layout.targets.iter();
        for (at, component) in layout.components.iter().enumerate() {
            let name = |field: &str| format!("LUSTRE_COMP{}_{field}", at + 1);
            lines.int(&name("STRIPE_SIZE"), component.stripe_size());
            lines.int(&name("STRIPE_COUNT"), component.stripe_count());
            lines.word(&name("STRIPE_PATTERN"), pattern(component.pattern()).as_bytes());
            lines.word(&name("FLAGS"), flags(component.flags()).as_bytes());
            lines.int(&name("EXT_START"), component.start());
            lines.int(&name("EXT_END"), component.end());
            lines.int(&name("MIRROR_ID"), component.mirror());
            lines.word(&name("POOL_NAME"), if component.pool.is_empty() { b"N/A" } else { &component.pool });
            let count = usize::try_from(component.stripe_count()).unwrap_or(0);
            for (n, &target) in targets.by_ref().take(count).enumerate() {
                lines.int(&name(&format!("OST_ID_{n}")), target);
            }
        }
    }
}

/// The line of APMPI's header record, which has no name, mount or type.
pub fn apmpi_header(header: &ModuleHeader, out: &mut Vec<u8>) {
    if let ModuleHeader::Apmpi(id, rank, synced, time, sync_time) = *header {
        let mut lines = lines(Module::Apmpi, id, rank, [b"", b"", b""], out);
        lines.float("MPI_TOTAL_COMM_TIME_VARIANCE", time);
        if synced {
            lines.float("MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", sync_time);
        }
    }
}

fn apmpi_record(record: &RawRecord, node: &[u8], synced: bool, out: &mut Vec<u8>) {
    let mut lines = lines(Module::Apmpi, record.id, record.rank, [b"", b"", b""], out);
    lines.word("MPI_PROCESSOR_NAME", node);
    for (def, &value) in apmpi::INTS.iter().zip(&record.ints) {
        lines.unsigned(def.name, value as u64);
    }
    let sync_from = apmpi::TIMES;
    let global_from = sync_from + apmpi::SYNC_TIMES;
    for (at, (def, &value)) in apmpi::FLOATS.iter().zip(&record.floats).enumerate() {
        let is_sync = (sync_from..global_from).contains(&at) || at > global_from;
        if synced || !is_sync {
            lines.float(def.name, value);
        }
    }
}

fn lines<'o>(module: Module, id: u64, rank: i64, place: [&[u8]; 3], out: &'o mut Vec<u8>) -> Lines<'o> {
    let mut before = Vec::with_capacity(48);
    before.extend_from_slice(module.name().as_bytes());
    before.push(b'\t');
    push_i64(&mut before, rank);
    before.push(b'\t');
    push_u64(&mut before, id);
    before.push(b'\t');
    let mut after = Vec::with_capacity(place.iter().map(|part| part.len() + 1).sum::<usize>() + 1);
    for part in place {
        after.push(b'\t');
        after.extend_from_slice(part);
    }
    after.push(b'\n');
    Lines { before, after, out }
}

fn pattern(bits: i64) -> &'static str {
    match bits {
        0 => "raid0",
        2 => "mdt",
        4 => "raid0,overstriped",
        8 => "foreign",
        _ => "N/A",
    }
}

fn flags(bits: i64) -> String {
    const NAMES: [&str; 12] = [
        "stale",
        "prefrd",
        "prefwr",
        "offline",
        "init",
        "nosync",
        "extension",
        "parity",
        "compress",
        "partial",
        "nocompr",
        "neg",
    ];
    if bits == -1 {
        return "N/A".to_string();
    }
    let set: Vec<&str> =
        NAMES.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect();
    if set.is_empty() { "0".to_string() } else { set.join(",") }
}

fn uuid(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_lustre_bits() {
        assert_eq!(flags(0), "0");
        assert_eq!(flags(-1), "N/A");
        assert_eq!(flags(0b1_0001), "stale,init");
        assert_eq!(pattern(4), "raid0,overstriped");
        assert_eq!(pattern(-1), "N/A");
    }

    #[test]
    fn uuids_have_dashes() {
        assert_eq!(uuid(&[0xab; 16]), "abababab-abab-abab-abab-abababababab");
    }
}
