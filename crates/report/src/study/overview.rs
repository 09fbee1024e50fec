//! Scope and key figures of a study, for the page and the terminal.

use marigraph_analysis::study::{Choice, FileSystem, Idle, Study};

use crate::units::{bytes, count, moment, percent, rate, seconds, significant};

pub(crate) fn idle_share(idle: &Idle) -> f64 {
    let minutes: u64 = idle.rows.iter().map(|row| row.minutes).sum();
    minutes as f64 / idle.observed.max(1) as f64
}

pub(crate) fn arrowed(change: f64) -> String {
    let arrow = match change {
        // Changes that round to zero have no arrow.
        same if same.abs() < 0.0005 => return "= 0.0 %".to_string(),
        more if more > 0.0 => "▲",
        _ => "▼",
    };
    format!("{arrow} {:+.1} %", change * 100.0)
}

pub(crate) fn key_figures(study: &Study) -> Vec<(&'static str, String)> {
    let mut figures = Vec::new();
    if study.looked.runs > 0 {
        let sum = |of: fn(&marigraph_analysis::study::ProjectBytes) -> u64| {
            bytes(study.projects.iter().map(|project| of(project) as f64).sum())
        };
        figures.push(("runs recorded", count(study.looked.runs as u64)));
        figures.push(("read by recorded runs", sum(|project| project.read)));
        figures.push(("written by recorded runs", sum(|project| project.written)));
    }
    if let Some(totals) = study.coverage.as_ref().map(|coverage| coverage.totals)
        && totals.core_hours > 0.0
    {
        figures.push(("of core-hours recorded", percent(totals.core_hours_recorded / totals.core_hours)));
    }
    if let Some(known) = &study.burstiness {
        figures.push(("mean throughput", rate(known.mean)));
        figures.push(("peak minute", rate(known.peak)));
    }
    figures.extend(study.idle.as_ref().map(|idle| ("of observed time idle", percent(idle_share(idle)))));
    // Trees inside others count once.
    let stored = || study.file_systems.iter().filter(|one| !one.inside);
    if stored().next().is_some() {
        figures.push(("files stored", count(stored().map(|one| one.sizes.files).sum())));
        figures.push(("bytes stored", bytes(stored().map(|one| one.sizes.bytes as f64).sum())));
    }
    let grown = stored().filter_map(|one| one.growth.as_ref()?.rows.first());
    let (before, after) =
        grown.fold((0.0, 0.0), |sum, all| (sum.0 + all.bytes.0 as f64, sum.1 + all.bytes.1 as f64));
    if before > 0.0 {
        figures.push(("growth of bytes", arrowed(after / before - 1.0)));
    }
    figures
}

pub(crate) fn looked_at(study: &Study, choice: &Choice) -> Vec<(&'static str, String)> {
    let looked = &study.looked;
    let from = choice.from_s.or(looked.span_s.map(|span| span.0));
    let to = choice.to_s.or(looked.span_s.map(|span| span.1));
    let told = |at: Option<f64>| at.map_or_else(|| "–".to_string(), |at| moment(at as i64));
    let mut facts = vec![
        ("from", told(from)),
        ("to", told(to)),
        (
            "runs with a scheduler job",
            format!("{} of {}", count(looked.matched as u64), count(looked.runs as u64)),
        ),
        ("jobs in the scheduler log", count(looked.batch as u64)),
        ("projects with runs", count(study.projects.len() as u64)),
        ("project", choice.project.clone().unwrap_or_else(|| "all".to_string())),
        (
            "project comparison: at least",
            format!("{} processes and {}", count(choice.min_procs), bytes(choice.min_bytes as f64)),
        ),
    ];
    facts.extend(
        choice.node_limit.map(|limit| ("limit per node", format!("{} MiB/s", significant(limit, 4)))),
    );
    if let Some(timeline) = &study.timeline {
        facts.push(("devices observed for", seconds(timeline.observed_s)));
    }
    facts.extend(study.file_systems.iter().map(|FileSystem { roots, sizes, .. }| {
        ("newest snapshot", format!("{roots}, {}", moment(sizes.taken_s as i64)))
    }));
    facts
}
