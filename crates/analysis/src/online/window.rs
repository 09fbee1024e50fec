//! The window of the past that a prediction uses.

use std::fmt;
use std::str::FromStr;

/// How the window follows the job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// As published: after this number of predictions in a row with a period, the same number of
    /// periods; otherwise everything.
    Hits(u32),
    Seconds(f64),
    /// A number of periods, as soon as there is a period.
    Periods(u32),
    /// Everything that is kept.
    Off,
}

const MAX_PERIODS: u32 = 64;
const MIN_PERIODS: u32 = 2;

/// A rule that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRule;

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be hits:K, seconds:N, periods:K (K from {MIN_PERIODS} to {MAX_PERIODS}) or off")
    }
}

impl std::error::Error for BadRule {}

impl FromStr for Rule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Rule, BadRule> {
        let (kind, number) = text.split_once(':').unwrap_or((text, ""));
        let count = || {
            let count = number.parse().ok();
            count.filter(|count| (MIN_PERIODS..=MAX_PERIODS).contains(count)).ok_or(BadRule)
        };
        match kind {
            "off" if !text.contains(':') => Ok(Rule::Off),
            "hits" => count().map(Rule::Hits),
            "periods" => count().map(Rule::Periods),
            "seconds" => {
                let seconds: Option<f64> = number.parse().ok();
                let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
                seconds.map(Rule::Seconds).ok_or(BadRule)
            }
            _ => Err(BadRule),
        }
    }
}

/// A rule and its state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    rule: Rule,
    /// Predictions with a period since the last one without.
    hits: u32,
    period_s: Option<f64>,
}

impl Window {
    pub fn new(rule: Rule) -> Window {
        Window { rule, hits: 0, period_s: None }
    }

    pub fn note(&mut self, period_s: Option<f64>) {
        self.period_s = period_s;
        self.hits = if period_s.is_some() { self.hits.saturating_add(1) } else { 0 };
    }

    pub fn reset(&mut self) {
        *self = Window::new(self.rule);
    }

    /// Length of the window; `None` for everything.
    pub fn length_s(&self) -> Option<f64> {
        let periods = |count: u32| self.period_s.map(|period| period * f64::from(count));
        match self.rule {
            Rule::Hits(count) if self.hits >= count => periods(count),
            Rule::Hits(_) | Rule::Off => None,
            Rule::Seconds(seconds) => Some(seconds),
            Rule::Periods(count) => periods(count),
        }
    }

    /// Whether the window may begin earlier, so as not to begin amid a phase.
    pub fn may_grow(&self) -> bool {
        !matches!(self.rule, Rule::Seconds(_))
    }

    /// The longest window that the rule can ever need; `None` if unknown.
    pub fn longest_s(&self) -> Option<f64> {
        match self.rule {
            Rule::Seconds(seconds) => Some(seconds),
            _ => self.period_s.map(|period| period * f64::from(MAX_PERIODS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        let read = |text: &str| text.parse::<Rule>().ok();
        assert_eq!(read("hits:3"), Some(Rule::Hits(3)));
        assert_eq!(read("seconds:2.5"), Some(Rule::Seconds(2.5)));
        assert_eq!(read("periods:10"), Some(Rule::Periods(10)));
        assert_eq!(read("off"), Some(Rule::Off));
        for bad in
            ["", "hits", "hits:0", "hits:1", "hits:65", "hits:3.5", "seconds:0", "seconds:nan", "off:", "Off"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    fn lengths(rule: Rule, periods: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut window = Window::new(rule);
        let after = |&period: &Option<f64>| {
            window.note(period);
            window.length_s()
        };
        periods.iter().map(after).collect()
    }

    #[test]
    fn three_hits_shrink_the_window_and_a_miss_resets_it() {
        let (ten, twelve) = (Some(10.0), Some(12.0));
        let found = [ten, ten, ten, twelve, None, ten, ten, ten];
        let expected = [None, None, Some(30.0), Some(36.0), None, None, None, Some(30.0)];
        assert_eq!(lengths(Rule::Hits(3), &found), expected);
        let mut window = Window::new(Rule::Hits(2));
        window.note(ten);
        window.note(ten);
        assert_eq!(window.length_s(), Some(20.0));
        window.reset();
        window.note(ten);
        assert_eq!(window.length_s(), None);
    }

    #[test]
    fn the_other_rules_do_not_count() {
        let found = [Some(10.0), None];
        assert_eq!(lengths(Rule::Seconds(5.0), &found), [Some(5.0), Some(5.0)]);
        assert_eq!(lengths(Rule::Periods(4), &found), [Some(40.0), None]);
        assert_eq!(lengths(Rule::Off, &found), [None, None]);
    }

    #[test]
    fn what_may_be_asked_for_is_bounded() {
        let mut window = Window::new(Rule::Off);
        assert_eq!(window.longest_s(), None);
        window.note(Some(10.0));
        assert_eq!(window.longest_s(), Some(640.0));
        assert_eq!(Window::new(Rule::Seconds(7.0)).longest_s(), Some(7.0));
    }
}
