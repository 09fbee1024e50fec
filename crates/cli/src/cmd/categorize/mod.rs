//! `marigraph categorize`: the kinds of I/O of a job.

mod corpus;
mod one;
mod thresholds;

use std::io::Write;
use std::path::Path;

use marigraph_report::category::Categorized;

use crate::args::CategorizeArgs;
use crate::error::Failure;
use crate::runs::one_per_run;
use crate::{input, many, output};

use one::Categorizable;
pub use one::is_sound;
pub use thresholds::thresholds;

pub fn run(args: &CategorizeArgs) -> Result<(), Failure> {
    let thresholds = thresholds(args)?;
    if let Some(into) = &args.into {
        return corpus::run(args, into, thresholds);
    }
    input::all_exist(&args.read.logs)?;
    let mut inputs = input::find(&args.read.logs);
    let same = one_per_run(&args.read, &mut inputs);
    let look = |path: &Path| {
        let categorized = input::with_input(path, &args.read, |input| {
            let reader = input.reader()?;
            let found = one::categories(reader.as_ref(), input.damage.clone(), &thresholds);
            let found = found.map_err(|refused| refused.into_failure(input.name))?;
            let Categorizable { job, categories, problems, .. } = found;
            Ok(Categorized { input: input.name.to_string(), job, categories, problems, thresholds })
        })?;
        Ok(render(&categorized, &same.others(path), args.json))
    };
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, inputs, &look, &mut |_, text: String| {
        out.write_all(text.as_bytes()).map_err(failed)
    });
    out.flush().map_err(failed)?;
    result
}

/// `others` are further inputs of the same run.
fn render(categorized: &Categorized, others: &[String], json: bool) -> String {
    if !json {
        return categorized.text(output::width());
    }
    let mut document = categorized.json();
    document["same_run"] = others.into();
    format!("{document}\n")
}
