//! Thresholds from the command line and from a file.

use std::fs;
use std::path::Path;

use marigraph_analysis::category::{Thresholds, UnknownThreshold};

use crate::args::{CategorizeArgs, assignment};
use crate::error::Failure;

pub fn thresholds(args: &CategorizeArgs) -> Result<Thresholds, Failure> {
    let mut thresholds = Thresholds::default();
    if let Some(path) = &args.thresholds_file {
        let text = fs::read_to_string(path).map_err(|error| Failure::read(path, &error))?;
        read_thresholds(path, &text, &mut thresholds)?;
    }
    for (name, value) in &args.threshold {
        thresholds
            .set(name, *value)
            .map_err(|error| Failure::Usage(format!("{error}\nhint: {}", hint(&error))))?;
    }
    Ok(thresholds)
}

/// Reads lines `name = value`; ignores comments, empty lines and table headers.
fn read_thresholds(path: &Path, text: &str, thresholds: &mut Thresholds) -> Result<(), Failure> {
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() || (line.starts_with('[') && line.ends_with(']')) {
            continue;
        }
        let wrong = |message: String, hint: Option<String>| Failure::Input {
            path: path.display().to_string(),
            message: format!("line {}: {message}", at + 1),
            hint,
        };
        let (name, value) =
            assignment(line).map_err(|expected| wrong(format!("{line:?}: {expected}"), None))?;
        thresholds.set(&name, value).map_err(|error| wrong(error.to_string(), Some(hint(&error))))?;
    }
    Ok(())
}

fn hint(error: &UnknownThreshold) -> String {
    match error {
        UnknownThreshold::Name(_) => "marigraph categorize --help lists all thresholds".to_string(),
        UnknownThreshold::Value(..) => "omit it to use the published value".to_string(),
    }
}
