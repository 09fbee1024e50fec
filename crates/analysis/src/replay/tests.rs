use marigraph_wire::op::Op;

use marigraph_model::{Nanos, SiteId};

use super::*;

fn call(op: Op, slot: u32, args: [i64; 3], ret: i64) -> Call {
    let (slot, zero) = (Slot(slot), Nanos(0));
    Call { op, depth: 0, flags: 0, slot, args, ret, start: zero, end: zero, site: SiteId::UNKNOWN }
}

fn action<'a>(op: Op, slot: u32, args: [i64; 3], ret: i64, name: &'a str) -> Action<'a> {
    let name = Some(name.as_bytes()).filter(|name| !name.is_empty());
    Action { call: call(op, slot, args, ret), names: [name, None], more: &[] }
}

fn plan(actions: &[Action<'_>]) -> Plan {
    let mut planner = Planner::default();
    for action in actions {
        planner.add(0, action).expect("few paths");
    }
    planner.finish()
}

fn text(path: &[u8]) -> Option<String> {
    below(path).map(|path| String::from_utf8_lossy(&path).into_owned())
}

#[test]
fn paths_stay_below_the_root() {
    for (path, expected) in [
        ("/a/b/../c", "a/c"),
        ("../../etc/passwd", "etc/passwd"),
        ("/../../..", ""),
        ("/a//./b/", "a/b"),
        ("a/../../b", "b"),
        ("/.../x", ".../x"),
    ] {
        assert_eq!(text(path.as_bytes()).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn what_no_file_can_be_called_is_refused() {
    assert_eq!(text(b""), None);
    assert_eq!(text(b"/a\0b"), None);
    assert_eq!(text(&[b'a'; 256]), None);
    assert_eq!(text(&b"/abcdefg".repeat(400)), None);
    assert!(text(&[b'a'; 255]).is_some());
}

const CREATE: i64 = 0o100 | 1;

#[test]
fn what_is_read_first_is_prepared_and_what_is_made_is_not() {
    let plan = plan(&[
        action(Op::Open, 1, [0, 0, 100], 0, "/in/a"),
        action(Op::Pread, 1, [150, 50, 0], 50, ""),
        action(Op::Open, 2, [0, CREATE, 0], 0, "/out/b"),
        action(Op::Write, 2, [0, 70, 0], 70, ""),
        action(Op::Open, 3, [0, 0, 70], 0, "/out/b"),
        action(Op::Read, 3, [0, 70, 0], 70, ""),
        action(Op::Stat, 0, [0; 3], -2, "/nothing"),
    ]);
    let of = |path: &str| plan.paths.get(path.as_bytes()).copied();
    let input = of("in/a").expect("planned");
    assert_eq!((input.before, input.size, input.changed), (true, 200, false));
    let output = of("out/b").expect("planned");
    assert_eq!((output.before, output.size, output.changed), (false, 0, true));
    assert!(of("in").is_some_and(|folder| folder.folder && folder.before));
    assert_eq!(of("nothing"), None);
    assert_eq!(plan.counts(), (2, 2));
}

#[test]
fn what_is_written_before_it_is_read_needs_no_bytes() {
    let plan = plan(&[
        action(Op::Open, 1, [0, 2, -1], 0, "/a"),
        action(Op::Pwrite, 1, [0, 50, 0], 50, ""),
        action(Op::Lseek, 1, [10, 0, 0], 10, ""),
        action(Op::Read, 1, [0, 30, 0], 30, ""),
    ]);
    let planned = plan.paths[&b"a"[..]];
    assert_eq!((planned.before, planned.size, planned.changed), (true, 0, true));
}

#[test]
fn a_folder_made_by_the_trace_is_not_prepared() {
    let plan = plan(&[
        action(Op::Mkdir, 0, [0, 0o755, 0], 0, "/s/new"),
        action(Op::Open, 1, [0, CREATE, 0], 0, "/s/new/x"),
        action(Op::Mkdir, 0, [0, 0o755, 0], -17, "/s"),
    ]);
    assert!(!plan.paths[&b"s/new"[..]].before);
    assert!(plan.paths[&b"s"[..]].before);
}

#[test]
fn a_folder_that_is_made_was_not_there_whatever_clocks_say() {
    let plan = plan(&[
        action(Op::Open, 1, [0, CREATE, 0], 0, "/s/new/x"),
        action(Op::Mkdir, 0, [0, 0o755, 0], 0, "/s/new"),
        action(Op::Rmdir, 0, [0; 3], 0, "/old"),
        action(Op::Mkdir, 0, [0, 0o755, 0], 0, "/old"),
    ]);
    assert!(!plan.paths[&b"s/new"[..]].before && plan.paths[&b"s"[..]].before);
    assert!(plan.paths[&b"old"[..]].before);
}

#[test]
fn thinking_keeps_pauses_and_forgets_lateness() {
    let mut clock = Clock::new(Schedule::Think, 1.0, 1000);
    assert_eq!(clock.due(1500), 500);
    clock.returned(70, 1600); // took 100 in the trace
    assert_eq!(clock.due(1900), 870);
    clock.met(2000, 1950);
    assert_eq!(clock.due(2000), 2050);
}

#[test]
fn open_schedules_keep_starts_and_speed_divides() {
    let mut clock = Clock::new(Schedule::Open, 2.0, 1000);
    assert_eq!(clock.due(1500), 250);
    clock.returned(9999, 1600);
    assert_eq!(clock.due(3000), 1000);
    let mut think = Clock::new(Schedule::Think, 4.0, 0);
    assert_eq!(think.due(400), 100);
}

#[test]
fn drift_leaves_out_what_calls_take() {
    let mut drift = Drift::default();
    for _ in 0..99 {
        drift.add(1000, 900, 1007);
    }
    drift.add(1000, 5000, 6000);
    assert_eq!((drift.max, drift.last, drift.p99()), (1000, 1000, 7));
    drift.add(i64::MAX, 0, 0);
    assert_eq!(drift.last, 0);
}

#[test]
fn only_calls_of_all_ranks_are_meetings() {
    let mut meetings = Meetings::new(4);
    assert!(meetings.meets(&call(Op::Barrier, 0, [0, 0, 1], 0)));
    assert!(!meetings.meets(&call(Op::Barrier, 0, [0, 0, 3], 0)));
    assert!(!meetings.meets(&call(Op::FileOpen, 1, [0, 0, 2], 0)));
    assert!(meetings.meets(&call(Op::FileOpen, 2, [0, 0, 1], 0)));
    assert!(!meetings.meets(&call(Op::FileWriteAtAll, 1, [0; 3], 0)));
    assert!(meetings.meets(&call(Op::FileWriteAtAll, 2, [0; 3], 0)));
    assert!(!meetings.meets(&call(Op::FileWriteAt, 2, [0; 3], 0)));
    assert!(meetings.meets(&call(Op::FileClose, 2, [0; 3], 0)));
    meetings.note(&call(Op::Comm, 0, [3, 4, 0], 0));
    meetings.note(&call(Op::Comm, 0, [4, 2, 0], 0));
    assert!(meetings.meets(&call(Op::Barrier, 0, [0, 0, 3], 0)));
    assert!(!meetings.meets(&call(Op::Barrier, 0, [0, 0, 4], 0)));
    assert!(!meetings.meets(&call(Op::FileClose, 2, [0; 3], 0)));
}

#[test]
fn standard_streams_and_what_comes_of_them_are_ignored() {
    let mut screen = Screen::new(4, Means::System);
    assert_eq!(screen.role(&call(Op::Standard, 1, [1, 0, 0], 0), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Fprintf, 1, [0, 5, 0], 5), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Fileno, 2, [1, 0, 0], 0), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Dup, 2, [3, 0, 0], 0), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Write, 3, [0, 5, 0], 5), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Write, 4, [0, 5, 0], 5), false), Role::Perform);
    assert_eq!(screen.role(&call(Op::Symlink, 0, [0; 3], 0), false), Role::LeaveOut);
    assert_eq!(screen.role(&call(Op::FileWriteAt, 4, [0; 3], 0), false), Role::Ignore);
    assert_eq!(screen.role(&call(Op::Init, 0, [0; 3], 0), false), Role::Meet);
}

#[test]
fn with_mpi_its_calls_are_performed_and_what_they_made_is_not() {
    let mut screen = Screen::new(2, Means::Mpi);
    let mut role = |op, slot, args, inside| screen.role(&call(op, slot, args, 0), inside);
    assert_eq!(role(Op::Init, 0, [0; 3], false), Role::Meet);
    assert_eq!(role(Op::FileOpen, 1, [1, 5, 1], false), Role::Together);
    assert_eq!(role(Op::FileOpen, 2, [2, 5, 2], false), Role::Perform);
    assert_eq!(role(Op::Open, 3, [1, CREATE, 0], true), Role::Ignore);
    assert_eq!(role(Op::Open, 3, [1, CREATE, 0], false), Role::Perform);
    assert_eq!(role(Op::FileWriteAtAll, 1, [0, 8, 1], false), Role::Together);
    assert_eq!(role(Op::FileWriteAt, 1, [0, 8, 1], false), Role::Perform);
    assert_eq!(role(Op::Lock, 3, [0; 3], false), Role::LeaveOut);
    assert!(is_inside_mpi(1, Layer::Mpi) && is_inside_mpi(2, Layer::Hdf5));
    assert!(!is_inside_mpi(1, Layer::Hdf5) && !is_inside_mpi(0, Layer::Mpi));
}

#[test]
fn views_tell_how_far_files_must_reach() {
    let more = [[64, 0, 0]];
    let strided = Action { more: &more, ..action(Op::Type, 0, [256, 16, 13], 0, "") };
    let calls = [
        strided,
        action(Op::Type, 0, [9, 4, 1], 0, ""),
        action(Op::FileOpen, 1, [0, 2, 1], 0, "/in"),
        action(Op::FileSetView, 1, [100, 9, 256], 0, ""),
        action(Op::FileReadAtAll, 1, [4, 24, 9], 24, ""),
    ];
    // 16 bytes before, 24 read: two and a half patterns of 16 bytes of data in 64.
    assert_eq!(plan(&calls).paths[&b"in"[..]].size, 100 + 3 * 64);
    // A file that the trace created needs nothing.
    let made = action(Op::FileOpen, 1, [0, 9, 1], 0, "/in");
    let made = plan(&[calls[0], calls[1], made, calls[3], calls[4]]);
    assert!(!made.paths[&b"in"[..]].before && made.paths[&b"in"[..]].changed);
    // System calls inside give the exact size.
    let inner = [action(Op::Open, 2, [0, 0, 140], 0, "/in"), calls[2], calls[3], calls[4]];
    assert_eq!(plan(&inner).paths[&b"in"[..]].size, 140);
}

#[test]
fn what_holds_files_is_a_folder_whatever_was_asked_of_it() {
    let plan =
        plan(&[action(Op::Statfs, 0, [0; 3], 0, "/s"), action(Op::Open, 1, [0, CREATE, 0], 0, "/s/x")]);
    assert!(plan.paths[&b"s"[..]].folder);
}

#[test]
fn rights_of_a_file_that_is_only_read_can_change_too() {
    let read = [action(Op::Open, 1, [0, 0, 9], 0, "/a"), action(Op::Read, 1, [0, 9, 0], 9, "")];
    assert!(!plan(&read).changes_open_files);
    for op in [Op::Fchmod, Op::Futime] {
        assert!(plan(&[read[0], action(op, 1, [0; 3], 0, "")]).changes_open_files);
    }
}
