//! Sums over a trace, worked out on its folded form.

use marigraph_wire::op::Layer;
use marigraph_wire::sequence::Values;

use super::MariError;
use super::loaded::{Loaded, LoadedShape};
use super::read::Mari;

/// What calls of one layer did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LayerTotals {
    pub calls: u64,
    pub failed: u64,
    pub read: u64,
    pub written: u64,
}

impl LayerTotals {
    fn add(&mut self, other: &LayerTotals) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failed = self.failed.saturating_add(other.failed);
        self.read = self.read.saturating_add(other.read);
        self.written = self.written.saturating_add(other.written);
    }
}

/// Sums by layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Layer, calls made by the program itself, and all calls.
    pub layers: Vec<(Layer, LayerTotals, LayerTotals)>,
    pub calls: u64,
    /// In the folded form: one program loop on many ranks counts once.
    pub loops: u64,
}

impl Totals {
    /// Calls made by the program itself, and all calls.
    pub fn layer(&self, layer: Layer) -> (LayerTotals, LayerTotals) {
        let found = self.layers.iter().find(|found| found.0 == layer);
        found.map(|&(_, own, all)| (own, all)).unwrap_or_default()
    }

    fn entry(&mut self, layer: Layer) -> Option<&mut (Layer, LayerTotals, LayerTotals)> {
        let at = self.layers.iter().position(|found| found.0 >= layer).unwrap_or(self.layers.len());
        if self.layers.get(at).is_none_or(|found| found.0 != layer) {
            self.layers.insert(at, (layer, LayerTotals::default(), LayerTotals::default()));
        }
        self.layers.get_mut(at)
    }

    fn add_shape(&mut self, shape: &LoadedShape<'_>) {
        let (read, written) = moved(shape);
        let failed = if shape.shape.failed { shape.calls } else { 0 };
        let sums = LayerTotals { calls: shape.calls, failed, read, written };
        if let Some((_, own, all)) = self.entry(shape.shape.op.layer()) {
            all.add(&sums);
            if shape.shape.depth == 0 {
                own.add(&sums);
            }
        }
        self.calls = self.calls.saturating_add(shape.calls);
    }

    fn add(&mut self, other: &Totals) {
        for (layer, own, all) in &other.layers {
            if let Some(entry) = self.entry(*layer) {
                entry.1.add(own);
                entry.2.add(all);
            }
        }
        self.calls = self.calls.saturating_add(other.calls);
    }
}

/// Bytes read and written.
fn moved(shape: &LoadedShape<'_>) -> (u64, u64) {
    let (read, written) = shape.shape.transfers();
    let asked = shape.arguments.get(1).and_then(|asked| asked.plain()).map_or(0, sum);
    let returned = shape.ret.plain().map_or(0, sum);
    let bytes = match (shape.shape.counts_asked(), shape.shape.less) {
        (true, _) => asked,
        (false, true) => asked.wrapping_add(returned),
        (false, false) => returned,
    };
    (if read { bytes } else { 0 }, if written { bytes } else { 0 })
}

/// The cast is exact where the values are amounts of bytes.
fn sum(values: &Values) -> u64 {
    values.sum() as u64
}

impl Loaded<'_> {
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { loops: self.loops(), ..Totals::default() };
        self.shapes.iter().for_each(|shape| totals.add_shape(shape));
        totals
    }
}

impl Mari<'_> {
    /// Expands no call, and computes streams with the same numbers once. Damaged streams count nothing;
    /// the first error is that of the first of them.
    pub fn totals(&self) -> (Totals, Option<MariError>) {
        let (mut totals, mut damage) = (Totals::default(), None);
        let mut classes: Vec<Option<Totals>> = vec![None; self.classes.len()];
        for stream in self.streams() {
            let Some(known) = classes.get_mut(stream.class) else { continue };
            if let Some(known) = known.as_ref().filter(|_| stream.alike().is_some()) {
                totals.add(known);
                continue;
            }
            let found = match stream.load() {
                Ok(loaded) => loaded.totals(),
                Err(error) => {
                    damage = damage.or(Some(error));
                    continue;
                }
            };
            totals.add(&found);
            if known.is_none() {
                totals.loops = totals.loops.saturating_add(found.loops);
                *known = Some(found);
            }
        }
        (totals, damage)
    }
}
