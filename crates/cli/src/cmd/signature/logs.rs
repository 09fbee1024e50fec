//! The two kinds of logs that signatures are mined from.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use marigraph_analysis::signature::{Gather, Throughput};
use marigraph_formats::Limits;
use marigraph_formats::server::{UnknownZone, Zone, read_jobs, read_throughput};
use marigraph_model::{BatchJob, Problem, ProblemKind, Reading};

use crate::args::SignatureArgs;
use crate::error::Failure;
use crate::input;

/// Storage with known traffic.
pub struct Partition {
    /// `None` if it was not named.
    pub name: Option<String>,
    pub throughput: Throughput,
    pub problems: Vec<Problem>,
}

pub fn zone(args: &SignatureArgs) -> Result<Zone, Failure> {
    Zone::named(&args.tz).map_err(|error| Failure::Usage(format!("{error}\nhint: {}", UnknownZone::HINT)))
}

fn with_content<T>(
    path: &Path,
    args: &SignatureArgs,
    work: impl FnOnce(&[u8]) -> Result<T, marigraph_formats::Error>,
) -> Result<(T, Option<Problem>), Failure> {
    let file = input::load(path)?;
    let limits = Limits { max_inflate: args.max_inflate, read_ahead: true };
    let refused = |error| Failure::format(&path.display().to_string(), &error);
    let (content, damage) = marigraph_formats::unpack(&file, limits).map_err(refused)?;
    Ok((work(&content).map_err(refused)?, damage))
}

pub fn jobs(args: &SignatureArgs, zone: &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Failure> {
    let (log, damage) = with_content(&args.jobs, args, |content| read_jobs(content, zone))?;
    let mut problems = log.problems;
    problems.extend(damage);
    Ok((log.jobs, problems))
}

pub fn partitions(args: &SignatureArgs, zone: &Zone) -> Result<Vec<Partition>, Failure> {
    let mut named: BTreeMap<Option<&str>, Vec<&Path>> = BTreeMap::new();
    for argument in &args.throughput {
        // A name is a word; a path is not a name.
        let (name, path) = match argument.split_once('=') {
            Some((name, path)) if !name.is_empty() && !name.contains('/') => (Some(name), path),
            _ => (None, argument.as_str()),
        };
        named.entry(name).or_default().push(Path::new(path));
    }
    named.into_iter().map(|(name, paths)| partition(name, &paths, args, zone)).collect()
}

fn partition(
    name: Option<&str>,
    paths: &[&Path],
    args: &SignatureArgs,
    zone: &Zone,
) -> Result<Partition, Failure> {
    let mut gather = Gather::default();
    let mut sources = Sources::default();
    let mut problems = Vec::new();
    for path in paths {
        let (facts, damage) = with_content(path, args, |content| {
            // Names are known only at the end of the file; until then numbers stand for them.
            let mut readings: Vec<Reading> = Vec::new();
            let facts = read_throughput(content, zone, &mut |reading| readings.push(reading))?;
            let numbers: Vec<u32> = facts.sources.iter().map(|name| sources.number(name)).collect();
            for reading in readings {
                let source = numbers.get(reading.source as usize).copied().unwrap_or(reading.source);
                gather.add(Reading { source, ..reading });
            }
            Ok(facts)
        })?;
        problems.extend(facts.problems);
        problems.extend(damage);
    }
    if gather.repeated > 0 {
        let message = format!("{} readings repeat an earlier time and are left out", gather.repeated);
        problems.push(Problem::new(ProblemKind::BadRecord, message));
    }
    let Some(throughput) = gather.finish() else {
        return Err(Failure::Input {
            path: paths.first().map_or_else(String::new, |path| path.display().to_string()),
            message: "the log has no readings".to_string(),
            hint: Some("docs/reference/server-logs.md lists the supported forms".to_string()),
        });
    };
    Ok(Partition { name: name.map(String::from), throughput, problems })
}

#[derive(Default)]
struct Sources {
    numbers: HashMap<String, u32>,
}

impl Sources {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_string(), number);
        number
    }
}
