//! What the categories of many jobs say together: how often each label is, per application and per run,
//! which labels go together, and how far runs of one application agree (MOSAIC, tables II and III, figures
//! 4 and 5).

mod groups;
mod pairs;
mod set;

pub use groups::{Agreement, Application, GroupedRun, Groups, Standing};
pub use pairs::Pairs;
pub use set::LabelSet;

/// What a corpus says.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Every application once, by its heaviest run: what applications do.
    pub single_run: Pairs,
    /// Every run: what the file system sees.
    pub all_runs: Pairs,
    /// How far runs of an application agree.
    pub agreement: Agreement,
}

#[cfg(test)]
mod tests;
