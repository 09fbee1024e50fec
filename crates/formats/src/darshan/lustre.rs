//! LUSTRE records: file striping. All versions are read in the form of version 2.

use marigraph_model::{Component, FileId, Layout};

use super::convert::{not_measured, scope_of};
use super::region::Item;
use crate::bytes::{Bytes, Order, until_nul};
use crate::inflate::Window;

/// Bytes of a component: seven numbers and a pool name.
const COMPONENT: usize = 7 * 8 + POOL;
const POOL: usize = 16;
/// Maximum plausible number of components or targets; a larger claim would only fill memory.
const MOST: usize = 1 << 20;

/// A layout as stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawLayout {
    pub id: u64,
    /// -1 for all ranks.
    pub rank: i64,
    /// Only those in use.
    pub components: Vec<RawComponent>,
    /// Storage targets of all components, concatenated.
    pub targets: Vec<i64>,
}

/// One component as stored; -1 means unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawComponent {
    /// Stripe size, stripe count, pattern, flags, start and end of the extent, mirror.
    pub numbers: [i64; 7],
    pub pool: Vec<u8>,
}

impl RawComponent {
    /// In bytes.
    pub fn stripe_size(&self) -> i64 {
        self.numbers[0]
    }
    pub fn stripe_count(&self) -> i64 {
        self.numbers[1]
    }
    pub fn pattern(&self) -> i64 {
        self.numbers[2]
    }
    pub fn flags(&self) -> i64 {
        self.numbers[3]
    }
    pub fn start(&self) -> i64 {
        self.numbers[4]
    }
    /// -1 for the end of the file.
    pub fn end(&self) -> i64 {
        self.numbers[5]
    }
    pub fn mirror(&self) -> i64 {
        self.numbers[6]
    }
}

pub fn read(window: &mut Window<'_>, order: Order, version: u32) -> Item<RawLayout> {
    if version == 1 { read_v1(window, order) } else { read_v2(window, order) }
}

fn read_v1(window: &mut Window<'_>, order: Order) -> Item<RawLayout> {
    let Some(head) = window.take(56) else { return Item::end(window) };
    let bytes = Bytes::new(head, order);
    let (id, rank, size, width) = (bytes.u64(0), bytes.i64(8), bytes.i64(40), bytes.i64(48));
    let Some(targets) = read_numbers(window, order, width) else { return Item::Broken };
    let numbers = [size, width, -1, -1, 0, -1, -1];
    Item::Some(RawLayout { id, rank, components: vec![RawComponent { numbers, pool: Vec::new() }], targets })
}

fn read_v2(window: &mut Window<'_>, order: Order) -> Item<RawLayout> {
    let Some(head) = window.take(32) else { return Item::end(window) };
    let bytes = Bytes::new(head, order);
    let (id, rank, n_components, n_targets) = (bytes.u64(0), bytes.i64(8), bytes.i64(16), bytes.i64(24));
    if n_components < 1 {
        return Item::Some(RawLayout { id, rank, ..RawLayout::default() });
    }
    let believed = usize::try_from(n_components).ok().filter(|&n| n <= MOST);
    let Some(size) = believed.and_then(|n| n.checked_mul(COMPONENT)) else {
        return Item::Broken;
    };
    let Some(stored) = window.take(size) else { return Item::Broken };
    let all: Vec<RawComponent> =
        stored.chunks_exact(COMPONENT).map(|chunk| component(chunk, order)).collect();
    let Some(mut targets) = read_numbers(window, order, n_targets) else { return Item::Broken };
    // Components that the runtime reserved but did not use have a stripe size of -1.
    let components: Vec<RawComponent> = all.into_iter().take_while(|c| c.stripe_size() != -1).collect();
    let in_use: i64 = components.iter().map(|c| c.stripe_count().max(0)).fold(0, i64::saturating_add);
    targets.truncate(usize::try_from(in_use).unwrap_or(usize::MAX));
    Item::Some(RawLayout { id, rank, components, targets })
}

fn component(chunk: &[u8], order: Order) -> RawComponent {
    let bytes = Bytes::new(chunk, order);
    let mut numbers = [0; 7];
    numbers.iter_mut().enumerate().for_each(|(at, number)| *number = bytes.i64(at * 8));
    RawComponent { numbers, pool: until_nul(&chunk[COMPONENT - POOL..]).to_vec() }
}

fn read_numbers(window: &mut Window<'_>, order: Order, count: i64) -> Option<Vec<i64>> {
    let count = usize::try_from(count).ok().filter(|&n| n <= MOST)?;
    let stored = window.take(count.checked_mul(8)?)?;
    let mut numbers = Vec::with_capacity(count);
    Bytes::new(stored, order).extend_i64(0, count, &mut numbers);
    Some(numbers)
}

pub fn encode(layout: &RawLayout, out: &mut Vec<u8>) {
    let counts = [layout.components.len(), layout.targets.len()].map(|n| n as i64);
    out.extend_from_slice(&layout.id.to_le_bytes());
    [layout.rank].iter().chain(&counts).for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    for component in &layout.components {
        component.numbers.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        let mut pool = component.pool.clone();
        pool.resize(POOL, 0);
        out.extend_from_slice(&pool);
    }
    layout.targets.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
}

impl RawLayout {
    pub fn to_model(&self) -> Option<Layout> {
        let mut targets = self.targets.iter().copied();
        let components = self.components.iter().map(|c| Component {
            stripe_size: not_measured(c.stripe_size()),
            pattern: not_measured(c.pattern()),
            flags: not_measured(c.flags()),
            extent_start: c.start(),
            extent_end: not_measured(c.end()),
            mirror: not_measured(c.mirror()),
            pool: String::from_utf8_lossy(&c.pool).into_owned(),
            targets: targets.by_ref().take(usize::try_from(c.stripe_count()).unwrap_or(0)).collect(),
        });
        Some(Layout { file: FileId(self.id), scope: scope_of(self.rank)?, components: components.collect() })
    }

    pub fn from_model(layout: &Layout) -> RawLayout {
        let or = |value: Option<i64>| value.unwrap_or(-1);
        let raw = |c: &Component| RawComponent {
            numbers: [
                or(c.stripe_size),
                c.targets.len() as i64,
                or(c.pattern),
                or(c.flags),
                c.extent_start,
                or(c.extent_end),
                or(c.mirror),
            ],
            pool: c.pool.clone().into_bytes(),
        };
        RawLayout {
            id: layout.file.0,
            rank: super::convert::rank_of(layout.scope),
            components: layout.components.iter().map(raw).collect(),
            targets: layout.components.iter().flat_map(|c| c.targets.iter().copied()).collect(),
        }
    }
}
