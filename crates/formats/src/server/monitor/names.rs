//! The names of targets anywhere in the file: a name may follow records that use it if the record
//! that first named it was damaged.

use std::collections::BTreeMap;

use marigraph_model::{Observed, Target};

use super::frame::Frames;
use super::record::{self, Record};

#[derive(Debug, Default)]
pub(super) struct Names {
    /// In order of first appearance.
    pub(super) targets: Vec<Target>,
    known: BTreeMap<Target, u32>,
    /// Target index by session and target id.
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

    pub(super) fn source(&self, session: u32, id: u64) -> Option<u32> {
        self.places.get(&(session, id)).copied()
    }
}
