//! Finds the loops in a sequence of symbols, in linear time and fixed memory.
//!
//! The result is a list of nodes: a run is a symbol and its count, a loop is a count and the `len`
//! nodes after it. Symbols arrive as runs (equal neighbours are counted first). Nodes not yet final
//! are on a stack of *tops*; after each arrival two rules are tried until neither applies:
//!
//! * a loop grows: the tops after a loop repeat its body once more;
//! * a loop begins: the last p tops repeat the p before them. Candidates for p are the distances to
//!   the last few tops equal to the tail; prefix hashes make the test O(1), and a comparison
//!   confirms it.
//!
//! Counts take part in the comparison, so a loop never closes early. Callers store varying trip
//! counts separately, as run lengths (see [`crate::segment`]).
//!
//! Each symbol is pushed once and popped at most once, so the work is linear. When the stack is
//! full, its older half is emitted: nothing is lost except folds across that point.

/// A run of a symbol, or a loop over the nodes that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Node {
    /// The symbol of a run; for a loop, the number of tops in its body.
    pub value: i64,
    pub count: u64,
    /// 0 for a run; for a loop, the number of nodes in its body.
    pub len: u32,
}

impl Node {
    pub fn run(value: i64, count: u64) -> Node {
        Node { value, count, len: 0 }
    }
}

/// A node on the stack, with the hashes and links for the search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Top {
    start: u32,
    hash: u64,
    /// Hash of the body, for loops.
    body: u64,
    /// Hash of all tops below.
    prefix: u64,
    /// Links, plus one: to the previous top in the same place of the table, and to the previous
    /// loop.
    same: u32,
    looped: u32,
}

/// Longest loop body, in tops.
const LONGEST: usize = 1024;
/// Earlier tops with the same hash that are tried.
const TRIES: usize = 8;
/// Earlier loops that are tried.
const LOOPS: usize = 4;
/// Size of the table from hash to top: the length of a folder's `places`.
pub const PLACES: usize = 1024;

const BASE: u64 = 0x9e37_79b9_7f4a_7c15 | 1;

const fn powers() -> [u64; LONGEST + 1] {
    let mut out = [1u64; LONGEST + 1];
    let mut at = 1;
    while at <= LONGEST {
        out[at] = out[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    out
}

static POWERS: [u64; LONGEST + 1] = powers();

fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.rotate_left(32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ (x >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 29)
}

/// Working memory of a [`Folder`], reused for one sequence after another.
#[derive(Debug)]
pub struct Memory<const N: usize> {
    nodes: [Node; N],
    tops: [Top; N],
    places: [u32; PLACES],
}

impl<const N: usize> Memory<N> {
    pub const NEW: Memory<N> = Memory {
        nodes: [Node { value: 0, count: 0, len: 0 }; N],
        tops: [Top { start: 0, hash: 0, body: 0, prefix: 0, same: 0, looped: 0 }; N],
        places: [0; PLACES],
    };

    pub fn folder(&mut self) -> Folder<'_> {
        self.places.fill(0);
        Folder::new(&mut self.nodes, &mut self.tops, &mut self.places)
    }
}

/// Receives the final nodes of a sequence, in order.
pub trait Nodes {
    fn node(&mut self, node: Node);
}

impl Nodes for alloc::vec::Vec<Node> {
    fn node(&mut self, node: Node) {
        self.push(node);
    }
}

/// Folds one sequence.
#[derive(Debug)]
pub struct Folder<'a> {
    nodes: &'a mut [Node],
    tops: &'a mut [Top],
    places: &'a mut [u32],
    used: usize,
    height: usize,
    last_loop: u32,
    open: Node,
}

/// State of a suspended folder. Its memory may grow before it resumes.
#[derive(Debug, Clone, Copy, Default)]
pub struct State {
    used: usize,
    height: usize,
    last_loop: u32,
    open: Node,
}

impl State {
    /// Nodes of the memory in use.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl<'a> Folder<'a> {
    /// Continues where [`Folder::suspend`] stopped, on memory with the same contents.
    pub fn resume(
        nodes: &'a mut [Node],
        tops: &'a mut [Top],
        places: &'a mut [u32],
        state: State,
    ) -> Folder<'a> {
        let State { used, height, last_loop, open } = state;
        Folder { nodes, tops, places, used, height, last_loop, open }
    }

    pub fn suspend(self) -> State {
        State { used: self.used, height: self.height, last_loop: self.last_loop, open: self.open }
    }

    /// `places` must be all zero; `nodes` and `tops` must have the same length.
    pub fn new(nodes: &'a mut [Node], tops: &'a mut [Top], places: &'a mut [u32]) -> Folder<'a> {
        Folder { nodes, tops, places, used: 0, height: 0, last_loop: 0, open: Node::default() }
    }

    #[inline]
    pub fn push(&mut self, value: i64, out: &mut dyn Nodes) {
        if self.open.count > 0 && self.open.value == value {
            self.open.count += 1;
        } else {
            self.close_run(out);
            self.open = Node::run(value, 1);
        }
    }

    pub fn push_run(&mut self, value: i64, count: u64, out: &mut dyn Nodes) {
        if self.open.count > 0 && self.open.value == value {
            self.open.count = self.open.count.saturating_add(count);
        } else if count > 0 {
            self.close_run(out);
            self.open = Node::run(value, count);
        }
    }

    /// Tops on the stack.
    pub fn height(&self) -> usize {
        self.height
    }

    pub fn finish(mut self, out: &mut dyn Nodes) {
        self.close_run(out);
        for node in self.nodes.iter().take(self.used) {
            out.node(*node);
        }
    }

    fn close_run(&mut self, out: &mut dyn Nodes) {
        if self.open.count > 0 {
            let open = self.open;
            if self.add_top(open).is_none() {
                self.give_out_half(out);
                // There is room now; if there were none, the node would be emitted itself, in
                // order.
                if self.add_top(open).is_none() {
                    self.give_out_all(out);
                    out.node(open);
                }
            }
            while self.grow_loop().or_else(|| self.begin_loop()).is_some() {}
        }
    }

    fn add_top(&mut self, node: Node) -> Option<()> {
        let before = self.height.checked_sub(1).and_then(|last| self.tops.get(last)).copied();
        let prefix = before.map_or(0, |top| top.prefix.wrapping_mul(BASE).wrapping_add(top.hash));
        *self.nodes.get_mut(self.used)? = node;
        let start = self.used as u32;
        let hash = mix(node.value as u64, node.count);
        *self.tops.get_mut(self.height)? =
            Top { start, hash, body: 0, prefix, same: 0, looped: self.last_loop };
        if self.height > 0 {
            self.register(self.height - 1);
        }
        self.used += 1;
        self.height += 1;
        Some(())
    }

    /// Makes a final top findable by its hash.
    fn register(&mut self, at: usize) {
        let Some(top) = self.tops.get_mut(at) else { return };
        if let Some(place) = self.places.get_mut(top.hash as usize % PLACES) {
            top.same = if *place as usize <= at { *place } else { 0 };
            *place = at as u32 + 1;
        }
    }

    fn range_hash(&self, from: usize, len: usize) -> Option<u64> {
        let end = match self.tops.get(from + len).filter(|_| from + len < self.height) {
            Some(top) => top.prefix,
            None => {
                let last = self.tops.get((from + len).checked_sub(1)?)?;
                last.prefix.wrapping_mul(BASE).wrapping_add(last.hash)
            }
        };
        let start = self.tops.get(from)?.prefix;
        Some(end.wrapping_sub(start.wrapping_mul(*POWERS.get(len)?)))
    }

    fn slice(&self, from: usize, to: usize) -> Option<&[Node]> {
        let end = if to < self.height { self.tops.get(to)?.start as usize } else { self.used };
        self.nodes.get(self.tops.get(from)?.start as usize..end)
    }

    fn grow_loop(&mut self) -> Option<()> {
        let mut at = self.last_loop as usize;
        for _ in 0..LOOPS {
            let index = at.checked_sub(1)?;
            let top = *self.tops.get(index)?;
            let head = *self.nodes.get(top.start as usize)?;
            let body = head.value as usize;
            if self.height.checked_sub(index + 1)? == body
                && self.range_hash(index + 1, body)? == top.body
                && self.slice(index + 1, self.height)?
                    == self.nodes.get(top.start as usize + 1..top.start as usize + 1 + head.len as usize)?
            {
                self.cut(index + 1)?;
                let head = self.nodes.get_mut(top.start as usize)?;
                head.count = head.count.saturating_add(1);
                self.tops.get_mut(index)?.hash = mix(top.body, head.count);
                return Some(());
            }
            at = top.looped as usize;
        }
        None
    }

    fn begin_loop(&mut self) -> Option<()> {
        let tail = self.height.checked_sub(1)?;
        let hash = self.tops.get(tail)?.hash;
        let mut at = *self.places.get(hash as usize % PLACES)? as usize;
        for _ in 0..TRIES {
            let index = at.checked_sub(1)?;
            let top = *self.tops.get(index)?;
            at = top.same as usize;
            if index >= tail || top.hash != hash {
                continue;
            }
            let body = tail - index;
            if body > LONGEST || 2 * body > self.height {
                return None;
            }
            let (first, second) = (self.height - 2 * body, self.height - body);
            if self.range_hash(first, body)? == self.range_hash(second, body)?
                && self.slice(first, second)? == self.slice(second, self.height)?
            {
                return self.make_loop(first, body);
            }
        }
        None
    }

    /// Replaces the last `2 * body` tops, two equal halves, by a loop.
    fn make_loop(&mut self, first: usize, body: usize) -> Option<()> {
        let hash = self.range_hash(first, body)?;
        let start = self.tops.get(first)?.start as usize;
        let end = self.tops.get(first + body)?.start as usize;
        // The second copy makes room for the head.
        self.nodes.get_mut(start..end + 1)?.copy_within(..end - start, 1);
        let len = (end - start) as u32;
        *self.nodes.get_mut(start)? = Node { value: body as i64, count: 2, len };
        self.used = end + 1;
        self.height = first + 1;
        let top = self.tops.get_mut(first)?;
        top.body = hash;
        top.hash = mix(hash, 2);
        // The previous loop is the one before the first top of the body, unless that was a loop
        // itself.
        if self.last_loop as usize > first {
            self.last_loop = self.loop_below(first);
        }
        let below = self.last_loop;
        self.tops.get_mut(first)?.looped = below;
        self.last_loop = first as u32 + 1;
        Some(())
    }

    /// The nearest loop among the tops below `height`, plus one.
    fn loop_below(&self, height: usize) -> u32 {
        let mut at = self.last_loop;
        while at as usize > height {
            at = self.tops.get(at as usize - 1).map_or(0, |top| top.looped);
        }
        at
    }

    fn cut(&mut self, height: usize) -> Option<()> {
        self.used = self.tops.get(height)?.start as usize;
        self.last_loop = self.loop_below(height);
        self.height = height;
        Some(())
    }

    fn give_out_all(&mut self, out: &mut dyn Nodes) {
        self.nodes.iter().take(self.used).for_each(|&node| out.node(node));
        (self.used, self.height, self.last_loop) = (0, 0, 0);
    }

    fn give_out_half(&mut self, out: &mut dyn Nodes) {
        let keep = self.height / 2;
        let Some(start) = self.tops.get(keep).map(|top| top.start as usize) else {
            return self.give_out_all(out);
        };
        self.nodes.iter().take(start).for_each(|&node| out.node(node));
        self.nodes.copy_within(start..self.used, 0);
        let (used, height) = (self.used - start, self.height);
        self.places.fill(0);
        (self.used, self.height, self.last_loop) = (used, 0, 0);
        for at in keep..height {
            let Some(&top) = self.tops.get(at) else { return };
            let to = self.height;
            let before = to.checked_sub(1).and_then(|last| self.tops.get(last)).copied();
            let prefix = before.map_or(0, |top| top.prefix.wrapping_mul(BASE).wrapping_add(top.hash));
            let top = Top { start: top.start - start as u32, prefix, same: 0, looped: self.last_loop, ..top };
            let is_loop = self.nodes.get(top.start as usize).is_some_and(|node| node.len > 0);
            if let Some(place) = self.tops.get_mut(to) {
                *place = top;
            }
            if is_loop {
                self.last_loop = to as u32 + 1;
            }
            self.height += 1;
            if at + 1 < height {
                self.register(to);
            }
        }
    }
}

/// Number of symbols that nodes expand to; saturates.
pub fn expanded_len(nodes: &[Node]) -> u64 {
    let mut sum = 0u64;
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        if node.len == 0 {
            sum = sum.saturating_add(node.count);
            at += 1;
        } else {
            let end = (at + 1).saturating_add(node.len as usize).min(nodes.len());
            let body = nodes.get(at + 1..end).map_or(0, expanded_len);
            sum = sum.saturating_add(body.saturating_mul(node.count));
            at = end;
        }
    }
    sum
}
