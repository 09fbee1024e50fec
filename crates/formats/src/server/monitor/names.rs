//! The names of targets, wherever they are in the file: a name may follow records that use it, where the record that
//! told it first was damaged.

use std::collections::BTreeMap;

use marigraph_model::{Observed, Target};

use super::frame::Frames;
use super::record::{self, Record};

/// All targets of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// In the order in which they are named first.
    pub(super) targets: Vec<Target>,
    known: BTreeMap<Target, u32>,
    /// Of a run and a number.
    places: BTreeMap<(u32, u64), u32>,
}

impl Names {
    pub(super) fn find(content: &[u8]) -> Names {
        let mut names = Names::default();
        for frame in Frames::new(content) {
            match record::take(frame.body) {
                Some(Record::Full(full)) => names.add(full.head.session, full.observed),
                Some(Record::Step(step)) => names.add(step.head.session, step.born),
                _ => {}
            }
        }
        names
    }

    fn add(&mut self, session: u32, rows: Vec<Observed>) {
        for row in rows {
            let next = self.targets.len() as u32;
            let source = *self.known.entry(row.target).or_insert_with_key(|target| {
                self.targets.push(target.clone());
                next
            });
            self.places.insert((session, row.id), source);
        }
    }

    /// The place of a target in the list.
    pub(super) fn source(&self, session: u32, id: u64) -> Option<u32> {
        self.places.get(&(session, id)).copied()
    }
}
