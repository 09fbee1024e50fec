//! The calls of a stream with their further arguments and enclosing calls.

use marigraph_analysis::replay::is_inside_mpi;
use marigraph_formats::native::mari::{Calls, Loaded};
use marigraph_model::{Call, NameId, Names};
use marigraph_wire::op::{Layer, Op};

/// Maximum number of further arguments kept per call: those of the longest description of a type.
const MORE: usize = 1100;

/// Iterates over a stream.
pub struct Steps<'l> {
    calls: Calls<'l>,
    next: Option<Call>,
    more: Vec<[i64; 3]>,
    outer: Outer<'l>,
}

impl<'l> Steps<'l> {
    pub fn new(loaded: &'l Loaded<'_>) -> Steps<'l> {
        let mut calls = loaded.calls();
        let next = calls.next();
        Steps { calls, next, more: Vec::new(), outer: Outer::new(loaded) }
    }

    pub fn step(&mut self) -> Option<Call> {
        let call = self.next.take()?;
        self.outer.passed += 1;
        self.more.clear();
        self.next = self.calls.next();
        while let Some(row) = self.next.filter(|next| next.op == Op::More) {
            if self.more.len() < MORE {
                self.more.push(row.args);
            }
            self.outer.passed += 1;
            self.next = self.calls.next();
        }
        Some(call)
    }

    pub fn next_start(&self) -> Option<i64> {
        self.next.map(|call| call.start.0)
    }

    pub fn more(&self) -> &[[i64; 3]] {
        &self.more
    }

    pub fn name(&self, id: NameId) -> Option<&[u8]> {
        self.calls.name(id)
    }

    /// `call` must be the last one returned.
    pub fn is_inside_mpi(&mut self, call: &Call) -> bool {
        call.depth > 0 && is_inside_mpi(call.depth, self.outer.layer())
    }
}

/// Calls are ordered by their returns, so an enclosing call follows the calls it made: a second
/// iterator runs ahead to it.
struct Outer<'l> {
    loaded: &'l Loaded<'l>,
    /// Created on first use.
    ahead: Option<Calls<'l>>,
    /// Calls that this iterator, and the stream itself, have passed.
    looked: u64,
    passed: u64,
    layer: Layer,
}

impl<'l> Outer<'l> {
    fn new(loaded: &'l Loaded<'l>) -> Outer<'l> {
        Outer { loaded, ahead: None, looked: 0, passed: 0, layer: Layer::Note }
    }

    fn layer(&mut self) -> Layer {
        let ahead = self.ahead.get_or_insert_with(|| self.loaded.calls());
        while self.looked < self.passed || self.layer == Layer::Note {
            let Some(call) = ahead.next() else { return Layer::Note };
            self.looked += 1;
            self.layer = if call.depth == 0 { call.op.layer() } else { Layer::Note };
        }
        self.layer
    }
}
