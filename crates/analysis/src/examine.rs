//! One pass over a log for every question that is asked of it.
//!
//! `show`, `report` and `ingest` ask different [`Questions`] of the same log. [`Opened`] is what a
//! log says before its content is read; [`examine`] streams the content once into every analysis
//! that a question needs and answers.

use std::collections::BTreeMap;

use marigraph_model::{
    All, Events, FileTable, Job, Layout, Module, ModuleInfo, Problem, Reader, Series, Sink,
};

use crate::advice::{self, Survey};
use crate::category::{Categories, Collector, Evidence, Facts, Families, Invalid, Thresholds, categorize};
use crate::files::Files;
use crate::period::evidence::{self, Activities};
use crate::period::{self, DirectionFilter, Found, Method, Question};
use crate::timeline::Timeline;
use crate::usage::JobUsage;

/// What is asked about the period where the user asks nothing in particular.
pub const QUESTION: Question = Question {
    direction: DirectionFilter::Both,
    window: None,
    skip_first_phase: false,
    method: Method::Auto,
};

/// Layouts that are kept: more than a page can show.
const MAX_LAYOUTS: usize = 100_000;

/// What is asked of a log beside its sums.
#[derive(Debug, Clone, Copy, Default)]
pub struct Questions {
    /// What could be better, by these thresholds.
    pub advice: Option<advice::Thresholds>,
    /// How often does it do I/O?
    pub rhythm: bool,
    /// What kind of I/O does it do?
    pub category: bool,
    /// What a page shows: the timeline, the operations behind categories, the layouts of files.
    pub pictures: bool,
    /// Calls up to which a folded trace is unfolded; beyond, its counters speak for it.
    pub unfold: u64,
}

/// What a log says of itself before its content is read.
pub struct Opened {
    /// What ran.
    pub job: Job,
    /// Modules present.
    pub modules: Vec<ModuleInfo>,
    /// Names of files.
    pub names: FileTable,
    /// Trouble so far.
    pub problems: Vec<Problem>,
    /// What single operations are evidence of.
    traced: Evidence,
}

/// What a log says, and the answers.
pub struct Examination {
    /// Sums per interface.
    pub usage: JobUsage,
    /// Use of every file.
    pub files: Files,
    /// What advice is made of.
    pub survey: Option<Survey>,
    /// When bytes moved.
    pub timeline: Option<Timeline>,
    /// Where files lie.
    pub layouts: Vec<Layout>,
    /// The period; nothing where the log does not say when bytes moved.
    pub rhythm: Option<Found>,
    /// The categories, or why the log is not to be trusted.
    pub categories: Option<Result<Categories, Invalid>>,
    /// Records per module.
    pub records: BTreeMap<Module, u64>,
    /// All trouble.
    pub problems: Vec<Problem>,
}

impl Opened {
    /// Asks the log; `damage` is what was wrong with its outer compression.
    pub fn of(reader: &dyn Reader, damage: Option<Problem>) -> Opened {
        let (names, name_problems) = reader.names();
        let mut problems: Vec<Problem> = damage.into_iter().chain(reader.open_problems()).collect();
        problems.extend(name_problems);
        Opened { job: reader.job(), modules: reader.modules(), names, problems, traced: traced(reader) }
    }
}

/// What single operations of a log are evidence of.
pub fn traced(reader: &dyn Reader) -> Evidence {
    if reader.format() == "darshan" { Evidence::Dxt } else { Evidence::Trace }
}

/// When bytes moved.
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

/// Layouts of files.
#[derive(Default)]
struct Layouts(Vec<Layout>);

impl Sink for Layouts {
    fn layout(&mut self, layout: &Layout) {
        if self.0.len() < MAX_LAYOUTS {
            self.0.push(layout.clone());
        }
    }
}

/// Streams a log once, also into a sink of the caller, and answers what is asked.
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
