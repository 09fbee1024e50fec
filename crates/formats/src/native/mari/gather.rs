//! What is gathered of one shape while a stream is written.

use super::bones::{Numbers, Steps, put_values};
use super::series::Series;
use super::shape::Shape;
use super::tables::{Numbered, QuickMap, Tables, UnitKey};
use super::times::{Chain, Encoder, Histogram, Times};
use super::{Context, StreamKey, path};
use marigraph_model::{Call, NameId};
use marigraph_wire::fold::Node;

#[derive(Debug, Default)]
struct NameArgument {
    templates: Vec<u32>,
    local: QuickMap<u32, u32>,
    /// From a template to one that also prints it, if the numbers are at least these.
    wider: QuickMap<u32, (u32, Vec<(usize, i64)>)>,
    numbers: Vec<Series>,
}

/// Number of recent templates searched for a wider one.
const RECENT: usize = 4;

#[derive(Debug)]
pub(super) struct ShapeSeries {
    id: u32,
    shape: Shape,
    calls: u64,
    /// Length of the current run.
    run: u64,
    runs: Series,
    slot: Series,
    arguments: [Series; 3],
    ret: Series,
    names: Vec<(usize, NameArgument)>,
    times: ShapeTimes,
}

#[derive(Debug)]
enum ShapeTimes {
    Exact(Box<Chain>),
    Histogram(Box<(Histogram, Histogram)>),
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    template: Vec<u8>,
    numbers: Vec<i64>,
    last: u32,
}

impl Scratch {
    /// Splits a path; its template is usually the last one.
    fn template(&mut self, path: Option<&[u8]>, templates: &mut Numbered<Vec<u8>>) -> u32 {
        path::split(path, &mut self.template, &mut self.numbers);
        if templates.items.get(self.last as usize) != Some(&self.template) {
            self.last = templates.id(self.template.as_slice());
        }
        self.last
    }
}

impl ShapeSeries {
    pub(super) fn new(id: u32, shape: Shape, times: Times) -> ShapeSeries {
        let named = shape.named.into_iter().enumerate().filter(|(_, named)| *named);
        ShapeSeries {
            id,
            shape,
            calls: 0,
            run: 0,
            runs: Series::default(),
            slot: Series::default(),
            arguments: Default::default(),
            ret: Series::default(),
            names: named.map(|(at, _)| (at, NameArgument::default())).collect(),
            times: match times {
                Times::Exact => ShapeTimes::Exact(Box::default()),
                Times::Histogram => ShapeTimes::Histogram(Box::default()),
            },
        }
    }

    #[inline]
    pub(super) fn push(
        &mut self,
        call: &Call,
        context: &Context<'_>,
        tables: &mut Tables,
        scratch: &mut Scratch,
    ) {
        self.slot.push(i64::from(call.slot.0));
        let mut values = call.args;
        for (at, name) in &mut self.names {
            if let Some(value) = values.get_mut(*at) {
                let template = scratch.template(context.names.name(NameId(*value)), &mut tables.templates);
                *value = name.push(template, &scratch.numbers, self.calls, &tables.templates.items);
            }
        }
        for (series, value) in self.arguments.iter_mut().zip(values) {
            series.push(value);
        }
        let asked = if self.shape.less { call.args[1] } else { 0 };
        self.ret.push(call.ret.wrapping_sub(asked));
        self.run += 1;
        self.calls += 1;
    }

    #[inline]
    pub(super) fn push_times(&mut self, gap: i64, duration: i64, encoder: &mut Encoder) {
        match &mut self.times {
            ShapeTimes::Exact(chain) => chain.push(gap, duration, encoder),
            ShapeTimes::Histogram(both) => {
                both.0.push(gap);
                both.1.push(duration);
            }
        }
    }

    /// Ends the current run.
    pub(super) fn close_run(&mut self) {
        self.runs.push(std::mem::take(&mut self.run) as i64);
    }

    /// Makes one unit: runs, slot, arguments with the numbers of their names, return value.
    pub(super) fn close(
        self,
        key: StreamKey,
        tables: &mut Tables,
        encoder: &mut Encoder,
        times: &mut Vec<Vec<u8>>,
    ) -> u32 {
        let mut unit = UnitKey { shape: Some(self.id), templates: Vec::new(), bones: Vec::new() };
        let mut numbers = Numbers::default();
        let mut put = |series: Series, second: bool| {
            let folded = series.finish(second);
            let steps = match folded.nodes.as_slice() {
                [] | [Node { value: 0, len: 0, .. }] => Steps::Zero,
                [Node { value, len: 0, .. }] => Steps::All(*value),
                nodes => Steps::Nodes(nodes),
            };
            put_values((folded.first, folded.second), steps, &mut unit.bones, &mut numbers);
        };
        put(self.runs, false);
        put(self.slot, true);
        let mut names = self.names.into_iter().peekable();
        for (at, series) in self.arguments.into_iter().enumerate() {
            let name = names.next_if(|name| name.0 == at);
            // Extents and sums of some sequences are asked for, see `read`: these keep plain steps.
            put(series, at != 1 && name.is_none());
            if let Some((_, name)) = name {
                name.numbers.into_iter().for_each(|series| put(series, true));
                unit.templates.push(name.templates);
            }
        }
        put(self.ret, false);
        let id = tables.member(&unit, key, &numbers);
        match self.times {
            ShapeTimes::Exact(chain) => {
                times.push(chain.finish(encoder));
            }
            ShapeTimes::Histogram(both) => tables.add_times(id, &both.0, &both.1),
        }
        id
    }
}

impl NameArgument {
    /// Returns the index of the template among those of the name.
    fn push(&mut self, template: u32, numbers: &[i64], calls: u64, texts: &[Vec<u8>]) -> i64 {
        let at = self.place(template, numbers, texts);
        while self.numbers.len() < numbers.len() {
            let mut late = Series::default();
            late.push_zeros(calls);
            self.numbers.push(late);
        }
        // Where a template has fewer numbers than others, the last value stands.
        for (at, series) in self.numbers.iter_mut().enumerate() {
            series.push(numbers.get(at).copied().unwrap_or(series.last()));
        }
        i64::from(at)
    }

    fn place(&mut self, template: u32, numbers: &[i64], texts: &[Vec<u8>]) -> u32 {
        let fits = |least: &[(usize, i64)]| {
            least.iter().all(|&(at, least)| numbers.get(at).is_some_and(|&number| number >= least))
        };
        if let Some((at, _)) = self.wider.get(&template).filter(|(_, least)| fits(least)) {
            return *at;
        }
        if let Some(&at) = self.local.get(&template) {
            return at;
        }
        let text = |template: u32| texts.get(template as usize).map_or(&[][..], Vec::as_slice);
        let recent = self.templates.iter().enumerate().rev().take(RECENT);
        let found = recent
            .filter_map(|(at, &other)| Some((at as u32, path::widened(text(other), text(template))?)))
            .find(|(_, least)| fits(least));
        if let Some(found) = found {
            let at = found.0;
            self.wider.insert(template, found);
            return at;
        }
        let at = self.templates.len() as u32;
        self.templates.push(template);
        self.local.insert(template, at);
        at
    }
}
