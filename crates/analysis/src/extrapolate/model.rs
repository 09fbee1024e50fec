//! A model of a number over rank and size.

use std::fmt;

use super::fit::Observed;
use super::forms::Form;
use super::ratio::Ratio;
use super::sizes::SizeModel;
use super::terms::{Size, Term};

/// A model of a number over rank and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub form: Form,
    /// The constant, then one factor per feature of the form.
    pub factors: Vec<SizeModel>,
    /// The unit that each factor was a multiple of at all observed sizes; `None` for a fraction.
    pub units: Vec<Option<i128>>,
    /// The element size that each factor was a multiple of at all observed sizes; 1 if there is
    /// none.
    pub elements: Vec<i128>,
}

/// A model evaluated at one size.
#[derive(Debug)]
pub struct Placed {
    form: Form,
    size: Size,
    factors: Vec<Ratio>,
    /// Whether a factor was truncated, or is not a multiple of its element size.
    pub rounded: bool,
}

impl Placed {
    pub fn at(&self, rank: u64) -> Option<i64> {
        let mut sum = *self.factors.first()?;
        for (factor, feature) in self.factors.iter().skip(1).zip(self.form.features(rank, &self.size)?) {
            sum = sum.plus(factor.times(Ratio::whole(feature))?)?;
        }
        i64::try_from(sum.to_whole()?).ok()
    }
}

impl Model {
    /// Evaluates the model at a size. Factors that were multiples of a unit at all observed sizes
    /// are truncated to it, as integer division does.
    pub fn on(&self, ranks: u64) -> Option<Placed> {
        let mut rounded = false;
        let factor = |((factor, unit), &element): ((&SizeModel, &Option<i128>), &i128)| {
            let value = factor.at(ranks)?;
            let Some(unit) = unit.map(Ratio::whole) else { return Some(value) };
            let cut = Ratio::whole(value.over(unit)?.truncated()).times(unit)?;
            rounded |= cut != value || !cut.is_multiple_of(element);
            Some(cut)
        };
        let factors = self
            .factors
            .iter()
            .zip(&self.units)
            .zip(&self.elements)
            .map(factor)
            .collect::<Option<Vec<Ratio>>>()?;
        Some(Placed { form: self.form, size: Size::of(ranks), factors, rounded })
    }

    pub fn in_ones(&self) -> Model {
        Model { units: self.units.iter().map(|unit| unit.map(|_| 1)).collect(), ..self.clone() }
    }

    pub fn has_grid(&self) -> bool {
        self.form.grid().is_some() || self.factors.iter().any(SizeModel::has_side)
    }

    pub fn has_sides_of(&self, dimensions: usize) -> bool {
        let side =
            |term: &Term| matches!(term, Term::Side(of, _) | Term::OverSide(of, _) if *of == dimensions);
        self.form.grid() == Some(dimensions) || self.factors.iter().any(|factor| factor.has(side))
    }

    pub fn divides(&self) -> bool {
        self.factors.iter().any(|factor| factor.has(|term| matches!(term, Term::Over(_))))
    }

    pub fn is_affine(&self) -> bool {
        matches!(self.form, Form::Constant | Form::Linear)
    }

    pub fn explains(&self, observed: &Observed) -> bool {
        let Some(placed) = self.on(observed.ranks) else { return false };
        observed.values.iter().all(|&(rank, value)| placed.at(rank) == Some(value))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<String> = Vec::new();
        for (factor, name) in self.factors.iter().skip(1).zip(self.form.names()) {
            match factor.to_string().as_str() {
                "0" => {}
                "1" => terms.push(name),
                factor if factor.contains([' ', '/']) => terms.push(format!("({factor})*{name}")),
                factor => terms.push(format!("{factor}*{name}")),
            }
        }
        if let Some(constant) = self.factors.first().filter(|factor| !factor.is_zero() || terms.is_empty()) {
            terms.push(constant.to_string());
        }
        write!(f, "{}", terms.join(" + "))
    }
}
