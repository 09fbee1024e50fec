//! Arguments of `extrapolate`.

use std::path::PathBuf;

use marigraph_analysis::extrapolate::UserModel;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph extrapolate r4.mari r6.mari r9.mari r12.mari --ranks 4096 -o r4096.mari")]
pub struct ExtrapolateArgs {
    /// Traces (.mari) of one program at three or more different numbers of ranks; four prove more
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// Number of ranks of the new trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    pub ranks: u32,
    /// Trace to write
    #[arg(short, long, value_name = "OUT.mari")]
    pub output: PathBuf,
    /// Write numbers whose model fits but cannot be proven (ASSUMED)
    #[arg(long)]
    pub accept_assumed: bool,
    /// Refuse them even with --accept-assumed or --skip-refused
    #[arg(long)]
    pub strict: bool,
    /// Leave out events that no model fits, or more than one (REFUSED, AMBIGUOUS)
    #[arg(long)]
    pub skip_refused: bool,
    /// State the value of a call's parameter, such as "offset@pwrite: rank*960/size + 960*i"
    #[arg(long, value_name = "MODEL", value_parser = UserModel::parse)]
    pub model: Vec<UserModel>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
