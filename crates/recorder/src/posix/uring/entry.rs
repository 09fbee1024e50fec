//! One entry of a submission ring.

use core::ffi::c_char;

use libc::iovec;
use marigraph_wire::op::Op;

use crate::posix::aio;
use crate::sys;

/// Bytes of an entry; twice that in rings with `IORING_SETUP_SQE128`.
pub const ENTRY: usize = 64;

/// The fields of an entry that are recorded.
pub struct Entry {
    opcode: u8,
    flags: u8,
    /// Or the index of a registered file.
    pub fd: i32,
    /// -1 at the file position.
    pub offset: i64,
    address: u64,
    len: u32,
    how: u32,
    /// `user_data`, which the completion repeats.
    pub mark: u64,
    file_index: u32,
}

/// What an entry asks for.
pub enum What {
    Data {
        op: Op,
        bytes: i64,
        /// As in the record.
        flags: u8,
    },
    Sync {
        /// Of data alone.
        data: bool,
    },
    Open {
        path: *const c_char,
        /// Flags, and the mode in the upper half.
        how: u64,
    },
    Close,
    Other,
}

///
/// # Safety
/// `at` is the address of one.
pub unsafe fn read(at: *const u64) -> Entry {
    let mut words = [0u64; 6];
    for (index, word) in words.iter_mut().enumerate() {
        // SAFETY: as the caller promises; the program may write to it meanwhile.
        *word = unsafe { at.add(index).read_volatile() };
    }
    let [first, offset, address, len, mark, last] = words;
    Entry {
        opcode: first as u8,
        flags: (first >> 8) as u8,
        fd: (first >> 32) as i32,
        offset: offset as i64,
        address,
        len: len as u32,
        how: (len >> 32) as u32,
        mark,
        file_index: (last >> 32) as u32,
    }
}

impl Entry {
    pub fn is_registered(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Decodes the operation.
    ///
    /// # Safety
    /// The memory that the entry points to is valid, unless `late`.
    pub unsafe fn what(&self, late: bool) -> What {
        let plain = (i64::from(self.len), aio::alignment(self.address as usize));
        // SAFETY: as the caller promises.
        let vectors = || unsafe { self.vectors(late) };
        let (op, found) = match self.opcode {
            1 | 60 => (Op::UringRead, vectors()),
            2 | 61 => (Op::UringWrite, vectors()),
            4 | 22 => (Op::UringRead, Some(plain)),
            5 | 23 => (Op::UringWrite, Some(plain)),
            3 => return What::Sync { data: self.how & 1 != 0 },
            // `len` is the mode; a file without a descriptor is not followed.
            18 if self.file_index == 0 => {
                let how = u64::from(self.how) | u64::from(self.len) << 32;
                return What::Open { path: self.address as *const c_char, how };
            }
            28 if self.file_index == 0 && !late && self.offset > 0 => {
                let at = self.offset as *const u64;
                // SAFETY: the flags and the mode, as the caller promises.
                let (flags, mode) = unsafe { (at.read_unaligned(), at.add(1).read_unaligned()) };
                let how = (flags & 0xffff_ffff) | mode << 32;
                return What::Open { path: self.address as *const c_char, how };
            }
            19 if self.file_index == 0 => return What::Close,
            _ => return What::Other,
        };
        found.map_or(What::Other, |(bytes, flags)| What::Data { op, bytes, flags })
    }

    /// Bytes of all buffers, and the union of their flags.
    unsafe fn vectors(&self, late: bool) -> Option<(i64, u8)> {
        let at = self.address as *const iovec;
        if !late {
            // SAFETY: as many as the entry says.
            return Some(unsafe { aio::total(at, self.len as usize) });
        }
        // The program may have freed them: the kernel checks that they are readable.
        let mut copy = [const { iovec { iov_base: core::ptr::null_mut(), iov_len: 0 } }; 16];
        let count = self.len as usize;
        let bytes = copy.get(..count).map(size_of_val)?;
        let to = iovec { iov_base: copy.as_mut_ptr().cast(), iov_len: bytes };
        let from = iovec { iov_base: at as *mut _, iov_len: bytes };
        let args = [sys::ids().0 as usize, &raw const to as usize, 1, &raw const from as usize, 1, 0];
        // SAFETY: `to` has room; the call fails if `from` is not there.
        let got = unsafe { sys::call(libc::SYS_process_vm_readv, args) };
        // SAFETY: the copy has that many.
        (got == bytes as isize).then(|| unsafe { aio::total(copy.as_ptr(), count) })
    }
}
