//! How two calls are compared.

use std::collections::HashMap;

use marigraph_model::{Call, NameId, Names};
use marigraph_wire::op::{Layer, Op, Role};

use super::Scope;

/// The call as it is compared, or `None` if it is not. Notes of the recorder describe the
/// environment and are skipped, except for marks of the program and further arguments of a call.
pub(super) fn within(call: Call, scope: Scope) -> Option<Call> {
    if scope == Scope::System {
        let system = matches!(call.op.layer(), Layer::Posix | Layer::Stdio);
        return system.then_some(Call { depth: 0, ..call });
    }
    let noted = call.op.layer() == Layer::Note && !matches!(call.op, Op::Mark | Op::More);
    (!noted && (scope == Scope::Nested || call.depth == 0)).then_some(call)
}

pub(super) fn is_like(one: &Call, other: &Call) -> bool {
    one.op == other.op && one.depth == other.depth && (one.ret < 0) == (other.ret < 0)
}

/// Names the first value, other than an open file, in which two calls of the same kind differ.
pub(super) fn differs(one: &Call, other: &Call) -> Option<&'static str> {
    let value = |call: &Call, at: usize| call.args[at] & !immaterial(call.op, at);
    let roles = one.op.roles();
    let compared = |at: usize| roles[at] != Role::Slot && !roles[at].is_state();
    let differs = |&at: &usize| compared(at) && value(one, at) != value(other, at);
    let first = (0..3).find(differs).map(|at| argument(one.op, at));
    first.or_else(|| (one.ret != other.ret).then_some("return value"))
}

/// Bits of an argument that do not change what a call does to data. `O_NOFOLLOW` is one: a replay
/// never follows links.
fn immaterial(op: Op, at: usize) -> i64 {
    const NOT_FOLLOWED: i64 = 0o400_000;
    if op == Op::Open && at == 1 { NOT_FOLLOWED } else { 0 }
}

pub fn argument(op: Op, at: usize) -> &'static str {
    match op.roles().get(at) {
        Some(Role::Unused) | None => ["a", "b", "c"].get(at).unwrap_or(&"?"),
        Some(role) => role.name(),
    }
}

/// Paths of both traces under common ids. Prefixes of paths in the first trace may be mapped.
#[derive(Debug, Default)]
pub struct Paths {
    ids: HashMap<Vec<u8>, NameId>,
    texts: Vec<Vec<u8>>,
    /// Pairs of from and to; the longest match wins.
    mapped: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Paths {
    pub fn new(mut mapped: Vec<(Vec<u8>, Vec<u8>)>) -> Paths {
        mapped.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Paths { mapped, ..Paths::default() }
    }

    pub fn of_first(&mut self, path: &[u8]) -> NameId {
        let fits = |(from, _): &&(Vec<u8>, Vec<u8>)| {
            path.strip_prefix(from.as_slice())
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || from.ends_with(b"/"))
        };
        match self.mapped.iter().find(fits) {
            Some((from, to)) => {
                let path = [to.as_slice(), &path[from.len()..]].concat();
                self.id(&path)
            }
            None => self.id(path),
        }
    }

    /// Id of a path of the second trace.
    pub fn id(&mut self, path: &[u8]) -> NameId {
        if let Some(&id) = self.ids.get(path) {
            return id;
        }
        self.texts.push(path.to_vec());
        let id = NameId(self.texts.len() as i64);
        self.ids.insert(path.to_vec(), id);
        id
    }
}

/// Id 0 stands for an unknown path.
impl Names for Paths {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        let at = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.texts.get(at).map(Vec::as_slice)
    }
}
