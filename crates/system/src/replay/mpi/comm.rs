//! Communicators. A trace records their members, not which of the many constructors created them.

use std::ffi::c_int;
use std::io;

use marigraph_analysis::replay::Action;

use super::Mpi;
use super::library::mpi;

/// `MPI_UNDEFINED`, the same in all libraries.
const NONE: c_int = -32766;
/// Numbers of `MPI_COMM_WORLD` and `MPI_COMM_SELF` in a trace.
const WORLD: i64 = 1;
const ALONE: i64 = 2;

struct Made {
    number: i64,
    size: c_int,
    rank: c_int,
    first: c_int,
    stride: c_int,
    parent: i64,
}

impl Mpi {
    pub(super) fn comm(&self, number: i64) -> Option<usize> {
        match number {
            WORLD => Some(self.library.world()),
            ALONE => Some(self.library.alone()),
            number => self.tables().comms.get(&number).copied(),
        }
    }

    pub(super) fn communicator(&self, action: &Action<'_>) -> Option<io::Result<i64>> {
        let number = |word: i64| c_int::try_from(word).ok();
        let &[first, stride, parent] = action.more.first()?;
        let [made, size, rank] = action.call.args;
        let (size, rank, first) = (number(size)?, number(rank)?, number(first)?);
        let made = Made { number: made, size, rank, first, stride: number(stride)?, parent };
        let whole = parent != WORLD || self.all_take_part;
        let (code, new) = if parent != 0 && whole { self.split(&made)? } else { self.of_members(&made)? };
        if made.number != 0 && code == 0 {
            self.tables().comms.insert(made.number, new);
        }
        Some(self.library.outcome(code))
    }

    /// All ranks of the parent take part; the first member is the colour.
    fn split(&self, made: &Made) -> Option<(c_int, usize)> {
        let parent = self.comm(made.parent)?;
        let color = if made.number == 0 { NONE } else { made.first.max(0) };
        let mut new = 0usize;
        let code = mpi!(self.library, c"MPI_Comm_split", parent => usize, color => c_int, made.rank.max(0) => c_int, &mut new => *mut usize);
        Some((code, new))
    }

    /// Only members take part. If the trace does not show how it was created, a recorder does not
    /// see it here, either.
    fn of_members(&self, made: &Made) -> Option<(c_int, usize)> {
        if made.number == 0 || made.stride < 0 || made.first < 0 || made.size < 1 {
            return None;
        }
        let world = self.library.world();
        let (mut all, mut group, mut new) = (0usize, 0usize, 0usize);
        let last = made.first.checked_add(made.stride.checked_mul(made.size - 1)?)?;
        let range = [made.first, last, made.stride.max(1)];
        let mut code = mpi!(self.library, c"PMPI_Comm_group", world => usize, &mut all => *mut usize);
        code |= mpi!(self.library, c"PMPI_Group_range_incl", all => usize, 1 => c_int, range.as_ptr() => *const c_int, &mut group => *mut usize);
        if code != 0 {
            return None;
        }
        // Overlapping groups need different tags.
        let tag = made.first & 0x7fff;
        let code = if made.parent == 0 {
            mpi!(self.library, c"PMPI_Comm_create_group", world => usize, group => usize, tag => c_int, &mut new => *mut usize)
        } else {
            mpi!(self.library, c"MPI_Comm_create_group", world => usize, group => usize, tag => c_int, &mut new => *mut usize)
        };
        Some((code, new))
    }
}
