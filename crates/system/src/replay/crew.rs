//! The processes of a replay: this program, started again for each rank.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::root::Root;
use super::shared::Shared;
use super::wait;

/// The variable that makes this program a member of a crew. The recorder checks it, too: it records
/// members, but not this program otherwise.
pub const WORKER: &str = "MARIGRAPH_REPLAY_WORKER";

const PRELOAD: &str = "LD_PRELOAD";
/// Nanoseconds from the start signal to the start.
pub(super) const RUN_UP: i64 = 20_000_000;
/// Time for members to stop by themselves.
const GRACE: Duration = Duration::from_secs(5);
/// The same under an MPI launcher: members wait in calls that never return, and launchers wait a
/// second.
const SHORT_GRACE: Duration = Duration::from_millis(200);

/// What a member of the crew inherits.
#[derive(Debug)]
pub struct Member {
    pub trace: std::fs::File,
    pub shared: Shared,
    /// `None` if the root is created while members start.
    pub root: Option<Root>,
    /// The rank it plays; all if `None`.
    pub rank: Option<u32>,
}

/// How a replay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Whole,
    /// The user stopped it, or the file system was full.
    Stopped,
    Broken(ExitStatus),
}

impl Member {
    pub fn of(variable: &str) -> io::Result<Member> {
        let bad =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("{WORKER} is for internal use; unset it"));
        let numbers: Vec<i64> = variable.split(',').filter_map(|number| number.parse().ok()).collect();
        let [trace, shared, root, rank] = numbers.as_slice() else { return Err(bad()) };
        let owned = |fd: i64| {
            let fd = i32::try_from(fd).ok().filter(|&fd| fd > 2).ok_or_else(bad)?;
            // SAFETY: the process that started this one opened it for us alone; a wrong number is an error of reading.
            Ok::<_, io::Error>(unsafe { OwnedFd::from_raw_fd(fd) })
        };
        // A member must not outlive its crew.
        // SAFETY: a plain system call.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        let root = match *root {
            -1 => None,
            fd => {
                let path = std::fs::read_link(format!("/proc/self/fd/{fd}"))?;
                let path = std::os::unix::ffi::OsStringExt::into_vec(path.into_os_string());
                Some(Root::inherited(owned(fd)?, path))
            }
        };
        Ok(Member {
            trace: owned(*trace)?.into(),
            shared: Shared::inherited(owned(*shared)?)?,
            root,
            rank: u32::try_from(*rank).ok(),
        })
    }
}

/// Processes that perform a trace.
#[derive(Debug)]
pub struct Crew {
    members: Vec<Child>,
    grace: Duration,
}

impl Crew {
    /// Starts this program with its own arguments, once for each rank or once for all.
    pub fn start(trace: &[u8], shared: &Shared, root: &Root, ranks: &[Option<u32>]) -> io::Result<Crew> {
        let trace = in_memory(trace)?;
        let handed = [trace.as_raw_fd(), shared.fd().as_raw_fd(), root.fd()];
        let mut crew = Crew { members: Vec::new(), grace: GRACE };
        for rank in ranks {
            let mut command = member(handed, *rank)?;
            if let Some(rank) = rank {
                // Tells a recorder the rank.
                command.env("OMPI_COMM_WORLD_RANK", rank.to_string());
                command.env("OMPI_COMM_WORLD_SIZE", ranks.len().to_string());
            }
            match command.spawn() {
                Ok(member) => crew.members.push(member),
                Err(error) => {
                    shared.counters().stop.store(1, Relaxed);
                    crew.end();
                    return Err(error);
                }
            }
        }
        Ok(crew)
    }

    /// Starts this program once, for the rank that an MPI launcher gave to this process. The
    /// library is preloaded, as in any MPI program, so that its initialization happens before a
    /// recorder starts.
    pub fn start_own(trace: &[u8], shared: &Shared, rank: u32, library: &CStr) -> io::Result<Crew> {
        let trace = in_memory(trace)?;
        let handed = [trace.as_raw_fd(), shared.fd().as_raw_fd(), -1];
        let mut member = member(handed, Some(rank))?;
        let mut loaded = std::env::var_os(PRELOAD).unwrap_or_default();
        if !loaded.is_empty() {
            loaded.push(":");
        }
        loaded.push(OsStr::from_bytes(library.to_bytes()));
        member.env(PRELOAD, loaded);
        Ok(Crew { members: vec![member.spawn()?], grace: SHORT_GRACE })
    }

    /// Starts the replay when all threads are ready, and waits until it ends or `stopped` returns
    /// true.
    pub fn play(mut self, shared: &Shared, threads: u32, stopped: &dyn Fn() -> bool) -> io::Result<Ended> {
        let counters = shared.counters();
        let mut ended = Ended::Whole;
        let mut running = self.members.len();
        while running > 0 {
            if counters.epoch.load(Relaxed) == 0 && counters.ready.load(Relaxed) == threads {
                counters.epoch.store(wait::now().saturating_add(RUN_UP), Relaxed);
            }
            if stopped() || ended != Ended::Whole {
                counters.stop.store(1, Relaxed);
                self.end();
                break;
            }
            running = 0;
            for member in &mut self.members {
                match member.try_wait()? {
                    None => running += 1,
                    Some(status) if !status.success() => ended = Ended::Broken(status),
                    Some(_) => {}
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let stopped = ended == Ended::Whole && counters.stopped();
        Ok(if stopped { Ended::Stopped } else { ended })
    }

    /// Waits for members that were asked to stop, and kills those that do not.
    fn end(&mut self) {
        let since = Instant::now();
        for member in &mut self.members {
            while matches!(member.try_wait(), Ok(None)) && since.elapsed() < self.grace {
                std::thread::sleep(Duration::from_millis(5));
            }
            // No effect on members that have ended.
            let _ = member.kill();
            let _ = member.wait();
        }
    }
}

/// This program with its own arguments, as a member that inherits these descriptors: trace,
/// counters, root.
fn member(handed: [i32; 3], rank: Option<u32>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).stdin(std::process::Stdio::null());
    let [trace, shared, root] = handed;
    command.env(WORKER, format!("{trace},{shared},{root},{}", rank.map_or(-1, i64::from)));
    // SAFETY: only `fcntl` is called between fork and exec, which is allowed there.
    unsafe {
        command.pre_exec(move || {
            handed.iter().for_each(|&fd| {
                libc::fcntl(fd, libc::F_SETFD, 0);
            });
            Ok(())
        });
    }
    Ok(command)
}

/// The bytes of a trace in an anonymous file.
fn in_memory(bytes: &[u8]) -> io::Result<std::fs::File> {
    // SAFETY: a plain system call, whose descriptor is ours.
    let fd = unsafe { libc::memfd_create(c"trace".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: nobody else owns it.
    let mut file = std::fs::File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    io::Write::write_all(&mut file, bytes)?;
    Ok(file)
}
