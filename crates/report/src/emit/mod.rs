//! A program that makes the calls of a trace, in C: the result behind `replay --emit c`.
//!
//! | part of the program | where |
//! |---|---|
//! | what is the same in all programs | [`runtime`], files in `assets/emit` |
//! | a function for each routine | [`routine`], with numbers from [`values`] |
//! | files that must be there, files that are made | [`files`] |
//! | which function makes which call | [`calls`] |

mod calls;
mod files;
mod routine;
mod runtime;
mod text;
mod values;

use marigraph_analysis::emit::{Program, Routine};
use runtime::Needed;

/// What is said about the trace at the head of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The file's name.
    pub trace: String,
    /// What was recorded.
    pub command: String,
}

/// The program as C.
pub fn c(program: &Program, about: &About) -> String {
    let mut needed = Needed::default();
    let mpi = program.mpi.is_some();
    ["head", "stage", if mpi { "main_mpi" } else { "main_forks" }].iter().for_each(|name| needed.add(name));
    let routines: Vec<String> =
        program.routines.iter().enumerate().map(|(at, one)| routine::written(one, at, &mut needed)).collect();
    let mut text = head(program, about);
    text += &defines(program);
    text += &needed.before();
    text += &routines.concat();
    text += &needed.part();
    text += &parts(&program.routines);
    text += &files::stage(&program.files);
    text += &needed.after();
    text.trim_end().to_string() + "\n"
}

fn head(program: &Program, about: &About) -> String {
    let (compiler, start) = match program.mpi {
        Some(_) => ("mpicc", format!("mpirun -n {} ./prog", program.ranks)),
        None => ("cc", "./prog".to_string()),
    };
    let ranks = if program.ranks == 1 { "1 rank".to_string() } else { format!("{} ranks", program.ranks) };
    let (trace, command) = (text::remark(&about.trace), text::remark(&about.command));
    let mut text = format!(
        "/* Makes the I/O calls of a trace again, below one folder.\n\n   \
         Made by marigraph from {trace}: {ranks} of {command}\n\n   \
         {compiler} -O2 -pthread -o prog prog.c\n   {start} ROOT\n\n   \
         ROOT is made if it is missing. What the program makes or changes must not be there, and is left there at the end.\n   \
         -f before ROOT leaves out pauses, -r removes what was made.\n"
    );
    if !program.left_out.is_empty() {
        text += "\n   Calls of the trace that are not made:\n";
        for (name, calls) in &program.left_out {
            text += &format!("   {calls:>12} {}\n", text::remark(name));
        }
    }
    text + "*/\n"
}

fn defines(program: &Program) -> String {
    let deepest = program.routines.iter().flat_map(|routine| &routine.series).map(values::depth).max();
    let starts = program.mpi.map_or(0, |mpi| 1 + u32::from(mpi.threads));
    let process = program.mpi.map_or(0, |mpi| mpi.process);
    let defines = [
        ("RANKS", program.ranks),
        ("PROCESSES", program.processes),
        ("THREADS", program.threads),
        ("MPI_STARTS", starts),
        ("MPI_PROCESS", process),
        ("DEEPEST", deepest.unwrap_or(0) as u32 + 1),
    ];
    let lines = defines.iter().map(|(name, value)| format!("#define {name} {value}\n"));
    lines.collect::<String>() + "\n"
}

/// Which rank runs which routine.
fn parts(routines: &[Routine]) -> String {
    let mut text = "static const struct part parts[] = {\n".to_string();
    for (at, routine) in routines.iter().enumerate() {
        let (process, thread, start) = (routine.process, routine.thread, routine.start);
        let mut base = 0;
        for Run { first, step, count, across, rows } in runs(&routine.ranks) {
            text += &format!(
                "\t{{ {process}, {thread}, {first}, {step}, {count}, {across}, {rows}, {base}, {start}, routine_{at} }},\n"
            );
            base += count * rows;
        }
    }
    text + "};\n\n"
}

/// Ranks that are equally far apart, in rows that are so, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: u32,
    step: u32,
    count: u64,
    across: u32,
    rows: u64,
}

/// Ascending numbers as runs.
fn runs(numbers: &[u32]) -> Vec<Run> {
    let mut rows: Vec<Run> = Vec::new();
    for &number in numbers {
        match rows.last_mut() {
            Some(run) if run.count == 1 && number > run.first => {
                (run.step, run.count) = (number - run.first, 2)
            }
            Some(run) if u64::from(run.first) + u64::from(run.step) * run.count == u64::from(number) => {
                run.count += 1;
            }
            _ => rows.push(Run { first: number, step: 1, count: 1, across: i32::MAX as u32, rows: 1 }),
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for row in rows {
        match runs.last_mut().filter(|last| (last.step, last.count) == (row.step, row.count)) {
            Some(last) if last.rows == 1 => (last.across, last.rows) = (row.first - last.first, 2),
            Some(last)
                if u64::from(last.first) + u64::from(last.across) * last.rows == u64::from(row.first) =>
            {
                last.rows += 1;
            }
            _ => runs.push(row),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_runs() {
        let whole = |first, step, count| Run { first, step, count, across: i32::MAX as u32, rows: 1 };
        assert_eq!(runs(&[0, 1, 2, 3]), [whole(0, 1, 4)]);
        assert_eq!(runs(&[3]), [whole(3, 1, 1)]);
        assert_eq!(runs(&[1, 3, 5, 6, 7]), [whole(1, 2, 3), whole(6, 1, 2)]);
        let but_fourth: Vec<u32> = (0..4000).filter(|rank| rank % 4 != 0).collect();
        assert_eq!(runs(&but_fourth), [Run { first: 1, step: 1, count: 3, across: 4, rows: 1000 }]);
    }
}
