//! Statistics over the categories of many jobs: the frequency of each label per application and per
//! run, labels that occur together, and agreement between runs of one application (MOSAIC, tables
//! II and III, figures 4 and 5).

mod groups;
mod pairs;
mod set;

pub use groups::{Agreement, Application, GroupedRun, Groups, Standing};
pub use pairs::Pairs;
pub use set::LabelSet;

/// Statistics of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Each application once, by its heaviest run: what applications do.
    pub single_run: Pairs,
    /// Every run: what the file system sees.
    pub all_runs: Pairs,
    pub agreement: Agreement,
}

#[cfg(test)]
mod tests;
