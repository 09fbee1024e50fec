//! The Darshan log of a run.

use std::collections::BTreeMap;

use marigraph_model::{
    Direction, Event, FileId, Job, Module, ModuleInfo, Mount, Nanos, Rank, Records, Trace, WallTime,
};

use super::super::Random;
use super::corruption::Corruption;
use super::events::{FileUse, Story};
use super::story::Detail;
use super::{heat, records};

/// The first second of 2019.
const YEAR: i64 = 1_546_300_800;
const YEAR_S: f64 = 3.15e7;

/// The user, job and command of a run.
pub struct Identity {
    pub job: i64,
    pub user: i64,
    pub command: String,
}

/// Makes the log of a run, with the requested corruption. Returns the corruption applied: one that
/// does not fit this log is replaced by an end before the start.
pub fn log(
    story: &Story,
    detail: Detail,
    identity: &Identity,
    wrong: Option<Corruption>,
    random: &mut Random,
) -> (Trace, Option<Corruption>) {
    let mut trace = Trace { job: job(story, identity, random), ..Trace::default() };
    let wrong = add_records(story, wrong, &mut trace);
    match detail {
        Detail::Records => {}
        Detail::Heatmap => trace.series = heat::maps(story),
        Detail::Dxt => {
            add_events(story, &mut trace);
            // Heat maps are on by default, but users can switch them off.
            if random.chance(0.5) {
                trace.series = heat::maps(story);
            }
        }
    }
    let partial = wrong == Some(Corruption::Partial);
    trace.modules = trace.records.keys().map(|&module| ModuleInfo { module, version: 4, partial }).collect();
    if let Some(wrong) = wrong {
        wrong.spoil_job(&mut trace.job);
    }
    (trace, wrong)
}

fn job(story: &Story, identity: &Identity, random: &mut Random) -> Job {
    let start = WallTime {
        seconds: YEAR + random.between(0.0, YEAR_S) as i64,
        nanos: random.index(1_000_000_000) as u32,
    };
    let end = i128::from(start.seconds) * 1_000_000_000
        + i128::from(start.nanos)
        + i128::from(Nanos::from_job_seconds(story.runtime_s).0);
    Job {
        id: identity.job,
        uid: identity.user,
        exe: identity.command.clone(),
        nprocs: story.nprocs,
        start,
        end: WallTime { seconds: (end / 1_000_000_000) as i64, nanos: (end % 1_000_000_000) as u32 },
        metadata: vec![("lib_ver".into(), "3.4.4".into())],
        mounts: [("/scratch", "lustre"), ("/home", "nfs"), ("/", "overlay")]
            .map(|(path, kind)| Mount { path: path.into(), fs_type: kind.into() })
            .to_vec(),
    }
}

fn add_records(story: &Story, mut wrong: Option<Corruption>, trace: &mut Trace) -> Option<Corruption> {
    let mut by_module: BTreeMap<Module, Records> = BTreeMap::new();
    let mut spoilt = wrong.is_none_or(|wrong| !needs_record(wrong));
    for file in &story.files {
        let id = FileId::of_name(file.name.as_bytes());
        trace.files.insert(id, file.name.as_bytes());
        for mut records in records::of(file, story.nprocs) {
            if let Some(wrong) = wrong.filter(|_| !spoilt && records.module() != Module::MpiIo) {
                (records, spoilt) = wrong.spoil_record(&records, &trace.job);
            }
            let module = records.module();
            by_module.entry(module).or_insert_with(|| Records::new(module)).append(&records);
        }
    }
    if !spoilt {
        wrong = Some(Corruption::EndBeforeStart);
    }
    trace.records = by_module;
    wrong
}

fn needs_record(wrong: Corruption) -> bool {
    use Corruption::{EndBeforeStart, Garbage, NoProcesses, Partial, Truncated, ZeroRuntime};
    !matches!(wrong, Truncated | Garbage | EndBeforeStart | ZeroRuntime | NoProcesses | Partial)
}

fn add_events(story: &Story, trace: &mut Trace) {
    for file in story.files.iter().filter(|file| !file.stream) {
        let id = FileId::of_name(file.name.as_bytes());
        let interfaces = [Some(Module::Posix), file.collective.then_some(Module::MpiIo)];
        interfaces.into_iter().flatten().for_each(|interface| add_file_events(file, id, interface, trace));
    }
}

fn add_file_events(file: &FileUse, id: FileId, interface: Module, trace: &mut Trace) {
    let mut offset = 0;
    for touch in &file.touches {
        trace.hosts.entry(Rank(touch.rank)).or_insert_with(|| format!("nid{:05}", 100 + touch.rank / 2));
        trace.events.push(Event {
            interface,
            direction: if touch.write { Direction::Write } else { Direction::Read },
            rank: Rank(touch.rank),
            file: id,
            start: Nanos::from_job_seconds(touch.start_s),
            end: Nanos::from_job_seconds(touch.end_s),
            offset: Some(offset),
            bytes: touch.bytes,
            thread: None,
        });
        offset += touch.bytes;
    }
}
