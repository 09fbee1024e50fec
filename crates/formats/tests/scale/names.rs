//! Numbers in names.

use marigraph_analysis::extrapolate::Verdict;

use crate::{Rank, SIZES, exact, predicted};

#[test]
fn zeros_before_numbers_end_where_numbers_fill_their_width() {
    let two = |rank: i64, _: i64, calls: &mut Rank| calls.open(1, format!("/d/out.{rank:02}"));
    exact("%02d by rank", &two, &SIZES, &[10, 16, 30, 120]);
    exact("%02d below ten", &two, &[3, 4, 6, 9], &[16, 30, 120]);
    let three = |rank: i64, _: i64, calls: &mut Rank| calls.open(1, format!("/d/out.{:03}", 9 * rank));
    exact("%03d by rank", &three, &SIZES, &[16, 30, 120]);
    let of = |rank: i64, ranks: i64, calls: &mut Rank| {
        calls.open(1, format!("/d/part-{rank:02}-of-{ranks:02}"));
    };
    exact("%02d of %02d", &of, &SIZES, &[7, 16, 30, 120]);
    let plain = |rank: i64, ranks: i64, calls: &mut Rank| calls.open(1, format!("/d/{rank}.{ranks}"));
    exact("%d", &plain, &SIZES, &[16, 30, 120]);
    let both = |rank: i64, _: i64, calls: &mut Rank| {
        calls.open(1, format!("/d/{rank}"));
        calls.open(2, format!("/d/{rank:02}"));
    };
    exact("%d and %02d", &both, &SIZES, &[16, 120]);
}

#[test]
fn zeros_end_in_the_middle_of_a_loop() {
    let up = |rank: i64, _: i64, calls: &mut Rank| {
        (0..5).for_each(|step| calls.open(1, format!("/d/{rank:02}/step{:04}", 998 + step)));
    };
    exact("%04d over 1000", &up, &SIZES, &[16, 120]);
    let down = |rank: i64, _: i64, calls: &mut Rank| {
        (0..5).for_each(|step| calls.open(1, format!("/d/{rank:03}/step{:04}", 1002 - step)));
    };
    exact("%04d below 1000", &down, &SIZES, &[16, 120]);
    let ring = |rank: i64, ranks: i64, calls: &mut Rank| {
        (0..4).for_each(|step| calls.open(1, format!("/d/f{:02}", (rank + step) % ranks)));
    };
    exact("%02d of neighbours", &ring, &SIZES, &[16, 120]);
    let fewer = |_: i64, ranks: i64, calls: &mut Rank| {
        (0..7200 / ranks).for_each(|step| calls.open(1, format!("/d/s{step:03}")));
    };
    exact("%03d of fewer steps", &fewer, &SIZES, &[16, 30]);
}

#[test]
fn two_levels_of_folders_with_zeros() {
    let levels = |rank: i64, _: i64, calls: &mut Rank| {
        for step in 0..12 {
            calls.open(1, format!("/d/dir_{:02}/step{step:04}.{:02}", rank / 8, rank % 8));
            calls.write(2, 0, 4096);
            calls.close(3);
        }
    };
    exact("two levels", &levels, &[6, 9, 12, 18], &[16, 30, 200]);
    let tens = |rank: i64, _: i64, calls: &mut Rank| {
        calls.open(1, format!("/d/dir_{:02}/{:02}", rank / 2, rank % 2));
    };
    exact("ten folders and more", &tens, &[8, 12, 20, 27], &[30, 300]);
    let (verdict, said) = predicted(&tens, &[8, 12, 20, 24], 300);
    assert!(verdict == Verdict::Assumed && said.contains("x3of3 fits as well"), "{said}");
}

#[test]
fn what_could_have_zeros_or_not_is_told() {
    let shrinking = |_: i64, ranks: i64, calls: &mut Rank| calls.open(1, format!("/d/{:02}", 144 / ranks));
    let (verdict, said) = predicted(&shrinking, &[4, 6, 9, 12], 24);
    assert_eq!(verdict, Verdict::Ambiguous, "{said}");
    assert!(said.contains("%d or %02d"), "{said}");
    assert_eq!(predicted(&shrinking, &[4, 6, 9, 12], 8).0, Verdict::Exact);
    let seen = |_: i64, ranks: i64, calls: &mut Rank| calls.open(1, format!("/d/{:03}", 144 / ranks));
    exact("zeros were seen", &seen, &[4, 6, 9, 12], &[16, 24, 72]);
    let below = |rank: i64, _: i64, calls: &mut Rank| {
        calls.open(1, format!("/d/dir_{:02}/{:02}", rank / 64, rank % 64));
    };
    assert_eq!(predicted(&below, &SIZES, 100).0, Verdict::Assumed);
}
