//! The calls of a stream, one by one.

use marigraph_model::{Call, NameId, Names, Nanos, Slot};
use marigraph_wire::sequence::Symbols;

use super::loaded::{Loaded, LoadedShape, ShapeTimes};
use super::path::{self, NameTable};
use super::read::Mari;
use super::sequence::SequenceIter;
use super::shape::Shape;
use super::times::{Clock, Histogram, Unchain};
use super::units::UnitName;

/// Iterates over the calls of a stream in the order of returns, and resolves their names.
pub struct Calls<'l> {
    mari: &'l Mari<'l>,
    order: Symbols<'l>,
    shapes: Vec<Cursor<'l>>,
    /// Shape of the current run, and calls left in it.
    at: usize,
    left: u64,
    clock: Clock,
    names: NameTable,
    path: Vec<u8>,
}

struct Cursor<'l> {
    shape: Shape,
    runs: SequenceIter<'l>,
    slot: SequenceIter<'l>,
    arguments: [SequenceIter<'l>; 3],
    ret: SequenceIter<'l>,
    asked: bool,
    names: Vec<NameCursor<'l>>,
    times: TimesCursor<'l>,
}

struct NameCursor<'l> {
    name: &'l UnitName,
    numbers: Vec<SequenceIter<'l>>,
    /// Template, numbers and id of the last name.
    template: i64,
    last: Vec<i64>,
    id: NameId,
}

enum TimesCursor<'l> {
    None,
    Exact(Unchain<'l>),
    Histogram(&'l Histogram, &'l Histogram, u64),
}

impl<'l> Calls<'l> {
    pub(super) fn new(loaded: &'l Loaded<'l>, names: NameTable) -> Calls<'l> {
        Calls {
            mari: loaded.mari,
            order: Symbols::new(&loaded.order),
            shapes: loaded.shapes.iter().map(Cursor::new).collect(),
            at: 0,
            left: 0,
            clock: Clock::new(loaded.first_start),
            names,
            path: Vec::new(),
        }
    }

    /// Names so far, to continue with in another stream.
    pub fn into_names(self) -> NameTable {
        self.names
    }

    fn next_run(&mut self) -> Option<()> {
        self.at = usize::try_from(self.order.next()?).ok()?;
        self.left = u64::try_from(self.shapes.get_mut(self.at)?.runs.value()).ok()?;
        Some(())
    }
}

impl Names for Calls<'_> {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        self.names.name(id)
    }
}

impl Iterator for Calls<'_> {
    type Item = Call;

    #[inline]
    fn next(&mut self) -> Option<Call> {
        while self.left == 0 {
            self.next_run()?;
        }
        self.left -= 1;
        let cursor = self.shapes.get_mut(self.at)?;
        let shape = cursor.shape;
        let mut args = cursor.arguments.each_mut().map(SequenceIter::value);
        let asked = if cursor.asked { args[1] } else { 0 };
        let ret = cursor.ret.value().wrapping_add(asked);
        for name in &mut cursor.names {
            if let Some(arg) = args.get_mut(name.name.argument) {
                *arg = name.id(*arg, self.mari, &mut self.names, &mut self.path).0;
            }
        }
        let (gap, duration) = cursor.times.next_times();
        let start = self.clock.before(shape.depth).wrapping_add(gap);
        let end = start.wrapping_add(duration);
        self.clock.returned(shape.depth, end);
        Some(Call {
            op: shape.op,
            depth: shape.depth,
            flags: shape.flags,
            slot: Slot(cursor.slot.value() as u32),
            args,
            ret,
            start: Nanos(start),
            end: Nanos(end),
            site: shape.site,
        })
    }
}

impl<'l> Cursor<'l> {
    fn new(loaded: &'l LoadedShape<'l>) -> Cursor<'l> {
        let names = loaded.names.iter().map(|(name, numbers)| NameCursor {
            name,
            numbers: numbers.iter().map(|numbers| numbers.iter()).collect(),
            template: -1,
            last: Vec::new(),
            id: NameId::default(),
        });
        Cursor {
            shape: loaded.shape,
            runs: loaded.runs.iter(),
            slot: loaded.slot.iter(),
            arguments: loaded.arguments.each_ref().map(|argument| argument.iter()),
            ret: loaded.ret.iter(),
            asked: loaded.shape.less,
            names: names.collect(),
            times: match loaded.times {
                ShapeTimes::None => TimesCursor::None,
                ShapeTimes::Exact(bytes) => TimesCursor::Exact(Unchain::new(bytes, loaded.calls)),
                ShapeTimes::Histogram(gaps, durations) => TimesCursor::Histogram(gaps, durations, 0),
            },
        }
    }
}

impl NameCursor<'_> {
    /// `at` is an index in the templates of the name.
    fn id(&mut self, at: i64, mari: &Mari<'_>, names: &mut NameTable, path: &mut Vec<u8>) -> NameId {
        let mut same = at == self.template && self.last.len() == self.numbers.len();
        self.last.resize(self.numbers.len(), 0);
        for (last, numbers) in self.last.iter_mut().zip(&mut self.numbers) {
            let value = numbers.value();
            same &= *last == value;
            *last = value;
        }
        if !same {
            self.template = at;
            let template =
                self.name.templates.get(at as usize).and_then(|&id| mari.templates.get(id as usize));
            let known = template.is_some_and(|template| path::join(&template.text, &self.last, path));
            self.id = if known { names.id(path) } else { NameId::default() };
        }
        self.id
    }
}

impl TimesCursor<'_> {
    #[inline]
    fn next_times(&mut self) -> (i64, i64) {
        match self {
            TimesCursor::None => (0, 0),
            TimesCursor::Exact(chain) => chain.next_times(),
            TimesCursor::Histogram(gaps, durations, at) => {
                *at += 1;
                (gaps.share(*at - 1), durations.share(*at - 1))
            }
        }
    }
}
