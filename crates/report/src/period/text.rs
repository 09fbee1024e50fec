//! The period in words.

use std::collections::BTreeMap;

use marigraph_analysis::period::{Candidate, DirectionFilter, Method, RankPeriod, RankPeriods};
use marigraph_analysis::quantile::median;
use marigraph_analysis::timeline::Evidence;

use super::Periods;
use crate::show::printable;
use crate::table::{Align, Table, shorten};
use crate::units::{self, bytes, count, percent, precise_seconds, rate, seconds};

const MAX_CANDIDATES: usize = 5;
const MAX_SEGMENTS: usize = 12;
const MAX_RANK_GROUPS: usize = 12;

impl Periods {
    pub fn text(&self, width: usize) -> String {
        let mut out = String::new();
        for (label, value) in self.lines(width) {
            out.push_str(&format!("{label:<12}{value}\n"));
        }
        for (title, table) in [
            (self.candidates_title(), self.candidates()),
            ("stretches", self.stretches()),
            ("ranks", self.by_rank()),
        ] {
            if !table.is_empty() {
                out.push_str(&format!("\n{title}\n{}", table.render(width)));
            }
        }
        for hint in self.hints() {
            out.push_str(&format!("\n{}", wrap(&format!("hint: {hint}"), width)));
        }
        if !self.problems.is_empty() {
            out.push_str("\nproblems\n");
            for problem in &self.problems {
                let told = format!("{}: {}", problem.kind.code(), problem.message);
                out.push_str(&format!("  {}", wrap(&told, width.saturating_sub(2))));
            }
        }
        out
    }

    fn lines(&self, width: usize) -> Vec<(&'static str, String)> {
        let outcome = &self.outcome;
        let mut lines = vec![
            ("input", shorten(&printable(&self.input), width.saturating_sub(12).max(20))),
            ("analysed", self.analysed()),
            ("times", self.times()),
            ("period", self.period_words()),
        ];
        if outcome.period_s.is_some() {
            lines.push(("confidence", self.confidence_words()));
        }
        if !outcome.phases.is_empty() {
            lines.push(("phases", self.phases_words()));
        }
        lines.extend(self.metric_lines());
        lines
    }

    pub fn analysed(&self) -> String {
        let [from, to] = self.outcome.window_s;
        format!("{}, {} to {}", direction_words(self.direction), seconds(from), seconds(to))
    }

    pub fn times(&self) -> String {
        let names: Vec<&str> = self.seen.interfaces.iter().map(|module| module.name()).collect();
        let what = match (self.evidence, self.seen.bin_s) {
            (Evidence::Trace, _) => "every operation".to_string(),
            (Evidence::Heatmap, Some(width)) => format!("heat maps of {} per bin", seconds(width)),
            (Evidence::Heatmap, None) => "heat maps".to_string(),
            (Evidence::Records, _) => "first and last access of each file".to_string(),
        };
        if names.is_empty() { what } else { format!("{what}, {}", names.join(" and ")) }
    }

    pub fn period_words(&self) -> String {
        match self.outcome.period_s {
            Some(period) => {
                let minutes = if period >= 120.0 { format!(" ({})", seconds(period)) } else { String::new() };
                let hertz = units::significant(1.0 / period, 4);
                format!("{}{minutes}, {hertz} Hz", precise_seconds(period))
            }
            None => "none found".to_string(),
        }
    }

    pub fn confidence_words(&self) -> String {
        let share = self.sure(self.outcome.confidence);
        match self.method {
            Method::Auto => format!("{share}: {}", likelihood(self.outcome.confidence)),
            Method::Dft { .. } => format!("{share} by the published measure, which is not a probability"),
        }
    }

    /// A confidence in per cent, never 100 % for a probability.
    pub fn sure(&self, confidence: f64) -> String {
        match self.method {
            Method::Auto if confidence >= 0.995 => "over 99 %".to_string(),
            _ => format!("{} %", (confidence * 100.0).round()),
        }
    }

    pub fn phases_words(&self) -> String {
        let phases = &self.outcome.phases;
        let lengths = phases.iter().map(|phase| phase.end_s - phase.start_s).collect();
        let volumes = phases.iter().map(|phase| phase.bytes).collect();
        let typical = if phases.len() == 1 { "" } else { " in the median" };
        format!(
            "{}, {} and {} long{typical}",
            count(phases.len() as u64),
            bytes(median(volumes)),
            seconds(median(lengths))
        )
    }

    fn metric_lines(&self) -> Vec<(&'static str, String)> {
        let metrics = &self.outcome.metrics;
        let mut lines = Vec::new();
        if metrics.b_io > 0.0 {
            let each = metrics.bytes_per_period.map(|each| format!(", {} per period", bytes(each)));
            let share = percent(metrics.r_io);
            lines.push((
                "heavy I/O",
                format!("{share} of the time at {}{}", rate(metrics.b_io), each.unwrap_or_default()),
            ));
        }
        if let (Some(score), Some(volume), Some(time)) =
            (metrics.periodicity_score, metrics.sigma_vol, metrics.sigma_time)
        {
            lines.push((
                "regularity",
                format!(
                    "{} (volume of periods varies by {}, time in I/O by {})",
                    percent(score),
                    percent(volume),
                    percent(time)
                ),
            ));
        }
        if let Some((period, confidence)) = self.outcome.autocorrelation {
            let found = format!("{}, {} %", precise_seconds(period), (confidence * 100.0).round());
            lines.push(("correlation", found));
        }
        lines
    }

    fn candidates_title(&self) -> &'static str {
        if self.outcome.period_s.is_some() {
            "other candidates"
        } else {
            "candidates, none of them certain enough"
        }
    }

    /// Candidates other than the answer.
    fn candidates(&self) -> Table {
        use Align::Right;
        let mut table =
            Table::new(&[("period", Right), ("confidence", Right), ("share of power", Right), ("z", Right)]);
        for candidate in self.credible().filter(|other| !self.is_answer(other)).take(MAX_CANDIDATES) {
            table.row([
                precise_seconds(candidate.period_s),
                self.sure(candidate.confidence),
                percent(candidate.power),
                format!("{:.1}", candidate.z),
            ]);
        }
        table
    }

    /// Candidates with a confidence of at least 0.5 %.
    pub fn credible(&self) -> impl Iterator<Item = &Candidate> {
        self.outcome.candidates.iter().filter(|candidate| candidate.confidence >= 0.005)
    }

    pub fn is_answer(&self, candidate: &Candidate) -> bool {
        self.outcome.period_s.is_some_and(|period| (candidate.period_s - period).abs() <= period * 1e-6)
    }

    /// Ranks with the same period to three digits share a row.
    fn by_rank(&self) -> Table {
        use Align::Right;
        let mut table =
            Table::new(&[("period", Right), ("ranks", Right), ("lowest", Right), ("confidence", Right)]);
        let Some(RankPeriods { ranks, .. }) = &self.ranks else { return table };
        let mut groups: BTreeMap<String, Vec<&RankPeriod>> = BTreeMap::new();
        for rank in ranks {
            let period =
                rank.period_s.map_or("none".to_string(), |period| seconds(units::significant(period, 3)));
            groups.entry(period).or_default().push(rank);
        }
        let mut groups: Vec<(String, Vec<&RankPeriod>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        let shown = groups.len().min(MAX_RANK_GROUPS);
        for (period, members) in &groups[..shown] {
            let lowest = members.iter().map(|member| member.rank).min().unwrap_or(0);
            let sure = median(members.iter().map(|member| member.confidence).collect());
            table.row([period.clone(), count(members.len() as u64), lowest.to_string(), self.sure(sure)]);
        }
        let rest: usize = groups[shown..].iter().map(|(_, members)| members.len()).sum();
        if rest > 0 {
            table.row(["other".to_string(), count(rest as u64), String::new(), String::new()]);
        }
        table
    }

    fn stretches(&self) -> Table {
        use Align::Right;
        let mut table =
            Table::new(&[("from", Right), ("to", Right), ("period", Right), ("confidence", Right)]);
        let segments = &self.outcome.segments;
        for segment in segments.iter().filter(|_| segments.len() > 1).take(MAX_SEGMENTS) {
            table.row([
                seconds(segment.from_s),
                seconds(segment.to_s),
                segment.period_s.map_or("none".to_string(), precise_seconds),
                segment.period_s.map_or(String::new(), |_| self.sure(segment.confidence)),
            ]);
        }
        table
    }
}

/// One log in a table of many.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodLine {
    period_s: Option<f64>,
    sure: String,
    phases: usize,
    score: Option<f64>,
    length_s: f64,
    input: String,
}

impl Periods {
    pub fn line(&self) -> PeriodLine {
        let [from, to] = self.outcome.window_s;
        PeriodLine {
            period_s: self.outcome.period_s,
            sure: self.sure(self.outcome.confidence),
            phases: self.outcome.phases.len(),
            score: self.outcome.metrics.periodicity_score,
            length_s: to - from,
            input: self.input.clone(),
        }
    }
}

pub fn many_text(lines: &[PeriodLine], width: usize) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("period", Right),
        ("confidence", Right),
        ("phases", Right),
        ("regularity", Right),
        ("analysed", Right),
        ("input", Left),
    ]);
    for line in lines {
        table.row([
            line.period_s.map_or("none".to_string(), seconds),
            line.period_s.map_or(String::new(), |_| line.sure.clone()),
            count(line.phases as u64),
            line.score.map(percent).unwrap_or_default(),
            seconds(line.length_s),
            printable(&line.input),
        ]);
    }
    let periodic = lines.iter().filter(|line| line.period_s.is_some()).count();
    let total = count(lines.len() as u64);
    format!("{}{total} logs, {} with a period\n", table.render(width), count(periodic as u64))
}

fn direction_words(direction: DirectionFilter) -> &'static str {
    match direction {
        DirectionFilter::Read => "reads",
        DirectionFilter::Write => "writes",
        DirectionFilter::Both => "reads and writes",
    }
}

pub fn likelihood(probability: f64) -> &'static str {
    match probability {
        p if p >= 0.95 => "nearly certain",
        p if p >= 0.8 => "very likely",
        p if p >= 0.6 => "likely",
        p if p >= 0.4 => "as likely as not",
        _ => "a guess",
    }
}

/// Wraps a sentence; lines after the first are indented.
fn wrap(text: &str, width: usize) -> String {
    let width = width.clamp(40, 80);
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push_str("\n     ");
            column = 5;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}
