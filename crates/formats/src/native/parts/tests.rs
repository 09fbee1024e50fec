use std::collections::HashMap;

use marigraph_model::{Call, NameId, Nanos, ProblemKind, Rank};
use marigraph_wire::op::Op;
use marigraph_wire::part::Tail;

use super::made::{Made, STEADY, WALL, name_records};
use super::*;

#[derive(Default)]
struct Shelf(HashMap<String, Files<Vec<u8>>>);

impl Load for Shelf {
    type Bytes = Vec<u8>;
    fn load(&self, stem: &str) -> Files<Vec<u8>> {
        self.0.get(stem).cloned().unwrap_or_default()
    }
}

impl Shelf {
    fn of(made: &[Made]) -> Shelf {
        let files = |made: &Made| Files { live: made.live(), log: Some(made.log()) };
        Shelf(made.iter().map(|made| (made.stem.clone(), files(made))).collect())
    }

    fn run(&self) -> Run {
        Run::new(self.0.iter().map(|(stem, files)| Facts::of(stem, files.as_slices())).collect())
    }

    fn calls(&self, run: &Run, at: usize) -> Vec<Call> {
        let member = &run.members[at];
        let files = self.load(&member.stem);
        run.open(member, files.as_slices(), self).merged().map(|(_, call)| call).collect()
    }
}

fn seats(run: &Run) -> Vec<(u32, u32, &str)> {
    run.members.iter().map(|member| (member.rank.0, member.ordinal, member.stem.as_str())).collect()
}

fn writer(pid: u32, writes: u64) -> Made {
    let mut made = Made::new(pid);
    made.threads[0].0 =
        made.writes(1, "/scratch/a/path/longer/than/thirty-two/bytes", made.began + 100_000, writes);
    made.ended = true;
    made
}

#[test]
fn a_whole_part_is_read() {
    let made = writer(7, 5000);
    let shelf = Shelf::of(&[made]);
    let run = shelf.run();
    assert_eq!(run.problems, []);
    assert_eq!(run.job.exe, "/home/u/app in.nml");
    assert_eq!((run.job.uid, run.job.nprocs, run.job.id), (1000, 1, 7));
    assert_eq!(run.job.start.seconds, (WALL / 1_000_000_000) as i64);
    assert_eq!(run.job.start.nanos, 7_000);
    assert_eq!(run.hosts[&Rank(0)], "node0");
    let calls = shelf.calls(&run, 0);
    assert_eq!(calls.len(), 5001);
    assert_eq!((calls[0].op, calls[0].start, calls[0].end), (Op::Open, Nanos(100_000), Nanos(110_000)));
    assert_eq!(calls[5000].start, Nanos(100_000 + 5_000_000_000));
    let member = &run.members[0];
    let files = shelf.load(&member.stem);
    let process = run.open(member, files.as_slices(), &shelf);
    assert_eq!(process.names().name(NameId(1)), Some(&b"/scratch/a/path/longer/than/thirty-two/bytes"[..]));
    assert_eq!(
        process.sites()[calls[0].site.0 as usize],
        Site { module: b"/home/u/app".to_vec(), offset: 0x2234 }
    );
    assert_eq!((process.threads(), process.calls()), (1, 5001));
    let mut sum = Unreadable::default();
    run.add_unreadable(member, &process, &mut sum);
    assert_eq!(sum, Unreadable::default());
}

#[test]
fn a_log_cut_anywhere_gives_what_came_before() {
    let made = writer(7, 60);
    let whole = made.log();
    for cut in 0..whole.len() {
        let files = Files { live: None, log: Some(whole[..cut].to_vec()) };
        let shelf = Shelf(HashMap::from([(made.stem.clone(), files)]));
        let run = shelf.run();
        if !run.members.is_empty() {
            assert_eq!(shelf.calls(&run, 0).len(), 61);
        }
    }
    // A changed byte costs its chunk and is reported.
    for at in 0..whole.len() {
        let mut log = whole.clone();
        log[at] ^= 0x40;
        let shelf = Shelf(HashMap::from([(made.stem.clone(), Files { live: None, log: Some(log) })]));
        let run = shelf.run();
        assert!(run.problems.iter().any(|problem| problem.kind == ProblemKind::Corrupt), "byte {at}");
        (0..run.members.len()).for_each(|member| drop(shelf.calls(&run, member)));
    }
}

#[test]
fn a_killed_process_has_its_tail_once() {
    let mut made = writer(7, 6000);
    made.ended = false;
    let all = made.threads[0].0.clone();
    made.threads[0] = (all[..4096].to_vec(), all[4096..].to_vec());
    let calls = |made: &Made| {
        let shelf = Shelf::of(std::slice::from_ref(made));
        let run = shelf.run();
        assert_eq!(run.missing.killed, 1);
        assert_eq!(run.missing.lost, 0);
        shelf.calls(&run, 0)
    };
    assert_eq!(calls(&made).len(), 6001);
    // Killed between append and release: the segment holds what is in the log.
    made.threads[0] = (all[..3000].to_vec(), Vec::new());
    made.unreleased = true;
    let released = calls(&made);
    assert_eq!(released.len(), 3000 - 2);
    assert_eq!(released[2997].start, Nanos(100_000 + 2_997_000_000));
    // And half of it, if the thread continued after a mark.
    made.threads[0].1 = all[3000..3500].to_vec();
    assert_eq!(calls(&made).len(), 3500 - 2);
}

#[test]
fn missing_numbers_are_counted() {
    let made = writer(7, 9000);
    let log = made.log();
    let heads: Vec<usize> = (0..log.len() - 4).filter(|&at| log[at..at + 4] == *b"mgck").collect();
    let without = [&log[..heads[2]], &log[heads[3]..]].concat();
    let shelf = Shelf(HashMap::from([(made.stem, Files { live: None, log: Some(without) })]));
    let run = shelf.run();
    assert_eq!(run.missing.lost, 4096);
    assert!(run.problems[0].message.starts_with("4096 records were lost"));
    assert_eq!(shelf.calls(&run, 0).len(), 9003 - 4096);
}

#[test]
fn threads_are_merged_by_the_time_they_return() {
    let mut made = Made::new(3);
    made.ended = true;
    let call = |start, length| made.call(Op::Write, 1, [0, 10, 0], 10, start, length);
    let more = marigraph_wire::record::Record { op: Op::More as u16, a: 5, ..Default::default() };
    let first = vec![call(100_000, 50_000), more, call(400_000, 10_000)];
    let second = vec![call(90_000, 70_000), call(200_000, 1_000)];
    made.threads = vec![(first, Vec::new()), (second, Vec::new())];
    let shelf = Shelf::of(&[made]);
    let run = shelf.run();
    let files = shelf.load(&run.members[0].stem);
    let process = run.open(&run.members[0], files.as_slices(), &shelf);
    let order: Vec<(u32, Op)> = process.merged().map(|(thread, call)| (thread, call.op)).collect();
    assert_eq!(order, [(0, Op::Write), (0, Op::More), (1, Op::Write), (1, Op::Write), (0, Op::Write)]);
    assert_eq!(process.thread(1).count(), 2);
    assert_eq!(process.thread(9).count(), 0);
}

#[test]
fn a_forked_child_uses_names_and_slots_of_its_parents() {
    let mut parent = writer(7, 2);
    let mut records = name_records(2, b"/out.log");
    records.push(parent.call(Op::Open, 5, [2, 0x241, 0], 0, 300_000, 10));
    records.push(parent.call(Op::Dup, 5, [6, 0, 0], 0, 310_000, 10));
    parent.threads[0].0.extend(records);
    let mut child = Made::new(9);
    child.forked_from = parent.stem.clone();
    child.ended = true;
    child.threads[0].0 = vec![
        child.call(Op::Inherit, 6, [6, 0, 0], 0, 0, 0),
        child.call(Op::Write, 6, [0, 3, 0], 3, 400_000, 10),
        child.call(Op::Stat, 0, [1, 0, 0], 0, 410_000, 10),
    ];
    let mut grandchild = Made::new(11);
    grandchild.forked_from = child.stem.clone();
    grandchild.ended = true;
    // The child uses id 2 for another name than the parent.
    let mut records = name_records(2, b"/mine");
    records.push(grandchild.call(Op::Inherit, 6, [6, 0, 0], 0, 0, 0));
    records.push(grandchild.call(Op::Unlink, 0, [2, 0, 0], 0, 500_000, 10));
    grandchild.threads[0].0 = records;
    let shelf = Shelf::of(&[parent, child, grandchild]);
    let run = shelf.run();
    assert_eq!(run.members.len(), 3);
    for at in [1, 2] {
        let files = shelf.load(&run.members[at].stem);
        let process = run.open(&run.members[at], files.as_slices(), &shelf);
        let inherit =
            process.merged().map(|(_, call)| call).find(|call| call.op == Op::Inherit).expect("inherits");
        assert_eq!(process.names().name(NameId(inherit.args[0])), Some(&b"/out.log"[..]));
        assert_eq!(inherit.args[1..], [0x241, Op::Open as i64]);
        assert!(process.names().name(NameId(1)).is_some_and(|name| name.starts_with(b"/scratch")));
        let second = process.names().name(NameId(2));
        assert_eq!(second, Some(if at == 1 { &b"/out.log"[..] } else { b"/mine" }));
    }
}

#[test]
fn hosts_meet_on_the_calendar() {
    let (mut a, mut b) = (writer(1, 40), Made::new(2));
    a.mpi = Some((0, 2));
    b.mpi = Some((1, 2));
    (b.host, b.stem) = ("node1".to_string(), "node1.2.x".to_string());
    // Booted at another time, with a correct calendar.
    b.steady = STEADY * 40;
    b.clock = 1;
    b.ended = true;
    b.threads[0].0 = b.writes(1, "/b", 700_000, 3);
    let shelf = Shelf::of(&[a, b]);
    let run = shelf.run();
    assert_eq!(run.problems, []);
    assert_eq!(run.hosts[&Rank(1)], "node1");
    assert_eq!(shelf.calls(&run, 0)[0].start, Nanos(100_000));
    assert_eq!(shelf.calls(&run, 1)[0].start, Nanos(699_000));
}

#[test]
fn ranks_come_from_mpi_then_the_environment() {
    let with = |pid, entries: &[&str]| {
        let mut made = writer(pid, 1);
        made.environment = entries.iter().map(ToString::to_string).collect();
        made
    };
    let a = with(30, &["OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=3"]);
    let mut b = with(20, &["PMI_RANK=1"]);
    b.mpi = Some((0, 3));
    let child = with(40, &["OMPI_COMM_WORLD_RANK=1"]);
    let mut launcher = with(5, &["SLURM_PROCID=0"]);
    launcher.exe = "/usr/bin/orterun".to_string();
    let helper = with(2, &[]);
    let run = Shelf::of(&[a, b, child, launcher, helper]).run();
    assert_eq!(
        seats(&run),
        [(0, 0, "node0.20.abcd"), (1, 0, "node0.30.abcd"), (1, 1, "node0.40.abcd"), (3, 0, "node0.2.abcd")]
    );
    assert_eq!((run.job.nprocs, run.launchers), (4, 1));
    assert_eq!(run.problems.len(), 2);
    assert!(run.problems[0].message.starts_with("1 of 4 ranks left no part"));
    assert!(run.problems[1].message.starts_with("1 process ran outside of MPI"));
}

#[test]
fn without_mpi_every_process_that_called_is_a_rank() {
    let idle = |pid: u32, exe: &str| {
        let mut made = Made::new(pid);
        made.exe = exe.to_string();
        made.ended = true;
        made.threads[0].0 = vec![made.call(Op::Open, 1, [1, 0, 0], 0, made.began + 10_000, 10)];
        made
    };
    let shell = idle(1, "/bin/dash");
    // A shell that opened a file and then called `exec`.
    let mut became = idle(3, "/bin/dash");
    became.stem = "node0.3.aaaa".to_string();
    let mut program = writer(3, 2);
    program.stem = "node0.3.bbbb".to_string();
    program.began = 3_500;
    let silent = Made::new(4);
    let run = Shelf::of(&[shell, became, program, silent, writer(2, 1)]).run();
    assert_eq!(seats(&run), [(0, 0, "node0.2.abcd"), (1, 0, "node0.3.aaaa"), (1, 1, "node0.3.bbbb")]);
    assert_eq!((run.job.nprocs, run.launchers), (2, 1));
}

#[test]
fn any_bytes_are_read_without_harm() {
    let made = writer(7, 3);
    let (mut live, log) = (Made { ended: false, ..made.clone() }.live().expect("live"), made.log());
    live.truncate(marigraph_wire::part::PAGE + 4096 + 128);
    let mut state = 1u64;
    for _ in 0..300 {
        let mut files = Files { live: Some(live.clone()), log: Some(log.clone()) };
        for bytes in [&mut files.live, &mut files.log].into_iter().flatten() {
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] = (state >> 20) as u8;
            }
        }
        let shelf = Shelf(HashMap::from([(made.stem.clone(), files)]));
        let run = shelf.run();
        (0..run.members.len()).for_each(|at| drop(shelf.calls(&run, at)));
    }
}

#[test]
fn a_stream_tells_each_call_once() {
    let mut made = writer(7, 6000);
    let all = made.threads[0].0.clone();
    made.threads[0].0.clear();
    made.ended = false;
    let mut follower = Follower::default();
    let mut consumed = 0;
    let mut told = 0;
    let mut look = |made: &Made, tails: Vec<Tail>, told: &mut u64| {
        let log = made.log();
        let used = follower.take(&made.stem, News { log: &log[consumed..], words: Vec::new(), tails });
        consumed += used.log;
        let text = follower.flush();
        let line = text.lines().find(|line| line.starts_with("{\"write_sync\"")).unwrap_or("");
        let calls = line.split("\"total_io_ops\": ").nth(1).and_then(|rest| rest.split(',').next());
        *told += calls.map_or(0, |calls| calls.parse::<u64>().expect("a number"));
        assert!(text.is_empty() || text.lines().count() == 7);
        used.ended
    };
    let tail = |range: std::ops::Range<usize>| {
        vec![Tail { thread: 0, first: range.start as u64, records: all[range].to_vec() }]
    };
    look(&made, tail(0..1000), &mut told);
    assert_eq!(told, 997);
    look(&made, tail(1000..1000), &mut told);
    assert_eq!(told, 997);
    // The segment was folded since, and 50 records are in the next turn.
    made.threads[0].0 = all[..4096].to_vec();
    look(&made, tail(4096..4146), &mut told);
    assert_eq!(told, 4146 - 3);
    made.threads[0].0 = all.clone();
    made.ended = true;
    assert!(look(&made, Vec::new(), &mut told));
    assert_eq!(told, 6000);
}

/// A run of any size, generated on demand.
struct Mill(usize, u64);

impl Load for Mill {
    type Bytes = Vec<u8>;
    fn load(&self, stem: &str) -> Files<Vec<u8>> {
        let at = stem.split('.').nth(1).and_then(|pid| pid.parse().ok()).unwrap_or(0);
        let mut made = writer(at, self.1);
        made.mpi = Some((at, self.0 as u32));
        Files { live: None, log: Some(made.log()) }
    }
}

/// Parts are not kept in memory; run with `MARIGRAPH_RANKS=4096` and `--nocapture` for the figures.
#[test]
fn parts_by_the_hundred() {
    let ranks = std::env::var("MARIGRAPH_RANKS").ok().and_then(|ranks| ranks.parse().ok()).unwrap_or(256);
    let mill = Mill(ranks, 999);
    let begun = std::time::Instant::now();
    let stem = |at: usize| format!("node0.{at}.abcd");
    let run =
        Run::new((0..mill.0).map(|at| Facts::of(&stem(at), mill.load(&stem(at)).as_slices())).collect());
    let mut calls = 0;
    for member in &run.members {
        let files = mill.load(&member.stem);
        calls += run.open(member, files.as_slices(), &mill).merged().count();
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("");
    eprintln!(
        "{} ranks, {calls} calls: {:?} with making them twice, {peak}",
        run.job.nprocs,
        begun.elapsed()
    );
    assert_eq!((run.members.len(), calls), (ranks, ranks * 1000));
}
