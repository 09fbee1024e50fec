//! The thresholds of the method. Moving them shows which labels depend on them.

macro_rules! cuts {
    ($($name:ident $word:literal $value:literal;)*) => {
        /// One threshold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Cut {
            $($name,)*
        }

        impl Cut {
            pub const ALL: &'static [Cut] = &[$(Cut::$name),*];

            /// The name that `categorize --threshold` takes, where it takes one.
            pub const fn name(self) -> &'static str {
                match self { $(Cut::$name => $word,)* }
            }
        }

        impl Default for Cuts {
            fn default() -> Cuts {
                Cuts([$($value),*])
            }
        }

        /// A value for each threshold; the defaults are those of the specification.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Cuts([f64; [$($word),*].len()]);
    };
}

cuts! {
    Bytes "insignificant_bytes" 1e8;
    Even "steady_cv" 0.25;
    Half "chunk_share" 0.5;
    GapOfRun "gap_of_runtime" 0.001;
    GapOfOperation "gap_of_neighbour" 0.01;
    LengthRatio "cluster_duration_ratio" 1.25;
    BytesRatio "cluster_bytes_ratio" 1.5;
    Members "periodic_members" 3.0;
    Comb "comb_residual" 0.2;
    Minute "minute_s" 60.0;
    Hour "hour_s" 3600.0;
    Day "day_s" 86_400.0;
    Busy "busy_share" 0.25;
    Spike "spike_requests" 50.0;
    HighSpike "high_spike_requests" 250.0;
    Spikes "spike_count" 5.0;
    Density "density_requests" 50.0;
    // Not an option of the program: a load is insignificant below one request per process.
    Load "requests_per_process" 1.0;
}

impl Cuts {
    pub fn of(&self, cut: Cut) -> f64 {
        self.0[cut as usize]
    }

    /// Moves one threshold by a share of itself.
    pub fn moved(mut self, cut: Cut, by: f64) -> Cuts {
        self.0[cut as usize] *= 1.0 + by;
        self
    }
}

impl Cut {
    /// Whether it decides which rhythms there are, and not only what they are called.
    pub fn finds_rhythms(self) -> bool {
        use Cut::{BytesRatio, Comb, GapOfOperation, GapOfRun, LengthRatio, Members};
        matches!(self, GapOfRun | GapOfOperation | LengthRatio | BytesRatio | Members | Comb)
    }
}
