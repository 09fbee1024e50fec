//! Streams regions to the model, block by block.
//!
//! Large regions are inflated and decoded ahead on their own threads. Their blocks wait in short
//! queues until the sink is ready, so memory stays bounded and the order is preserved.

use std::sync::mpsc::sync_channel;

use marigraph_model::{
    Direction, Events, FileId, Message, Module, MpiSummary, NetworkSummary, Problem, ProblemKind, Rank,
    Records, Relay, Sink, Streamed,
};

use super::convert::{self, is_stream, stream_record};
use super::dxt::{self, Form};
use super::header::Slot;
use super::layout::{self, Decoder, RawRecord};
use super::region::{self, Item, ModuleHeader};
use super::{Log, heatmap, lustre};
use crate::inflate::Window;

const BLOCK: usize = 64;
/// Regions with at least this many compressed bytes are read ahead on a thread.
const AHEAD_FROM: u64 = 512 << 10;
const QUEUE: usize = 4;

impl Log<'_> {
    /// In the order of the log.
    pub fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let slots: Vec<(Module, &Slot)> = self
            .header
            .slots
            .iter()
            .filter_map(|slot| slot.module.filter(|&m| wanted(m)).map(|module| (module, slot)))
            .filter(|(_, slot)| slot.extent.len > 0)
            .collect();
        let mut streamed = Streamed::default();
        std::thread::scope(|scope| {
            // All large regions start at once; each is drained when its turn comes.
            let ahead: Vec<_> = slots
                .iter()
                .map(|&(module, slot)| {
                    (self.limits.read_ahead && slot.extent.len >= AHEAD_FROM).then(|| {
                        let (sender, receiver) = sync_channel::<Message>(QUEUE);
                        let reader = scope.spawn(move || {
                            // If the receiving thread is gone, nobody needs the blocks.
                            let mut relay = Relay(|block| drop(sender.send(block)));
                            self.stream_module(module, slot, &mut relay)
                        });
                        (receiver, reader)
                    })
                })
                .collect();
            for (&(module, slot), ahead) in slots.iter().zip(ahead) {
                let (count, problems) = match ahead {
                    None => self.stream_module(module, slot, sink),
                    Some((receiver, reader)) => {
                        receiver.iter().for_each(|block| block(sink));
                        // A panic there is a defect here: it must not look like an empty module.
                        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    }
                };
                streamed.records.insert(module, count);
                streamed.problems.extend(problems);
            }
        });
        streamed
    }

    fn stream_module(&self, module: Module, slot: &Slot, sink: &mut dyn Sink) -> (u64, Vec<Problem>) {
        let mut pass = Pass { module, count: 0, strange: 0, problems: Vec::new() };
        if !layout::knows(module, slot.version) {
            pass.unknown_version(slot.version);
            return (pass.count, pass.problems);
        }
        let mut window = self.window(slot.extent);
        let broken = match module {
            Module::DxtPosix | Module::DxtMpiio => self.stream_dxt(slot, &mut window, sink, &mut pass),
            Module::Heatmap => self.stream_heatmap(&mut window, sink, &mut pass),
            Module::Lustre => self.stream_lustre(slot, &mut window, sink, &mut pass),
            _ => self.stream_counters(slot, &mut window, sink, &mut pass),
        };
        if pass.strange > 0 {
            let message = format!(
                "{} {} records have an invalid rank or shape and are left out",
                pass.strange,
                module.name()
            );
            pass.problems.push(Problem::new(ProblemKind::BadRecord, message).in_module(module));
        }
        pass.problems.extend(region::problems_of(&window, broken, module.name()));
        (pass.count, pass.problems)
    }

    fn stream_counters(
        &self,
        slot: &Slot,
        window: &mut Window<'_>,
        sink: &mut dyn Sink,
        pass: &mut Pass,
    ) -> bool {
        let module = pass.module;
        let Some(decoder) = Decoder::new(module, slot.version, self.header.order) else {
            return false;
        };
        if let Some(header) = region::read_header(module, window, self.header.order) {
            send_header(&header, sink);
        }
        if decoder.is_plain() && module != Module::Mdhim && !self.is_padded() {
            return stream_plain(&decoder, window, sink, pass);
        }
        let mut block = Records::new(module);
        let mut streams = Records::new(Module::Stdio);
        let broken = region::for_each_record(module, &decoder, window, self.header.order, &mut |raw| {
            if self.is_padding(raw) {
                return;
            }
            pass.count += 1;
            let split = is_stream(raw);
            if split {
                convert::push(&stream_record(raw), &mut streams);
            }
            let keeps = !split || raw.ints.first().is_some_and(|&opens| opens > 0);
            if keeps && !convert::push(raw, &mut block) {
                pass.strange += 1;
            }
            if block.len() >= BLOCK {
                sink.records(&block);
                block.clear();
            }
        });
        [block, streams].iter().filter(|block| !block.is_empty()).for_each(|block| sink.records(block));
        broken
    }

    /// Whether the log may have unused records: uncompressed (memory-mapped) logs of killed jobs
    /// do.
    fn is_padded(&self) -> bool {
        self.header.compression == Some(crate::inflate::Compression::None)
    }

    pub(super) fn is_padding(&self, raw: &RawRecord) -> bool {
        raw.id == 0 && self.is_padded() && raw.ints.iter().all(|&value| value == 0)
    }

    fn stream_lustre(
        &self,
        slot: &Slot,
        window: &mut Window<'_>,
        sink: &mut dyn Sink,
        pass: &mut Pass,
    ) -> bool {
        pass.each(
            window,
            |window| lustre::read(window, self.header.order, slot.version),
            |layout| layout.to_model().map(|layout| sink.layout(&layout)).is_some(),
        )
    }

    fn stream_heatmap(&self, window: &mut Window<'_>, sink: &mut dyn Sink, pass: &mut Pass) -> bool {
        pass.each(
            window,
            |window| heatmap::read(window, self.header.order),
            |heatmap| heatmap.to_model().map(|series| sink.series(&series)).is_some(),
        )
    }

    fn stream_dxt(&self, slot: &Slot, window: &mut Window<'_>, sink: &mut dyn Sink, pass: &mut Pass) -> bool {
        let Some(form) = Form::new(pass.module, slot.version, self.header.order) else {
            return false;
        };
        let interface = if pass.module == Module::DxtPosix { Module::Posix } else { Module::MpiIo };
        let mut block = Events::default();
        let broken = loop {
            let head = match form.read_head(window) {
                Item::Some(head) => head,
                Item::End => break false,
                Item::Broken => break true,
            };
            pass.count += 1;
            let rank = u32::try_from(head.rank).ok().map(Rank);
            match rank {
                Some(rank) => sink.host(rank, &String::from_utf8_lossy(&head.host)),
                None => pass.strange += 1,
            }
            let mut complete = true;
            for (op, count) in [(Direction::Write, head.writes), (Direction::Read, head.reads)] {
                let found = form.read_segments(window, count, |segment| {
                    let Some(rank) = rank else { return };
                    let event = dxt::to_event(segment, interface, op, rank, FileId(head.id));
                    dxt::push_event(&mut block, event, &mut |full| sink.events(full));
                });
                complete &= found == count;
            }
            if !complete {
                break true;
            }
        };
        if !block.is_empty() {
            sink.events(&block);
        }
        broken
    }
}

fn stream_plain(decoder: &Decoder, window: &mut Window<'_>, sink: &mut dyn Sink, pass: &mut Pass) -> bool {
    let mut block = Records::new(pass.module);
    let broken = region::for_each_plain(decoder, window, &mut |plain| {
        pass.count += 1;
        pass.strange += u64::from(!convert::push_plain(plain, &mut block));
        if block.len() >= BLOCK {
            sink.records(&block);
            block.clear();
        }
    });
    if !block.is_empty() {
        sink.records(&block);
    }
    broken
}

struct Pass {
    module: Module,
    count: u64,
    strange: u64,
    problems: Vec<Problem>,
}

impl Pass {
    fn unknown_version(&mut self, version: u32) {
        let message =
            format!("record version {version} of {} is unknown: its data are skipped", self.module.name());
        self.problems.push(Problem::new(ProblemKind::UnknownVersion, message).in_module(self.module));
    }

    /// Reads all items and returns whether the region was broken. `send` returns whether an item
    /// made sense.
    fn each<T>(
        &mut self,
        window: &mut Window<'_>,
        mut read: impl FnMut(&mut Window<'_>) -> Item<T>,
        mut send: impl FnMut(T) -> bool,
    ) -> bool {
        loop {
            match read(window) {
                Item::Some(item) => {
                    self.count += 1;
                    self.strange += u64::from(!send(item));
                }
                Item::End => return false,
                Item::Broken => return true,
            }
        }
    }
}

fn send_header(header: &ModuleHeader, sink: &mut dyn Sink) {
    match *header {
        ModuleHeader::Apmpi(_, _, sync_measured, time_variance, sync_variance) => {
            sink.mpi(&MpiSummary { sync_measured, time_variance, sync_variance });
        }
        ModuleHeader::Apxc(_, _, [blades, chassis, groups, memory_mode, cluster_mode], app_id) => {
            sink.network(&NetworkSummary { blades, chassis, groups, memory_mode, cluster_mode, app_id });
        }
    }
}
