//! Variables: each gets a slot when it is defined, looked up by name, or first used.

use core::ffi::{CStr, c_char, c_int};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use super::{file, queries};
use crate::call::{Timed, timed};
use crate::files::{Handles, new_slot};
use crate::{filter, path, process};

static VARIABLES: Handles<16384> = Handles::EMPTY;

/// Elements are counted for variables of at most this rank.
pub const RANK: usize = 64;
/// Room for a variable's name; the format allows a quarter of it.
const NAME: usize = 1024;

/// What is known about a variable.
#[derive(Clone, Copy)]
pub struct Variable {
    pub slot: u32,
    pub rank: usize,
    /// Bytes of an element in the file.
    pub size: i64,
}

fn key(file: u32, variable: c_int) -> u64 {
    u64::from(file) << 32 | u64::from((variable as u32).wrapping_add(1))
}

/// Bytes of an element, by `nc_type`; 0 unknown.
fn size_of(kind: c_int) -> u64 {
    match kind {
        1 | 2 | 7 => 1,
        3 | 8 => 2,
        4 | 5 | 9 => 4,
        6 | 10 | 11 => 8,
        _ => 0,
    }
}

/// A variable of a followed file; defines it if it is new.
///
/// # Safety
/// `from` is in PnetCDF's library, and a call on the variable just succeeded.
pub unsafe fn find(from: usize, file: c_int, variable: c_int, site: usize) -> Option<Variable> {
    let owner = file::slot(file);
    if owner == 0 {
        return None;
    }
    let value = match VARIABLES.get(key(owner, variable)) {
        // SAFETY: as the caller promises.
        0 => unsafe { define(&timed(|| ()), from, (file, variable), site)? },
        known => known,
    };
    Some(Variable {
        slot: (value >> 32) as u32,
        rank: (value >> 8 & 0xff_ffff) as usize,
        size: (value & 0xff) as i64,
    })
}

/// Gives a variable a slot and records its definition.
///
/// # Safety
/// As [`find`].
pub unsafe fn define<R>(
    timed: &Timed<R>,
    from: usize,
    (file, variable): (c_int, c_int),
    site: usize,
) -> Option<u64> {
    let owner = file::slot(file);
    // SAFETY: as the caller promises.
    let name = unsafe { full_name(from, file, variable) }.filter(|_| owner != 0)?;
    let (mut kind, mut rank) = (0, 0);
    // SAFETY: as the caller promises; there are places for the answers.
    unsafe {
        queries::kind(from, file, variable, &mut kind);
        queries::dimensions(from, file, variable, &mut rank);
    }
    let slot = new_slot();
    let value = u64::from(slot) << 32 | (rank.clamp(0, 0xff_ffff) as u64) << 8 | size_of(kind);
    VARIABLES.set(key(owner, variable), value);
    timed.note(Op::NcVariable, slot, [name, size_of(kind) as i64, i64::from(rank)], 0, site);
    Some(value)
}

/// `file:variable`.
///
/// # Safety
/// As [`find`].
unsafe fn full_name(from: usize, file: c_int, variable: c_int) -> Option<i64> {
    let mut len = 0;
    let mut text = [0u8; 4096];
    let mut name = [0u8; NAME];
    // SAFETY: as the caller promises; the path is asked for only when there is room for it, and
    // names of variables are limited to a quarter of the room.
    unsafe {
        let fits = queries::path(from, file, &mut len, core::ptr::null_mut()) == 0
            && usize::try_from(len).is_ok_and(|len| len < text.len());
        if !fits
            || queries::path(from, file, &mut len, text.as_mut_ptr().cast::<c_char>()) != 0
            || queries::name(from, file, variable, name.as_mut_ptr().cast::<c_char>()) != 0
        {
            return None;
        }
    }
    let mut full = path::Path::EMPTY;
    // SAFETY: the library ended the text with NUL.
    unsafe { path::absolute(AT_FDCWD, text.as_ptr().cast(), &mut full) }?;
    if !filter::follows(full.bytes()) {
        return None;
    }
    full.push(b":");
    full.push(CStr::from_bytes_until_nul(&name).ok()?.to_bytes());
    process::intern(full.bytes())
}

/// Forgets the variables of a file before it is closed.
///
/// # Safety
/// `file` is open.
pub unsafe fn forget(from: usize, file: c_int, owner: u32) {
    let mut count = 0;
    // SAFETY: as the caller promises.
    unsafe { queries::variables(from, file, &mut count) };
    for variable in 0..count {
        VARIABLES.take(key(owner, variable));
    }
}
