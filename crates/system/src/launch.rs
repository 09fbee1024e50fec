//! Runs a program under the recorder.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::signals;

pub const LIBRARY: &str = "libmarigraph_recorder.so";

/// Launchers of Open MPI, which pass variables to other hosts only on request.
const OPEN_MPI: [&str; 4] = ["mpirun", "mpiexec", "orterun", "prterun"];

/// Looks up an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Possible locations of the library, best first: where the user says, beside the program `exe`, or
/// in the `lib` folder beside the program's folder.
pub fn library_places(exe: &Path, environment: Environment<'_>) -> Vec<PathBuf> {
    if let Some(given) = environment("MARIGRAPH_LIBRARY").filter(|given| !given.is_empty()) {
        return vec![PathBuf::from(given)];
    }
    let folder = exe.parent().unwrap_or(Path::new("."));
    let beside = folder.parent().unwrap_or(folder);
    vec![folder.join(LIBRARY), beside.join("lib").join(LIBRARY), beside.join("lib/marigraph").join(LIBRARY)]
}

/// The recorder's settings.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Absolute path.
    pub library: PathBuf,
    /// Where parts are written; absolute path.
    pub parts: PathBuf,
    /// Marks the parts of this recording; `None` where several recordings make one run.
    pub recording: Option<String>,
    /// Patterns of files to record in spite of the recorder's own rules.
    pub include: Vec<OsString>,
    pub exclude: Vec<OsString>,
}

impl Plan {
    pub fn variables(
        &self,
        command: &[OsString],
        environment: Environment<'_>,
    ) -> Vec<(&'static str, OsString)> {
        let mut preload = self.library.clone().into_os_string();
        if let Some(others) = environment("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        let mut set = vec![("LD_PRELOAD", preload), ("MARIGRAPH_DIR", self.parts.clone().into_os_string())];
        set.extend(self.recording.iter().map(|mark| ("MARIGRAPH_RUN", mark.into())));
        for (name, patterns) in [("MARIGRAPH_INCLUDE", &self.include), ("MARIGRAPH_EXCLUDE", &self.exclude)] {
            if !patterns.is_empty() {
                set.push((name, patterns.join(OsStr::new("\n"))));
            }
        }
        // Otherwise programs built with the address sanitizer refuse to start under a preloaded
        // library.
        let mut sanitizer = environment("ASAN_OPTIONS").unwrap_or_default();
        if !sanitizer.is_empty() {
            sanitizer.push(":");
        }
        sanitizer.push("verify_asan_link_order=0");
        set.push(("ASAN_OPTIONS", sanitizer));
        if passes_on(command) && environment("OMPI_MCA_mca_base_env_list").is_none() {
            let names: Vec<&str> = set.iter().map(|(name, _)| *name).collect();
            set.push(("OMPI_MCA_mca_base_env_list", names.join(";").into()));
        }
        set
    }
}

/// Whether the command is a launcher of Open MPI that accepts a list of variables for other hosts.
/// It rejects the list if its command line sets variables; in a script that is unknown.
fn passes_on(command: &[OsString]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return false };
    let name = Path::new(program).file_name().unwrap_or_default();
    let taken = |argument: &OsString| {
        argument == "-x" || argument == "--x" || argument.to_string_lossy().contains("mca_base_env_list")
    };
    OPEN_MPI.iter().any(|launcher| name == *launcher) && !arguments.iter().any(taken)
}

/// This process's rank, if a launcher started this very program once per rank.
pub fn own_rank(environment: Environment<'_>) -> Option<u32> {
    let number = |name: &str| environment(name)?.to_str()?.trim().parse::<u32>().ok();
    let mpi = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"].iter().find_map(|name| number(name));
    // A batch script has a rank, too, but no step.
    let step = ["SLURM_STEP_ID", "SLURM_STEPID"].iter().any(|name| environment(name).is_some());
    let slurm =
        || number("SLURM_PROCID").filter(|_| step && number("SLURM_NTASKS").is_some_and(|tasks| tasks > 1));
    mpi.or_else(slurm)
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Status(u8),
    Signal(i32),
}

/// Runs a command with this program's streams until it ends, and forwards signals to it. Fails if
/// it cannot be started.
pub fn run(command: &[OsString], variables: &[(&'static str, OsString)]) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
    };
    let variables = || variables.iter().map(|(name, value)| (name, value));
    signals::catch();
    let spawn = |mut command: Command| {
        signals::hand_down(&mut command);
        command.args(arguments).envs(variables()).spawn()
    };
    let mut child = match spawn(Command::new(program)) {
        // A script without a `#!` line: a shell would run it so.
        Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg(program);
            spawn(shell)
        }
        spawned => spawned,
    }
    .inspect_err(|_| signals::ended())?;
    signals::started(child.id());
    let status = child.wait();
    signals::ended();
    let status = status?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code as u8),
        (None, signal) => Ended::Signal(signal.unwrap_or(libc::SIGKILL)),
    })
}

/// The exit status that a shell gives to a command that cannot be started.
pub fn not_started(error: &io::Error) -> u8 {
    if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
}

/// Ends this program by `signal`, as the command ended. Returns an exit status if it survives.
pub fn die_by(signal: i32) -> u8 {
    signals::die_by(signal);
    128u8.wrapping_add(signal as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn get<'a>(set: &'a [(&'static str, OsString)], name: &str) -> Option<&'a str> {
        set.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.to_str())
    }

    #[test]
    fn the_recorder_comes_before_other_libraries() {
        let plan = Plan {
            library: "/opt/lib.so".into(),
            parts: "/p".into(),
            include: words("/etc/* /usr/x"),
            ..Plan::default()
        };
        let none: Environment<'_> = &|_| None;
        let set = plan.variables(&words("./app -x"), none);
        assert_eq!(get(&set, "LD_PRELOAD"), Some("/opt/lib.so"));
        assert_eq!(get(&set, "MARIGRAPH_INCLUDE"), Some("/etc/*\n/usr/x"));
        assert_eq!(get(&set, "ASAN_OPTIONS"), Some("verify_asan_link_order=0"));
        assert_eq!(set.len(), 4);
        let set =
            plan.variables(&words("app"), &|name| (name == "LD_PRELOAD").then(|| "libjemalloc.so".into()));
        assert_eq!(get(&set, "LD_PRELOAD"), Some("/opt/lib.so:libjemalloc.so"));
        let set = plan.variables(&words("/usr/bin/mpirun -n 4 ./app"), none);
        let list = "LD_PRELOAD;MARIGRAPH_DIR;MARIGRAPH_INCLUDE;ASAN_OPTIONS";
        assert_eq!(get(&set, "OMPI_MCA_mca_base_env_list"), Some(list));
        assert_eq!(plan.variables(&words("mpirun -x PATH ./app"), none).len(), 4);
    }

    #[test]
    fn one_per_rank_is_told_from_a_batch_script() {
        let rank = |set: &'static [(&'static str, &'static str)]| {
            own_rank(&|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
        };
        assert_eq!(rank(&[]), None);
        assert_eq!(rank(&[("PMIX_RANK", "3")]), Some(3));
        assert_eq!(rank(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(rank(&[("SLURM_PROCID", "2"), ("SLURM_NTASKS", "4"), ("SLURM_STEP_ID", "0")]), Some(2));
        assert_eq!(rank(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1"), ("SLURM_STEP_ID", "0")]), None);
    }

    #[test]
    fn a_command_ends_as_it_ends() {
        let shell = |script: &str| run(&["sh".into(), "-c".into(), script.into()], &[("MARK", "7".into())]);
        assert_eq!(shell("exit $MARK").expect("runs"), Ended::Status(7));
        assert_eq!(shell("kill -9 $$").expect("runs"), Ended::Signal(9));
        let error = run(&["/no/such/program".into()], &[]).expect_err("is not there");
        assert_eq!(not_started(&error), 127);
        let error = run(&["/etc".into()], &[]).expect_err("is a folder");
        assert_eq!(not_started(&error), 126);
    }
}
