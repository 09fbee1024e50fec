//! Arguments of `categorize`.

use std::path::PathBuf;

use super::ReadArgs;

#[derive(clap::Args, Debug)]
#[command(after_help = thresholds_help())]
pub struct CategorizeArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Print JSON; JSON Lines for several inputs
    #[arg(long)]
    pub json: bool,
    /// Summarise a whole corpus: write a table of all logs, a summary and a page into this folder; continues after a kill
    #[arg(long, value_name = "DIR")]
    pub into: Option<PathBuf>,
    /// Replace a published threshold; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub threshold: Vec<(String, f64)>,
    /// Read thresholds from a file of lines NAME = VALUE; --threshold overrides it
    #[arg(long, alias = "profile", value_name = "FILE.toml")]
    pub thresholds_file: Option<PathBuf>,
}

fn thresholds_help() -> String {
    use marigraph_analysis::category::Thresholds;
    let mut help = "Examples:
  marigraph categorize job.darshan                          labels of one job
  marigraph categorize --json logs/ | jq .categories        every log below a folder
  marigraph categorize logs/ --into year                    table, summary and page of a year's logs
  marigraph categorize --threshold busy_share=0.5 job.darshan

Thresholds:
"
    .to_string();
    for (name, meaning, value) in Thresholds::ALL {
        help.push_str(&format!("  {name:<24}{value:>9}   {meaning}\n"));
    }
    help.trim_end().to_string()
}

/// `NAME=VALUE`.
pub fn assignment(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    match parts.and_then(|(name, value)| Some((name, number(value)?))) {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value)),
        _ => Err("expected NAME=NUMBER".to_string()),
    }
}

/// A number; as in TOML, _ may separate digits.
fn number(text: &str) -> Option<f64> {
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_a_name_and_a_number() {
        assert_eq!(assignment("busy_share=0.5"), Ok(("busy_share".to_string(), 0.5)));
        assert_eq!(
            assignment("insignificant_bytes = 1_000_000"),
            Ok(("insignificant_bytes".to_string(), 1e6))
        );
        for wrong in ["", "=", "a=", "=1", "a=b", "a 1"] {
            assert!(assignment(wrong).is_err(), "{wrong}");
        }
    }
}
