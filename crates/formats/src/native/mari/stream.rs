//! A stream that is being written.

use std::collections::hash_map::Entry;

use super::bones::{self, Numbers};
use super::gather::{Scratch, ShapeSeries};
use super::series::Order;
use super::shape::{Shape, Site};
use super::tables::{QuickMap, Tables, UnitKey};
use super::times::{Clock, Encoder, Times};
use super::{Context, StreamKey};
use marigraph_model::{Call, SiteId};

#[derive(Debug)]
pub(super) struct Open {
    key: StreamKey,
    times: Times,
    order: Order,
    shapes: Vec<ShapeSeries>,
    /// From [`quick_key`] to an index in `shapes`.
    quick: QuickMap<u64, u32>,
    /// From a shape of the tables to an index in `shapes`.
    known: QuickMap<u32, u32>,
    last: (u64, usize),
    first_start: i64,
    clock: Clock,
}

/// The rest of a complete stream is in the tables.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) key: StreamKey,
    pub(super) class: u32,
    pub(super) first_start: i64,
    /// Exact times of each shape, encoded.
    pub(super) times: Vec<Vec<u8>>,
}

/// Distinguishes the shapes of one stream.
fn quick_key(call: &Call) -> u64 {
    let failed = u64::from(call.ret < 0);
    u64::from(call.site.0) << 32
        | u64::from(call.depth) << 24
        | u64::from(call.flags) << 16
        | (call.op as u64) << 1
        | failed
}

impl Open {
    pub(super) fn new(key: StreamKey, times: Times) -> Open {
        Open {
            key,
            times,
            order: Order::new(),
            shapes: Vec::new(),
            quick: QuickMap::default(),
            known: QuickMap::default(),
            last: (u64::MAX, usize::MAX),
            first_start: 0,
            clock: Clock::default(),
        }
    }

    #[inline]
    pub(super) fn call(
        &mut self,
        call: &Call,
        context: &Context<'_>,
        tables: &mut Tables,
        scratch: &mut Scratch,
        encoder: &mut Encoder,
    ) {
        let key = quick_key(call);
        if key != self.last.0 {
            self.change(key, call, context, tables);
        }
        let gap = call.start.0.wrapping_sub(self.clock.before(call.depth));
        let duration = call.end.0.wrapping_sub(call.start.0);
        self.clock.returned(call.depth, call.end.0);
        let Some(series) = self.shapes.get_mut(self.last.1) else { return };
        series.push(call, context, tables, scratch);
        series.push_times(gap, duration, encoder);
    }

    /// Switches to another shape than that of the last call.
    fn change(&mut self, key: u64, call: &Call, context: &Context<'_>, tables: &mut Tables) {
        if self.shapes.is_empty() {
            self.first_start = call.start.0;
            self.clock = Clock::new(call.start.0);
        }
        let at = match self.quick.get(&key) {
            Some(&at) => at,
            None => {
                let at = self.find(call, context, tables);
                self.quick.insert(key, at);
                at
            }
        };
        // Two sites of the caller may be one place.
        if at as usize != self.last.1 {
            self.close_run();
            self.order.push(at);
        }
        self.last = (key, at as usize);
    }

    fn find(&mut self, call: &Call, context: &Context<'_>, tables: &mut Tables) -> u32 {
        let site = match context.sites.get(call.site.0 as usize) {
            Some(site) if call.site != SiteId::UNKNOWN => tables.sites.id(site),
            _ => tables.sites.id(&Site::default()),
        };
        let shape = Shape::of(call, SiteId(site));
        let id = tables.shapes.id(&(shape.op, shape.word(), site));
        match self.known.entry(id) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let at = *entry.insert(self.shapes.len() as u32);
                self.shapes.push(ShapeSeries::new(id, shape, self.times));
                at
            }
        }
    }

    fn close_run(&mut self) {
        if let Some(series) = self.shapes.get_mut(self.last.1) {
            series.close_run();
        }
    }

    pub(super) fn close(mut self, tables: &mut Tables, encoder: &mut Encoder) -> Closed {
        self.close_run();
        let mut numbers = Numbers::default();
        let mut order = UnitKey { shape: None, templates: Vec::new(), bones: Vec::new() };
        bones::put_order(&self.order.finish(), &mut order.bones, &mut numbers);
        let mut units = vec![tables.member(&order, self.key, &numbers)];
        let mut times = Vec::new();
        for shape in self.shapes {
            units.push(shape.close(self.key, tables, encoder, &mut times));
        }
        let class = tables.classes.id(&units);
        Closed { key: self.key, class, first_start: self.first_start, times }
    }
}
