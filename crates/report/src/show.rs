//! Contents of a log: the result behind `show`.

use marigraph_analysis::figures::Estimate;
use marigraph_analysis::usage::{JobUsage, Totals};
use marigraph_model::{Job, Module, Problem, TraceFacts};
use serde_json::{Value, json};

use crate::table::{Align, Table};
use crate::units;

/// One line about a module.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleLine {
    pub module: Module,
    pub version: u32,
    pub records: u64,
    pub partial: bool,
}

/// Everything that `show` prints about one log.
#[derive(Debug, Clone)]
pub struct Shown {
    pub input: String,
    pub format: String,
    pub version: String,
    pub job: Job,
    /// Compute nodes, from the log or the command line.
    pub nnodes: Option<u64>,
    pub modules: Vec<ModuleLine>,
    pub files: u64,
    /// Only for folded traces.
    pub trace: Option<TraceFacts>,
    pub usage: JobUsage,
    pub problems: Vec<Problem>,
}

impl Shown {
    pub fn totals(&self) -> Totals {
        self.usage.totals()
    }

    pub fn performance(&self) -> Option<(Module, Estimate)> {
        self.usage.performance()
    }

    /// The program's name without path and arguments.
    pub fn program(&self) -> &str {
        let command = self.job.exe.split_whitespace().next().unwrap_or("");
        let name = command.rsplit('/').next().unwrap_or(command);
        if name.is_empty() { "unknown program" } else { name }
    }

    pub fn heading(&self) -> String {
        let (program, input) = (printable(self.program()), printable(&self.input));
        let runtime = units::seconds(self.job.runtime_s());
        format!("{program}, job {}, {}, {runtime}: {input}", self.job.id, self.processes())
    }

    pub fn json(&self) -> Value {
        let totals = self.totals();
        let mut document = json!({
            "input": self.input,
            "format": self.format,
            "version": self.version,
            "job": job_json(&self.job, self.nnodes),
            "modules": self.modules.iter().map(module_json).collect::<Vec<_>>(),
            "files": self.files,
            "totals": {
                "read_bytes": totals.read_bytes,
                "write_bytes": totals.written_bytes,
                "reads": totals.reads,
                "writes": totals.writes,
                "metadata_ops": totals.metadata_ops,
                "read_time_s": units::tidy(totals.read_s),
                "write_time_s": units::tidy(totals.write_s),
                "metadata_time_s": units::tidy(totals.meta_s),
            },
            "performance": self.performance().map(|(module, estimate)| json!({
                "module": module.name(),
                "mib_per_s": units::tidy(estimate.mib_per_s()),
                "mib_per_s_per_node": self.nnodes.filter(|&n| n > 0)
                    .map(|nodes| units::tidy(estimate.mib_per_s() / nodes as f64)),
            })),
        });
        if let Some(trace) = &self.trace {
            document["trace"] = json!({
                "ranks": trace.ranks,
                "events": trace.events,
                "structure_bytes": trace.structure_bytes,
                "time_bytes": trace.time_bytes,
                "loops": trace.loops,
            });
        }
        document["interfaces"] = self.usage.modules.iter().filter_map(interface_json).collect();
        document["problems"] = problems_json(&self.problems);
        document
    }

    pub fn text(&self, width: usize) -> String {
        let mut out = self.headline(width);
        out.push('\n');
        let interfaces = self.interfaces_table();
        if !interfaces.is_empty() {
            out.push_str(&interfaces.render(width));
            out.push('\n');
        }
        out.push_str(&self.modules_text(width));
        if !self.problems.is_empty() {
            out.push_str("\nproblems\n");
            for problem in &self.problems {
                out.push_str(&format!("  {}: {}\n", problem.kind.code(), problem.message));
            }
        }
        out
    }

    fn headline(&self, width: usize) -> String {
        let job = &self.job;
        let totals = self.totals();
        let mut lines = vec![
            ("program", crate::table::shorten(&printable(&job.exe), width.saturating_sub(12).max(20))),
            ("job", format!("{}, user {}, {}", job.id, job.uid, self.processes())),
            ("run", format!("{} UTC, {}", units::moment(job.start.seconds), units::seconds(job.runtime_s()))),
            ("format", format!("{} {}", self.format, self.version)),
            ("files", units::count(self.files)),
            (
                "read",
                format!("{} in {} calls", units::bytes(totals.read_bytes as f64), units::count(totals.reads)),
            ),
            (
                "written",
                format!(
                    "{} in {} calls",
                    units::bytes(totals.written_bytes as f64),
                    units::count(totals.writes)
                ),
            ),
            ("metadata", format!("{} calls", units::count(totals.metadata_ops))),
        ];
        if let Some(trace) = &self.trace {
            lines.push(("trace", trace_text(trace)));
        }
        if let Some((module, estimate)) = self.performance() {
            let rate = units::rate(estimate.bytes_per_s());
            let per_node = self
                .nnodes
                .filter(|&n| n > 0)
                .map(|nodes| format!(", {} per node", units::rate(estimate.bytes_per_s() / nodes as f64)));
            lines.push((
                "speed",
                format!("{rate} by {} (estimate){}", module.name(), per_node.unwrap_or_default()),
            ));
        }
        lines.into_iter().map(|(label, value)| format!("{label:<10}{value}\n")).collect()
    }

    fn processes(&self) -> String {
        let processes = if self.job.nprocs == 1 {
            "1 process".into()
        } else {
            format!("{} processes", units::count(self.job.nprocs))
        };
        match self.nnodes {
            Some(1) => format!("{processes} on 1 node"),
            Some(nodes) => format!("{processes} on {} nodes", units::count(nodes)),
            None => processes,
        }
    }

    fn interfaces_table(&self) -> Table {
        use Align::{Left, Right};
        let mut table = Table::new(&[
            ("interface", Left),
            ("read", Right),
            ("written", Right),
            ("reads", Right),
            ("writes", Right),
            ("meta", Right),
            ("read time", Right),
            ("write time", Right),
            ("meta time", Right),
        ]);
        for (module, usage) in
            self.usage.modules.iter().filter(|(module, _)| !module.roles().opens.is_empty())
        {
            let time = |s: f64| if usage.times_known { units::seconds(s) } else { "–".to_string() };
            let bytes = |n: u64| if usage.bytes_known { units::bytes(n as f64) } else { "–".to_string() };
            table.row([
                module.name().to_string(),
                bytes(usage.read_bytes),
                bytes(usage.written_bytes),
                units::count(usage.reads),
                units::count(usage.writes),
                units::count(usage.metadata_ops()),
                time(usage.read_s),
                time(usage.write_s),
                time(usage.meta_s),
            ]);
        }
        table
    }

    fn modules_text(&self, width: usize) -> String {
        let mut table = Table::new(&[
            ("module", Align::Left),
            ("version", Align::Right),
            ("records", Align::Right),
            ("", Align::Left),
        ]);
        for line in &self.modules {
            let note = if line.partial { "incomplete" } else { "" };
            table.row([
                line.module.name().to_string(),
                line.version.to_string(),
                units::count(line.records),
                note.to_string(),
            ]);
        }
        if table.is_empty() { "no module has data\n".to_string() } else { table.render(width) }
    }
}

fn trace_text(trace: &TraceFacts) -> String {
    format!(
        "{} calls of {} ranks in {} loops: {}, times {}",
        units::count(trace.events),
        units::count(trace.ranks),
        units::count(trace.loops),
        units::bytes(trace.structure_bytes as f64),
        units::bytes(trace.time_bytes as f64)
    )
}

fn job_json(job: &Job, nnodes: Option<u64>) -> Value {
    let metadata: serde_json::Map<String, Value> =
        job.metadata.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect();
    json!({
        "id": job.id,
        "uid": job.uid,
        "exe": job.exe,
        "nprocs": job.nprocs,
        "nnodes": nnodes,
        "start": units::tidy(job.start.seconds as f64 + f64::from(job.start.nanos) * 1e-9),
        "end": units::tidy(job.end.seconds as f64 + f64::from(job.end.nanos) * 1e-9),
        "runtime_s": units::tidy(job.runtime_s()),
        "metadata": metadata,
    })
}

fn module_json(line: &ModuleLine) -> Value {
    json!({ "name": line.module.name(), "version": line.version, "records": line.records, "partial": line.partial })
}

fn interface_json((module, usage): (&Module, &marigraph_analysis::usage::Usage)) -> Option<Value> {
    if module.roles().opens.is_empty() {
        return None;
    }
    Some(json!({
        "name": module.name(),
        "read_bytes": usage.bytes_known.then_some(usage.read_bytes),
        "write_bytes": usage.bytes_known.then_some(usage.written_bytes),
        "reads": usage.reads,
        "writes": usage.writes,
        "opens": usage.opens,
        "metadata_ops": usage.metadata_ops(),
        "read_time_s": units::tidy(usage.read_s),
        "write_time_s": units::tidy(usage.write_s),
        "metadata_time_s": units::tidy(usage.meta_s),
        "mib_per_s": units::tidy(usage.estimate().mib_per_s()),
    }))
}

/// Problems, in the same form in every document.
pub fn problems_json(problems: &[Problem]) -> Value {
    problems
        .iter()
        .map(|problem| json!({ "kind": problem.kind.code(), "message": problem.message, "where": problem.place }))
        .collect()
}

/// Replaces control characters, so that a name cannot control the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// One log in a table of many: small, so that hundreds of thousands fit.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    pub input: String,
    pub program: String,
    pub job: i64,
    /// Seconds since 1970.
    pub start: i64,
    pub nprocs: u64,
    pub runtime_s: f64,
    pub files: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub metadata_ops: u64,
    /// Estimated bytes per second.
    pub speed: Option<f64>,
    pub problems: usize,
}

impl Shown {
    pub fn line(&self) -> LogLine {
        let totals = self.totals();
        let speed = self.performance();
        LogLine {
            input: self.input.clone(),
            program: self.program().to_string(),
            job: self.job.id,
            start: self.job.start.seconds,
            nprocs: self.job.nprocs,
            runtime_s: self.job.runtime_s(),
            files: self.files,
            read_bytes: totals.read_bytes,
            written_bytes: totals.written_bytes,
            metadata_ops: totals.metadata_ops,
            speed: speed.map(|(_, estimate)| estimate.bytes_per_s()),
            problems: self.problems.len(),
        }
    }
}

pub fn many_text(logs: &[LogLine], width: usize) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("start (UTC)", Left),
        ("job", Right),
        ("procs", Right),
        ("run time", Right),
        ("files", Right),
        ("read", Right),
        ("written", Right),
        ("speed", Right),
        ("!", Right),
        ("program", Left),
        ("input", Left),
    ]);
    for line in logs {
        table.row([
            units::moment(line.start),
            line.job.to_string(),
            units::count(line.nprocs),
            units::seconds(line.runtime_s),
            units::count(line.files),
            units::bytes(line.read_bytes as f64),
            units::bytes(line.written_bytes as f64),
            line.speed.map(units::rate).unwrap_or_default(),
            if line.problems == 0 { String::new() } else { line.problems.to_string() },
            crate::table::shorten(&printable(&line.program), 24),
            printable(&line.input),
        ]);
    }
    let problems = logs.iter().filter(|line| line.problems > 0).count();
    let mut out = table.render(width);
    out.push_str(&format!("{} logs", units::count(logs.len() as u64)));
    if problems > 0 {
        out.push_str(&format!(", {problems} with problems (column !; show one of them to read what)"));
    }
    out.push('\n');
    out
}
