//! Reads from a status how many bytes a call moved.

use core::ffi::c_void;

use super::{family, queries};

/// Room for a status of any library.
#[repr(C, align(16))]
pub struct Own([u8; 128]);

impl Own {
    pub const EMPTY: Own = Own([0; 128]);

    /// The program's status, or this one if the program ignores it: the libraries'
    /// `MPI_STATUS_IGNORE` is a small number, not an address.
    pub fn instead_of(&mut self, status: *mut c_void) -> *mut c_void {
        if is_ignored(status) { self.0.as_mut_ptr().cast() } else { status }
    }
}

pub fn is_ignored(status: *const c_void) -> bool {
    (status as usize) < 4096
}

/// Bytes that a completed call moved; `asked` if the status does not say.
///
/// # Safety
/// `status` was filled by a call with data of type `datatype`.
pub unsafe fn moved(status: *const c_void, datatype: usize, size: i64, asked: i64) -> i64 {
    let (from, byte) = (family::anchor(), family::handles().byte);
    let mut large = -1i64;
    // SAFETY: as the caller promises; bytes are elements of every type.
    if byte != 0 && unsafe { queries::elements_x(from, status, byte, &mut large) } == 0 && large >= 0 {
        return large;
    }
    let mut count = -1;
    // SAFETY: as the caller promises.
    if datatype != 0 && unsafe { queries::count(from, status, datatype, &mut count) } == 0 && count >= 0 {
        return i64::from(count).saturating_mul(size);
    }
    asked
}
