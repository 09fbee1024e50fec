//! Thresholds of the labels.

/// An unknown threshold or an invalid value.
#[derive(Debug, Clone, PartialEq)]
pub enum UnknownThreshold {
    Name(String),
    Value(&'static str, f64),
}

impl std::fmt::Display for UnknownThreshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UnknownThreshold::Name(name) => write!(f, "unknown threshold {name:?}"),
            UnknownThreshold::Value(name, value) => {
                write!(f, "threshold {name} cannot be {value}: it must be 0 or more")
            }
        }
    }
}

impl std::error::Error for UnknownThreshold {}

macro_rules! thresholds {
    ($($name:ident = $value:literal, $meaning:literal;)*) => {
        /// All thresholds of the method; the defaults are the published ones.
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

            pub fn values(&self) -> Vec<(&'static str, f64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

thresholds! {
    insignificant_bytes = 1e8, "A direction with fewer bytes is insignificant.";
    steady_cv = 0.25, "A direction is steady below this coefficient of variation of the four quarters.";
    chunk_share = 0.5, "A quarter counts if it has more than this share of the largest one.";
    gap_of_runtime = 0.001, "Operations closer than this share of the run time are merged.";
    gap_of_neighbour = 0.01, "Operations closer than this share of the longer one are merged.";
    cluster_duration_ratio = 1.25, "Maximum ratio between distances of one period.";
    cluster_bytes_ratio = 1.5, "Maximum ratio between volumes of one period.";
    periodic_members = 3.0, "Minimum number of equal distances for a period.";
    comb_residual = 0.2, "Maximum deviation of operations from the period, as a share of it.";
    minute_s = 60.0, "Minimum period in seconds for the label of minutes.";
    hour_s = 3600.0, "Minimum period in seconds for the label of hours.";
    day_s = 86400.0, "Minimum period in seconds for the label of days.";
    busy_share = 0.25, "Minimum share of the period for a high busy time.";
    spike_requests = 50.0, "Minimum metadata requests in a second for a spike.";
    high_spike_requests = 250.0, "Metadata requests in a second above which a spike is high.";
    spike_count = 5.0, "Minimum number of spikes for multiple spikes.";
    density_requests = 50.0, "Minimum mean of metadata requests per second for a high density.";
    count_seeks = 0.0, "1: seeks also count as metadata requests, as in MOSAIC; they reach no metadata server.";
    count_stats = 0.0, "1: stat and fsync calls also count as metadata requests.";
}
