//! Aligns two streams of calls and resynchronizes them after calls that only one of them has.

use std::collections::VecDeque;

use marigraph_model::Call;

use super::slots::Slots;
use super::step::{is_like, within};
use super::{Scope, Side};

const AHEAD: usize = 256;
/// Consecutive calls that must agree before two streams count as aligned again.
const AGREE: usize = 3;

pub(super) enum Next {
    Same(Call, Call),
    /// Number of calls that only one side has, and the first of them.
    Extra(Side, u64, Call),
}

pub(super) struct Aligned<A, B> {
    a: A,
    b: B,
    ahead_a: VecDeque<Call>,
    ahead_b: VecDeque<Call>,
    scope: Scope,
    at: u64,
}

impl<A: Iterator<Item = Call>, B: Iterator<Item = Call>> Aligned<A, B> {
    pub(super) fn new(a: A, b: B, scope: Scope) -> Aligned<A, B> {
        Aligned { a, b, ahead_a: VecDeque::new(), ahead_b: VecDeque::new(), scope, at: 0 }
    }

    /// Calls of A consumed so far.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn next(&mut self, slots: &mut Slots) -> Option<Next> {
        self.fill(1, slots);
        match (self.ahead_a.front().copied(), self.ahead_b.front().copied()) {
            (None, None) => None,
            (Some(a), Some(b)) if is_like(&a, &b) => {
                self.ahead_a.pop_front();
                self.ahead_b.pop_front();
                self.at += 1;
                Some(Next::Same(a, b))
            }
            (a, b) => {
                self.fill(AHEAD, slots);
                self.skip(a, b)
            }
        }
    }

    fn fill(&mut self, wanted: usize, slots: &mut Slots) {
        let scope = self.scope;
        let mut fill = |ahead: &mut VecDeque<Call>, calls: &mut dyn Iterator<Item = Call>, side: Side| {
            while ahead.len() < wanted {
                let Some(call) = calls.next() else { break };
                if !slots.is_standard(side, &call)
                    && let Some(call) = within(call, scope)
                {
                    ahead.push_back(call);
                }
            }
        };
        fill(&mut self.ahead_a, &mut self.a, Side::A);
        fill(&mut self.ahead_b, &mut self.b, Side::B);
    }

    /// Skips the fewest calls that bring both streams together again: first those of A, then those
    /// of B.
    fn skip(&mut self, a: Option<Call>, b: Option<Call>) -> Option<Next> {
        let (of_a, of_b) = self.meeting();
        if let Some(first) = a.filter(|_| of_a > 0) {
            self.ahead_a.drain(..of_a);
            self.at += of_a as u64;
            return Some(Next::Extra(Side::A, of_a as u64, first));
        }
        self.ahead_b.drain(..of_b);
        b.map(|first| Next::Extra(Side::B, of_b as u64, first))
    }

    /// Calls of each stream before the two agree again; all buffered calls if they never do.
    fn meeting(&self) -> (usize, usize) {
        let (lens, most) =
            ((self.ahead_a.len(), self.ahead_b.len()), self.ahead_a.len() + self.ahead_b.len());
        for sum in 1..most {
            let from = sum.saturating_sub(lens.1);
            for of_a in from..=sum.min(lens.0) {
                if self.agree(of_a, sum - of_a) {
                    return (of_a, sum - of_a);
                }
            }
        }
        lens
    }

    fn agree(&self, of_a: usize, of_b: usize) -> bool {
        let (rest_a, rest_b) = (self.ahead_a.len() - of_a, self.ahead_b.len() - of_b);
        if rest_a == 0 || rest_b == 0 {
            return false;
        }
        let pairs = self.ahead_a.iter().skip(of_a).zip(self.ahead_b.iter().skip(of_b));
        pairs.take(AGREE).all(|(a, b)| is_like(a, b)) && (rest_a >= AGREE) == (rest_b >= AGREE)
    }
}
