//! A sequence of numbers that is folded while it arrives.
//!
//! Most sequences of a trace are constant or have one step, so nothing is allocated until a step
//! changes; then a window of nodes grows as needed. What leaves a full window is final.

use marigraph_wire::fold::{Folder, Node, PLACES, State, Top};
use marigraph_wire::sequence::Symbols;

/// Maximum nodes in a window of values before its older half becomes final.
const VALUES_WINDOW: usize = 1 << 11;
/// The same for the order of shapes; a stream has only one.
const ORDER_WINDOW: usize = 1 << 16;
/// Sequences with fewer nodes are not tried with second differences.
const WORTH_SECOND: usize = 48;
/// Steps examined to judge whether second differences fold.
const SAMPLE: usize = 4096;

#[derive(Debug)]
struct Window {
    nodes: Vec<Node>,
    tops: Vec<Top>,
    places: Vec<u32>,
    state: State,
    most: usize,
    done: Vec<Node>,
}

impl Window {
    fn new(most: usize) -> Window {
        Window {
            nodes: Vec::new(),
            tops: Vec::new(),
            places: vec![0; PLACES],
            state: State::default(),
            most,
            done: Vec::new(),
        }
    }

    fn push_run(&mut self, value: i64, count: u64) {
        if self.state.used() + 1 >= self.nodes.len() && self.nodes.len() < self.most {
            let len = (self.nodes.len() * 2).clamp(8, self.most);
            self.nodes.resize(len, Node::default());
            self.tops.resize(len, Top::default());
        }
        let mut folder = Folder::resume(&mut self.nodes, &mut self.tops, &mut self.places, self.state);
        folder.push_run(value, count, &mut self.done);
        self.state = folder.suspend();
    }

    fn finish(mut self) -> Vec<Node> {
        Folder::resume(&mut self.nodes, &mut self.tops, &mut self.places, self.state).finish(&mut self.done);
        self.done
    }
}

/// Symbols, not differences.
#[derive(Debug)]
pub(super) struct Order(Window);

impl Order {
    pub(super) fn new() -> Order {
        Order(Window::new(ORDER_WINDOW))
    }

    pub(super) fn push(&mut self, symbol: u32) {
        self.0.push_run(i64::from(symbol), 1);
    }

    pub(super) fn finish(self) -> Vec<Node> {
        self.0.finish()
    }
}

/// Values of one field of one shape, stored as differences.
#[derive(Debug, Default)]
pub(super) struct Series {
    len: u64,
    first: i64,
    last: i64,
    step: i64,
    count: u64,
    window: Option<Box<Window>>,
}

/// First value; for second differences the first step; folded steps.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub(super) len: u64,
    pub(super) first: i64,
    pub(super) second: Option<i64>,
    pub(super) nodes: Vec<Node>,
}

impl Series {
    #[inline]
    pub(super) fn push(&mut self, value: i64) {
        let step = value.wrapping_sub(self.last);
        if self.len > 0 && step == self.step {
            self.count += 1;
        } else {
            self.turn(value, step);
        }
        self.last = value;
        self.len += 1;
    }

    pub(super) fn last(&self) -> i64 {
        self.last
    }

    /// For a sequence that begins late.
    pub(super) fn push_zeros(&mut self, count: u64) {
        if count > 0 {
            self.push(0);
            self.count += count - 1;
            self.len += count - 1;
        }
    }

    fn turn(&mut self, value: i64, step: i64) {
        if self.len == 0 {
            self.first = value;
            return;
        }
        self.close();
        (self.step, self.count) = (step, 1);
    }

    fn close(&mut self) {
        if self.count > 0 {
            let window = self.window.get_or_insert_with(|| Box::new(Window::new(VALUES_WINDOW)));
            window.push_run(self.step, self.count);
        }
    }

    /// `second` allows second differences where they are clearly smaller.
    pub(super) fn finish(mut self, second: bool) -> Folded {
        let nodes = match self.window.take() {
            // One step throughout.
            None if self.count > 0 => vec![Node::run(self.step, self.count)],
            None => Vec::new(),
            Some(mut window) => {
                window.push_run(self.step, self.count);
                window.finish()
            }
        };
        let plain = Folded { len: self.len, first: self.first, second: None, nodes };
        if second { plain.or_second() } else { plain }
    }
}

impl Folded {
    /// Uses second differences if the steps hardly fold and their differences do.
    fn or_second(self) -> Folded {
        if self.nodes.len() < WORTH_SECOND || (self.nodes.len() as u64) < self.len / 2 {
            return self;
        }
        let sample = self.second_nodes(SAMPLE);
        if sample.len() * 4 > self.nodes.len().min(SAMPLE) {
            return self;
        }
        let nodes = self.second_nodes(usize::MAX);
        if nodes.len() * 4 > self.nodes.len() {
            return self;
        }
        Folded { second: Symbols::new(&self.nodes).next(), nodes, ..self }
    }

    fn second_nodes(&self, steps: usize) -> Vec<Node> {
        let mut steps = Symbols::new(&self.nodes).take(steps);
        let mut folding = Window::new(VALUES_WINDOW);
        let mut last = steps.next().unwrap_or(0);
        for step in steps {
            folding.push_run(step.wrapping_sub(last), 1);
            last = step;
        }
        folding.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(values: impl Iterator<Item = i64>) -> Folded {
        let mut series = Series::default();
        values.for_each(|value| series.push(value));
        series.finish(true)
    }

    #[test]
    fn constants_and_steps_are_one_node() {
        assert!(fold([7].into_iter()).nodes.is_empty());
        assert_eq!(fold([7; 5].into_iter()).nodes, [Node::run(0, 4)]);
        assert_eq!(fold((0..1000).map(|at| at * 3)).nodes, [Node::run(3, 999)]);
        let extremes = fold([i64::MIN, i64::MAX, i64::MIN].into_iter());
        assert_eq!(extremes.nodes, [Node::run(-1, 1), Node::run(1, 1)]);
    }

    #[test]
    fn squares_fold_by_second_differences() {
        let squares = fold((0..1000).map(|at: i64| at * at));
        assert_eq!((squares.second, squares.nodes.len()), (Some(1), 1));
    }

    #[test]
    fn a_late_sequence_begins_with_zeros() {
        let mut series = Series::default();
        series.push_zeros(3);
        series.push(5);
        let folded = series.finish(false);
        assert_eq!((folded.len, folded.first), (4, 0));
        assert_eq!(folded.nodes, [Node::run(0, 2), Node::run(5, 1)]);
    }
}
