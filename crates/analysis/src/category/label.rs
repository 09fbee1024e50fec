//! Labels and their evidence.

use super::confidence::{Clues, WEIGHTS};

/// The source of a label, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// Every operation, from Darshan's extended tracing.
    Dxt,
    Trace,
    Heatmap,
    /// One interval per file.
    Records,
}

impl Evidence {
    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Dxt => "dxt",
            Evidence::Trace => "trace",
            Evidence::Heatmap => "heatmap",
            Evidence::Records => "records",
        }
    }
}

/// A label with its confidence and evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Labelled {
    pub label: Label,
    /// Probability that the label holds for what the job did.
    pub confidence: f64,
    pub evidence: Evidence,
    /// What the confidence rests on.
    pub clues: Clues,
}

impl Labelled {
    pub fn new(label: Label, evidence: Evidence, clues: Clues) -> Labelled {
        Labelled { label, confidence: clues.confidence(&WEIGHTS), evidence, clues }
    }
}

/// Passes the labels to a macro: for each its variant, its stable identifier and its meaning.
/// Everything with an entry per label (the enum here, the columns of `traces.parquet`) is generated
/// from this list.
#[macro_export]
macro_rules! for_labels {
    ($make:ident) => {
        $make! {
            ReadOnStart read_on_start "Reads in the first quarter of the run.";
            ReadOnEnd read_on_end "Reads in the last quarter of the run.";
            ReadAfterStart read_after_start "Reads from the second quarter on.";
            ReadBeforeEnd read_before_end "Reads up to the third quarter.";
            ReadAfterStartBeforeEnd read_after_start_before_end "Reads in the middle of the run.";
            ReadSteady read_steady "Reads evenly over the run.";
            ReadInsignificant read_insignificant "Reads little.";
            ReadPeriodic read_periodic "Reads at regular intervals.";
            ReadPeriodicSecond read_periodic_second "Reads periodically, less than a minute apart.";
            ReadPeriodicMinute read_periodic_minute "Reads periodically, minutes apart.";
            ReadPeriodicHour read_periodic_hour "Reads periodically, hours apart.";
            ReadPeriodicDayOrMore read_periodic_day_or_more "Reads periodically, a day or more apart.";
            ReadPeriodicLowBusyTime read_periodic_low_busy_time "Reads for a small share of each period.";
            ReadPeriodicHighBusyTime read_periodic_high_busy_time "Reads for a large share of each period.";
            WriteOnStart write_on_start "Writes in the first quarter of the run.";
            WriteOnEnd write_on_end "Writes in the last quarter of the run.";
            WriteAfterStart write_after_start "Writes from the second quarter on.";
            WriteBeforeEnd write_before_end "Writes up to the third quarter.";
            WriteAfterStartBeforeEnd write_after_start_before_end "Writes in the middle of the run.";
            WriteSteady write_steady "Writes evenly over the run.";
            WriteInsignificant write_insignificant "Writes little.";
            WritePeriodic write_periodic "Writes at regular intervals.";
            WritePeriodicSecond write_periodic_second "Writes periodically, less than a minute apart.";
            WritePeriodicMinute write_periodic_minute "Writes periodically, minutes apart.";
            WritePeriodicHour write_periodic_hour "Writes periodically, hours apart.";
            WritePeriodicDayOrMore write_periodic_day_or_more "Writes periodically, a day or more apart.";
            WritePeriodicLowBusyTime write_periodic_low_busy_time "Writes for a small share of each period.";
            WritePeriodicHighBusyTime write_periodic_high_busy_time "Writes for a large share of each period.";
            MetadataHighSpike metadata_high_spike "Very many metadata requests in at least one second.";
            MetadataHighDensity metadata_high_density "Many metadata requests throughout the run.";
            MetadataMultipleSpikes metadata_multiple_spikes "Many metadata requests in several seconds.";
            MetadataInsignificantLoad metadata_insignificant_load "Fewer metadata requests than processes.";
        }
    };
}

macro_rules! labels {
    ($($name:ident $word:ident $meaning:literal;)*) => {
        /// One kind of behaviour.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Label {
            $(#[doc = $meaning] $name,)*
        }

        impl Label {
            /// Every label, in output order.
            pub const ALL: [Label; [$(stringify!($word)),*].len()] = [$(Label::$name),*];

            pub const fn name(self) -> &'static str {
                match self { $(Label::$name => stringify!($word),)* }
            }

            pub fn named(name: &str) -> Option<Label> {
                Label::ALL.into_iter().find(|label| label.name() == name)
            }

            pub const fn meaning(self) -> &'static str {
                match self { $(Label::$name => $meaning,)* }
            }
        }
    };
}

for_labels!(labels);

/// Number of labels per direction; both directions use the same order.
const PER_DIRECTION: usize = 14;

/// A label that applies to reading and writing alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum DirectionLabel {
    OnStart,
    OnEnd,
    AfterStart,
    BeforeEnd,
    AfterStartBeforeEnd,
    Steady,
    Insignificant,
    Periodic,
    PeriodicSecond,
    PeriodicMinute,
    PeriodicHour,
    PeriodicDayOrMore,
    PeriodicLowBusyTime,
    PeriodicHighBusyTime,
}

impl DirectionLabel {
    /// Returns the label of a direction: 0 for reading, 1 for writing.
    pub fn of(self, side: usize) -> Label {
        Label::ALL[self as usize + PER_DIRECTION * side.min(1)]
    }
}
