//! Arguments of `extrapolate`.

use std::path::PathBuf;

use marigraph_analysis::extrapolate::UserModel;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph extrapolate r4.mari r6.mari r9.mari r12.mari --ranks 4096 -o r4096.mari")]
pub struct ExtrapolateArgs {
    /// Traces (.mari) of one program on three or more different numbers of ranks; four prove more
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// Ranks of the trace to write
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    pub ranks: u32,
    /// The trace to write
    #[arg(short, long, value_name = "OUT.mari")]
    pub output: PathBuf,
    /// Fail where the traces cannot prove a model, too
    #[arg(long)]
    pub strict: bool,
    /// Leave out events that no model, or more than one, fits
    #[arg(long)]
    pub skip_refused: bool,
    /// What a parameter of a call is, such as "offset@pwrite: rank*960/size + 960*i"
    #[arg(long, value_name = "MODEL", value_parser = UserModel::parse)]
    pub model: Vec<UserModel>,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}
