//! The period of a log whose content is streamed for other reasons as well.

use marigraph_analysis::period::evidence::{Activities, Survey};
use marigraph_analysis::period::{self, DirectionFilter, Found, Method, Question};
use marigraph_model::{Events, Series, Sink};

/// What is asked where the user asks nothing in particular.
pub const QUESTION: Question = Question {
    direction: DirectionFilter::Both,
    window: None,
    skip_first_phase: false,
    method: Method::Auto,
};

/// When bytes moved; collected only where that is wanted.
pub struct Rhythm(Option<(Survey, Activities)>);

impl Rhythm {
    /// Nothing yet.
    pub fn new(wanted: bool) -> Rhythm {
        Rhythm(wanted.then(|| (Survey::default(), Activities::new(QUESTION.direction, QUESTION.window))))
    }

    /// The period of what was collected; nothing, if the log does not tell when bytes moved.
    pub fn answer(self) -> Option<Found> {
        let (survey, activities) = self.0?;
        period::answer(&QUESTION, &survey, activities)
    }
}

impl Sink for Rhythm {
    fn events(&mut self, block: &Events) {
        if let Some((survey, activities)) = &mut self.0 {
            survey.events(block);
            activities.events(block);
        }
    }
    fn series(&mut self, series: &Series) {
        if let Some((survey, activities)) = &mut self.0 {
            survey.series(series);
            activities.series(series);
        }
    }
}
