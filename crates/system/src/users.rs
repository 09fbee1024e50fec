//! Names of users and groups on this machine.

use std::ffi::{CStr, c_char, c_int};

const ROOM: usize = 1 << 14;

pub fn user(id: u32) -> Option<String> {
    let mut room = vec![0u8; ROOM];
    let mut found = std::ptr::null_mut();
    // SAFETY: plain structures that the call fills in with places in the room, which outlives their use.
    unsafe {
        let mut entry: libc::passwd = std::mem::zeroed();
        let code = libc::getpwuid_r(id, &raw mut entry, room.as_mut_ptr().cast(), room.len(), &raw mut found);
        name(code, found.is_null(), entry.pw_name)
    }
}

pub fn group(id: u32) -> Option<String> {
    let mut room = vec![0u8; ROOM];
    let mut found = std::ptr::null_mut();
    // SAFETY: as above.
    unsafe {
        let mut entry: libc::group = std::mem::zeroed();
        let code = libc::getgrgid_r(id, &raw mut entry, room.as_mut_ptr().cast(), room.len(), &raw mut found);
        name(code, found.is_null(), entry.gr_name)
    }
}

/// # Safety
/// If something was found, the text is its name and ends with NUL.
unsafe fn name(code: c_int, missing: bool, text: *const c_char) -> Option<String> {
    if code != 0 || missing || text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_user_has_a_name_and_most_numbers_have_none() {
        assert_eq!(super::user(0).as_deref(), Some("root"));
        assert_eq!(super::group(0).as_deref(), Some("root"));
        assert_eq!((super::user(3_999_999_999), super::group(3_999_999_999)), (None, None));
    }
}
