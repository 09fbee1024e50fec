//! MPI datatypes: predefined ones by number, derived ones by constructing them again.

use std::ffi::{CStr, c_int};

use marigraph_wire::mpich;
use marigraph_wire::op::BASIC_TYPES;

use super::library::{Family, Library, mpi};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Datatype {
    pub handle: usize,
    /// Bytes of data in one element.
    pub size: i64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// First byte of an element; elements of resized types may overlap.
    pub least: i64,
    /// Bytes from `least` to the last byte.
    pub span: i64,
    /// Whether it must be freed.
    pub made: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Description<'a> {
    /// Number, bytes and combiner.
    pub head: [i64; 3],
    /// Extent, lower bound and number of arguments; then the arguments by three.
    pub more: &'a [[i64; 3]],
}

/// Handles of [`BASIC_TYPES`]: a variable of Open MPI, a number of MPICH (0 if none).
const NAMED: [(&CStr, usize); 62] = [
    (c"ompi_mpi_byte", 0x4c00_010d),
    (c"ompi_mpi_packed", 0x4c00_010f),
    (c"ompi_mpi_char", 0x4c00_0101),
    (c"ompi_mpi_signed_char", 0x4c00_0118),
    (c"ompi_mpi_unsigned_char", 0x4c00_0102),
    (c"ompi_mpi_wchar", 0x4c00_040e),
    (c"ompi_mpi_short", 0x4c00_0203),
    (c"ompi_mpi_unsigned_short", 0x4c00_0204),
    (c"ompi_mpi_int", 0x4c00_0405),
    (c"ompi_mpi_unsigned", 0x4c00_0406),
    (c"ompi_mpi_long", 0x4c00_0807),
    (c"ompi_mpi_unsigned_long", 0x4c00_0808),
    (c"ompi_mpi_long_long_int", 0x4c00_0809),
    (c"ompi_mpi_long_long_int", 0x4c00_0809),
    (c"ompi_mpi_unsigned_long_long", 0x4c00_0819),
    (c"ompi_mpi_float", 0x4c00_040a),
    (c"ompi_mpi_double", 0x4c00_080b),
    (c"ompi_mpi_long_double", 0x4c00_100c),
    (c"ompi_mpi_c_bool", 0x4c00_013f),
    (c"ompi_mpi_int8_t", 0x4c00_0137),
    (c"ompi_mpi_int16_t", 0x4c00_0238),
    (c"ompi_mpi_int32_t", 0x4c00_0439),
    (c"ompi_mpi_int64_t", 0x4c00_083a),
    (c"ompi_mpi_uint8_t", 0x4c00_013b),
    (c"ompi_mpi_uint16_t", 0x4c00_023c),
    (c"ompi_mpi_uint32_t", 0x4c00_043d),
    (c"ompi_mpi_uint64_t", 0x4c00_083e),
    (c"ompi_mpi_aint", 0x4c00_0843),
    (c"ompi_mpi_offset", 0x4c00_0844),
    (c"ompi_mpi_count", 0x4c00_0845),
    (c"ompi_mpi_c_float_complex", 0x4c00_0840),
    (c"ompi_mpi_c_float_complex", 0x4c00_0840),
    (c"ompi_mpi_c_double_complex", 0x4c00_1041),
    (c"ompi_mpi_c_long_double_complex", 0x4c00_2042),
    (c"ompi_mpi_float_int", 0x8c00_0000),
    (c"ompi_mpi_double_int", 0x8c00_0001),
    (c"ompi_mpi_long_int", 0x8c00_0002),
    (c"ompi_mpi_short_int", 0x8c00_0003),
    (c"ompi_mpi_2int", 0x4c00_0816),
    (c"ompi_mpi_longdbl_int", 0x8c00_0004),
    (c"ompi_mpi_character", 0x4c00_011a),
    (c"ompi_mpi_logical", 0x4c00_041d),
    (c"ompi_mpi_integer", 0x4c00_041b),
    (c"ompi_mpi_real", 0x4c00_041c),
    (c"ompi_mpi_dblprec", 0x4c00_081f),
    (c"ompi_mpi_cplex", 0x4c00_081e),
    (c"ompi_mpi_dblcplex", 0x4c00_1022),
    (c"ompi_mpi_integer1", 0x4c00_012d),
    (c"ompi_mpi_integer2", 0x4c00_022f),
    (c"ompi_mpi_integer4", 0x4c00_0430),
    (c"ompi_mpi_integer8", 0x4c00_0831),
    (c"ompi_mpi_integer16", 0),
    (c"", 0),
    (c"ompi_mpi_real4", 0x4c00_0427),
    (c"ompi_mpi_real8", 0x4c00_0829),
    (c"ompi_mpi_real16", 0x4c00_102b),
    (c"ompi_mpi_complex8", 0x4c00_0828),
    (c"ompi_mpi_complex16", 0x4c00_102a),
    (c"ompi_mpi_complex32", 0x4c00_202c),
    (c"ompi_mpi_2integer", 0x4c00_0820),
    (c"ompi_mpi_2real", 0x4c00_0821),
    (c"ompi_mpi_2dblprec", 0x4c00_1023),
];
const _: () = assert!(NAMED.len() == BASIC_TYPES.len());

fn named(library: &Library, number: i64) -> Option<usize> {
    let at = usize::try_from(number).ok()?.checked_sub(1)?;
    let &(variable, value) = NAMED.get(at)?;
    Some(library.fixed(variable, value)).filter(|&handle| handle != 0)
}

/// `inner` looks up component types.
pub(super) fn make(
    library: &Library,
    description: &Description<'_>,
    inner: &dyn Fn(i64) -> Option<usize>,
) -> Option<Datatype> {
    let [number, size, combiner] = description.head;
    let (&[_, _, count], rows) = description.more.split_first()?;
    let words = rows.as_flattened().get(..usize::try_from(count).ok()?)?;
    let handle = match combiner {
        1 => named(library, number)?,
        _ => {
            let mut handle = derived(library, combiner, words, inner)?;
            let code = mpi!(library, c"PMPI_Type_commit", &mut handle => *mut usize);
            (code == 0).then_some(handle)?
        }
    };
    // The size must be that of the trace, since calls rely on it.
    let mut found: c_int = -1;
    mpi!(library, c"PMPI_Type_size", handle => usize, &mut found => *mut c_int);
    if i64::from(found) == size { measured(library, handle, size, combiner != 1) } else { None }
}

/// A type with the library's extents: memory is allocated by them, and those of a trace may differ.
fn measured(library: &Library, handle: usize, size: i64, made: bool) -> Option<Datatype> {
    type Answer = *mut i64;
    let (mut lower, mut extent, mut least, mut span) = (0i64, 0i64, 0i64, 0i64);
    let code =
        mpi!(library, c"PMPI_Type_get_extent", handle => usize, &mut lower => Answer, &mut extent => Answer);
    let code = code
        | mpi!(library, c"PMPI_Type_get_true_extent", handle => usize, &mut least => Answer, &mut span => Answer);
    (code == 0).then_some(Datatype { handle, size, extent, least, span, made })
}

/// As many bytes as an element has: the fallback for types that cannot be constructed.
pub(super) fn bytes(library: &Library, size: i64) -> Option<Datatype> {
    let count = c_int::try_from(size).ok()?;
    let mut handle = 0usize;
    let code = mpi!(library, c"PMPI_Type_contiguous", count => c_int, library.byte() => usize, &mut handle => *mut usize);
    let code = code | mpi!(library, c"PMPI_Type_commit", &mut handle => *mut usize);
    if code == 0 { measured(library, handle, size, true) } else { None }
}

/// Numbers, addresses and types among the arguments, in this order.
struct Arguments<'a> {
    words: &'a [i64],
    inner: &'a dyn Fn(i64) -> Option<usize>,
}

impl Arguments<'_> {
    fn numbers(&mut self, count: usize) -> Option<Vec<c_int>> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        taken.iter().map(|&word| c_int::try_from(word).ok()).collect()
    }

    fn number(&mut self) -> Option<c_int> {
        self.numbers(1)?.first().copied()
    }

    /// A number that is also the length of following lists.
    fn count(&mut self) -> Option<(c_int, usize)> {
        let count = self.number()?;
        Some((count, usize::try_from(count).ok()?))
    }

    fn addresses(&mut self, count: usize) -> Option<Vec<i64>> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(taken.to_vec())
    }

    fn types(&mut self, count: usize) -> Option<Vec<usize>> {
        self.addresses(count)?.into_iter().map(self.inner).collect()
    }

    fn datatype(&mut self) -> Option<usize> {
        self.types(1)?.first().copied()
    }
}

type Numbers = *const c_int;
type Addresses = *const i64;
type New = *mut usize;

/// Calls the constructor of a combiner, numbered in MPI's order from 1.
fn derived(
    library: &Library,
    combiner: i64,
    words: &[i64],
    inner: &dyn Fn(i64) -> Option<usize>,
) -> Option<usize> {
    let mut given = Arguments { words, inner };
    let mut new = 0usize;
    let made: New = &raw mut new;
    let code = match combiner {
        2 => mpi!(library, c"PMPI_Type_dup", given.datatype()? => usize, made => New),
        3 => {
            let count = given.number()?;
            mpi!(library, c"PMPI_Type_contiguous", count => c_int, given.datatype()? => usize, made => New)
        }
        4 => {
            let [count, length, stride] = *given.numbers(3)?.as_slice() else { return None };
            mpi!(library, c"PMPI_Type_vector", count => c_int, length => c_int, stride => c_int, given.datatype()? => usize, made => New)
        }
        5 | 6 => {
            let [count, length] = *given.numbers(2)?.as_slice() else { return None };
            let stride = *given.addresses(1)?.first()?;
            mpi!(library, c"PMPI_Type_create_hvector", count => c_int, length => c_int, stride => i64, given.datatype()? => usize, made => New)
        }
        7..=10 | 19 => indexed(library, combiner, &mut given, made)?,
        11 | 12 => {
            let (count, many) = given.count()?;
            let (lengths, places) = (given.numbers(many)?, given.addresses(many)?);
            let types = library.list(&given.types(many)?);
            mpi!(library, c"PMPI_Type_create_struct", count => c_int, lengths.as_ptr() => Numbers, places.as_ptr() => Addresses, types.as_ptr() => *const u8, made => New)
        }
        13 => subarray(library, &mut given, made)?,
        14 => distributed(library, &mut given, made)?,
        15 => {
            let [digits, range] = *given.numbers(2)?.as_slice() else { return None };
            mpi!(library, c"PMPI_Type_create_f90_real", digits => c_int, range => c_int, made => New)
        }
        16 => {
            let [digits, range] = *given.numbers(2)?.as_slice() else { return None };
            mpi!(library, c"PMPI_Type_create_f90_complex", digits => c_int, range => c_int, made => New)
        }
        17 => mpi!(library, c"PMPI_Type_create_f90_integer", given.number()? => c_int, made => New),
        18 => {
            let [lower, extent] = *given.addresses(2)?.as_slice() else { return None };
            mpi!(library, c"PMPI_Type_create_resized", given.datatype()? => usize, lower => i64, extent => i64, made => New)
        }
        _ => return None,
    };
    (code == 0).then_some(new)
}

fn indexed(library: &Library, combiner: i64, given: &mut Arguments<'_>, made: New) -> Option<c_int> {
    let (count, many) = given.count()?;
    Some(match combiner {
        7 => {
            let (lengths, places) = (given.numbers(many)?, given.numbers(many)?);
            mpi!(library, c"PMPI_Type_indexed", count => c_int, lengths.as_ptr() => Numbers, places.as_ptr() => Numbers, given.datatype()? => usize, made => New)
        }
        8 | 9 => {
            let (lengths, places) = (given.numbers(many)?, given.addresses(many)?);
            mpi!(library, c"PMPI_Type_create_hindexed", count => c_int, lengths.as_ptr() => Numbers, places.as_ptr() => Addresses, given.datatype()? => usize, made => New)
        }
        10 => {
            let (length, places) = (given.number()?, given.numbers(many)?);
            mpi!(library, c"PMPI_Type_create_indexed_block", count => c_int, length => c_int, places.as_ptr() => Numbers, given.datatype()? => usize, made => New)
        }
        _ => {
            let (length, places) = (given.number()?, given.addresses(many)?);
            mpi!(library, c"PMPI_Type_create_hindexed_block", count => c_int, length => c_int, places.as_ptr() => Addresses, given.datatype()? => usize, made => New)
        }
    })
}

/// The library's constant for an array order: 0 is C, 1 is Fortran.
fn order(library: &Library, order: c_int) -> c_int {
    if library.family() == Family::Mpich { order.wrapping_add(mpich::ORDER) } else { order }
}

fn subarray(library: &Library, given: &mut Arguments<'_>, made: New) -> Option<c_int> {
    let (dimensions, many) = given.count()?;
    let (sizes, parts, starts) = (given.numbers(many)?, given.numbers(many)?, given.numbers(many)?);
    let order = order(library, given.number()?);
    Some(
        mpi!(library, c"PMPI_Type_create_subarray", dimensions => c_int, sizes.as_ptr() => Numbers, parts.as_ptr() => Numbers,
        starts.as_ptr() => Numbers, order => c_int, given.datatype()? => usize, made => New),
    )
}

fn distributed(library: &Library, given: &mut Arguments<'_>, made: New) -> Option<c_int> {
    let [size, rank] = *given.numbers(2)?.as_slice() else { return None };
    let (dimensions, many) = given.count()?;
    let (sizes, mut kinds) = (given.numbers(many)?, given.numbers(many)?);
    let (mut arguments, processes) = (given.numbers(many)?, given.numbers(many)?);
    let order = order(library, given.number()?);
    if library.family() == Family::Mpich {
        kinds.iter_mut().for_each(|kind| *kind = kind.wrapping_add(mpich::DISTRIBUTION));
        arguments
            .iter_mut()
            .filter(|argument| **argument == -1)
            .for_each(|argument| *argument = mpich::DEFAULT_ARGUMENT);
    }
    Some(
        mpi!(library, c"PMPI_Type_create_darray", size => c_int, rank => c_int, dimensions => c_int, sizes.as_ptr() => Numbers,
        kinds.as_ptr() => Numbers, arguments.as_ptr() => Numbers, processes.as_ptr() => Numbers, order => c_int,
        given.datatype()? => usize, made => New),
    )
}
