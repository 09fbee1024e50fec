//! Calls on files through MPI-IO.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;

use marigraph_analysis::replay::{Action, below};
use marigraph_wire::op::{Ending, Op, Place, Role};

use super::library::mpi;
use super::types::Datatype;
use super::{Mpi, Scene};
use crate::replay::buffer::Buffer;
use crate::replay::files::{Handle, Held, held, taken, using};
use crate::replay::guard::{self, Done};
use crate::replay::names;

/// Large enough for the status of any library.
type Status = [u64; 16];
type Pointer = *mut c_void;
type Words = *mut u64;

#[derive(Clone, Copy)]
struct Data {
    file: usize,
    at: i64,
    room: Pointer,
    count: i64,
    datatype: usize,
}

impl Mpi {
    pub(super) fn on_file(&self, action: &Action<'_>, scene: Scene<'_>) -> Option<io::Result<i64>> {
        match action.call.op {
            Op::Wait => self.wait(action),
            _ => {
                let Handle::Mpi(file) = scene.files.get(action.call.slot)? else { return None };
                if action.call.op == Op::FileClose {
                    return self.close(action, &file, &scene);
                }
                using(&file, |&file| match action.call.op.direction() {
                    Some(_) => self.transfer(action, file, scene),
                    None => self.other(action, file),
                })?
            }
        }
    }

    /// A call that names a file.
    pub(super) fn named(&self, action: &Action<'_>, scene: &Scene<'_>) -> Done {
        const CREATE: i64 = 1;
        let call = &action.call;
        let Some(path) = action.names[0].and_then(below) else { return Done::LeftOut };
        let creates = call.arg(Role::MpiMode).is_some_and(|mode| mode & CREATE != 0);
        let found = call.ret >= 0 && !creates;
        let place = match names::whole(scene.root, &path, found, scene.files, scene.stopped) {
            Ok(place) => place,
            Err(error) => return Done::Returned(Err(error)),
        };
        match guard::spared(call, &place, None) {
            Some(done) => done,
            None if call.op == Op::FileDelete => self.delete(&place.full).into(),
            None => self.open(action, scene, &path, &place.full).into(),
        }
    }

    fn delete(&self, full: &CStr) -> Option<io::Result<i64>> {
        let none = self.library.no_info();
        let code = mpi!(self.library, c"MPI_File_delete", full.as_ptr() => *const i8, none => usize);
        Some(self.library.outcome(code))
    }

    fn open(
        &self,
        action: &Action<'_>,
        scene: &Scene<'_>,
        path: &[u8],
        full: &CStr,
    ) -> Option<io::Result<i64>> {
        // The participants of a failed open are unknown. Alone it fails, too, and blocks nobody.
        let comm = if action.call.ret < 0 { self.library.alone() } else { self.comm(action.call.args[2])? };
        let (mode, info) =
            (c_int::try_from(action.call.args[1]).ok()?, self.hints(action.more.first().map(|more| more[0])));
        let mut file = 0usize;
        let code = mpi!(self.library, c"MPI_File_open", comm => usize, full.as_ptr() => *const i8, mode => c_int, info => usize, &mut file => *mut usize);
        if code == 0 {
            scene.files.set(action.call.slot, Handle::Mpi(held(file)), path);
        }
        Some(self.library.outcome(code))
    }

    /// Creates as many hints as were given. A trace does not hold their values: no library knows
    /// these.
    fn hints(&self, count: Option<i64>) -> usize {
        const MANY: i64 = 64;
        let Some(count) = count.filter(|&count| count >= 0) else { return self.library.no_info() };
        let mut info = 0usize;
        mpi!(self.library, c"PMPI_Info_create", &mut info => *mut usize);
        for at in 0..count.min(MANY) {
            let key = CString::new(format!("marigraph_{at}")).unwrap_or_default();
            mpi!(self.library, c"PMPI_Info_set", info => usize, key.as_ptr() => *const i8, c"0".as_ptr() => *const i8);
        }
        info
    }

    fn transfer(&self, action: &Action<'_>, file: usize, scene: Scene<'_>) -> Option<io::Result<i64>> {
        let ending = action.call.op.ending();
        let [at, bytes, number] = action.call.args;
        let datatype = *self.tables().types.get(&number)?;
        let count = bytes.checked_div(datatype.size).unwrap_or(0);
        let mut own = Buffer::new();
        // Nonblocking and split calls keep their memory.
        let buffer = if ending == Ending::Returns { scene.buffer } else { &mut own };
        let room = match room(count, &datatype, buffer) {
            Ok(room) => room,
            Err(error) => return Some(Err(error)),
        };
        let data = Data { file, at, room, count, datatype: datatype.handle };
        let mut status: Status = [0; 16];
        let mut request = 0usize;
        let last = match ending {
            Ending::Returns => Some(status.as_mut_ptr()),
            Ending::Split => None,
            _ => Some((&raw mut request).cast()),
        };
        let code = self.moves(action.call.op, data, last)?;
        match ending {
            _ if code != 0 => {}
            Ending::Returns => return Some(Ok(self.moved(&status))),
            Ending::Split => {
                self.tables().split.insert(action.call.slot, (action.call.op, own));
            }
            _ => {
                self.tables().requests.insert(action.more.first()?[0], (request, own));
            }
        }
        Some(self.library.outcome(code))
    }

    /// Calls a function that moves data; counts beyond 31 bits need its large-count form. The count
    /// is passed as 64 bits to both: a function that takes less reads the lower half of the
    /// register.
    fn moves(&self, op: Op, data: Data, last: Option<Words>) -> Option<c_int> {
        let form = if c_int::try_from(data.count).is_ok() { "" } else { "_c" };
        let name = &CString::new([op.name(), form].concat()).ok()?;
        let Data { file, at, room, count, datatype } = data;
        let library = &self.library;
        Some(match (op.place() == Place::Offset, last) {
            (true, Some(last)) => {
                mpi!(library, name, file => usize, at => i64, room => Pointer, count => i64, datatype => usize, last => Words)
            }
            (true, None) => {
                mpi!(library, name, file => usize, at => i64, room => Pointer, count => i64, datatype => usize)
            }
            (false, Some(last)) => {
                mpi!(library, name, file => usize, room => Pointer, count => i64, datatype => usize, last => Words)
            }
            (false, None) => {
                mpi!(library, name, file => usize, room => Pointer, count => i64, datatype => usize)
            }
        })
    }

    fn moved(&self, status: &Status) -> i64 {
        let mut bytes = -1i64;
        let byte = self.library.byte();
        mpi!(self.library, c"PMPI_Get_elements_x", status.as_ptr() => *const u64, byte => usize, &mut bytes => *mut i64);
        bytes
    }

    fn wait(&self, action: &Action<'_>) -> Option<io::Result<i64>> {
        let (mut request, _buffer) = self.tables().requests.remove(&action.call.args[0])?;
        let mut status: Status = [0; 16];
        let code = mpi!(self.library, c"MPI_Wait", &mut request => *mut usize, status.as_mut_ptr() => Words);
        Some(self.library.outcome(code).map(|_| self.moved(&status)))
    }

    fn end_of_split(&self, action: &Action<'_>, file: usize) -> Option<io::Result<i64>> {
        let (begun, mut buffer) = self.tables().split.remove(&action.call.slot)?;
        let name = CString::new(begun.name().replace("_begin", "_end")).ok()?;
        let room = buffer.whole_room(0).ok()?;
        let mut status: Status = [0; 16];
        let code = mpi!(self.library, &name, file => usize, room => Pointer, status.as_mut_ptr() => Words);
        Some(self.library.outcome(code).map(|_| self.moved(&status)))
    }

    fn close(&self, action: &Action<'_>, file: &Held<usize>, scene: &Scene<'_>) -> Option<io::Result<i64>> {
        scene.files.remove(action.call.slot);
        let mut file = taken(file)?;
        Some(self.library.outcome(mpi!(self.library, c"MPI_File_close", &mut file => *mut usize)))
    }

    fn other(&self, action: &Action<'_>, file: usize) -> Option<io::Result<i64>> {
        let ([a, b, c], library) = (action.call.args, &self.library);
        let whence = |from: i64| c_int::try_from(600 + 2 * from).unwrap_or(600);
        let code = match action.call.op {
            Op::FileSetSize => mpi!(library, c"MPI_File_set_size", file => usize, b => i64),
            Op::FilePreallocate => mpi!(library, c"MPI_File_preallocate", file => usize, b => i64),
            Op::FileGetSize => {
                let mut size = 0i64;
                let code = mpi!(library, c"MPI_File_get_size", file => usize, &mut size => *mut i64);
                return Some(library.outcome(code).map(|_| size));
            }
            Op::FileSync => mpi!(library, c"MPI_File_sync", file => usize),
            Op::FileSetView => {
                let (element, pattern) = (self.handle(b)?, self.handle(c)?);
                let [form, hints, _] = action.more.first().copied().unwrap_or([0, -1, 0]);
                let (form, info) = (representation(form), self.hints(Some(hints)));
                mpi!(library, c"MPI_File_set_view", file => usize, a => i64, element => usize, pattern => usize, form.as_ptr() => *const i8, info => usize)
            }
            Op::FileSetAtomicity => {
                mpi!(library, c"MPI_File_set_atomicity", file => usize, c_int::try_from(a).ok()? => c_int)
            }
            Op::FileSetInfo => {
                mpi!(library, c"MPI_File_set_info", file => usize, self.hints(Some(a)) => usize)
            }
            Op::FileSeek => {
                mpi!(library, c"MPI_File_seek", file => usize, a => i64, whence(b) => c_int)
            }
            Op::FileSeekShared => {
                mpi!(library, c"MPI_File_seek_shared", file => usize, a => i64, whence(b) => c_int)
            }
            Op::FileSplitEnd => return self.end_of_split(action, file),
            _ => return None,
        };
        Some(library.outcome(code))
    }

    fn handle(&self, number: i64) -> Option<usize> {
        self.tables().types.get(&number).map(|known| known.handle)
    }
}

/// Memory for `count` elements of a type: the address of the first. With a negative extent each
/// element lies before the previous one.
fn room(count: i64, datatype: &Datatype, buffer: &mut Buffer) -> io::Result<Pointer> {
    let Datatype { extent, least, span, .. } = *datatype;
    let impossible = || io::Error::from_raw_os_error(libc::EINVAL);
    let steps = extent.checked_mul(count.saturating_sub(1).max(0)).ok_or_else(impossible)?;
    let before = least.saturating_add(steps.min(0)).min(0).unsigned_abs();
    let after = least.max(0).unsigned_abs().saturating_add(steps.max(0).unsigned_abs());
    let all = before.saturating_add(after).saturating_add(span.max(0).unsigned_abs());
    let start = buffer.whole_room(usize::try_from(all).map_err(|_| impossible())?)?;
    Ok(start.wrapping_byte_add(before as usize))
}

fn representation(form: i64) -> &'static CStr {
    match form {
        1 => c"internal",
        2 => c"external32",
        _ => c"native",
    }
}
