use marigraph_model::{Call, NameId, Names, Nanos, SiteId, Slot};
use marigraph_wire::op::Op;

use super::{Comparison, DifferenceKind, Paths, Scope, Side, StreamId};

const STREAM: StreamId = StreamId { rank: 3, process: 0, thread: 0 };

fn call(op: Op, slot: u32, args: [i64; 3], ret: i64) -> Call {
    let (slot, zero) = (Slot(slot), Nanos(0));
    Call { op, depth: 0, flags: 0, slot, args, ret, start: zero, end: zero, site: SiteId::UNKNOWN }
}

fn program(slot: u32, name: i64, writes: i64) -> Vec<Call> {
    let mut calls = vec![call(Op::Open, slot, [name, 65, -1], 0)];
    calls.extend((0..writes).map(|at| call(Op::Pwrite, slot, [at * 100, 100, 0], 100)));
    calls.push(call(Op::Close, slot, [0; 3], 0));
    calls
}

fn compared(a: &[Call], b: &[Call]) -> Vec<DifferenceKind> {
    compared_within(Scope::Own, a, b)
}

fn compared_within(scope: Scope, a: &[Call], b: &[Call]) -> Vec<DifferenceKind> {
    let mut comparison = Comparison::new(scope);
    let same = comparison.streams(STREAM, a.iter().copied(), b.iter().copied());
    assert_eq!(same, comparison.differences.is_empty());
    comparison.differences.into_iter().map(|difference| difference.kind).collect()
}

#[test]
fn numbers_of_opens_sizes_before_and_inner_calls_do_not_matter() {
    let a = program(1, 7, 5);
    let mut b = program(4, 7, 5);
    b[0].args[2] = 4096;
    b.insert(2, Call { depth: 1, ..call(Op::Pwrite, 9, [0, 1, 0], 1) });
    assert_eq!(compared(&a, &b), []);
}

#[test]
fn another_value_is_named() {
    let a = program(1, 7, 5);
    let mut b = a.clone();
    b[3].args[0] += 8;
    b[4].ret = 60;
    assert_eq!(
        compared(&a, &b),
        [DifferenceKind::Value("offset", a[3], b[3]), DifferenceKind::Value("return value", a[4], b[4])]
    );
}

#[test]
fn arguments_are_named_by_their_role() {
    let names = |op| [0, 1, 2].map(|at| super::argument(op, at));
    assert_eq!(names(Op::FileIreadAt), ["offset", "bytes", "type"]);
    assert_eq!(names(Op::Lseek), ["offset", "whence", "c"]);
}

#[test]
fn calls_that_one_lacks_are_told_once_and_the_rest_is_compared() {
    let a = program(1, 7, 5);
    let mut b = a.clone();
    let extra = call(Op::Fsync, 1, [0; 3], 0);
    b.splice(3..3, [extra, extra]);
    let last = b.len() - 1;
    b[last - 1].args[1] = 7;
    let found = compared(&a, &b);
    assert_eq!(found[0], DifferenceKind::Extra(Side::B, 2, extra));
    assert!(matches!(found[1], DifferenceKind::Value("bytes", ..)), "{found:?}");
    assert_eq!(found.len(), 2);
    assert_eq!(compared(&b[..4], &a[..3]), [DifferenceKind::Extra(Side::A, 1, extra)]);
}

#[test]
fn two_files_that_were_mixed_up_are_told() {
    let mut a = program(1, 7, 2);
    a.extend(program(2, 8, 2));
    let mut b = a.clone();
    b[5].slot = Slot(1);
    assert!(matches!(compared(&a, &b)[..], [DifferenceKind::Value("open file", ..)]));
}

#[test]
fn standard_streams_are_left_out() {
    let a = program(1, 7, 2);
    let mut b = vec![
        call(Op::Standard, 1, [1, 0, 0], 0),
        call(Op::Fprintf, 1, [0; 3], 17),
        call(Op::Fileno, 2, [1, 0, 0], 0),
        call(Op::Write, 2, [0, 5, 0], 5),
    ];
    b.extend(program(3, 7, 2));
    assert_eq!(compared(&a, &b), []);
}

#[test]
fn a_failed_call_is_another_call() {
    let a = program(1, 7, 2);
    let mut b = a.clone();
    b[1].ret = -28;
    let found = compared(&a, &b);
    assert!(
        matches!(found[..], [DifferenceKind::Extra(Side::A, 1, _), DifferenceKind::Extra(Side::B, 1, _)]),
        "{found:?}"
    );
}

#[test]
fn prefixes_of_the_first_are_mapped_at_whole_names() {
    let mut paths = Paths::new(vec![(b"/a".to_vec(), b"/x".to_vec()), (b"/a/b".to_vec(), b"/y".to_vec())]);
    for (of_first, of_second) in [("/a/c", "/x/c"), ("/a/b/c", "/y/c"), ("/ab", "/ab"), ("/a", "/x")] {
        assert_eq!(paths.of_first(of_first.as_bytes()), paths.id(of_second.as_bytes()), "{of_first}");
    }
    let id = paths.id(b"/x/c");
    assert_eq!(paths.name(id), Some(&b"/x/c"[..]));
    assert_eq!(paths.name(NameId(0)), None);
}

#[test]
fn system_calls_are_compared_whoever_made_them() {
    let b = program(1, 7, 5);
    let mut a: Vec<Call> = b.iter().map(|inner| Call { depth: 1, ..*inner }).collect();
    a.insert(0, call(Op::Init, 0, [0; 3], 0));
    a.push(call(Op::FileClose, 9, [0; 3], 0));
    assert_eq!(compared_within(Scope::System, &a, &b), []);
    assert_ne!(compared(&a, &b), []);
    a[2].args[1] += 1;
    assert_ne!(compared_within(Scope::System, &a, &b), []);
}

#[test]
fn whether_a_link_is_followed_does_not_matter_but_other_flags_do() {
    let a = program(1, 7, 1);
    let mut b = a.clone();
    b[0].args[1] |= 0o400_000;
    assert_eq!(compared(&a, &b), []);
    b[0].args[1] |= 0o2000;
    assert_eq!(compared(&a, &b).len(), 1);
}
