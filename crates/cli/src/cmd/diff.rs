//! `marigraph diff`: whether two traces have the same calls.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

use marigraph_analysis::compare::{Comparison, Paths, Scope, Side, StreamId};
use marigraph_formats::native::mari::{Calls, Mari, MariError, Stream, StreamKey};
use marigraph_model::{Call, NameId, Names};
use marigraph_report::diff::Compared;

use crate::args::DiffArgs;
use crate::error::{self, Failure};
use crate::{input, output};

/// Exit code 0 if equal, 1 if different, 2 if the comparison failed.
pub fn run(args: &DiffArgs) -> ExitCode {
    match compare(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            error::complain(&failure);
            ExitCode::from(2)
        }
    }
}

fn compare(args: &DiffArgs) -> Result<bool, Failure> {
    let mut paths = Paths::new(args.map.iter().map(|map| mapped(map.as_bytes())).collect::<Result<_, _>>()?);
    let (bytes_a, bytes_b) = (input::load(&args.a)?, input::load(&args.b)?);
    let (a, b) = (open(&args.a, &bytes_a)?, open(&args.b, &bytes_b)?);
    let mut comparison = Comparison::new(scope(args));
    let failed = |error: MariError| Failure::format(&args.a.display().to_string(), &error.into());
    all_streams(&a, &b, &mut comparison, &mut paths).map_err(failed)?;
    let problems = [input::warned(&args.a, a.problems()), input::warned(&args.b, b.problems())].concat();
    let compared = Compared { comparison: &comparison, paths: &paths, problems: &problems };
    let text = if args.json { format!("{}\n", compared.json()) } else { compared.text() };
    output::print(&text)?;
    Ok(comparison.differences.is_empty())
}

fn scope(args: &DiffArgs) -> Scope {
    match (args.nested, args.system) {
        (_, true) => Scope::System,
        (true, false) => Scope::Nested,
        (false, false) => Scope::Own,
    }
}

/// A prefix of A's paths and its equivalent in B.
fn mapped(map: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let at = map
        .iter()
        .position(|byte| *byte == b'=')
        .ok_or_else(|| Failure::Usage(format!("--map {}: expected A=B", String::from_utf8_lossy(map))))?;
    Ok((map[..at].to_vec(), map[at + 1..].to_vec()))
}

fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Mari<'a>, Failure> {
    Mari::read(bytes).map_err(|error| Failure::format(&path.display().to_string(), &error.into()))
}

fn id(key: StreamKey) -> StreamId {
    StreamId { rank: key.rank, process: key.process, thread: key.thread }
}

/// Classes with identical members are compared once.
fn all_streams(
    a: &Mari<'_>,
    b: &Mari<'_>,
    comparison: &mut Comparison,
    paths: &mut Paths,
) -> Result<(), MariError> {
    let (mut of_a, mut of_b) = (a.streams().peekable(), b.streams().peekable());
    let mut same: HashSet<(usize, usize)> = HashSet::new();
    while !comparison.is_full() {
        match (of_a.peek().map(Stream::key), of_b.peek().map(Stream::key)) {
            (None, None) => break,
            (Some(one), other) if other.is_none_or(|other| one < other) => {
                comparison.only_in(id(one), Side::A);
                of_a.next();
            }
            (one, Some(other)) if one.is_none_or(|one| other < one) => {
                comparison.only_in(id(other), Side::B);
                of_b.next();
            }
            _ => {
                let (Some(one), Some(other)) = (of_a.next(), of_b.next()) else { break };
                let alike = one.alike().zip(other.alike());
                if alike.is_some_and(|alike| same.contains(&alike)) {
                    continue;
                }
                if both(&one, &other, comparison, paths)? {
                    same.extend(alike);
                }
            }
        }
    }
    Ok(())
}

/// Returns whether they are equal.
fn both(
    a: &Stream<'_>,
    b: &Stream<'_>,
    comparison: &mut Comparison,
    paths: &mut Paths,
) -> Result<bool, MariError> {
    let (loaded_a, loaded_b) = (a.load()?, b.load()?);
    // Both sides add their names to one table, in turn.
    let paths = std::cell::RefCell::new(paths);
    let of_a = Renamed { calls: loaded_a.calls(), id: |path: &[u8]| paths.borrow_mut().of_first(path) };
    let of_b = Renamed { calls: loaded_b.calls(), id: |path: &[u8]| paths.borrow_mut().id(path) };
    Ok(comparison.streams(id(a.key()), of_a, of_b))
}

/// Calls with names as ids of the common table.
struct Renamed<'l, F> {
    calls: Calls<'l>,
    id: F,
}

impl<F: FnMut(&[u8]) -> NameId> Iterator for Renamed<'_, F> {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        let mut call = self.calls.next()?;
        call.map_names(|id| self.calls.name(id).map(&mut self.id).unwrap_or_default());
        Some(call)
    }
}
