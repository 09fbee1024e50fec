//! Pictures of a period: signal with phases, spectrum, autocorrelation. As an SVG file, as a page,
//! and as a section of a job's page.

mod comb;
mod correlation;
mod marks;
mod signal;
mod spectrum;
mod waves;

use super::html::{self, TableColumn, escape};
use super::{JobPage, document};
use crate::page::draw::frame;
use crate::page::draw::panel::{Panel, figure};

use crate::period::{MIN_SAMPLES, Periods};
use crate::table::shorten;
use crate::units::{bytes, count, percent, precise_seconds, rate, seconds};

/// From this number of periods on, a close-up of the signal is added.
const MANY_PERIODS: f64 = 45.0;
/// Number of periods in the close-up.
const CLOSE: f64 = 12.0;
const MAX_LINKS: usize = 200;
const GAP: f64 = 18.0;

fn panels(periods: &Periods) -> Vec<(&'static str, Panel)> {
    let mut panels = signals(periods);
    panels.extend(waves::panel(periods).map(|panel| ("Waves of the dominant frequencies", panel)));
    if !periods.outcome.picture.spectrum.is_empty() {
        panels.push(("Power spectrum with candidates", spectrum::panel(periods)));
    }
    if !periods.outcome.picture.autocorrelation.is_empty() {
        panels.push(("Autocorrelation over lag", correlation::panel(periods)));
    }
    panels
}

fn signals(periods: &Periods) -> Vec<(&'static str, Panel)> {
    let outcome = &periods.outcome;
    let [from, to] = outcome.window_s;
    let aside = answer(periods);
    let whole = signal::panel(periods, [from, to], "Bandwidth over time", &aside);
    let mut panels = vec![("Bandwidth over time with phases and period", whole)];
    let close = outcome
        .period_s
        .map(|period| period * CLOSE)
        .filter(|close| to - from > close / CLOSE * MANY_PERIODS);
    if let Some(close) = close {
        let middle = (from + to) / 2.0;
        let view = [middle - close / 2.0, middle + close / 2.0];
        let aside = format!("{CLOSE} periods from the middle");
        panels.push(("Twelve periods", signal::panel(periods, view, "A closer look", &aside)));
    }
    panels
}

fn answer(periods: &Periods) -> String {
    match periods.outcome.period_s {
        Some(period) => format!("period {}, {}", precise_seconds(period), periods.confidence_words()),
        None => "no period found".to_string(),
    }
}

fn sentence(periods: &Periods) -> String {
    let outcome = &periods.outcome;
    let phases = count(outcome.phases.len() as u64);
    match (outcome.period_s, outcome.phases.len()) {
        (Some(period), _) => format!(
            "{phases} I/O phases, one every {} (confidence {}). Substantial I/O takes {} of the time.",
            precise_seconds(period),
            periods.confidence_words(),
            percent(outcome.metrics.r_io)
        ),
        (None, 0) if outcome.metrics.b_io > 0.0 => "No I/O phases found.".to_string(),
        (None, 0) => "No I/O phases: no bytes move, or the rate never changes.".to_string(),
        (None, 1) => "Only one I/O phase, so there is no period.".to_string(),
        (None, _) => format!("{phases} I/O phases, but at irregular intervals."),
    }
}

pub fn period_svg(periods: &Periods) -> String {
    let panels = panels(periods);
    let (width, margin) = (frame::WIDTH + 2.0 * GAP, 46.0);
    let mut y = margin + GAP;
    let mut body = crate::page::draw::svg::text(GAP, 30.0, "top", "start", &shorten(&periods.input, 110));
    body += &crate::page::draw::svg::text(
        GAP,
        50.0,
        "axis",
        "start",
        &format!("{}; {}", periods.analysed(), periods.times()),
    );
    for (_, panel) in &panels {
        body += &format!("<g transform=\"translate({GAP} {y:.1})\">{}</g>\n", panel.content);
        y += panel.height + GAP;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {y:.0}\" width=\"{width:.0}\" \
         height=\"{y:.0}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">Period of the I/O of {}</title>\n\
         <desc id=\"desc\">{}</desc>\n<style>\n{}{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escape(&periods.input),
        escape(&sentence(periods)),
        include_str!("../../../assets/chart-colours.css"),
        include_str!("../../../assets/chart.css"),
    )
}

fn cards(periods: &Periods) -> String {
    let outcome = &periods.outcome;
    let mut cards = vec![(outcome.period_s.map_or("none".to_string(), precise_seconds), "period")];
    if outcome.period_s.is_some() {
        cards.push((periods.sure(outcome.confidence), "confidence"));
    }
    cards.push((count(outcome.phases.len() as u64), "phases of I/O"));
    cards.extend(outcome.metrics.bytes_per_period.map(|each| (bytes(each), "per period")));
    cards.push((percent(outcome.metrics.r_io), "of the time in substantial I/O"));
    cards.extend(outcome.metrics.periodicity_score.map(|score| (percent(score), "regularity")));
    html::cards(&cards)
}

/// The section of a log on the page of `period`.
pub struct PeriodPart {
    input: String,
    body: String,
}

pub fn period_part(periods: &Periods) -> PeriodPart {
    let figures: String = panels(periods).iter().map(|(name, panel)| figure(name, panel)).collect();
    let hints: String = periods.hints().iter().map(|hint| html::note(hint)).collect();
    let body = format!(
        "<p>{}</p>\n{}{hints}{figures}{}{}{}",
        escape(&sentence(periods)),
        cards(periods),
        candidates(periods),
        stretches(periods),
        facts(periods)
    );
    PeriodPart { input: periods.input.clone(), body }
}

pub fn period_page(parts: &[PeriodPart]) -> String {
    let anchor = |at: usize| format!("log{}", at + 1);
    let body: String = parts
        .iter()
        .enumerate()
        .map(|(at, part)| html::section(&anchor(at), &part.input, &part.body))
        .collect();
    let link = |(at, part): (usize, &PeriodPart)| {
        let name = part.input.rsplit('/').next().unwrap_or(&part.input);
        format!("<a href=\"#{}\">{}</a>", anchor(at), escape(&shorten(name, 28)))
    };
    let links: String = parts.iter().enumerate().take(MAX_LINKS).map(link).collect();
    let many =
        if parts.len() == 1 { "1 log".to_string() } else { format!("{} logs", count(parts.len() as u64)) };
    document("Period of I/O", &many, &links, &body)
}

fn candidates(periods: &Periods) -> String {
    let row = |candidate: &marigraph_analysis::period::Candidate| {
        vec![
            precise_seconds(candidate.period_s),
            periods.sure(candidate.confidence),
            percent(candidate.power),
            format!("{:.1}", candidate.z),
            if periods.is_answer(candidate) { "the answer".to_string() } else { String::new() },
        ]
    };
    let rows: Vec<Vec<String>> = periods.credible().take(20).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        TableColumn::Number("candidate"),
        TableColumn::Number("confidence"),
        TableColumn::Number("share of power"),
        TableColumn::Number("z"),
        TableColumn::Words(""),
    ];
    html::table(&columns, &rows)
}

fn stretches(periods: &Periods) -> String {
    let segments = &periods.outcome.segments;
    if segments.len() < 2 {
        return String::new();
    }
    let row = |segment: &marigraph_analysis::period::Segment| {
        vec![
            seconds(segment.from_s),
            seconds(segment.to_s),
            segment.period_s.map_or("none".to_string(), precise_seconds),
            segment.period_s.map_or(String::new(), |_| periods.sure(segment.confidence)),
        ]
    };
    let columns = [
        TableColumn::Number("stretch from"),
        TableColumn::Number("to"),
        TableColumn::Number("period"),
        TableColumn::Number("confidence"),
    ];
    html::table(&columns, &segments.iter().take(50).map(row).collect::<Vec<_>>())
}

fn facts(periods: &Periods) -> String {
    let outcome = &periods.outcome;
    let metrics = &outcome.metrics;
    let optional = |value: Option<f64>| value.map_or("none".to_string(), percent);
    html::facts(&[
        ("Analysed", periods.analysed()),
        ("Times from", periods.times()),
        ("Method", periods.method_name().to_string()),
        ("Phases", if outcome.phases.is_empty() { "none".to_string() } else { periods.phases_words() }),
        ("Rate in substantial I/O", rate(metrics.b_io)),
        ("Volume varies by", optional(metrics.sigma_vol)),
        ("Time in I/O varies by", optional(metrics.sigma_time)),
        ("Confidence of the spectrum, as published", optional(outcome.dft_confidence)),
        ("Refined by autocorrelation", optional(outcome.refined_confidence)),
        (
            "Samples",
            format!(
                "{} at {} Hz",
                count(outcome.samples as u64),
                crate::units::significant(outcome.sampling_hz, 4)
            ),
        ),
        ("Volume lost by sampling", percent(outcome.abstraction_error)),
    ])
}

/// The section of a job's page; empty where the log has no times.
pub fn section(page: &JobPage<'_>) -> String {
    let Some(periods) = page.periods else { return String::new() };
    if periods.outcome.samples < MIN_SAMPLES {
        let why = format!("Too short to show phases in {}.", periods.times());
        return html::absent(&why);
    }
    let figures: String = signals(periods).iter().map(|(name, panel)| figure(name, panel)).collect();
    let more = "marigraph period --plot FILE.html also shows the spectrum and the autocorrelation.";
    format!(
        "<p>{}</p>\n{}{figures}{}",
        escape(&sentence(periods)),
        cards(periods),
        html::note(&format!("From {}. {more}", periods.times()))
    )
}
