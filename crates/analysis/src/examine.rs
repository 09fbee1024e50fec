//! One pass over a log for all analyses that are asked for.
//!
//! `show`, `report` and `ingest` ask different [`Questions`] about the same log. [`Opened`] holds
//! what a log tells before its content is read. [`examine`] streams the content once into every
//! analysis that a question needs.

use std::collections::BTreeMap;

use marigraph_model::{
    All, Events, FileTable, Job, Layout, Module, ModuleInfo, Problem, Reader, Series, Sink,
};

use crate::advice::{self, Survey};
use crate::category::{Categories, Collector, Evidence, Facts, Families, Thresholds, categorize};
use crate::files::Files;
use crate::period::evidence::{self, Activities};
use crate::period::{self, DirectionFilter, Found, Method, Question};
use crate::timeline::Timeline;
use crate::usage::JobUsage;
use crate::valid::Invalid;

/// The question about the period, unless the user asks another.
pub const QUESTION: Question = Question {
    direction: DirectionFilter::Both,
    window: None,
    skip_first_phase: false,
    method: Method::Auto,
};

/// Maximum number of layouts kept: more than a page can show.
const MAX_LAYOUTS: usize = 100_000;

/// The analyses of a log beside its sums.
#[derive(Debug, Clone, Copy, Default)]
pub struct Questions {
    pub advice: Option<advice::Thresholds>,
    pub rhythm: bool,
    pub category: bool,
    /// Data for plots: the timeline, the operations behind categories, the layouts of files.
    pub pictures: bool,
    /// Maximum number of calls of a folded trace to unfold; longer ones are analysed by their
    /// counters.
    pub unfold: u64,
}

/// What a log tells before its content is read.
pub struct Opened {
    pub job: Job,
    pub modules: Vec<ModuleInfo>,
    pub names: FileTable,
    /// So far.
    pub problems: Vec<Problem>,
    traced: Evidence,
}

/// The results of all analyses of a log.
pub struct Examination {
    pub usage: JobUsage,
    pub files: Files,
    pub survey: Option<Survey>,
    pub timeline: Option<Timeline>,
    pub layouts: Vec<Layout>,
    /// The period; `None` where the log does not tell when bytes moved.
    pub rhythm: Option<Found>,
    pub categories: Option<Result<Categories, Invalid>>,
    pub records: BTreeMap<Module, u64>,
    /// Of opening and of reading the log.
    pub problems: Vec<Problem>,
}

impl Opened {
    /// `damage` is a problem with the log's outer compression.
    pub fn of(reader: &dyn Reader, damage: Option<Problem>) -> Opened {
        let (names, name_problems) = reader.names();
        let mut problems: Vec<Problem> = damage.into_iter().chain(reader.open_problems()).collect();
        problems.extend(name_problems);
        Opened { job: reader.job(), modules: reader.modules(), names, problems, traced: traced(reader) }
    }
}

/// Returns what kind of evidence single operations of a log are.
pub fn traced(reader: &dyn Reader) -> Evidence {
    if reader.format() == "darshan" { Evidence::Dxt } else { Evidence::Trace }
}

struct Rhythm(evidence::Survey, Activities);

impl Sink for Rhythm {
    fn events(&mut self, block: &Events) {
        self.0.events(block);
        self.1.events(block);
    }
    fn series(&mut self, series: &Series) {
        self.0.series(series);
        self.1.series(series);
    }
}

#[derive(Default)]
struct Layouts(Vec<Layout>);

impl Sink for Layouts {
    fn layout(&mut self, layout: &Layout) {
        if self.0.len() < MAX_LAYOUTS {
            self.0.push(layout.clone());
        }
    }
}

/// Streams a log once, also into the caller's sink, and runs the analyses that are asked for.
pub fn examine(reader: &dyn Reader, log: &Opened, questions: &Questions, more: &mut dyn Sink) -> Examination {
    let Questions { pictures, unfold, .. } = *questions;
    let Opened { job, names, .. } = log;
    let unfolds = reader.trace_facts().is_none_or(|facts| facts.events <= unfold);
    let thresholds = Thresholds::default();
    let (mut usage, mut files, mut layouts) = (JobUsage::default(), Files::default(), Layouts::default());
    let mut survey = questions.advice.map(Survey::new);
    let mut timeline = pictures.then(|| Timeline::new(job.runtime_s(), job.nprocs));
    let mut rhythm = (questions.rhythm && unfolds)
        .then(|| Rhythm(evidence::Survey::default(), Activities::new(QUESTION.direction, QUESTION.window)));
    let mut collector = questions.category.then(|| {
        let collector = Collector::new(job, &thresholds).with_families(Families::of(names));
        if pictures { collector.with_pictures() } else { collector }
    });
    let streamed = reader.stream(
        &|module| unfolds || !module.is_operations(),
        &mut All(&mut [
            &mut usage,
            &mut files,
            &mut survey,
            &mut timeline,
            &mut rhythm,
            &mut collector,
            &mut layouts,
            more,
        ]),
    );
    let problems = [log.problems.as_slice(), &streamed.problems].concat();
    let facts = Facts { job, modules: &log.modules, problems: &problems, traced: log.traced };
    let categories = collector.map(|collector| categorize(collector, &facts, &thresholds));
    Examination {
        usage,
        files,
        survey,
        timeline,
        layouts: layouts.0,
        rhythm: rhythm.and_then(|Rhythm(survey, activities)| period::answer(&QUESTION, &survey, activities)),
        categories,
        records: streamed.records,
        problems,
    }
}
