//! One stream of a trace, put together but folded.

use marigraph_wire::bytes::Reader;
use marigraph_wire::fold::Node;
use marigraph_wire::op::Op;

use super::StreamKey;
use super::calls::Calls;
use super::extent::Extent;
use super::path::NameTable;
use super::read::Mari;
use super::sequence::Sequence;
use super::shape::Shape;
use super::times::Histogram;
use super::units::{Unit, UnitName};

/// A stream put together, still folded.
#[derive(Debug)]
pub struct Loaded<'m> {
    pub(super) mari: &'m Mari<'m>,
    pub(super) key: StreamKey,
    pub(super) order: Vec<Node>,
    pub(super) shapes: Vec<LoadedShape<'m>>,
    pub(super) calls: u64,
    pub(super) first_start: i64,
}

impl Loaded<'_> {
    pub fn key(&self) -> StreamKey {
        self.key
    }

    pub fn calls_len(&self) -> u64 {
        self.calls
    }

    pub fn has(&self, op: Op) -> bool {
        self.shapes.iter().any(|shape| shape.shape.op == op)
    }

    /// Loops in the order of calls, and shapes that are repeated at once.
    pub fn loops(&self) -> u64 {
        let loops = self.order.iter().filter(|node| node.len > 0).count();
        let repeated = self.shapes.iter().filter(|shape| shape.longest > 1).count();
        (loops + repeated) as u64
    }

    /// Names are numbered in order of appearance.
    pub fn calls(&self) -> Calls<'_> {
        self.calls_with(NameTable::default())
    }

    /// Continues the names of other streams, see [`Calls::into_names`].
    pub fn calls_with(&self, names: NameTable) -> Calls<'_> {
        Calls::new(self, names)
    }
}

#[derive(Debug)]
pub(super) struct LoadedShape<'m> {
    pub(super) shape: Shape,
    pub(super) calls: u64,
    /// Longest run.
    pub(super) longest: i128,
    pub(super) runs: Sequence,
    pub(super) slot: Sequence,
    pub(super) arguments: [Sequence; 3],
    pub(super) ret: Sequence,
    pub(super) names: Vec<(&'m UnitName, Vec<Sequence>)>,
    pub(super) times: ShapeTimes<'m>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ShapeTimes<'m> {
    None,
    Exact(&'m [u8]),
    /// Gaps and durations.
    Histogram(&'m Histogram, &'m Histogram),
}

impl<'m> LoadedShape<'m> {
    /// `place` is the stream's index in the unit; `runs` is the number of runs in the order.
    pub(super) fn new(unit: &'m Unit<'m>, place: u64, runs: u64) -> Option<LoadedShape<'m>> {
        let mut bones = Reader::new(unit.bones);
        let mut columns = unit.columns.iter();
        let mut numbers = || columns.next()?.at(place);
        let runs = Sequence::read(&mut bones, &mut numbers, runs)?;
        let extent = Extent::of(runs.plain()?)?;
        if extent.least < 1 || extent.most > i128::from(i64::MAX) {
            return None;
        }
        let calls = u64::try_from(extent.sum).ok()?;
        let slot = Sequence::read(&mut bones, &mut numbers, calls)?;
        let mut names = Vec::new();
        let mut arguments: [Sequence; 3] = Default::default();
        for (at, argument) in arguments.iter_mut().enumerate() {
            *argument = Sequence::read(&mut bones, &mut numbers, calls)?;
            if let Some(name) = unit.names.iter().find(|name| name.argument == at) {
                let extent = Extent::of(argument.plain()?)?;
                if extent.least < 0 || extent.most >= name.templates.len() as i128 {
                    return None;
                }
                let parts = (0..name.numbers).map(|_| Sequence::read(&mut bones, &mut numbers, calls));
                names.push((name, parts.collect::<Option<Vec<_>>>()?));
            }
        }
        let ret = Sequence::read(&mut bones, &mut numbers, calls)?;
        let (shape, times) = (unit.shape?, ShapeTimes::None);
        Some(LoadedShape { shape, calls, longest: extent.most, runs, slot, arguments, ret, names, times })
    }
}
