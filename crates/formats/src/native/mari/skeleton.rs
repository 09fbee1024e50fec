//! A trace taken apart, for those who compute with it.

use marigraph_model::folded::{Name, Part, Sequence, Shape, Stream};

use super::loaded::{Loaded, LoadedShape, ShapeTimes};
use super::read::Mari;
use super::times::Unchain;
use super::{MariError, path};

impl Mari<'_> {
    pub fn skeleton(&self) -> Result<Vec<Stream>, MariError> {
        self.skeletons().collect()
    }

    pub fn skeletons(&self) -> impl Iterator<Item = Result<Stream, MariError>> + '_ {
        self.streams().map(|stream| Ok(taken_apart(&stream.load()?)))
    }
}

fn taken_apart(loaded: &Loaded<'_>) -> Stream {
    let key = loaded.key;
    Stream {
        process: key.process,
        thread: key.thread,
        rank: key.rank,
        order: loaded.order.clone(),
        parts: loaded.shapes.iter().map(|shape| part(loaded, shape)).collect(),
        first_start: loaded.first_start,
    }
}

fn part(loaded: &Loaded<'_>, shape: &LoadedShape<'_>) -> Part {
    let site = loaded.mari.sites.get(shape.shape.site.0 as usize).cloned().unwrap_or_default();
    let text =
        |&id: &u32| loaded.mari.templates.get(id as usize).map(|template| path::pieces(&template.text));
    let mut names = Vec::new();
    let mut sequences: Vec<Sequence> = vec![shape.runs.skeleton(), shape.slot.skeleton()];
    for (at, argument) in shape.arguments.iter().enumerate() {
        sequences.push(argument.skeleton());
        if let Some((name, numbers)) = shape.names.iter().find(|(name, _)| name.argument == at) {
            sequences.extend(numbers.iter().map(|numbers| numbers.skeleton()));
            let templates = name.templates.iter().filter_map(text).collect();
            names.push(Name { argument: at, templates, numbers: name.numbers });
        }
    }
    sequences.push(shape.ret.skeleton());
    Part {
        shape: Shape {
            op: shape.shape.op,
            word: shape.shape.word(),
            module: site.module,
            offset: site.offset,
        },
        names,
        calls: shape.calls,
        sequences,
        times: times(shape),
    }
}

/// Total nanoseconds before the calls, and in them.
fn times(shape: &LoadedShape<'_>) -> (i128, i128) {
    match shape.times {
        ShapeTimes::None => (0, 0),
        ShapeTimes::Exact(bytes) => {
            let mut chain = Unchain::new(bytes, shape.calls);
            (0..shape.calls).fold((0, 0), |sum, _| {
                let (gap, duration) = chain.next_times();
                (sum.0 + i128::from(gap), sum.1 + i128::from(duration))
            })
        }
        ShapeTimes::Histogram(gaps, durations) => {
            let mean =
                |sum: i64, count: u64| i128::from(sum) * i128::from(shape.calls) / i128::from(count.max(1));
            (mean(gaps.sum, gaps.count), mean(durations.sum, durations.count))
        }
    }
}
