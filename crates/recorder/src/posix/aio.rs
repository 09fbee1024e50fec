//! Asynchronous I/O of the C library, and what all kinds have in common: requests that one call
//! submits and another finds complete.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use libc::{aiocb, iovec};
use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use crate::call::{Timed, timed};
use crate::files::{Handles, POSIX};
use crate::process::{self, Count};
use crate::real::errno;
use crate::sys;

/// Pending requests, by the address of their control block.
pub static REQUESTS: Handles<8192> = Handles::EMPTY;
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Requests on larger slots are not linked to their completions.
const SLOTS: u32 = 1 << 30;

/// Ordinal of a new request in this process, from 1.
pub fn number() -> u32 {
    NUMBER.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// Packs the kind (1 read, 2 write, 3 sync), slot and number of a request into one word; 0 if the
/// slot is too large.
pub fn pack(kind: u8, slot: u32, number: u32) -> u64 {
    if slot >= SLOTS { 0 } else { u64::from(kind) << 62 | u64::from(slot) << 32 | u64::from(number) }
}

pub fn unpack(kept: u64) -> (u8, u32, u32) {
    ((kept >> 62) as u8, (kept >> 32) as u32 % SLOTS, kept as u32)
}

/// `kept` is the packed word of the request.
pub fn completed<R>(kept: u64, ret: i64, call: &Timed<R>, site: usize) {
    if kept != 0 {
        let (kind, slot, number) = unpack(kept);
        call.note(Op::AioReturn, slot, [i64::from(kind), 0, i64::from(number)], ret, site);
    }
}

pub fn alignment(buffer: usize) -> u8 {
    if buffer.is_multiple_of(8) { 0 } else { Record::UNALIGNED }
}

/// Bytes of all buffers, and the union of their flags.
///
/// # Safety
/// `at` has `count` entries.
pub unsafe fn total(at: *const iovec, count: usize) -> (i64, u8) {
    if at.is_null() || count == 0 || count > 1024 {
        return (0, 0);
    }
    // SAFETY: as the caller promises.
    let vectors = unsafe { core::slice::from_raw_parts(at, count) };
    vectors.iter().fold((0, 0), |(bytes, flags), one| {
        (bytes.wrapping_add(one.iov_len as i64), flags | alignment(one.iov_base as usize))
    })
}

/// A request that is about to be submitted.
#[derive(Clone, Copy)]
pub struct Request {
    pub at: u64,
    pub op: Op,
    pub slot: u32,
    pub offset: i64,
    /// 1 for a sync of data alone.
    pub bytes: i64,
    /// As in the record.
    pub flags: u8,
    pub number: u32,
}

impl Request {
    fn kind(&self) -> u8 {
        match self.op {
            Op::AioRead => 1,
            Op::AioWrite => 2,
            _ => 3,
        }
    }

    /// Makes the request findable: its completion may come before the submission returns.
    pub fn keep(&self) {
        REQUESTS.set(self.at, pack(self.kind(), self.slot, self.number));
    }

    pub fn settle<R>(&self, accepted: bool, call: &Timed<R>, site: usize) {
        if accepted {
            let args = [self.offset, self.bytes, i64::from(self.number)];
            call.note_with(self.op, self.slot, args, 0, site, self.flags);
        } else {
            REQUESTS.take(self.at);
        }
    }
}

/// Runs `f` with room for `count` requests. Control blocks may be gone when the submitting call
/// returns, so their contents are copied here before it.
pub fn with_room<R>(count: usize, f: impl FnOnce(&mut [Option<Request>]) -> R) -> R {
    if count <= 2 {
        let mut room = [None; 2];
        return f(room.get_mut(..count).unwrap_or(&mut []));
    }
    if count <= 64 {
        let mut room = [None; 64];
        return f(room.get_mut(..count).unwrap_or(&mut []));
    }
    let bytes = count.saturating_mul(size_of::<Option<Request>>());
    let Some(at) = (count < 1 << 20).then(|| sys::memory(bytes)).flatten() else {
        process::count(Count::Lost);
        return f(&mut []);
    };
    let first = at.cast::<Option<Request>>();
    for index in 0..count {
        // SAFETY: the memory has room for `count` of them.
        unsafe { first.add(index).write(None) };
    }
    // SAFETY: all were written; the memory is this call's own until it is given back.
    let ret = f(unsafe { core::slice::from_raw_parts_mut(first, count) });
    // SAFETY: nothing borrowed from it is left.
    unsafe { sys::unmap(at, bytes) };
    ret
}

unsafe fn read(block: *const aiocb, op: Op) -> Option<Request> {
    // SAFETY: null or the caller's control block.
    let said = unsafe { block.as_ref() }?;
    let slot = POSIX.slot(said.aio_fildes);
    let (offset, bytes) = (said.aio_offset, said.aio_nbytes as i64);
    let flags = alignment(said.aio_buf as usize);
    (slot != 0).then(|| Request { at: block as u64, op, slot, offset, bytes, flags, number: number() })
}

unsafe fn submit(block: *mut aiocb, op: Op, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the caller's control block.
    let Some(request) = (unsafe { read(block, op) }) else { return call() };
    request.keep();
    let call = timed(call);
    request.settle(call.ret == 0, &call, site);
    call.ret
}

crate::hooks! {
    "rsi" [aio_read aio_read64] fn aio_read(block: *mut aiocb) -> c_int |real, site| {
        submit(block, Op::AioRead, site, || real(block))
    }

    "rsi" [aio_write aio_write64] fn aio_write(block: *mut aiocb) -> c_int |real, site| {
        submit(block, Op::AioWrite, site, || real(block))
    }

    "rdx" [aio_fsync aio_fsync64] fn aio_fsync(how: c_int, block: *mut aiocb) -> c_int |real, site| {
        let Some(mut request) = read(block, Op::AioFsync) else { return real(how, block) };
        (request.offset, request.bytes, request.flags) = (0, i64::from(how == libc::O_DSYNC), 0);
        request.keep();
        let call = timed(|| real(how, block));
        request.settle(call.ret == 0, &call, site);
        call.ret
    }

    // Returns why a request failed; not recorded.
    "rsi" [aio_error aio_error64] fn aio_error(block: *mut aiocb) -> c_int |real, _site| {
        real(block)
    }

    // `aio_error` returns the error, not `errno`.
    "rsi" [aio_return aio_return64] fn aio_return(block: *mut aiocb) -> isize |real, site| {
        let kept = if block.is_null() { 0 } else { REQUESTS.take(block as u64) };
        if kept == 0 {
            return real(block);
        }
        let call = timed(|| real(block));
        let ret = if call.ret < 0 { -i64::from(aio_error::hook(block, site)) } else { call.ret as i64 };
        completed(kept, ret, &call, site);
        call.ret
    }

    "r8" [lio_listio lio_listio64] fn lio_listio(mode: c_int, list: *const *mut aiocb, count: c_int, event: *mut c_void) -> c_int |real, site| {
        let len = usize::try_from(count).unwrap_or(0);
        if len == 0 || list.is_null() || !process::is_on() {
            return real(mode, list, count, event);
        }
        with_room(len, |room| {
            for (place, &block) in room.iter_mut().zip(core::slice::from_raw_parts(list, len)) {
                let op = match block.as_ref().map(|block| block.aio_lio_opcode) {
                    Some(libc::LIO_READ) => Op::AioRead,
                    Some(libc::LIO_WRITE) => Op::AioWrite,
                    _ => continue,
                };
                *place = read(block, op);
                place.iter().for_each(Request::keep);
            }
            let call = timed(|| real(mode, list, count, event));
            // Errors other than this one mean that some request failed, not that none was
            // submitted.
            let accepted = call.ret == 0 || errno() != libc::EINVAL;
            room.iter().flatten().for_each(|request| request.settle(accepted, &call, site));
            call.ret
        })
    }
}
