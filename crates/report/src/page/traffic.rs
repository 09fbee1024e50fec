//! Time, operations and sizes per interface.

use marigraph_analysis::usage::{AccessOrder, Usage};
use marigraph_model::{Module, SIZE_BINS};

use super::JobPage;
use super::html::{self, TableColumn};
use crate::page::draw::svg::{self, Part};
use crate::units::{bytes, count, percent, rate, seconds};

pub(super) const SIZES: [&str; SIZE_BINS] = [
    "≤100 B",
    "≤1 KiB",
    "≤10 KiB",
    "≤100 KiB",
    "≤1 MiB",
    "≤4 MiB",
    "≤10 MiB",
    "≤100 MiB",
    "≤1 GiB",
    ">1 GiB",
];

fn interfaces<'a>(page: &'a JobPage<'_>) -> impl Iterator<Item = (Module, &'a Usage)> {
    let modules = page.shown.usage.modules.iter();
    modules.filter(|(module, _)| !module.roles().opens.is_empty()).map(|(&module, usage)| (module, usage))
}

/// Share of the run time that an average process spent in each interface.
pub fn cost(page: &JobPage<'_>) -> String {
    let available = page.shown.job.runtime_s() * page.shown.job.nprocs.max(1) as f64;
    let rows: Vec<(String, Vec<Part>, String)> = interfaces(page)
        .filter(|(_, usage)| usage.seconds() > 0.0 && available > 0.0)
        .map(|(module, usage)| {
            let part = |class, word: &str, value: f64| Part {
                class,
                value: value / available,
                title: format!(
                    "{word}: {} over all processes, {}",
                    seconds(value),
                    percent(value / available)
                ),
            };
            let rest = (available - usage.seconds()).max(0.0);
            let parts = vec![
                part("read", "read", usage.read_s),
                part("write", "write", usage.write_s),
                part("meta", "metadata", usage.meta_s),
                part("wait", "wait", usage.wait_s),
                part("none", "no I/O through this interface", rest),
            ];
            (module.name().to_string(), parts, format!("{} I/O", percent(usage.seconds() / available)))
        })
        .collect();
    if rows.is_empty() {
        return html::absent("No time was spent in I/O, or the log has no times.");
    }
    format!(
        "<figure class=\"chart\"><figcaption>Run time of an average process</figcaption>{}{}</figure>\n{}",
        legend(&[
            ("read", "read"),
            ("write", "write"),
            ("meta", "metadata"),
            ("wait", "wait"),
            ("none", "other")
        ]),
        svg::stacked(&rows, 1.0),
        html::note("Interfaces are layered: time in MPI-IO includes the POSIX time below it.")
    )
}

fn legend(entries: &[(&str, &str)]) -> String {
    let keys: String =
        entries.iter().map(|(class, word)| format!("<span class=\"key {class}\">{word}</span> ")).collect();
    format!("<p class=\"legend\">{keys}</p>")
}

pub fn operations(page: &JobPage<'_>) -> String {
    let rows: Vec<Vec<String>> = interfaces(page)
        .map(|(module, usage)| {
            let known = |n: u64| if usage.bytes_known { bytes(n as f64) } else { "–".to_string() };
            let others: Vec<String> = usage
                .metadata
                .iter()
                .map(|(name, n)| format!("{} {}", count(*n), name.to_lowercase()))
                .collect();
            let estimate = usage.estimate();
            let speed = (usage.bytes() > 0 && estimate.seconds() > 0.0 && !estimate.untimed)
                .then(|| rate(estimate.bytes_per_s()));
            vec![
                module.name().to_string(),
                count(page.files.count_through(module)),
                count(usage.reads),
                count(usage.writes),
                count(usage.opens),
                others.join(", "),
                known(usage.read_bytes),
                known(usage.written_bytes),
                seconds(usage.read_s),
                seconds(usage.write_s),
                seconds(usage.meta_s),
                speed.unwrap_or_default(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        TableColumn::Words("interface"),
        TableColumn::Number("files"),
        TableColumn::Number("reads"),
        TableColumn::Number("writes"),
        TableColumn::Number("opens"),
        TableColumn::Words("other metadata calls"),
        TableColumn::Number("read"),
        TableColumn::Number("written"),
        TableColumn::Number("read time"),
        TableColumn::Number("write time"),
        TableColumn::Number("metadata time"),
        TableColumn::Number("speed"),
    ];
    html::table(&columns, &rows)
        + &html::note(
            "Times are sums over all processes. Speed: bytes divided by the time of the slowest path.",
        )
}

pub fn sizes(page: &JobPage<'_>) -> String {
    let mut out = String::new();
    for (module, usage) in interfaces(page) {
        if usage.read_sizes.iter().chain(&usage.write_sizes).all(|&n| n == 0) {
            continue;
        }
        out += &format!(
            "<figure class=\"chart\"><figcaption>{}: calls by size</figcaption>{}{}</figure>\n",
            module.name(),
            legend(&[("read", "reads"), ("write", "writes")]),
            svg::paired(&SIZES, &usage.read_sizes, &usage.write_sizes, &count)
        );
        let common = usage.common_sizes(8);
        let rows: Vec<Vec<String>> = common
            .iter()
            .map(|&(size, n)| {
                vec![
                    bytes(size as f64),
                    count(size.unsigned_abs()),
                    count(n),
                    percent(n as f64 / (usage.reads + usage.writes).max(1) as f64),
                ]
            })
            .collect();
        if !rows.is_empty() {
            let columns = [
                TableColumn::Number("common size"),
                TableColumn::Number("bytes"),
                TableColumn::Number("calls"),
                TableColumn::Number("of all"),
            ];
            out += &html::table(&columns, &rows);
        }
    }
    if out.is_empty() {
        return html::absent("No interface in this log records access sizes.");
    }
    out + &html::note(
        "Counts of common sizes are lower bounds: each record keeps its four most frequent sizes.",
    )
}

pub fn order(page: &JobPage<'_>) -> String {
    let Some(usage) =
        page.shown.usage.modules.get(&Module::Posix).filter(|usage| usage.reads + usage.writes > 0)
    else {
        return html::absent("Only POSIX records have the order of accesses; this log has none.");
    };
    let AccessOrder { consecutive_reads, sequential_reads, consecutive_writes, sequential_writes, .. } =
        usage.order;
    let row = |name: &str, calls: u64, sequential: u64, consecutive: u64| {
        let share = |n: u64| percent(n as f64 / calls.max(1) as f64);
        vec![
            name.to_string(),
            count(calls),
            count(sequential),
            share(sequential),
            count(consecutive),
            share(consecutive),
        ]
    };
    let columns = [
        TableColumn::Words("POSIX"),
        TableColumn::Number("calls"),
        TableColumn::Number("sequential"),
        TableColumn::Number("share"),
        TableColumn::Number("consecutive"),
        TableColumn::Number("share"),
    ];
    let rows = [
        row("reads", usage.reads, sequential_reads, consecutive_reads),
        row("writes", usage.writes, sequential_writes, consecutive_writes),
    ];
    let share = |n: u64| percent(n as f64 / (usage.reads + usage.writes).max(1) as f64);
    let facts = [
        (
            "Not aligned in the file",
            format!("{} ({})", count(usage.order.unaligned_in_file), share(usage.order.unaligned_in_file)),
        ),
        (
            "Not aligned in memory",
            format!(
                "{} ({})",
                count(usage.order.unaligned_in_memory),
                share(usage.order.unaligned_in_memory)
            ),
        ),
        ("Switches between reading and writing", count(usage.order.switches)),
    ];
    html::table(&columns, &rows)
        + &html::facts(&facts)
        + &html::note(
            "Sequential: at a higher offset than the previous access. Consecutive: exactly where it ended.",
        )
}
