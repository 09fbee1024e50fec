//! Names of files, each sent once.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use marigraph_wire::op::Op;
use marigraph_wire::record::{NAME_BYTES, Record};

use super::segments::{attach, release};
use super::{Count, Entry, count, mark, put, skipped};
use crate::thread::{Thread, here};

static NAMES: AtomicU32 = AtomicU32::new(0);
/// Names already sent: part of the hash in the upper bits, the id in the lower 24.
static SENT: [AtomicU64; 1 << 16] = [const { AtomicU64::new(0) }; 1 << 16];

pub fn intern(path: &[u8]) -> Option<i64> {
    here(|thread| {
        if thread.busy.get() || thread.muted.get() {
            skipped(thread);
            return None;
        }
        thread.busy.set(true);
        let ready = thread.mark.get() == mark() && thread.mark.get() != 0 || attach(thread);
        let id = if ready { find_or_send(thread, path) } else { None };
        if id.is_none() {
            count(Count::Unfollowed);
        }
        thread.busy.set(false);
        id
    })
}

fn hash(path: &[u8], salt: u64) -> u64 {
    let mut sum = salt ^ (path.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for bytes in path.chunks(8) {
        let mut word = [0u8; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^= sum >> 32;
    }
    sum.wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

#[inline(never)]
pub(super) fn find_or_send(thread: &Thread, path: &[u8]) -> Option<i64> {
    // The mark in the hash hides from a child the names that only its parent's part has.
    let hash = hash(path, mark());
    let place = SENT.get(hash as usize % SENT.len())?;
    let found = place.load(Ordering::Relaxed);
    if found >> 24 == hash >> 24 && found & 0xff_ffff != 0 {
        return Some((found & 0xff_ffff) as i64);
    }
    let id = NAMES.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let pieces = path.len().div_ceil(NAME_BYTES).max(1);
    if thread.used.get() as usize + pieces >= thread.room.get() as usize {
        release(thread);
    }
    if pieces >= thread.room.get() as usize {
        return None;
    }
    for at in 0..pieces {
        let bytes = path.get(at * NAME_BYTES..).unwrap_or(&[]);
        let mut words = Record::default();
        words.set_name_bytes(bytes.get(..NAME_BYTES).unwrap_or(bytes));
        let entry = Entry {
            op: Op::Name,
            slot: id,
            args: [words.a, words.b, words.c],
            ret: words.ret,
            start: path.len() as u64,
            end: 0,
            site: 0,
            flags: 0,
        };
        put(thread, &entry, (pieces - 1 - at).min(255) as u8);
    }
    if id <= 0xff_ffff {
        place.store(hash >> 24 << 24 | u64::from(id), Ordering::Relaxed);
    }
    Some(i64::from(id))
}
