//! The change of counters between two observations.

use marigraph_model::TargetKind;

pub const MAX_COLUMNS: usize = 16;

/// Growth of each counter; a gauge is its level. `None` if a counter was reset: the machine was
/// restarted, or the device was replaced.
///
/// Counters of block devices may have 32 bits (milliseconds always do). A counter that decreased is
/// assumed to have wrapped at 2^32 if it was below that before, if it then grew by less than half
/// of that range, and if another non-zero counter of the device did not decrease. Any other
/// decrease is a reset: a restart resets all counters.
pub(super) fn growth(kind: TargetKind, old: &[u64], new: &[u64]) -> Option<[u64; MAX_COLUMNS]> {
    let mut grown = [0; MAX_COLUMNS];
    let (mut wrapped, mut stayed) = (false, false);
    let pairs = old.iter().zip(new).zip(kind.columns());
    for (((&old, &new), column), grown) in pairs.zip(&mut grown) {
        *grown = match new.checked_sub(old) {
            _ if column.gauge => new,
            Some(more) => {
                stayed |= old > 0;
                more
            }
            None => {
                wrapped = true;
                wrap(kind, old, new)?
            }
        };
    }
    (!wrapped || stayed).then_some(grown)
}

fn wrap(kind: TargetKind, old: u64, new: u64) -> Option<u64> {
    const RANGE: u64 = 1 << 32;
    // It decreased, so the new value is the lower one.
    let more = RANGE.checked_sub(old).filter(|left| *left > 0)?.checked_add(new)?;
    (kind == TargetKind::Disk && more < RANGE / 2).then_some(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: u64 = 1 << 32;

    fn disk(old: [u64; 9], new: [u64; 9]) -> Option<Vec<u64>> {
        growth(TargetKind::Disk, &old, &new).map(|grown| grown[..9].to_vec())
    }

    #[test]
    fn counters_grow_and_gauges_do_not() {
        let grown = disk([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 3, 3, 4, 105, 6, 2, 8, 10]);
        assert_eq!(grown, Some(vec![0, 1, 0, 0, 100, 0, 2, 0, 1]));
    }

    #[test]
    fn one_that_passes_its_top_goes_on() {
        let old = [5, 40, 9, 5, 40, 9, 1, 9, TOP - 10];
        let grown = disk(old, [6, 48, 9, 5, 40, 9, 0, 9, 20]);
        assert_eq!(grown, Some(vec![1, 8, 0, 0, 0, 0, 0, 0, 30]));
    }

    #[test]
    fn a_restart_resets_counters() {
        // Small numbers; all at once, though each alone could have wrapped; more than 32 bits.
        assert_eq!(disk([10; 9], [2; 9]), None);
        assert_eq!(disk([TOP - 1; 9], [0; 9]), None);
        assert_eq!(disk([u64::MAX; 9], [u64::MAX - 1; 9]), None);
        assert_eq!(disk([TOP + 1, 1, 1, 1, 1, 1, 0, 1, 1], [1; 9]), None);
        // Lustre's byte counters have 64 bits.
        assert_eq!(growth(TargetKind::Ost, &[5, TOP - 1, 5, 5], &[6, 0, 5, 5]), None);
    }

    #[test]
    fn all_columns_have_room() {
        assert!(TargetKind::ALL.iter().all(|kind| kind.columns().len() <= MAX_COLUMNS));
    }
}
