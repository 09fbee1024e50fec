//! Arguments of `diff`.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit code: 0 the same, 1 different, 2 could not compare.

Examples:
  marigraph diff run1.mari run2.mari                        two runs of a program
  marigraph diff a.mari b.mari --map /scratch/a=/scratch/b  that wrote to different folders")]
pub struct DiffArgs {
    /// A trace (.mari)
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Another
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Also compare calls that libraries made on behalf of others, as POSIX calls inside MPI-IO
    #[arg(long)]
    pub nested: bool,
    /// Compare POSIX and STDIO calls alone, whether the program or a library made them: what a replay performs
    #[arg(long, conflicts_with = "nested")]
    pub system: bool,
    /// Paths of A that begin so are those of B that begin so
    #[arg(long, value_name = "A=B")]
    pub map: Vec<OsString>,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}
