//! The order of calls as a tree of loops, and the calls that may follow each call.

use marigraph_model::folded::{Branch, Column};
use marigraph_wire::op::Op;

use super::gather::Gathered;

#[derive(Debug)]
pub(super) enum Step {
    Loop(Column, Vec<Step>),
    /// A place in the program: its unit, and its index among all places.
    Place(usize, usize),
}

#[derive(Debug)]
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
    pub(super) units: Vec<usize>,
    next: Vec<Vec<usize>>,
}

/// Maximum number of places visited to find the enclosing call.
const LOOKED: usize = 512;

/// Maximum number of places in all routines together.
pub(super) const PLACES: usize = 100_000;

impl Order {
    /// `None` if the nodes name missing units or are too many.
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

    /// Unit of the further arguments that follow a place; `Err` if they follow only sometimes.
    pub(super) fn more(&self, place: usize, units: &[Gathered]) -> Result<Option<usize>, ()> {
        let is_more = |unit: usize| units[unit].shape.op == Op::More;
        let mut after = self.next[place].iter().map(|&next| self.units[next]);
        let Some(first) = after.next().filter(|&unit| is_more(unit)) else {
            return if after.any(is_more) { Err(()) } else { Ok(None) };
        };
        if after.all(|unit| unit == first) { Ok(Some(first)) } else { Err(()) }
    }

    /// Places of the calls that directly enclose a place. Calls are ordered by return, so these
    /// come later.
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
