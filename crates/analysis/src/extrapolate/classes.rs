//! Groups streams that do the same, across all sizes.

use std::collections::BTreeMap;

use marigraph_model::folded::{Name, Shape, Stream};

use super::ranks::Ruled;
use super::{Impossible, Input, ranks};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    process: u32,
    thread: u32,
    /// Per node of the order: length, and symbol or number of tops.
    order: Vec<(u32, i64)>,
    parts: Vec<(Shape, Vec<Name>)>,
}

fn key(stream: &Stream) -> Key {
    Key {
        process: stream.process,
        thread: stream.thread,
        order: stream.order.iter().map(|node| (node.len, node.value)).collect(),
        parts: stream.parts.iter().map(|part| (part.shape.clone(), part.names.clone())).collect(),
    }
}

/// Streams that do the same, ordered by size.
#[derive(Debug)]
pub struct Group<'a> {
    /// Number of ranks of the job, and its streams.
    pub sizes: Vec<(u32, Vec<&'a Stream>)>,
}

impl<'a> Group<'a> {
    pub fn first(&self) -> Option<&'a Stream> {
        self.sizes.iter().flat_map(|(_, streams)| streams).next().copied()
    }

    pub fn all(&self) -> impl Iterator<Item = (u32, &'a Stream)> + '_ {
        self.sizes.iter().flat_map(|(ranks, streams)| streams.iter().map(|stream| (*ranks, *stream)))
    }

    fn sets(&self) -> Vec<(u64, Vec<u32>)> {
        let ranks = |streams: &Vec<&Stream>| streams.iter().map(|stream| stream.rank).collect();
        self.sizes.iter().map(|(size, streams)| (u64::from(*size), ranks(streams))).collect()
    }

    /// The ranks at another size whose role was never seen, if any, and why that may matter.
    pub fn unseen(&self, members: &[u32], target: u32) -> Option<(String, String)> {
        let sets = self.sets();
        if let Some(by) = ranks::broken_group(&sets, target) {
            return Some((format!("every {by}th"), format!("groups of {by} ranks were only seen complete")));
        }
        let why = "the last rank, which often gets the remainder, was not seen doing this".to_string();
        ranks::is_new_end(&sets, members, target).then(|| ("the last".to_string(), why))
    }

    pub fn name(&self) -> String {
        let Some(first) = self.first() else { return String::new() };
        let place = if first.process + first.thread > 0 {
            format!("process {}, thread {}", first.process, first.thread)
        } else {
            "calls".to_string()
        };
        format!("{place} of rank {} and similar ranks", first.rank)
    }
}

/// Groups all streams, ordered by process and thread. Each group must have streams at all sizes.
pub fn groups(inputs: &[Input]) -> Result<Vec<Group<'_>>, Impossible> {
    let mut found: BTreeMap<Key, Vec<(u32, Vec<&Stream>)>> = BTreeMap::new();
    for input in inputs {
        for stream in &input.streams {
            let sizes = found.entry(key(stream)).or_default();
            match sizes.last_mut().filter(|last| last.0 == input.ranks) {
                Some(last) => last.1.push(stream),
                None => sizes.push((input.ranks, vec![stream])),
            }
        }
    }
    for sizes in found.values() {
        let missing = inputs.iter().find(|input| !sizes.iter().any(|(ranks, _)| *ranks == input.ranks));
        if let (Some(missing), Some((ranks, streams))) = (missing, sizes.first()) {
            let members = streams.iter().map(|stream| stream.rank).collect();
            return Err(Impossible::Structure(*ranks, members, told(streams[0], missing), missing.ranks));
        }
    }
    Ok(found.into_values().map(|sizes| Group { sizes }).collect())
}

fn told(stream: &Stream, other: &Input) -> String {
    let alike = |one: &&Stream| one.process == stream.process && one.thread == stream.thread;
    let shared = |one: &&Stream| {
        one.parts
            .iter()
            .zip(&stream.parts)
            .take_while(|(one, other)| one.shape == other.shape && one.names == other.names)
            .count()
    };
    let Some(nearest) = other.streams.iter().filter(alike).max_by_key(shared) else {
        return "there is no such thread".to_string();
    };
    let at = shared(&nearest);
    match (stream.parts.get(at), nearest.parts.get(at)) {
        (Some(one), Some(other)) if one.shape == other.shape => {
            format!("other names in {}, its call {} by first use", one.shape.op.name(), at + 1)
        }
        (Some(one), other) => {
            let other = other.map_or("nothing", |part| part.shape.op.name());
            format!("{} where that has {other}, as call {} by first use", one.shape.op.name(), at + 1)
        }
        (None, Some(other)) => format!("no {}, its call {} by first use", other.shape.op.name(), at + 1),
        (None, None) => "the same calls in a different order or in different loops".to_string(),
    }
}

pub fn sets(groups: &[Group<'_>], target: u32) -> Result<Vec<Vec<u32>>, Impossible> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = groups.get(at).and_then(Group::first) {
        let same = |group: &&Group<'_>| {
            group.first().is_some_and(|one| (one.process, one.thread) == (first.process, first.thread))
        };
        let here: Vec<&Group<'_>> = groups[at..].iter().take_while(same).collect();
        let known: Vec<Vec<(u64, Vec<u32>)>> = here.iter().map(|group| group.sets()).collect();
        let sets = if first.process + first.thread == 0 {
            ranks::at_size(&known, target)
        } else {
            known.iter().map(|sets| ranks::alone(sets, target)).collect()
        };
        match sets {
            Some(sets) => all.extend(sets),
            None => {
                let without = known
                    .iter()
                    .position(|sets| !matches!(ranks::rule_of(sets, target), Ruled::By(_)))
                    .unwrap_or(0);
                return Err(Impossible::Ranks(here[without].name(), known[without].clone()));
            }
        }
        at += here.len();
    }
    Ok(all)
}
