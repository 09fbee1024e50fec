//! Torn tails, flipped bits, and arbitrary bytes.

use marigraph_formats::server::monitor::{sniff, tail, walk};
use marigraph_model::{Observed, ProblemKind, Reading, Sample, Target, TargetKind};
use proptest::prelude::*;

use crate::made::*;

#[test]
fn a_torn_tail_costs_the_record_that_was_in_flight() {
    let samples = plain(6);
    let records = records(&samples);
    let content = records.concat();
    let ends: Vec<usize> = records
        .iter()
        .scan(0, |end, record| {
            *end += record.len();
            Some(*end)
        })
        .collect();
    for cut in 0..=content.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let (looks, walked) = followed(&content[..cut]);
        assert_eq!(looks, expected(&samples[..whole]), "cut at {cut}");
        let torn = walked.problems.iter().any(|problem| problem.kind == ProblemKind::Truncated);
        assert_eq!(torn, cut > 0 && !ends.contains(&cut), "cut at {cut}");
        let end = tail(&content[..cut]).map(|tail| (tail.sound, tail.wall_us));
        assert_eq!(end, whole.checked_sub(1).map(|last| (ends[last], samples[last].wall_us)), "cut at {cut}");
    }
}

#[test]
fn a_flipped_bit_costs_the_record_it_hits() {
    let samples = plain(5);
    let records = records(&samples);
    let mut content = records.concat();
    let whole = readings(&content).0;
    let mut begin = 0;
    for (hit, record) in records.iter().enumerate() {
        for place in begin..begin + record.len() {
            content[place] ^= 1 << (place % 8);
            // The interval that ends with the record is lost; the first record begins none, but
            // holds the names.
            if hit > 0 {
                let (found, _, problems) = readings(&content);
                let left: Vec<Reading> = whole
                    .iter()
                    .filter(|reading| reading.start != whole[2 * (hit - 1)].start)
                    .copied()
                    .collect();
                assert_eq!(found, left, "byte {place}");
                assert_eq!(problems.len(), 1, "byte {place}");
            } else {
                assert!(walk(&content, &mut |_| {}).looks >= 4);
            }
            content[place] ^= 1 << (place % 8);
        }
        begin += record.len();
    }
}

#[test]
fn names_that_are_told_later_count_for_what_stands_before() {
    // The first record is damaged; after an hour everything is written again.
    let samples = plain(2000);
    let mut content = records(&samples).concat();
    content[20] ^= 1;
    assert!(sniff(&content[..content.len()]));
    let (found, sources, problems) = readings(&content);
    assert_eq!(sources, ["oss1:sda", "oss1:sdb"]);
    assert_eq!(problems, [ProblemKind::Corrupt]);
    let of_sda = found.iter().filter(|reading| reading.source == 0);
    assert_eq!(of_sda.map(|reading| reading.read * 2.0).sum::<f64>(), 1999.0 * 8.0 * 512.0);
}

/// Looks at up to four disks that come and go, keep counting, and are reset.
fn histories() -> impl Strategy<Value = Vec<Sample>> {
    let row = (any::<bool>(), 0..4u32, proptest::array::uniform9(0..1u64 << 40));
    proptest::collection::vec(proptest::collection::vec(row, 4), 1..12).prop_map(|looks| {
        let mut totals = [[0u64; 9]; 4];
        let mut ids = [None; 4];
        let mut next = 0;
        let mut out = Vec::new();
        for (number, look) in looks.into_iter().enumerate() {
            let mut observed = Vec::new();
            for (at, (there, what, steps)) in look.into_iter().enumerate() {
                let same = |total: &mut u64, step: u64| match what {
                    0 => *total = step,
                    1 => {}
                    _ => *total += step >> 8,
                };
                totals[at].iter_mut().zip(steps).for_each(|(total, step)| same(total, step));
                if !there {
                    ids[at] = None;
                    continue;
                }
                let id = *ids[at].get_or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                let target = Target { kind: TargetKind::Disk, name: format!("d{at}") };
                observed.push(Observed { id, target, values: totals[at].to_vec() });
            }
            observed.sort_by_key(|row| row.id);
            out.push(sample(number as i64, observed));
        }
        out
    })
}

proptest! {
    #[test]
    fn any_history_comes_back(samples in histories()) {
        let (looks, walked) = followed(&records(&samples).concat());
        // A counter that decreased by little may have passed 2^32; then it continues from there.
        let low = |looks: Followed| -> Followed {
            let of_row = |(name, values): (String, Vec<u64>)| {
                (name, values.into_iter().map(|value| value & 0xffff_ffff).collect())
            };
            looks.into_iter().map(|(wall, rows)| (wall, rows.into_iter().map(of_row).collect())).collect()
        };
        prop_assert_eq!(low(looks), low(expected(&samples)));
        prop_assert!(walked.problems.is_empty());
    }

    #[test]
    fn any_damage_is_survived(
        samples in histories(),
        hits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut content = records(&samples).concat();
        for (place, byte) in hits {
            let place = place.index(content.len());
            content[place] = byte;
        }
        content.truncate(cut.index(content.len()));
        let (looks, _) = followed(&content);
        prop_assert!(looks.len() <= samples.len());
        let walls: Vec<i64> = samples.iter().map(|sample| sample.wall_us).collect();
        prop_assert!(looks.iter().all(|(wall, _)| walls.contains(wall)));
    }
}
