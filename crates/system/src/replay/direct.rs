//! Direct system calls of the replay itself: the recorder would record calls through the C library.

/// Makes a system call; returns its result, or minus the error.
///
/// # Safety
/// As the call itself: addresses among the arguments are good for what it does with them.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn call(number: libc::c_long, args: [usize; 5]) -> isize {
    let ret: isize;
    // SAFETY: the kernel's convention; it changes these two registers and what the arguments point to.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => ret,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    ret
}

/// Makes a system call; returns its result, or minus the error.
///
/// # Safety
/// As the call itself: addresses among the arguments are good for what it does with them.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn call(number: libc::c_long, args: [usize; 5]) -> isize {
    // SAFETY: as the caller promises.
    let ret = unsafe { libc::syscall(number, args[0], args[1], args[2], args[3], args[4]) };
    if ret >= 0 {
        return ret as isize;
    }
    -(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) as isize)
}
