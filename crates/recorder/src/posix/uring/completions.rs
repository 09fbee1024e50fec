//! Reads completions from the kernel.

use core::sync::atomic::Ordering;

use marigraph_wire::op::Op;

use super::super::aio;
use super::{Ring, load, now, syscall};
use crate::call::Timed;
use crate::files::Handles;

const SETUP_CQE32: u32 = 1 << 11;
const SETUP_CQE_MIXED: u32 = 1 << 18;

/// Pending entries, by ring and `user_data`.
static PENDING: Handles<8192> = Handles::EMPTY;
static OPENING: Handles<512> = Handles::EMPTY;
/// Marks a key that several pending entries share.
const AMBIGUOUS: u64 = 1 << 62;

impl Ring {
    fn key(&self, mark: u64) -> u64 {
        let number = u64::from(self.number.load(Ordering::Relaxed));
        mark.wrapping_add(number.wrapping_mul(0xc4ce_b9fe_1a85_ec53)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Keeps the flags of a file until the entry that opens it completes.
    pub(super) fn opens(&self, mark: u64, how: u64) {
        OPENING.set(self.key(mark), how);
    }

    /// Links completions with this mark to the entry. A `late` entry may have completed already, so
    /// it is not linked.
    pub(super) fn await_end(&self, late: bool, mark: u64, kept: u64) {
        if !late && self.completions.load(Ordering::Relaxed) != 0 {
            let key = self.key(mark);
            PENDING.set(key, if PENDING.get(key) == 0 { kept } else { AMBIGUOUS });
        }
    }

    pub(super) fn collect(&self, site: usize) {
        if self.has(SETUP_CQE_MIXED) {
            return;
        }
        self.with(|| {
            let Some(tail) = load(self.cq_tail.load(Ordering::Acquire)) else { return };
            let mask = self.cq_mask.load(Ordering::Relaxed);
            let wide = if self.has(SETUP_CQE32) { 2 } else { 1 };
            let size = mask.wrapping_add(1);
            let new = tail.wrapping_sub(self.collected.load(Ordering::Relaxed));
            if new == 0 || new > 1 << 31 {
                return;
            }
            self.collected.store(tail, Ordering::Relaxed);
            for back in (1..=new.min(size)).rev() {
                let position = tail.wrapping_sub(back);
                let place = (position & mask) as usize * 16 * wide;
                let at = self.completions.load(Ordering::Relaxed).wrapping_add(place);
                // SAFETY: within the ring, whose completions are mapped: a mark, a result, flags.
                let (mark, result) = unsafe {
                    ((at as *const u64).read_volatile(), (at.wrapping_add(8) as *const i32).read_volatile())
                };
                // The kernel may have overwritten the entry meanwhile.
                if load(self.cq_tail.load(Ordering::Acquire))
                    .is_some_and(|tail| tail.wrapping_sub(position) <= size)
                {
                    self.completed(mark, result, site);
                }
            }
        });
    }

    fn completed(&self, mark: u64, result: i32, site: usize) {
        let key = self.key(mark);
        let kept = PENDING.get(key);
        if kept == 0 || kept == AMBIGUOUS {
            return;
        }
        PENDING.take(key);
        let (kind, slot, _) = aio::unpack(kept);
        if kind != 0 {
            return aio::completed(kept, i64::from(result), &now(), site);
        }
        let (name, how) = (i64::from(slot), OPENING.take(key) as i64);
        if result < 0 {
            return now().note(Op::Open, 0, [name, how, -1], i64::from(result), site);
        }
        let Timed { start, end, .. } = now();
        syscall::opened(&Timed { ret: result, start, end }, Some(name), how, site);
    }
}
