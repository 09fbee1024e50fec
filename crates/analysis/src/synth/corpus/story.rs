//! One run of a plan, event by event.

use marigraph_model::{Rank, Scope};

use super::super::Random;
use super::events::{Calls, FileUse, Session, Story, Touch};
use super::plan::{Activity, Layout, Load, Plan, Step};

/// What a log will hold; it decides how finely the events are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Records,
    Heatmap,
    /// Records, single operations and often heat maps.
    Dxt,
}

/// Maximum number of processes that read and write in a finely generated run.
const MAX_FINE_RANKS: u64 = 8;
/// Latest moment of any event, as a share of the run.
const LAST: f64 = 0.9985;

pub fn tell(plan: &Plan, detail: Detail, folder: &str, random: &mut Random) -> Story {
    // Runs of one application differ slightly.
    let runtime_s = plan.runtime_s * random.between(0.99, 1.01);
    let scale = random.between(0.995, 1.005);
    let story = Story { runtime_s, nprocs: plan.nprocs, files: Vec::new() };
    let mut teller = Teller { plan, detail, folder, random, story, scale };
    for (number, activity) in plan.activities.iter().enumerate() {
        teller.activity(number, activity);
    }
    teller.small_files(plan.activities.len());
    teller.load(plan.activities.len() + 1);
    teller.story
}

struct Teller<'a> {
    plan: &'a Plan,
    detail: Detail,
    folder: &'a str,
    random: &'a mut Random,
    story: Story,
    scale: f64,
}

impl Teller<'_> {
    /// Processes with their own records or events in an activity.
    fn ranks(&self, activity: &Activity) -> u64 {
        let fine = self.detail != Detail::Records;
        if fine {
            return self.plan.nprocs.min(MAX_FINE_RANKS);
        }
        if !activity.own_files {
            return 1;
        }
        let files = if activity.layout == Layout::Numbered { activity.steps.len() } else { 1 };
        self.plan.nprocs.min((self.plan.own_files / files).clamp(1, 1024) as u64)
    }

    fn activity(&mut self, number: usize, activity: &Activity) {
        let ranks = self.ranks(activity);
        let numbered = activity.layout == Layout::Numbered;
        let owners = if activity.own_files { ranks } else { 1 };
        let per_file: Vec<&[Step]> =
            if numbered { activity.steps.chunks(1).collect() } else { vec![&activity.steps] };
        for owner in 0..owners {
            for (at, steps) in per_file.iter().enumerate() {
                let name = self.name(activity, numbered.then_some(at), activity.own_files.then_some(owner));
                let scope = if activity.own_files { Scope::Rank(Rank(owner as u32)) } else { Scope::Shared };
                let alone = self.plan.nprocs == 1;
                let mut file = FileUse {
                    name,
                    activity: number,
                    scope: if alone { Scope::Rank(Rank(0)) } else { scope },
                    stream: activity.stream && self.detail != Detail::Dxt,
                    collective: activity.collective && !activity.stream && !alone,
                    touches: Vec::new(),
                    sessions: Vec::new(),
                    seeks: 0,
                };
                let taking_part = if activity.own_files { owner..owner + 1 } else { 0..ranks };
                steps
                    .iter()
                    .for_each(|step| self.step(activity, step, (taking_part.clone(), ranks), &mut file));
                self.sessions(activity, taking_part.end - taking_part.start, &mut file);
                self.story.files.push(file);
            }
        }
    }

    fn name(&self, activity: &Activity, step: Option<usize>, owner: Option<u64>) -> String {
        let mut name = format!("{}/{}", self.folder, activity.name);
        if let Some(step) = step {
            name.push_str(&format!(".{step:04}"));
        }
        if let Some(owner) = owner {
            name.push_str(&format!(".p{owner:05}"));
        }
        name + if activity.stream { ".txt" } else { ".dat" }
    }

    /// The accesses of the processes to one file in one step. The first process starts it, the last
    /// one ends it.
    fn step(
        &mut self,
        activity: &Activity,
        step: &Step,
        (ranks, of): (std::ops::Range<u64>, u64),
        file: &mut FileUse,
    ) {
        let run = self.story.runtime_s;
        let (start_s, end_s) = (step.start * run, ((step.start + step.length) * run).min(LAST * run));
        let start_s = start_s.max(0.1).min(end_s);
        let length = (end_s - start_s).max(0.01);
        let bytes = (step.bytes * self.scale / of as f64) as u64;
        for rank in ranks {
            let slack = length * activity.out_of_step * 0.5;
            let late = if rank == 0 { 0.0 } else { self.random.between(0.0, slack) };
            let early = if rank + 1 == of { 0.0 } else { self.random.between(0.0, slack) };
            let (from, to) = (start_s + late, start_s + length - early);
            self.touches(activity, rank as u32, (from, to), bytes.max(1), file);
        }
    }

    /// One rank's share of a step: a few calls if each is traced, otherwise one entry for all.
    fn touches(
        &mut self,
        activity: &Activity,
        rank: u32,
        (from, to): (f64, f64),
        bytes: u64,
        file: &mut FileUse,
    ) {
        let traced = self.detail == Detail::Dxt;
        let parts = if traced { 1 + self.random.index(3) as u64 } else { 1 };
        for part in 0..parts {
            let share = (to - from) / parts as f64;
            let start_s = from + share * part as f64;
            let own = bytes / parts + if part + 1 == parts { bytes % parts } else { 0 };
            let calls =
                if traced { 1 } else { (own as f64 / activity.call_bytes).ceil().clamp(1.0, 1e9) as u64 };
            let end_s = if part + 1 == parts { to } else { start_s + share };
            file.touches.push(Touch { write: activity.write, rank, start_s, end_s, bytes: own, calls });
        }
    }

    /// Opens before and closes after; processes that share a file open it together.
    fn sessions(&mut self, activity: &Activity, ranks: u64, file: &mut FileUse) {
        let shared = !activity.own_files;
        let count = if shared && self.plan.all_open { self.plan.nprocs } else { ranks };
        let hulls: Vec<(f64, f64)> = match activity.layout {
            Layout::Reopened => self.step_hulls(activity, file),
            _ => file.hull(activity.write).into_iter().collect(),
        };
        for (from, to) in hulls {
            file.sessions.push(self.session((from, to), count));
        }
        if self.random.chance(0.3) {
            file.seeks = file.touches.iter().map(|touch| touch.calls).sum::<u64>().min(ranks * 4);
        }
    }

    fn step_hulls(&self, activity: &Activity, file: &FileUse) -> Vec<(f64, f64)> {
        let run = self.story.runtime_s;
        let within = |step: &Step| {
            let (from, to) = (step.start * run - 1e-9, (step.start + step.length) * run + 1e-9);
            let mine = file
                .touches
                .iter()
                .filter(|touch| touch.start_s >= from.min(LAST * run - 1.0) && touch.end_s <= to.max(0.2));
            let hull = mine.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), touch| {
                (a.min(touch.start_s), b.max(touch.end_s))
            });
            (hull.0 < hull.1).then_some(hull)
        };
        activity.steps.iter().filter_map(within).collect()
    }

    fn session(&mut self, (from, to): (f64, f64), count: u64) -> Session {
        let (before, after) = (self.random.between(0.001, 0.02), self.random.between(0.001, 0.02));
        let open = Calls { from_s: (from - before).max(0.001), to_s: from, count };
        let close = Calls { from_s: to, to_s: (to + after).min(self.story.runtime_s), count };
        Session { open, close }
    }

    /// Libraries and modules, all read at the same time by the first process.
    fn small_files(&mut self, number: usize) {
        let window = (self.story.runtime_s * 0.004).clamp(0.2, 20.0);
        for n in 0..self.plan.small_files {
            let start_s = 0.1 + self.random.between(0.0, 0.5) * window;
            let end_s = start_s + 0.55 * window;
            let bytes = self.random.between_log(200.0, 4000.0) as u64;
            let session = self.session((start_s, end_s), 1);
            self.story.files.push(FileUse {
                name: format!("/usr/lib/modules/part{n:05}.so"),
                activity: number,
                scope: Scope::Rank(Rank(0)),
                stream: false,
                collective: false,
                touches: vec![Touch { write: false, rank: 0, start_s, end_s, bytes, calls: 1 }],
                sessions: vec![session],
                seeks: 0,
            });
        }
    }

    fn load(&mut self, number: usize) {
        match self.plan.load {
            Load::Quiet => {}
            Load::Spikes { count, requests, one_file } => self.spikes(number, count, requests, one_file),
            Load::Storm { per_s } => {
                let (from, to) = (1.0, self.story.runtime_s * LAST);
                let count = (per_s * self.story.runtime_s / 2.0) as u64;
                let whole = Calls { from_s: from, to_s: to, count };
                self.lock_file(number, 0, vec![Session { open: whole, close: whole }]);
            }
            Load::Opens { per_process } => {
                let so_far: u64 = self.story.files.iter().map(requests).sum();
                let wanted = (self.plan.nprocs as f64 * per_process) as u64;
                let count = wanted.saturating_sub(so_far) / 2;
                let (from_s, to_s) = (1.0, self.story.runtime_s * LAST);
                let whole = Calls { from_s, to_s, count };
                if count > 0 {
                    self.lock_file(number, 0, vec![Session { open: whole, close: whole }]);
                }
            }
        }
    }

    fn spikes(&mut self, number: usize, count: usize, requests: f64, one_file: bool) {
        let space = (self.story.runtime_s * 0.98 - 3.0) / count as f64;
        let mut all = Vec::new();
        for n in 0..count {
            // In the middle of a second, so that no bin border splits it.
            let second = (2.0 + space * (n as f64 + self.random.between(0.1, 0.9))).floor();
            let opens = (requests / 2.0) as u64;
            let open = Calls { from_s: second + 0.3, to_s: second + 0.5, count: opens };
            let close = Calls { from_s: second + 0.5, to_s: second + 0.7, count: opens };
            all.push(Session { open, close });
        }
        if one_file {
            return self.lock_file(number, 0, all);
        }
        all.into_iter().enumerate().for_each(|(n, session)| self.lock_file(number, n, vec![session]));
    }

    fn lock_file(&mut self, number: usize, n: usize, sessions: Vec<Session>) {
        let alone = self.plan.nprocs == 1;
        self.story.files.push(FileUse {
            name: format!("{}/locks/{n:03}.lock", self.folder),
            activity: number,
            scope: if alone { Scope::Rank(Rank(0)) } else { Scope::Shared },
            stream: false,
            collective: false,
            touches: Vec::new(),
            sessions,
            seeks: 0,
        });
    }
}

fn requests(file: &FileUse) -> u64 {
    file.sessions.iter().map(|session| session.open.count + session.close.count).sum::<u64>()
}
