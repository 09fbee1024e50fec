//! Arguments of `diff`.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit code: 0 the same, 1 different, 2 could not compare.

Examples:
  marigraph diff run1.mari run2.mari                        two runs of a program
  marigraph diff a.mari b.mari --map /scratch/a=/scratch/b  two runs in different folders")]
pub struct DiffArgs {
    /// First trace (.mari)
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Second trace (.mari)
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Also compare calls inside other calls, such as POSIX calls inside MPI-IO
    #[arg(long)]
    pub nested: bool,
    /// Compare only POSIX and STDIO calls, from the program or a library: what a replay performs
    #[arg(long, conflicts_with = "nested")]
    pub system: bool,
    /// Treat paths of the first trace below A as paths of the second below B
    #[arg(long, value_name = "A=B")]
    pub map: Vec<OsString>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
