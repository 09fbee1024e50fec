//! The order of calls as a tree of loops, and which call follows which in it.

use marigraph_model::folded::{Branch, Column};
use marigraph_wire::op::Op;

use super::gather::Gathered;

/// A loop, or a run of calls.
#[derive(Debug)]
pub(super) enum Step {
    /// Repeats its body this many times.
    Loop(Column, Vec<Step>),
    /// A place in the program: which unit, and which place of all.
    Place(usize, usize),
}

/// The order of a group.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
    /// Unit of each place.
    pub(super) units: Vec<usize>,
    /// Places that may come next after each.
    next: Vec<Vec<usize>>,
}

/// Places that are gone through to find the call around another.
const LOOKED: usize = 512;

/// Places of a program at most, in all routines together.
pub(super) const PLACES: usize = 100_000;

impl Order {
    /// Of folded nodes; nothing if they name units that are not there or are too many.
    pub(super) fn of(nodes: &[Branch], units: usize) -> Option<Order> {
        let mut order = Order { steps: Vec::new(), units: Vec::new(), next: Vec::new() };
        order.steps = order.read(nodes, units)?;
        order.next = vec![Vec::new(); order.units.len()];
        let steps = std::mem::take(&mut order.steps);
        order.connect(&steps);
        order.steps = steps;
        Some(order)
    }

    fn read(&mut self, nodes: &[Branch], units: usize) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut rest = nodes;
        while let Some((head, after)) = rest.split_first() {
            let (body, behind) = after.split_at_checked(head.len as usize)?;
            rest = behind;
            if head.len > 0 {
                steps.push(Step::Loop(head.count.clone(), self.read(body, units)?));
                continue;
            }
            let unit = usize::try_from(head.value.at(0)?).ok().filter(|&unit| unit < units)?;
            let place = Step::Place(unit, self.units.len());
            self.units.push(unit);
            let once = head.count == Column::Constant(1);
            steps.push(if once { place } else { Step::Loop(head.count.clone(), vec![place]) });
        }
        (self.units.len() <= PLACES).then_some(steps)
    }

    fn connect(&mut self, steps: &[Step]) {
        for pair in steps.windows(2) {
            self.join(last(&pair[0]), first(&pair[1]));
        }
        for step in steps {
            if let Step::Loop(_, body) = step {
                self.connect(body);
                self.join(body.last().and_then(last), body.first().and_then(first));
            }
        }
    }

    fn join(&mut self, from: Option<usize>, to: Option<usize>) {
        if let (Some(from), Some(to)) = (from, to)
            && !self.next[from].contains(&to)
        {
            self.next[from].push(to);
        }
    }

    /// The unit of further arguments that follow a place; `Err` if that is so at times only.
    pub(super) fn more(&self, place: usize, units: &[Gathered]) -> Result<Option<usize>, ()> {
        let is_more = |unit: usize| units[unit].shape.op == Op::More;
        let mut after = self.next[place].iter().map(|&next| self.units[next]);
        let Some(first) = after.next().filter(|&unit| is_more(unit)) else {
            return if after.any(is_more) { Err(()) } else { Ok(None) };
        };
        if after.all(|unit| unit == first) { Ok(Some(first)) } else { Err(()) }
    }

    /// Places of the calls that a place is directly within. Calls come in the order of their returns, so these come
    /// later.
    pub(super) fn around(&self, place: usize, units: &[Gathered]) -> Vec<usize> {
        let depth = |place: usize| units[self.units[place]].shape.depth();
        let (mut seen, mut found, own) = (vec![place], Vec::new(), depth(place));
        let mut at = 0;
        while at < seen.len() && seen.len() < LOOKED {
            for &next in &self.next[seen[at]] {
                if units[self.units[next]].shape.op != Op::More && depth(next) < own {
                    found.push(next);
                } else if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn first(step: &Step) -> Option<usize> {
    match step {
        Step::Place(_, place) => Some(*place),
        Step::Loop(_, body) => body.first().and_then(first),
    }
}

fn last(step: &Step) -> Option<usize> {
    match step {
        Step::Place(_, place) => Some(*place),
        Step::Loop(_, body) => body.last().and_then(last),
    }
}
