//! Performs MPI-IO as MPI-IO, if a launcher started this program once for each rank.
//!
//! | step | where |
//! |---|---|
//! | the rank of this process | [`Launch`] |
//! | the library, loaded at run time | [`Library`] |
//! | begin, end, and communication between ranks | [`Mpi`] |
//! | communicators, datatypes, calls on files | `comm`, `types`, `file` |

mod comm;
mod file;
mod launch;
mod library;
mod types;

pub use launch::Launch;
pub use library::Library;

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use marigraph_analysis::replay::Action;
use marigraph_model::Slot;
use marigraph_wire::op::Op;

use super::buffer::Buffer;
use super::files::Files;
use super::guard::Done;
use super::root::Root;
use library::mpi;
use types::{Datatype, Description};

/// `MPI_THREAD_MULTIPLE`.
const MULTIPLE: c_int = 3;

/// MPI in this process, with its handles for the trace's numbers.
#[derive(Debug)]
pub struct Mpi {
    library: Library,
    tables: Mutex<Tables>,
    /// Whether ranks outside of a communicator take part in creating it.
    all_take_part: bool,
}

#[derive(Debug, Default)]
struct Tables {
    comms: HashMap<i64, usize>,
    types: HashMap<i64, Datatype>,
    /// Unfinished calls with their memory: by request, and split ones by file.
    requests: HashMap<i64, (usize, Buffer)>,
    split: HashMap<Slot, (Op, Buffer)>,
}

pub(super) struct Scene<'a> {
    pub root: &'a Root,
    pub files: &'a Files,
    pub buffer: &'a mut Buffer,
    pub stopped: &'a dyn Fn() -> bool,
}

impl Mpi {
    /// Initializes MPI. `begun` is how the trace did: not at all, without threads, or with threads;
    /// if it did, a recorder sees the call.
    pub fn begin(library: Library, begun: Option<bool>) -> io::Result<Mpi> {
        let none = std::ptr::null_mut::<c_void>();
        let mut given: c_int = 0;
        type Pointer = *mut c_void;
        let code = match begun {
            Some(false) => mpi!(library, c"MPI_Init", none => Pointer, none => Pointer),
            Some(true) => {
                mpi!(library, c"MPI_Init_thread", none => Pointer, none => Pointer, MULTIPLE => c_int, &mut given => *mut c_int)
            }
            None => {
                mpi!(library, c"PMPI_Init_thread", none => Pointer, none => Pointer, MULTIPLE => c_int, &mut given => *mut c_int)
            }
        };
        if code != 0 {
            return Err(io::Error::other(format!("MPI_Init failed (error {code})")));
        }
        Ok(Mpi { library, tables: Mutex::default(), all_take_part: true })
    }

    /// A recorder sees the call if `seen`.
    pub fn end(self, seen: bool) {
        let tables = self.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (mut request, _buffer) in tables.requests.into_values() {
            let mut status = [0u64; 16];
            mpi!(self.library, c"PMPI_Wait", &mut request => *mut usize, status.as_mut_ptr() => *mut u64);
        }
        for mut datatype in tables.types.into_values().filter(|datatype| datatype.made) {
            mpi!(self.library, c"PMPI_Type_free", &mut datatype.handle => *mut usize);
        }
        if seen {
            mpi!(self.library, c"MPI_Finalize");
        } else {
            mpi!(self.library, c"PMPI_Finalize");
        }
    }

    /// From now on only members create communicators of a part of all ranks.
    pub fn members_make_communicators(&mut self) {
        self.all_take_part = false;
    }

    pub fn meet(&self) {
        mpi!(self.library, c"PMPI_Barrier", self.library.world() => usize);
    }

    /// Broadcasts the first rank's words.
    pub fn told_by_first(&self, words: &mut [i64]) {
        let (bytes, comm) = (size_of_val(words) as c_int, self.library.world());
        mpi!(self.library, c"PMPI_Bcast", words.as_mut_ptr() => *mut i64, bytes => c_int, self.library.byte() => usize, 0 => c_int, comm => usize);
    }

    /// Gathers the words of all ranks on the first; empty on the others.
    pub fn gathered(&self, words: &[i64], rank: u32, ranks: u32) -> Vec<Vec<i64>> {
        let room = if rank == 0 { words.len() * ranks as usize } else { 0 };
        let mut all = vec![0i64; room];
        let (bytes, byte) = (size_of_val(words) as c_int, self.library.byte());
        mpi!(self.library, c"PMPI_Gather", words.as_ptr() => *const i64, bytes => c_int, byte => usize,
            all.as_mut_ptr() => *mut i64, bytes => c_int, byte => usize, 0 => c_int, self.library.world() => usize);
        all.chunks(words.len().max(1)).map(<[i64]>::to_vec).collect()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn perform(&self, action: &Action<'_>, scene: Scene<'_>) -> Done {
        match action.call.op {
            Op::Type => self.learn(action).into(),
            Op::Comm => self.communicator(action).into(),
            Op::Barrier => self.barrier(action).into(),
            Op::FileOpen | Op::FileDelete => self.named(action, &scene),
            _ => self.on_file(action, scene).into(),
        }
    }

    fn barrier(&self, action: &Action<'_>) -> Option<io::Result<i64>> {
        let comm = self.comm(action.call.args[2])?;
        Some(self.library.outcome(mpi!(self.library, c"MPI_Barrier", comm => usize)))
    }

    /// Creates a type that calls will use, or a type of as many bytes if that fails.
    fn learn(&self, action: &Action<'_>) -> Option<io::Result<i64>> {
        let description = Description { head: action.call.args, more: action.more };
        let known = |number: i64| self.tables().types.get(&number).map(|known| known.handle);
        let made = types::make(&self.library, &description, &known);
        let exact = made.is_some();
        let datatype = made.or_else(|| types::bytes(&self.library, action.call.args[1]))?;
        self.tables().types.insert(action.call.args[0], datatype);
        exact.then_some(Ok(action.call.ret))
    }
}
