//! Plain reads and writes, without the calls around them: of tables, of single operations in logs.
//!
//! They count by the rules of descriptor calls, whatever their interface. What only calls tell
//! (opens, times of metadata, alignment) is missing, and so is what depends on where accesses lie
//! once one of them does not say it.

use marigraph_model::counters::{mpiio, posix};
use marigraph_model::{Count, Event, Events, Measure, Module, Sink};

use super::Counter;
use super::file::{File, Moved};
use super::row::Row;
use super::tally::At;

/// What one rank did to one file through one interface.
#[derive(Debug)]
pub(super) struct Accesses {
    sums: File,
    /// Whether every access said where it lay.
    placed: bool,
}

impl Default for Accesses {
    fn default() -> Accesses {
        Accesses { sums: File::new(-1), placed: true }
    }
}

impl Accesses {
    fn add(&mut self, event: &Event) {
        let amount = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        self.placed &= event.offset.is_some();
        self.sums.moved(&Moved {
            way: event.direction,
            offset: event.offset.map(amount),
            bytes: amount(event.bytes),
            unaligned: false,
            at: At { start: event.start.0, end: event.end.0 },
        });
    }

    fn row(&self, module: Module) -> Row {
        let (sums, roles) = (&self.sums, module.roles());
        let mut row = Row::unknown(module);
        row.no_extremes();
        for (ways, side) in [(roles.reads, &sums.read), (roles.writes, &sums.write)] {
            // How a call went about it is unknown; the first counter is that of the plainest way.
            ways.iter().enumerate().for_each(|(n, &idx)| row.int(idx, if n == 0 { side.calls } else { 0 }));
        }
        sums.flows(&mut row);
        row.common(roles.access, &sums.sizes.top());
        match module {
            Module::Posix => {
                row.int(posix::RW_SWITCHES, sums.turns.count);
                row.int(posix::RENAMED_FROM, 0);
            }
            Module::MpiIo => row.int(mpiio::RW_SWITCHES, sums.turns.count),
            _ => {}
        }
        if self.placed {
            for (idx, side) in roles
                .max_byte
                .into_iter()
                .flat_map(|(read, written)| [(read, &sums.read), (written, &sums.write)])
            {
                row.int(idx, side.highest);
            }
            row.common(roles.stride, &sums.strides.top());
            if module == Module::Posix {
                sums.order(&mut row);
            }
        }
        row
    }
}

impl Sink for Counter {
    fn events(&mut self, block: &Events) {
        for event in block.iter() {
            let key = (event.interface, event.file, event.rank);
            self.accesses.entry(key).or_default().add(&event);
            let bytes = i64::try_from(event.bytes).unwrap_or(i64::MAX);
            let heat = self.heats.entry((event.interface, event.rank)).or_default();
            heat.add(event.direction, bytes, event.start.0, event.end.0);
            self.end = self.end.max(event.end.0);
        }
    }
}

/// Changes the counters of a record of a module.
pub type Dress<'a> = dyn FnMut(Module, &mut [Count], &mut [Measure]) + 'a;

impl Counter {
    /// Changes every record that plain events have made so far.
    pub(super) fn dress(&mut self, dress: &mut Dress<'_>) {
        self.settle_events();
        for ((module, _), ranks) in &mut self.rows {
            for row in ranks.values_mut() {
                let (ints, floats) = row.cells();
                dress(*module, ints, floats);
            }
        }
    }

    pub(super) fn settle_events(&mut self) {
        for ((module, file, rank), accesses) in std::mem::take(&mut self.accesses) {
            let row = accesses.row(module);
            self.add(module, file, rank, row);
        }
    }
}
