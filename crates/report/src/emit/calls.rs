//! The arguments that the functions of the C runtime take.

use marigraph_analysis::emit::{Effect, Layer, Op, Role};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    Slot,
    /// An argument as recorded.
    Plain(usize),
    Name(usize),
    /// The second argument as flags and mode of `open`.
    FlagsAndMode,
    /// The second argument as flags only.
    Flags,
    /// The second argument as permission bits.
    Rights,
    /// The second argument as a mode of `MPI_File_open`.
    MpiMode,
    More(usize),
    /// All further arguments as sequences.
    Lists,
}

/// The arguments of a call's function. The expected return value follows them, except for
/// datatypes.
pub(super) fn arguments(op: Op) -> Vec<Argument> {
    match op {
        // These functions derive the rest themselves.
        Op::Comm => {
            return vec![Argument::Plain(0), Argument::Plain(2), Argument::More(0), Argument::More(2)];
        }
        Op::Type => return vec![Argument::Plain(0), Argument::Plain(2), Argument::Lists],
        Op::Wait => return vec![Argument::Plain(0)],
        _ => {}
    }
    let slot = (op.effect() != Effect::None).then_some(Argument::Slot);
    let own = op.roles().into_iter().enumerate().filter(|(_, role)| is_given(*role));
    let more = op.more_roles().into_iter().enumerate().filter(|(_, role)| is_given(*role));
    let own = own.map(|(at, role)| match role {
        Role::Name => Argument::Name(at),
        Role::OpenFlags if op.layer() == Layer::Stdio => Argument::Flags,
        Role::OpenFlags => Argument::FlagsAndMode,
        Role::Rights => Argument::Rights,
        Role::MpiMode => Argument::MpiMode,
        _ => Argument::Plain(at),
    });
    slot.into_iter().chain(own).chain(more.map(|(at, _)| Argument::More(at))).collect()
}

/// Whether a function takes an argument of this role. Results of a call are not arguments. The
/// length of a line or a formatted read depends on the file's content, so these calls become reads
/// of the number of bytes they returned.
fn is_given(role: Role) -> bool {
    let result =
        role.is_state() || matches!(role, Role::Position | Role::Found | Role::Unmatched | Role::Kind);
    !result && !matches!(role, Role::Unused | Role::Limit | Role::Skipped | Role::Delimiter)
}
