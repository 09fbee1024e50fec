//! `marigraph extrapolate`: a trace at a scale that was never run.

use std::collections::HashSet;
use std::path::Path;

use marigraph_analysis::extrapolate::{Input, Outcome, Verdict, extrapolate};
use marigraph_formats::native::mari::{Mari, MariError, Meta, write_classes};
use marigraph_model::Problem;
use marigraph_report::extrapolate as report;

use crate::args::ExtrapolateArgs;
use crate::error::Failure;
use crate::{input, output};

pub fn run(args: &ExtrapolateArgs) -> Result<(), Failure> {
    let mut inputs = Vec::new();
    let (mut meta, mut problems) = (Meta::default(), Vec::new());
    for path in &args.traces {
        let bytes = input::load(path)?;
        let (input, described, found) = taken_apart(path, &bytes)?;
        inputs.push(input);
        meta = described;
        problems.extend(found);
    }
    let outcome = extrapolate(&inputs, args.ranks, &args.model).map_err(|why| {
        let (message, hint) = report::impossible(&why);
        Failure::Input { path: args.traces[0].display().to_string(), message, hint: Some(hint.to_string()) }
    })?;
    let told = if args.json {
        format!("{}\n", report::json(&outcome, args.ranks, &problems))
    } else {
        report::text(&outcome, args.ranks)
    };
    output::print(&told)?;
    allowed(args, &outcome)?;
    let bytes = write_classes(&outcome.classes, &described(meta, &inputs, &outcome, args.ranks));
    // The result must be readable before it replaces a file.
    checked(&bytes, &args.output)?;
    output::write_file(&args.output, &bytes)
}

fn taken_apart(path: &Path, bytes: &[u8]) -> Result<(Input, Meta, Vec<Problem>), Failure> {
    let name = path.display().to_string();
    let failed = |error: MariError| Failure::format(&name, &error.into());
    let mari = Mari::read(bytes).map_err(failed)?;
    let ranks = u32::try_from(mari.meta().ranks).unwrap_or(0);
    if ranks == 0 {
        return Err(Failure::trace(&name, &"the trace does not have its number of ranks"));
    }
    let problems = input::warned(path, mari.problems());
    Ok((Input { ranks, streams: mari.skeleton().map_err(failed)? }, mari.meta().clone(), problems))
}

fn allowed(args: &ExtrapolateArgs, outcome: &Outcome) -> Result<(), Failure> {
    let fail = |message: &str, hint: &str| {
        let path = args.output.display().to_string();
        Err(Failure::Input { path, message: message.to_string(), hint: Some(hint.to_string()) })
    };
    if outcome.verdict() > Verdict::Assumed && !args.skip_refused {
        return fail(
            "not written: some events fit no model, or more than one",
            "--skip-refused leaves them out; traces at other sizes may decide between models",
        );
    }
    let assumed = outcome.details.iter().any(|detail| detail.verdict == Verdict::Assumed);
    if assumed && (args.strict || !args.accept_assumed) {
        return fail(
            "not written: some models are assumed, not proven",
            "--accept-assumed writes them; traces at other sizes may prove them",
        );
    }
    Ok(())
}

fn described(meta: Meta, inputs: &[Input], outcome: &Outcome, ranks: u32) -> Meta {
    let mut sizes: Vec<u32> = inputs.iter().map(|input| input.ranks).collect();
    sizes.sort_unstable();
    let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let mut notes = meta.notes.clone();
    let assumed = outcome.details.iter().filter(|detail| detail.verdict == Verdict::Assumed);
    notes.extend(assumed.map(|detail| {
        let words = format!("{}: {}: {}", detail.event, detail.model, detail.why);
        ("assumed".to_string(), words)
    }));
    Meta {
        ranks: u64::from(ranks),
        command: meta.command,
        uid: meta.uid,
        notes,
        provenance: format!("extrapolated from {} ranks", sizes.join(", ")),
        ..Meta::default()
    }
}

/// Loads streams of the new trace: the first of every class, and some of all. A contradiction is our
/// own error, reported instead of written.
fn checked(bytes: &[u8], path: &Path) -> Result<(), Failure> {
    let failed = |what: String| Failure::Input {
        path: path.display().to_string(),
        message: format!("not written: the models contradict each other ({what})"),
        hint: None,
    };
    let mari = Mari::read(bytes).map_err(|error| failed(error.to_string()))?;
    let step = usize::try_from(mari.stream_count() / 1024).unwrap_or(0).max(1);
    let mut classes = HashSet::new();
    for (at, stream) in mari.streams().enumerate() {
        if !classes.insert(stream.class()) && at % step > 0 {
            continue;
        }
        stream.load().map_err(|error| failed(format!("rank {}: {error}", stream.key().rank)))?;
    }
    Ok(())
}
