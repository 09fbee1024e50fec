//! Which arguments the functions of the fixed parts take.

use marigraph_analysis::emit::{Effect, Layer, Op, Role};

/// An argument of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// The open file.
    Slot,
    /// An argument as recorded.
    Plain(usize),
    /// A name.
    Name(usize),
    /// The second argument as flags and mode of `open`.
    FlagsAndMode,
    /// As flags alone.
    Flags,
    /// As rights.
    Rights,
    /// As a mode of MPI.
    MpiMode,
    /// A further argument.
    More(usize),
    /// All further arguments as sequences.
    Lists,
}

/// The arguments of a call's function. What the call is to return comes after them, but for a datatype.
pub(super) fn arguments(op: Op) -> Vec<Argument> {
    match op {
        // These functions find out the rest.
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

/// Whether a function takes an argument of this role. What a call found is its result; how much a line or a format
/// takes depends on what stands in the file, so that these become reads of as many bytes as they returned.
fn is_given(role: Role) -> bool {
    let result =
        role.is_state() || matches!(role, Role::Position | Role::Found | Role::Unmatched | Role::Kind);
    !result && !matches!(role, Role::Unused | Role::Limit | Role::Skipped | Role::Delimiter)
}
