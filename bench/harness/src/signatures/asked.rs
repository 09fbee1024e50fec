//! What the command line asks for.

use marigraph_analysis::signature::{Method, Options};
use marigraph_analysis::synth::server::{Chosen, Kind, Law, ServerPlan};

/// Gaps in the logs of drawn applications.
const GAPS: f64 = 3.0;

pub struct Asked {
    arguments: Vec<String>,
}

impl Asked {
    pub fn new(arguments: Vec<String>) -> Asked {
        Asked { arguments }
    }

    pub fn table(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|one| one == name)
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let at = self.arguments.iter().position(|one| one == name)?;
        self.arguments.get(at + 1).map(String::as_str)
    }

    pub fn number(&self, name: &str, usual: f64) -> f64 {
        self.value(name).map_or(usual, |value| value.parse().expect("a number"))
    }

    pub fn seeds(&self) -> std::ops::Range<u64> {
        let first = self.number("--first-seed", 1.0) as u64;
        first..first + self.number("--seeds", 10.0) as u64
    }

    pub fn kinds(&self) -> Vec<Kind> {
        let wanted = |kind: &Kind| self.value("--kind").is_none_or(|name| kind.name() == name);
        Kind::ALL.into_iter().filter(wanted).collect()
    }

    pub fn laws(&self) -> Vec<Law> {
        let wanted = |law: &Law| self.value("--law").is_none_or(|name| law.name() == name);
        Law::ALL.into_iter().filter(wanted).collect()
    }

    pub fn plan(&self, seed: u64, applications: Chosen, law: Option<Law>) -> ServerPlan {
        let gaps = if applications == Chosen::Paper { 0.0 } else { GAPS };
        ServerPlan {
            seed,
            applications,
            law,
            days: self.number("--days", 14.0),
            runs: self.number("--runs", 10.0) as usize,
            noise: self.number("--noise", 1.0),
            jitter: self.number("--jitter", 1.0),
            contention: self.number("--contention", 1.0),
            gaps: self.number("--gaps", gaps) as usize,
            ..ServerPlan::default()
        }
    }

    pub fn methods(&self) -> Vec<Method> {
        match self.value("--method") {
            Some("iosi") => vec![Method::Iosi],
            Some("dtw") => vec![Method::Dtw],
            Some("all") => vec![Method::Auto, Method::Iosi, Method::Dtw],
            _ => vec![Method::Auto],
        }
    }

    pub fn options(&self, method: Method) -> Options {
        Options { method, ..Options::default() }
    }
}

/// As on the command line.
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::Auto => "auto",
        Method::Iosi => "iosi",
        Method::Dtw => "dtw",
    }
}
