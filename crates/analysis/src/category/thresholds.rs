//! Where labels begin and end.

/// A name that is no threshold, or a value that it cannot have.
#[derive(Debug, Clone, PartialEq)]
pub enum UnknownThreshold {
    /// There is no such threshold.
    Name(String),
    /// It cannot have this value.
    Value(&'static str, f64),
}

impl std::fmt::Display for UnknownThreshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UnknownThreshold::Name(name) => write!(f, "there is no threshold {name:?}"),
            UnknownThreshold::Value(name, value) => {
                write!(f, "threshold {name} cannot be {value}: it is a number from 0 on")
            }
        }
    }
}

impl std::error::Error for UnknownThreshold {}

macro_rules! thresholds {
    ($($name:ident = $value:literal, $meaning:literal;)*) => {
        /// Every cut of the method; the defaults are the published ones.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Thresholds {
            $(#[doc = $meaning] pub $name: f64,)*
        }

        impl Default for Thresholds {
            fn default() -> Thresholds {
                Thresholds { $($name: $value),* }
            }
        }

        impl Thresholds {
            /// Name, meaning and default of each.
            pub const ALL: &'static [(&'static str, &'static str, f64)] =
                &[$((stringify!($name), $meaning, $value)),*];

            /// Sets one by its name.
            pub fn set(&mut self, name: &str, value: f64) -> Result<(), UnknownThreshold> {
                let (name, place) = match name {
                    $(stringify!($name) => (stringify!($name), &mut self.$name),)*
                    _ => return Err(UnknownThreshold::Name(name.to_string())),
                };
                if !(value.is_finite() && value >= 0.0) {
                    return Err(UnknownThreshold::Value(name, value));
                }
                *place = value;
                Ok(())
            }

            /// Name and value of each.
            pub fn values(&self) -> Vec<(&'static str, f64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

thresholds! {
    insignificant_bytes = 1e8, "Below this many bytes a direction is insignificant.";
    steady_cv = 0.25, "Below this coefficient of variation of the four quarters a direction is steady.";
    chunk_share = 0.5, "A quarter counts when it holds more than this share of the largest one.";
    gap_of_runtime = 0.001, "Operations closer than this share of the run time become one.";
    gap_of_neighbour = 0.01, "Operations closer than this share of the longer one become one.";
    cluster_duration_ratio = 1.25, "Distances of one period differ by this factor at most.";
    cluster_bytes_ratio = 1.5, "Volumes of one period differ by this factor at most.";
    periodic_members = 3.0, "So many equal distances make a period.";
    comb_residual = 0.2, "Operations of a period deviate from its beat by less than this share of it.";
    minute_s = 60.0, "Periods from this many seconds on are of minutes.";
    hour_s = 3600.0, "Periods from this many seconds on are of hours.";
    day_s = 86400.0, "Periods from this many seconds on are of days.";
    busy_share = 0.25, "From this share of the period on its busy time is high.";
    spike_requests = 50.0, "From this many requests of metadata on a second is a spike.";
    high_spike_requests = 250.0, "Above this many requests of metadata a second is a high spike.";
    spike_count = 5.0, "So many spikes are several.";
    density_requests = 50.0, "From this mean of requests of metadata per second on their density is high.";
    count_stats = 0.0, "1: calls of stat and fsync are requests of metadata, too.";
}
