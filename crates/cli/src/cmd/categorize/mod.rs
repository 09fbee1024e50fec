//! `marigraph categorize`: the kinds of I/O of a job.

mod corpus;
mod one;
mod thresholds;

use std::io::Write;
use std::path::Path;

use marigraph_report::category::Categorized;

use crate::args::CategorizeArgs;
use crate::error::Failure;
use crate::{input, many, output};

pub use thresholds::thresholds;

pub fn run(args: &CategorizeArgs) -> Result<(), Failure> {
    let thresholds = thresholds(args)?;
    if let Some(into) = &args.into {
        return corpus::run(args, into, thresholds);
    }
    let look = |path: &Path| {
        let categorized = input::with_input(path, &args.read, |input| {
            let reader = input.reader()?;
            let found = one::categories(reader.as_ref(), input.damage.clone(), &thresholds);
            let (job, categories, problems) = found.map_err(|refused| refused.into_failure(input.name))?;
            Ok(Categorized { input: input.name.to_string(), job, categories, problems, thresholds })
        })?;
        Ok(render(&categorized, args.json))
    };
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, input::find(&args.read.logs), &look, &mut |_, text: String| {
        out.write_all(text.as_bytes()).map_err(failed)
    });
    out.flush().map_err(failed)?;
    result
}

fn render(categorized: &Categorized, json: bool) -> String {
    if json { format!("{}\n", categorized.json()) } else { categorized.text(output::width()) }
}
