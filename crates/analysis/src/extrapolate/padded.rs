//! Unifies zero-padded numbers in names: `out.09` and `out.10` are one name, `out.%02d`.
//!
//! A number that fills its width looks unpadded. If a call prints both kinds, and the unpadded
//! numbers are large enough to fill the width, all of them have that width.

use std::collections::{BTreeMap, BTreeSet};

use marigraph_model::folded::{Name, Part, Piece, Sequence, Shape, Template, place};
use marigraph_wire::sequence::Bench;

use super::Input;
use super::prepare::{MOST, is_constant};

/// A name of a call, regardless of the widths of its numbers.
type Family = (Shape, usize, Template);

#[derive(Debug, Default, Clone)]
struct Printed {
    widths: BTreeSet<u8>,
    least: Option<i64>,
}

impl Printed {
    fn width(&self) -> Option<u8> {
        let width = self.widths.first().copied().filter(|_| self.widths.len() == 1)?;
        (self.least? >= smallest(width)).then_some(width)
    }
}

/// The smallest number that fills a width.
pub fn smallest(width: u8) -> i64 {
    10i64.saturating_pow(u32::from(width).saturating_sub(1))
}

/// Gives numbers that fill the width of others at their place the same width, at all sizes.
pub fn unify(inputs: &mut [Input], bench: &mut Bench) {
    let mut printed: BTreeMap<Family, Vec<Printed>> = BTreeMap::new();
    let parts = inputs.iter().flat_map(|input| &input.streams).flat_map(|stream| &stream.parts);
    for part in parts {
        for name in &part.names {
            note(part, name, &mut printed);
        }
    }
    // Most programs print numbers in one way.
    printed.retain(|_, fields| fields.iter().any(|field| field.width().is_some()));
    if printed.is_empty() {
        return;
    }
    let streams = inputs.iter_mut().flat_map(|input| &mut input.streams);
    for part in streams.flat_map(|stream| &mut stream.parts) {
        for at in 0..part.names.len() {
            widen(part, at, &printed, bench);
        }
    }
}

fn bare(template: &Template) -> Template {
    let without = |piece: &Piece| if let Piece::Number(_) = piece { Piece::Number(0) } else { piece.clone() };
    template.iter().map(without).collect()
}

pub fn widths(template: &Template) -> impl Iterator<Item = u8> + '_ {
    template.iter().filter_map(|piece| if let Piece::Number(width) = piece { Some(*width) } else { None })
}

fn note(part: &Part, name: &Name, printed: &mut BTreeMap<Family, Vec<Printed>>) {
    let leasts = leasts(part, name);
    for (template, leasts) in name.templates.iter().zip(leasts) {
        let fields = printed.entry((part.shape.clone(), name.argument, bare(template))).or_default();
        for (at, width) in widths(template).enumerate() {
            if fields.len() <= at {
                fields.push(Printed::default());
            }
            if width > 0 {
                fields[at].widths.insert(width);
            } else {
                let known = fields[at].least.unwrap_or(i64::MAX);
                fields[at].least = Some(leasts.get(at).copied().unwrap_or(0).min(known));
            }
        }
    }
}

/// The minimum of each number, per template. Very long sequences are not scanned: their minimum
/// counts as 0.
fn leasts(part: &Part, name: &Name) -> Vec<Vec<i64>> {
    let at = place(&part.names, name.argument);
    let numbers = part.sequences.get(at + 1..at + 1 + name.numbers).unwrap_or(&[]);
    if let [_] = name.templates[..] {
        return vec![numbers.iter().map(least).collect()];
    }
    let mut found = vec![vec![i64::MAX; numbers.len()]; name.templates.len()];
    let Some(which) = part.sequences.get(at).filter(|which| which.len() <= MOST) else {
        return vec![vec![0; numbers.len()]; name.templates.len()];
    };
    let mut values: Vec<_> = numbers.iter().map(Sequence::iter).collect();
    for template in which.iter() {
        let found = usize::try_from(template).ok().and_then(|template| found.get_mut(template));
        let next = values.iter_mut().map(|values| values.next().unwrap_or(0));
        for (least, next) in found.map_or(&mut [][..], |found| found).iter_mut().zip(next) {
            *least = next.min(*least);
        }
    }
    found
}

/// The minimum of a sequence, or 0 if it is too long to scan.
pub fn least(sequence: &Sequence) -> i64 {
    match sequence.len() {
        _ if is_constant(sequence) => sequence.values.first,
        0..=MOST => sequence.iter().min().unwrap_or(0),
        _ => 0,
    }
}

/// Gives the templates of a name the widths of their families, and merges those that become equal.
fn widen(part: &mut Part, at: usize, printed: &BTreeMap<Family, Vec<Printed>>, bench: &mut Bench) {
    let (shape, name) = (part.shape.clone(), &part.names[at]);
    let wide = |template: &Template| -> Template {
        let Some(fields) = printed.get(&(shape.clone(), name.argument, bare(template))) else {
            return template.clone();
        };
        let mut fields = fields.iter().map(Printed::width);
        let widened = |piece: &Piece| match piece {
            Piece::Number(width) => Piece::Number(fields.next().flatten().unwrap_or(*width)),
            other => other.clone(),
        };
        template.iter().map(widened).collect()
    };
    let all: Vec<Template> = name.templates.iter().map(wide).collect();
    let mut kept: Vec<Template> = Vec::new();
    let mut places: Vec<i64> = Vec::new();
    for template in all {
        let known = kept.iter().position(|kept| *kept == template);
        places.push(known.unwrap_or(kept.len()) as i64);
        kept.extend(known.is_none().then_some(template));
    }
    let which = place(&part.names, name.argument);
    if kept.len() < places.len()
        && let Some(sequence) = part.sequences.get_mut(which)
    {
        let at = |old: i64| usize::try_from(old).ok().and_then(|old| places.get(old).copied()).unwrap_or(old);
        let values: Vec<i64> = sequence.iter().map(at).collect();
        *sequence = Sequence { values: bench.values(values.into_iter()), first_of_second: None };
    }
    part.names[at].templates = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_hold_where_all_numbers_fill_them() {
        let printed = |widths: &[u8], least| Printed { widths: widths.iter().copied().collect(), least };
        assert_eq!(printed(&[2], Some(10)).width(), Some(2));
        assert_eq!(printed(&[2], Some(9)).width(), None, "there is a 9 without a zero");
        assert_eq!(printed(&[2, 3], Some(100)).width(), None);
        assert_eq!(printed(&[], Some(10)).width(), None);
    }
}
