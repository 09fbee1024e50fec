//! Reads the entries that a program submits.

use core::sync::atomic::Ordering;

use marigraph_wire::op::Op;

use super::super::aio;
use super::entry::{self, ENTRY, What};
use super::{ENTRIES, Ring, load, me, now};
use crate::files::{self, POSIX};
use crate::process;

const SETUP_SQE128: u32 = 1 << 10;

impl Ring {
    /// Reads what was submitted since the last look, as far as it is still in the ring.
    pub(super) fn catch_up(&self) {
        self.collect(0);
        if let Some(tail) = load(self.sq_tail.load(Ordering::Acquire)) {
            self.submitted(tail, true, 0);
        }
        self.collect(0);
    }

    /// Reads the entries up to `tail`: before the kernel does, or `late`, when the program may have
    /// reused some of them.
    pub(super) fn submitted(&self, tail: u32, late: bool, site: usize) {
        self.with(|| {
            let new = tail.wrapping_sub(self.seen.load(Ordering::Relaxed));
            let mask = self.sq_mask.load(Ordering::Relaxed);
            if new == 0 || new > 1 << 31 || self.entries.load(Ordering::Acquire) == 0 {
                return;
            }
            self.seen.store(tail, Ordering::Relaxed);
            let readable = new.min(mask.wrapping_add(1)).min(ENTRIES as u32);
            let whole = late.then(|| self.whole(tail, readable));
            let (mut others, mut gone) = (0u32, new.saturating_sub(readable));
            for back in (1..=readable).rev() {
                let position = tail.wrapping_sub(back);
                match self.index(position) {
                    Some(index) if whole.as_ref().is_none_or(|whole| whole.get(position & mask)) => {
                        if !self.entry(index, late, site) {
                            others = others.wrapping_add(1);
                        }
                    }
                    _ => gone = gone.wrapping_add(1),
                }
            }
            if others > 0 {
                now().note(Op::UringOther, 0, [i64::from(others), 0, 0], 0, site);
            }
            self.pass_over(gone);
        });
    }

    /// Of the last `readable` positions, those whose entries were not reused since.
    #[inline(never)]
    fn whole(&self, tail: u32, readable: u32) -> Bits {
        let mask = self.sq_mask.load(Ordering::Relaxed);
        let (mut whole, mut used) = (Bits([0; ENTRIES / 64]), Bits([0; ENTRIES / 64]));
        for back in 1..=readable {
            let position = tail.wrapping_sub(back);
            if self.index(position).is_some_and(|index| used.set(index)) {
                whole.set(position & mask);
            }
        }
        whole
    }

    fn index(&self, position: u32) -> Option<u32> {
        let mask = self.sq_mask.load(Ordering::Relaxed);
        let array = self.array.load(Ordering::Relaxed);
        if array == 0 {
            return Some(position & mask);
        }
        load(array.wrapping_add((position & mask) as usize * 4)).filter(|&index| index <= mask)
    }

    /// Records an entry; returns false if its file is not followed.
    fn entry(&self, index: u32, late: bool, site: usize) -> bool {
        let wide = if self.has(SETUP_SQE128) { 2 } else { 1 };
        let entries = self.entries.load(Ordering::Acquire);
        if entries == 0 {
            return false;
        }
        let at = entries.wrapping_add(index as usize * ENTRY * wide);
        // SAFETY: the index is within the ring, whose entries are mapped.
        let entry = unsafe { entry::read(at as *const u64) };
        let slot = if entry.is_registered() { self.registered(entry.fd) } else { POSIX.slot(entry.fd) };
        // SAFETY: an entry that is about to be submitted; what it points to is read with care when late.
        match unsafe { entry.what(late) } {
            What::Data { op, bytes, flags } if slot != 0 => {
                let number = aio::number();
                let kind = if op == Op::UringRead { 1 } else { 2 };
                self.await_end(late, entry.mark, aio::pack(kind, slot, number));
                self.remember(kind, slot, bytes);
                now().note_with(op, slot, [entry.offset, bytes, i64::from(number)], 0, site, flags);
                true
            }
            What::Sync { data } if slot != 0 => {
                let number = aio::number();
                self.await_end(late, entry.mark, aio::pack(3, slot, number));
                now().note(Op::UringFsync, slot, [0, i64::from(data), i64::from(number)], 0, site);
                true
            }
            What::Open { path, how } if !late => {
                // SAFETY: the path of an entry that is about to be submitted.
                let Some(name) = (unsafe { files::name(entry.fd, path) }) else { return false };
                self.opens(entry.mark, how);
                self.await_end(
                    late,
                    entry.mark,
                    aio::pack(0, u32::try_from(name).unwrap_or(u32::MAX), aio::number()),
                );
                true
            }
            What::Close if slot != 0 && !entry.is_registered() => {
                POSIX.set(entry.fd, 0);
                now().note(Op::Close, slot, [0; 3], 0, site);
                true
            }
            _ => false,
        }
    }

    /// Merges into what all reads and writes have in common: kind (3 both), slot (0 several), size
    /// (0 several).
    fn remember(&self, kind: u8, slot: u32, bytes: i64) {
        let new = (kind, slot, u32::try_from(bytes).unwrap_or(0));
        let before = self.alike.load(Ordering::Relaxed);
        let (kind, slot, bytes) = if before == 0 { new } else { aio::unpack(before) };
        let slot = if slot == new.1 { slot } else { 0 };
        let bytes = if bytes == new.2 { bytes } else { 0 };
        self.alike.store(aio::pack(kind | new.0, slot, bytes), Ordering::Relaxed);
    }

    /// Counts entries that could not be read, with what the readable ones had in common.
    pub(super) fn pass_over(&self, many: u32) {
        if many == 0 || many > 1 << 31 {
            return;
        }
        process::count_many(process::Count::Unseen, u64::from(many));
        let (kind, slot, bytes) = aio::unpack(self.alike.load(Ordering::Relaxed));
        let kind = if kind == 0 { 3 } else { kind };
        now().note(Op::UringOther, slot, [i64::from(many), i64::from(bytes), i64::from(kind)], 0, 0);
    }

    /// Reads completions and new entries before a system call enters the ring.
    pub(super) fn entering(&self, site: usize) {
        self.owner.store(me(), Ordering::Relaxed);
        self.collect(site);
        if let Some(tail) = load(self.sq_tail.load(Ordering::Acquire)) {
            self.submitted(tail, false, site);
        }
    }
}

/// One bit per entry of the largest ring.
struct Bits([u64; ENTRIES / 64]);

impl Bits {
    fn get(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Returns whether the bit was clear.
    fn set(&mut self, index: u32) -> bool {
        let Some(word) = self.0.get_mut(index as usize / 64) else { return false };
        let new = *word >> (index % 64) & 1 == 0;
        *word |= 1 << (index % 64);
        new
    }
}
