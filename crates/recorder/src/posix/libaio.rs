//! Asynchronous I/O of the kernel: the functions of `libaio`, and the system calls behind them.

use core::cell::Cell;
use core::ffi::{c_int, c_long, c_void};

use marigraph_wire::op::Op;

use super::aio::{REQUESTS, Request, alignment, completed, number, total, with_room};
use crate::call::{Timed, timed};
use crate::files::POSIX;
use crate::process;

/// The kernel's `struct iocb`.
#[repr(C)]
pub struct Block {
    data: u64,
    key: u32,
    how: u32,
    opcode: u16,
    priority: i16,
    fd: i32,
    buffer: u64,
    bytes: u64,
    offset: i64,
}

/// The kernel's `struct io_event`.
#[repr(C)]
pub struct Event {
    data: u64,
    block: u64,
    result: i64,
    second: i64,
}

std::thread_local! {
    /// Whether a function of the library runs on this thread: its system calls are already
    /// recorded.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn inside<R>(call: impl FnOnce() -> R) -> R {
    let outer = INSIDE.replace(true);
    let ret = call();
    INSIDE.set(outer);
    ret
}

unsafe fn read(block: *const Block) -> Option<Request> {
    // SAFETY: null or the caller's control block.
    let said = unsafe { block.as_ref() }?;
    let slot = POSIX.slot(said.fd);
    if slot == 0 {
        return None;
    }
    let plain = (said.bytes as i64, alignment(said.buffer as usize));
    // SAFETY: the block is of that many buffers.
    let vectors = || unsafe { total(said.buffer as *const libc::iovec, said.bytes as usize) };
    let (op, (bytes, flags)) = match said.opcode {
        0 => (Op::AioRead, plain),
        1 => (Op::AioWrite, plain),
        2 => (Op::AioFsync, (0, 0)),
        3 => (Op::AioFsync, (1, 0)),
        7 => (Op::AioRead, vectors()),
        8 => (Op::AioWrite, vectors()),
        _ => return None,
    };
    let offset = if op == Op::AioFsync { 0 } else { said.offset };
    Some(Request { at: block as u64, op, slot, offset, bytes, flags, number: number() })
}

/// Records a submission. `call` returns the number of accepted requests, or an error.
///
/// # Safety
/// `list` has `count` control blocks.
pub unsafe fn submit(
    count: c_long,
    list: *const *const Block,
    site: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    let len = usize::try_from(count).unwrap_or(0);
    if len == 0 || list.is_null() || !process::is_on() || INSIDE.get() {
        return call();
    }
    with_room(len, |room| {
        // SAFETY: as the caller promises.
        for (place, &block) in room.iter_mut().zip(unsafe { core::slice::from_raw_parts(list, len) }) {
            // SAFETY: the same.
            *place = unsafe { read(block) };
            place.iter().for_each(Request::keep);
        }
        let call = timed(|| inside(call));
        let accepted = usize::try_from(call.ret).unwrap_or(0);
        for (index, request) in room.iter().enumerate() {
            request.iter().for_each(|request| request.settle(index < accepted, &call, site));
        }
        call.ret
    })
}

unsafe fn note(call: &Timed<isize>, events: *const Event, site: usize) {
    let len = usize::try_from(call.ret).unwrap_or(0);
    if len == 0 || events.is_null() {
        return;
    }
    // SAFETY: the call filled as many as it says.
    for event in unsafe { core::slice::from_raw_parts(events, len) } {
        completed(REQUESTS.take(event.block), event.result, call, site);
    }
}

/// Records completions. `call` returns the number of events, or an error.
///
/// # Safety
/// `events` has as many entries as `call` returns.
pub unsafe fn collect(events: *const Event, site: usize, call: impl FnOnce() -> isize) -> isize {
    if !process::is_on() || INSIDE.get() {
        return call();
    }
    let call = timed(|| inside(call));
    // SAFETY: as the caller promises.
    unsafe { note(&call, events, site) };
    call.ret
}

/// Records a cancelled request.
///
/// # Safety
/// `event` has room for one.
pub unsafe fn cancel(event: *const Event, site: usize, call: impl FnOnce() -> isize) -> isize {
    if !process::is_on() || INSIDE.get() {
        return call();
    }
    let call = timed(|| inside(call));
    if call.ret == 0 {
        // SAFETY: as the caller promises.
        unsafe { note(&Timed { ret: 1, start: call.start, end: call.end }, event, site) };
    }
    call.ret
}

crate::foreign_hooks! { &[c"libaio.so.1", c"libaio.so.1t64"];
    "rcx" io_submit(context: *mut c_void, count: c_long, list: *const *const Block) -> c_int |real, site| {
        submit(count, list, site, || real(context, count, list) as isize) as c_int
    }

    "r9" io_getevents(context: *mut c_void, least: c_long, most: c_long, events: *mut Event, time: *mut c_void) -> c_int |real, site| {
        collect(events, site, || real(context, least, most, events, time) as isize) as c_int
    }

    "stack" io_pgetevents(context: *mut c_void, least: c_long, most: c_long, events: *mut Event, time: *mut c_void, mask: *mut c_void) -> c_int |real, site| {
        collect(events, site, || real(context, least, most, events, time, mask) as isize) as c_int
    }

    "rcx" io_cancel(context: *mut c_void, block: *mut Block, event: *mut Event) -> c_int |real, site| {
        cancel(event, site, || real(context, block, event) as isize) as c_int
    }
}
