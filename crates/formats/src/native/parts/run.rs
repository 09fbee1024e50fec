//! The parts of a run, joined.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use marigraph_model::{Job, Problem, Rank, WallTime};

use super::book::Book;
use super::clock::{Clock, Machines};
use super::facts::{Facts, Role};
use super::part::{Files, Part};
use super::problems::{self, Missing};
use super::process::Process;
use super::ranks::{self, Seat};
use super::separate::{JOB_IDS, job_number};

/// Loads the files of a part by its stem. Called again for the parents of forked processes.
pub trait Load: Sync {
    type Bytes: Deref<Target = [u8]>;
    fn load(&self, stem: &str) -> Files<Self::Bytes>;
}

/// A process of the run, or a program that a process ran before it called `exec`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub stem: String,
    pub rank: Rank,
    /// 0-based, within the rank.
    pub ordinal: u32,
    part: usize,
}

/// What the second pass could not read, summed over processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unreadable {
    /// Records in chunks that do not decode.
    pub records: u64,
    /// Names with a missing piece.
    pub names: u64,
    /// Records of unknown operations.
    pub operations: u64,
    /// Processes whose clock could not be measured.
    pub clocks: u64,
}

impl Unreadable {
    pub fn add(&mut self, other: &Unreadable) {
        self.records += other.records;
        self.names += other.names;
        self.operations += other.operations;
        self.clocks += other.clocks;
    }
}

/// Maximum books of parents kept in memory.
const BOOKS: usize = 64;
const FORKS: usize = 64;

/// All parts of a run, with their ranks and clocks.
#[derive(Debug)]
pub struct Run {
    /// Without mounts.
    pub job: Job,
    pub hosts: BTreeMap<Rank, String>,
    /// By rank and start time.
    pub members: Vec<Member>,
    pub missing: Missing,
    /// Includes `missing` as sentences.
    pub problems: Vec<Problem>,
    /// Launchers and idle shells that made calls but are not ranks.
    pub launchers: u32,
    facts: Vec<Facts>,
    clocks: Vec<Clock>,
    by_stem: HashMap<String, usize>,
    parents: BTreeSet<usize>,
    books: Mutex<HashMap<usize, Arc<Book>>>,
}

impl Run {
    pub fn new(mut facts: Vec<Facts>) -> Run {
        facts.sort_by(|a, b| a.stem.cmp(&b.stem));
        let seating = ranks::seat(&facts);
        let missing = Missing::of(&facts, &seating);
        let problems = problems::word(&facts, &missing, &seating);
        let by_stem: HashMap<String, usize> =
            facts.iter().enumerate().map(|(at, part)| (part.stem.clone(), at)).collect();
        let forked =
            |part: &Facts| by_stem.get(&*String::from_utf8_lossy(&part.identity.forked_from)).copied();
        let parents = facts.iter().filter_map(forked).collect();
        let mut members: Vec<Member> = facts
            .iter()
            .zip(&seating.seats)
            .enumerate()
            .filter_map(|(at, (part, seat))| {
                let Seat { rank, ordinal } = (*seat)?;
                Some(Member { stem: part.stem.clone(), rank: Rank(rank), ordinal, part: at })
            })
            .collect();
        members.sort_by_key(|member| (member.rank, member.ordinal));
        let mut run = Run {
            job: Job { nprocs: u64::from(seating.nprocs), ..Job::default() },
            hosts: BTreeMap::new(),
            members,
            missing,
            problems,
            launchers: seating.launchers,
            clocks: Vec::new(),
            by_stem,
            parents,
            books: Mutex::default(),
            facts,
        };
        run.set_clocks();
        run.describe_job();
        run
    }

    fn set_clocks(&mut self) {
        let mut machines = Machines::default();
        for part in &self.facts {
            part.extent.iter().for_each(|&extent| machines.add(&part.place(), extent));
        }
        let clocks: Vec<Clock> =
            self.facts.iter().map(|part| machines.clock(&part.place(), part.extent)).collect();
        let seated: BTreeSet<usize> = self.members.iter().map(|member| member.part).collect();
        let times = |of: &dyn Fn(&Facts, &Clock) -> i64| -> Vec<i64> {
            let all = self.facts.iter().zip(&clocks).enumerate();
            let known = all.filter(|(at, (part, _))| seated.contains(at) && part.extent.is_some());
            known.map(|(_, (part, clock))| of(part, clock)).collect()
        };
        let start = times(&|part, clock| clock.wall(part.began().ticks)).into_iter().min().unwrap_or(0);
        let end = times(&|part, clock| clock.wall(part.last_tick)).into_iter().max().unwrap_or(start);
        (self.job.start, self.job.end) = (wall_time(start), wall_time(end));
        self.clocks = clocks.into_iter().map(|clock| clock.from(start)).collect();
    }

    fn describe_job(&mut self) {
        for member in &self.members {
            if let Some(part) = self.facts.get(member.part) {
                let host = String::from_utf8_lossy(&part.identity.host).into_owned();
                self.hosts.entry(member.rank).or_insert(host);
            }
        }
        let first = self.first_program().map(|part| (part.identity.clone(), command_line(part)));
        let Some((identity, command)) = first else { return };
        let id = JOB_IDS.iter().find_map(|name| identity.variable(name).as_deref().and_then(job_number));
        self.job.id = id.unwrap_or_else(|| i64::from(identity.pid));
        self.job.uid = i64::from(identity.uid);
        self.job.exe = command;
    }

    /// The program of the first rank: its MPI program, else the first that is not a shell.
    fn first_program(&self) -> Option<&Facts> {
        let rank = self.members.first()?.rank;
        let parts = self.members.iter().take_while(|member| member.rank == rank);
        let mut parts: Vec<&Facts> = parts.filter_map(|member| self.facts.get(member.part)).collect();
        parts.sort_by_key(|part| (part.mpi.is_none(), part.role != Role::Program));
        parts.first().copied()
    }

    pub fn open<'a, L: Load>(&self, member: &Member, files: Files<&'a [u8]>, load: &L) -> Process<'a> {
        let part = Part::new(files);
        let book = self.book(member.part, Some(&part), load, 0);
        let clock = self.clocks.get(member.part).copied().unwrap_or_default();
        Process::new(part, book, clock)
    }

    /// Number of records, from the counts of chunks: estimates the time to read them.
    pub fn records(&self, member: &Member) -> u64 {
        self.facts.get(member.part).map_or(0, |part| part.records)
    }

    /// Up to [`BOOKS`] books of parents are read only once.
    fn book<L: Load>(&self, at: usize, part: Option<&Part<'_>>, load: &L, forks: usize) -> Arc<Book> {
        let heirs = self.parents.contains(&at);
        let kept = || self.books.lock().unwrap_or_else(PoisonError::into_inner);
        if heirs && let Some(book) = kept().get(&at) {
            return Arc::clone(book);
        }
        let facts = self.facts.get(at);
        let parent = facts.and_then(|facts| {
            self.by_stem.get(&*String::from_utf8_lossy(&facts.identity.forked_from)).filter(|_| forks < FORKS)
        });
        let parent = parent.map(|&parent| self.book(parent, None, load, forks + 1));
        let book = Arc::new(match (part, facts) {
            (Some(part), _) => Book::read(part, parent, heirs),
            (None, Some(facts)) => {
                let files = load.load(&facts.stem);
                Book::read(&Part::new(files.as_slices()), parent, heirs)
            }
            (None, None) => Book::default(),
        });
        if heirs {
            let mut kept = kept();
            if kept.len() >= BOOKS {
                kept.clear();
            }
            kept.insert(at, Arc::clone(&book));
        }
        book
    }

    pub fn add_unreadable(&self, member: &Member, process: &Process<'_>, sum: &mut Unreadable) {
        let book = process.book();
        sum.records += book.unreadable;
        sum.names += book.broken;
        sum.operations += book.unknown;
        let called = self.facts.get(member.part).is_some_and(|part| part.called);
        sum.clocks += u64::from(called && !self.clocks.get(member.part).is_some_and(|clock| clock.known));
    }
}

fn command_line(part: &Facts) -> String {
    let command = part.identity.command.strip_suffix(b"\0").unwrap_or(&part.identity.command);
    let mut words = command.split(|&byte| byte == 0);
    let called = words.next().unwrap_or(&[]);
    let exe: &[u8] = if part.identity.exe.is_empty() { called } else { &part.identity.exe };
    let words: Vec<&[u8]> = std::iter::once(exe).chain(words).collect();
    String::from_utf8_lossy(&words.join(&b' ')).into_owned()
}

fn wall_time(nanoseconds: i64) -> WallTime {
    let second = 1_000_000_000;
    WallTime {
        seconds: nanoseconds.div_euclid(second),
        nanos: u32::try_from(nanoseconds.rem_euclid(second)).unwrap_or(0),
    }
}
