//! Arguments of `period`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use marigraph_analysis::period::{DirectionFilter, Finder, Finders, Rules};

use super::ReadArgs;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph period job.darshan                              period of the job's I/O
  marigraph period --op write --plot job.svg job.darshan    period of its writes, with a plot
  marigraph period --json logs/ | jq .period_s              every log below a folder")]
pub struct PeriodArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Print JSON; JSON Lines for several inputs
    #[arg(long)]
    pub json: bool,
    /// Operations to analyse
    #[arg(long, value_enum, default_value_t = OpArg::Both)]
    pub op: OpArg,
    /// Analyse only this part of the run, in seconds from its start; either side may be empty
    #[arg(long, value_name = "FROM:TO", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 2]>,
    /// Detection method
    #[arg(long, value_enum, default_value_t = MethodArg::Auto)]
    pub method: MethodArg,
    /// For dft: samples per second (default: 10, or one per bin of a heat map); auto resolves every change
    #[arg(long, value_name = "HZ|auto", value_parser = sampling)]
    pub sampling: Option<SamplingArg>,
    /// For dft: accept candidates from this share of the strongest one
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    pub tolerance: f64,
    /// For dft: how to find outliers of the spectrum; of several, more than half must agree
    #[arg(long, value_name = "WAY,...", value_delimiter = ',', default_value = "zscore", value_parser = finders())]
    pub outliers: Vec<Finder>,
    /// For dft: leave out the autocorrelation, which refines the confidence
    #[arg(long)]
    pub no_autocorrelation: bool,
    /// For dft: do as FTIO 0.0.9 does where it differs from the paper
    #[arg(long)]
    pub as_ftio: bool,
    /// Find the period of each rank by itself as well, of at most 1,024 ranks
    #[arg(long)]
    pub per_rank: bool,
    /// Ignore the first phase: reading input often differs from the rest
    #[arg(long)]
    pub skip_first_phase: bool,
    /// Unit of the input; files of TMIO before 0.0.2 are in MB and MB/s
    #[arg(long, value_enum, ignore_case = true)]
    pub unit: Option<UnitArg>,
    /// Plot signal, spectrum and autocorrelation; several inputs share one page (.html)
    #[arg(long, value_name = "FILE.svg|FILE.html")]
    pub plot: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpArg {
    /// Reads only
    Read,
    /// Writes only
    Write,
    /// Reads and writes together
    Both,
}

impl OpArg {
    /// The filter that analyses take.
    pub fn direction(self) -> DirectionFilter {
        match self {
            OpArg::Read => DirectionFilter::Read,
            OpArg::Write => DirectionFilter::Write,
            OpArg::Both => DirectionFilter::Both,
        }
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodArg {
    /// Our own method, with a calibrated probability
    Auto,
    /// The published method (FTIO): outliers of the spectrum
    Dft,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitArg {
    /// Bytes and bytes per second
    #[value(name = "B")]
    Bytes,
    /// Megabytes and megabytes per second
    #[value(name = "MB")]
    Megabytes,
}

/// Sampling rate of the published method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingArg {
    /// Resolves every change.
    Auto,
    /// Samples per second.
    Hertz(f64),
}

fn sampling(text: &str) -> Result<SamplingArg, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(SamplingArg::Auto);
    }
    hertz(text).map(SamplingArg::Hertz).map_err(|message| message + ", or auto")
}

pub(super) fn hertz(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hertz) if hertz.is_finite() && hertz > 0.0 => Ok(hertz),
        _ => Err("expected a number above 0, in Hz".to_string()),
    }
}

impl PeriodArgs {
    /// The rules of the published method.
    pub fn rules(&self) -> Rules {
        let finders = self.outliers.iter().fold(Finders::NONE, |all, finder| all.and(*finder));
        Rules {
            tolerance: self.tolerance,
            finders,
            autocorrelation: !self.no_autocorrelation,
            as_ftio: self.as_ftio,
        }
    }
}

fn finders() -> impl TypedValueParser<Value = Finder> {
    PossibleValuesParser::new(Finder::ALL.map(|(_, name)| name))
        .map(|name| Finder::named(&name).unwrap_or(Finder::ZScore))
}

/// A share of something.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_string()),
    }
}

fn window(text: &str) -> Result<[f64; 2], String> {
    let side = |text: &str, open: f64| match text.trim() {
        "" => Some(open),
        text => text.parse::<f64>().ok().filter(|bound| bound.is_finite()),
    };
    let bounds = text.split_once(':').and_then(|(from, to)| {
        Some([side(from, f64::NEG_INFINITY)?, side(to, f64::INFINITY)?]).filter(|[from, to]| from < to)
    });
    bounds.ok_or_else(|| "expected FROM:TO in seconds, with FROM below TO".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_may_be_open() {
        assert_eq!(window("10:20"), Ok([10.0, 20.0]));
        assert_eq!(window("-5: 2.5"), Ok([-5.0, 2.5]));
        assert_eq!(window(":20"), Ok([f64::NEG_INFINITY, 20.0]));
        assert_eq!(window("10:"), Ok([10.0, f64::INFINITY]));
        assert_eq!(window(":"), Ok([f64::NEG_INFINITY, f64::INFINITY]));
        for wrong in ["", "10", "20:10", "10:10", "a:b", "1:2:3", "nan:1", "inf:"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_and_shares_make_sense() {
        assert_eq!((sampling("auto"), sampling("0.5")), (Ok(SamplingArg::Auto), Ok(SamplingArg::Hertz(0.5))));
        assert!(["0", "-1", "nan", "inf", "often", ""].iter().all(|wrong| sampling(wrong).is_err()));
        assert!(share("0.8") == Ok(0.8) && share("1.1").is_err() && share("x").is_err());
    }
}
