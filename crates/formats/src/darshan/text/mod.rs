//! Reproduces the output of `darshan-parser` and `darshan-dxt-parser` byte for byte.
//!
//! Prints records as stored. Where the reference reader misreads a log, this one prints the true
//! value; the parity tests list every such difference with its reason.

mod describe;
mod dxt;
mod number;
mod preamble;
mod records;

use std::io::{self, Write};
use std::sync::mpsc::sync_channel;

use marigraph_model::{FileId, Module, Problem};

pub use number::{push_fixed, push_i64};
pub use preamble::UtcOffset;

use super::dxt::Form;
use super::header::Slot;
use super::layout::{self, Decoder, RawRecord};
use super::region::{self, Item, ModuleHeader};
use super::{Log, heatmap, lustre};
use crate::inflate::Window;
use dxt::{DxtPrinter, Layouts};
use records::Printer;

/// Text is written in pieces of about this many bytes.
const PIECE: usize = 48 << 10;
/// Records that one thread formats at a time; small enough for their text to stay in the cache.
const BATCH: usize = 32;
/// Regions with at least this many compressed bytes are formatted on several threads.
pub const THREADED_FROM: usize = 256 << 10;

const COLUMN_NAMES: &[u8] =
    b"\n#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>\n";

const COLUMNS_EXPLAINED: &str = "
# description of columns:
#   <module>: module responsible for this I/O record.
#   <rank>: MPI rank.  -1 indicates that the file is shared
#      across all processes and statistics are aggregated.
#   <record id>: hash of the record's file path
#   <counter name> and <counter value>: statistical counters.
#      A value of -1 indicates that Darshan could not monitor
#      that counter, and its value should be ignored.
#   <file name>: full file path for the record.
#   <mount pt>: mount point that the file resides on.
#   <fs type>: type of file system that the file resides on.
";

/// Print options.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub offset: UtcOffset<'a>,
    /// For large regions.
    pub threads: usize,
}

/// Prints what `darshan-parser --show-incomplete` prints; returns what could not be read.
pub fn base(log: &Log<'_>, options: Options<'_>, out: &mut dyn Write) -> io::Result<Vec<Problem>> {
    let (names, mut problems) = log.names();
    let printer = Printer::new(&names, &log.job);
    let mut text = Vec::new();
    preamble::preamble(log, options.offset, &mut text);
    text.extend_from_slice(COLUMNS_EXPLAINED.as_bytes());
    out.write_all(&text)?;
    for slot in &log.header.slots {
        let Some(module) = slot.module else { continue };
        if slot.extent.len > 0 && (module.is_operations() || module == Module::Apxc) {
            continue; // another tool's, or unknown to the reference
        }
        text.clear();
        preamble::section(slot, module.name(), 55, "unnecessary", &mut text);
        if slot.extent.len > 0 {
            describe::describe(module, slot.version, &mut text);
            text.extend_from_slice(COLUMN_NAMES);
        }
        out.write_all(&text)?;
        if slot.extent.len > 0 && layout::knows(module, slot.version) {
            problems.extend(module_records(log, module, slot, &printer, options.threads, out)?);
        }
    }
    if log.header.slots.iter().all(|slot| slot.extent.len == 0) {
        out.write_all(b"\n# no module data available.\n")?;
    }
    Ok(problems)
}

/// Prints the frame of `--total`, `--perf` and `--file`; `show` adds the figures of each module.
pub fn figures(
    log: &Log<'_>,
    options: Options<'_>,
    out: &mut dyn Write,
    show: &mut dyn FnMut(Module, u32, &mut Vec<u8>),
) -> io::Result<()> {
    const WITH_FIGURES: [Module; 5] =
        [Module::Posix, Module::MpiIo, Module::Stdio, Module::Dfs, Module::Daos];
    let mut text = Vec::new();
    preamble::preamble(log, options.offset, &mut text);
    for slot in &log.header.slots {
        let Some(module) = slot.module else { continue };
        if slot.extent.len > 0 && !WITH_FIGURES.contains(&module) {
            continue;
        }
        preamble::section(slot, module.name(), 55, "unnecessary", &mut text);
        if slot.extent.len > 0 {
            show(module, slot.version, &mut text);
        }
    }
    if log.header.slots.iter().all(|slot| slot.extent.len == 0) {
        text.extend_from_slice(b"\n# no module data available.\n");
    }
    out.write_all(&text)
}

pub fn description(module: Module, version: u32, out: &mut Vec<u8>) {
    describe::describe(module, version, out);
}

/// Prints what `darshan-dxt-parser --show-incomplete` prints; returns what could not be read.
pub fn dxt(log: &Log<'_>, options: Options<'_>, out: &mut dyn Write) -> io::Result<Vec<Problem>> {
    let mut text = Vec::new();
    preamble::preamble(log, options.offset, &mut text);
    let traced = [Module::DxtPosix, Module::DxtMpiio];
    if traced.iter().all(|&module| log.region_len(module) == 0) {
        text.extend_from_slice(b"\n# no DXT module data available for this Darshan log.\n");
        out.write_all(&text)?;
        return Ok(Vec::new());
    }
    let (names, mut problems) = log.names();
    let layouts = read_layouts(log, &mut text);
    let printer = Printer::new(&names, &log.job);
    for module in traced {
        let Some(slot) = log.header.slot(module).filter(|slot| slot.extent.len > 0) else { continue };
        preamble::section(slot, module.name(), 51, "unecessary", &mut text);
        if let Some(form) = Form::new(module, slot.version, log.header.order) {
            let printer = DxtPrinter { module, form, printer: &printer, layouts: &layouts };
            let mut window = log.window(slot.extent);
            let broken = dxt_records(&printer, &mut window, &mut text, out)?;
            problems.extend(region::problems_of(&window, broken, module.name()));
        }
    }
    out.write_all(&text)?;
    Ok(problems)
}

fn dxt_records(
    printer: &DxtPrinter<'_>,
    window: &mut Window<'_>,
    text: &mut Vec<u8>,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let mut result = Ok(());
    loop {
        let head = match printer.form.read_head(window) {
            Item::Some(head) => head,
            other => return result.map(|()| other == Item::Broken),
        };
        let complete = printer.record(&head, window, text, &mut |text| {
            if text.len() >= PIECE && result.is_ok() {
                result = out.write_all(text);
                text.clear();
            }
        });
        if !complete || result.is_err() {
            return result.map(|()| true);
        }
    }
}

/// Warns of a partial LUSTRE module, as the reference does here.
fn read_layouts(log: &Log<'_>, text: &mut Vec<u8>) -> Layouts {
    let mut layouts = Layouts::default();
    let known = |slot: &&Slot| slot.extent.len > 0 && layout::knows(Module::Lustre, slot.version);
    let Some(slot) = log.header.slot(Module::Lustre).filter(known) else {
        return layouts;
    };
    if slot.partial {
        preamble::warning(Module::Lustre.name(), "unecessary", text);
    }
    let mut window = log.window(slot.extent);
    while let Item::Some(layout) = lustre::read(&mut window, log.header.order, slot.version) {
        layouts.entry(FileId(layout.id)).or_insert(layout);
    }
    layouts
}

fn module_records(
    log: &Log<'_>,
    module: Module,
    slot: &Slot,
    printer: &Printer<'_>,
    threads: usize,
    out: &mut dyn Write,
) -> io::Result<Option<Problem>> {
    let order = log.header.order;
    let mut window = log.window(slot.extent);
    let broken = match module {
        Module::Lustre => print_items(
            &mut window,
            |window| lustre::read(window, order, slot.version),
            |layout, text, _| printer.lustre(layout, text),
            out,
        )?,
        Module::Heatmap => print_items(
            &mut window,
            |window| heatmap::read(window, order),
            |heatmap, text, flush| printer.heatmap(heatmap, text, flush),
            out,
        )?,
        _ => {
            let Some(decoder) = Decoder::new(module, slot.version, order) else { return Ok(None) };
            let header = region::read_header(module, &mut window, order);
            let mut text = Vec::new();
            header.iter().for_each(|header| records::apmpi_header(header, &mut text));
            out.write_all(&text)?;
            let synced = matches!(header, Some(ModuleHeader::Apmpi(_, _, true, _, _)));
            let batch = Batch { module, decoder, synced, printer };
            if module == Module::Mdhim {
                batch.print_each(&mut window, order, out)?;
            } else if threads > 1 && slot.extent.len >= THREADED_FROM as u64 {
                batch.print_threaded(&mut window, threads, out)?;
            } else {
                batch.print(&mut window, out)?;
            }
            window.left() > 0
        }
    };
    Ok(region::problems_of(&window, broken, module.name()))
}

fn print_items<T: PartialEq>(
    window: &mut Window<'_>,
    mut read: impl FnMut(&mut Window<'_>) -> Item<T>,
    print: impl Fn(&T, &mut Vec<u8>, &mut dyn FnMut(&mut Vec<u8>)),
    out: &mut dyn Write,
) -> io::Result<bool> {
    let mut text = Vec::new();
    loop {
        match read(window) {
            Item::Some(item) => {
                let mut written = Ok(());
                print(&item, &mut text, &mut |text| {
                    if written.is_ok() {
                        written = write_piece(text, PIECE, out);
                    }
                });
                written?;
            }
            other => {
                write_piece(&mut text, 0, out)?;
                return Ok(other == Item::Broken);
            }
        }
        write_piece(&mut text, PIECE, out)?;
    }
}

fn write_piece(text: &mut Vec<u8>, at_least: usize, out: &mut dyn Write) -> io::Result<()> {
    if text.len() >= at_least {
        out.write_all(text)?;
        text.clear();
    }
    Ok(())
}

struct Batch<'a> {
    module: Module,
    decoder: Decoder,
    synced: bool,
    printer: &'a Printer<'a>,
}

impl Batch<'_> {
    fn format(&self, stored: &[u8], record: &mut RawRecord, text: &mut Vec<u8>) {
        for chunk in stored.chunks_exact(self.decoder.size()) {
            self.decoder.decode(chunk, record);
            self.printer.record(self.module, record, self.synced, text);
        }
    }

    fn print(&self, window: &mut Window<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (mut record, mut text) = (RawRecord::default(), Vec::new());
        loop {
            let stored = window.take_units(self.decoder.size(), BATCH);
            if stored.is_empty() {
                return write_piece(&mut text, 0, out);
            }
            self.format(stored, &mut record, &mut text);
            write_piece(&mut text, PIECE, out)?;
        }
    }

    fn print_each(
        &self,
        window: &mut Window<'_>,
        order: crate::bytes::Order,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        let mut result = Ok(());
        region::for_each_record(self.module, &self.decoder, window, order, &mut |record| {
            self.printer.record(self.module, record, self.synced, &mut text);
            if result.is_ok() {
                result = write_piece(&mut text, PIECE, out);
            }
        });
        result.and_then(|()| write_piece(&mut text, 0, out))
    }

    /// One thread inflates, several format, this one writes. Batches are dealt round-robin, which
    /// preserves the order. Buffers return to the thread that filled them.
    fn print_threaded(&self, window: &mut Window<'_>, threads: usize, out: &mut dyn Write) -> io::Result<()> {
        std::thread::scope(|scope| {
            let (mut to_format, mut formatted) = (Vec::new(), Vec::new());
            for _ in 0..threads {
                let (stored_in, stored_out) = sync_channel::<Vec<u8>>(4);
                let (text_in, text_out) = sync_channel::<Vec<u8>>(4);
                let (free_in, free_out) = sync_channel::<Vec<u8>>(8);
                scope.spawn(move || {
                    let mut record = RawRecord::default();
                    for stored in stored_out {
                        let mut text = free_out.try_recv().unwrap_or_default();
                        text.clear();
                        self.format(&stored, &mut record, &mut text);
                        if text_in.send(text).is_err() {
                            return;
                        }
                    }
                });
                to_format.push(stored_in);
                formatted.push((text_out, free_in));
            }
            scope.spawn(move || {
                for worker in to_format.iter().cycle() {
                    let stored = window.take_units(self.decoder.size(), BATCH);
                    if stored.is_empty() || worker.send(stored.to_vec()).is_err() {
                        return;
                    }
                }
            });
            for (texts, free) in formatted.iter().cycle() {
                let Ok(text) = texts.recv() else { return Ok(()) };
                out.write_all(&text)?;
                let _ = free.try_send(text);
            }
            Ok(())
        })
    }
}
