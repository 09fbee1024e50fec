//! Reading and writing variables: about 480 functions of PnetCDF, the product of seven ways to
//! select elements, thirteen memory types, and collective, independent and nonblocking forms.

use core::ffi::{c_int, c_void};

use marigraph_wire::op::Op;

use super::variable::{self, RANK, Variable};
use super::{file, queries};
use crate::call::timed_outer;
use crate::library::Foreign;
use crate::mpi::types;

/// Arguments of the longest function of the family.
const MOST: usize = 10;

/// Which elements of a variable a call selects; the numbers are those of the records.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Part {
    Var = 1,
    Var1 = 2,
    Vara = 3,
    Vars = 4,
    Varm = 5,
    Varn = 6,
    Vard = 7,
}

/// Independent, collective or nonblocking; the numbers are those of the records.
#[derive(Clone, Copy)]
#[repr(u8)]
enum How {
    Alone = 0,
    Together = 1,
    Later = 2,
    LaterFromBuffer = 3,
}

struct Kind {
    op: Op,
    part: Part,
    how: How,
}

/// Calls the real function with the words of the call.
///
/// # Safety
/// `real` takes that many whole numbers or pointers.
unsafe fn invoke(real: *mut c_void, words: &[usize]) -> c_int {
    macro_rules! with {
        ($($word:ident)+) => {
            // SAFETY: as the caller promises.
            unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($(with!(@ $word)),+) -> c_int>(real)($(*$word),+)
            }
        };
        (@ $word:ident) => { usize };
    }
    match words {
        [a, b, c] => with!(a b c),
        [a, b, c, d] => with!(a b c d),
        [a, b, c, d, e] => with!(a b c d e),
        [a, b, c, d, e, f] => with!(a b c d e f),
        [a, b, c, d, e, f, g] => with!(a b c d e f g),
        [a, b, c, d, e, f, g, h] => with!(a b c d e f g h),
        [a, b, c, d, e, f, g, h, i] => with!(a b c d e f g h i),
        [a, b, c, d, e, f, g, h, i, j] => with!(a b c d e f g h i j),
        _ => <c_int as crate::real::Failed>::FAILED,
    }
}

/// Makes and records a call of the family.
///
/// # Safety
/// The words are those the function was called with.
unsafe fn access(kind: &Kind, real: &Foreign, words: &[usize], site: usize) -> c_int {
    let at = real.get(site);
    if at.is_null() {
        return <c_int as crate::real::Failed>::FAILED;
    }
    let number = |index: usize| words.get(index).map_or(-1, |&word| word as c_int);
    let (file, which) = (number(0), number(1));
    if !crate::library::records() || file::slot(file) == 0 {
        // SAFETY: as the caller promises.
        return unsafe { invoke(at, words) };
    }
    // SAFETY: as the caller promises.
    let timed = timed_outer(|| unsafe { invoke(at, words) });
    if timed.ret == 0 {
        // SAFETY: the call succeeded, so its arguments are good.
        unsafe {
            if let Some(variable) = variable::find(at as usize, file, which, site) {
                let bytes = bytes(kind.part, at as usize, &variable, words);
                timed.note(kind.op, variable.slot, [kind.part as i64, bytes, kind.how as i64], 0, site);
            }
        }
    }
    timed.ret
}

/// Bytes in the file that a call selects.
///
/// # Safety
/// The words are those of a call that succeeded.
unsafe fn bytes(part: Part, from: usize, variable: &Variable, words: &[usize]) -> i64 {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let elements = match part {
        // SAFETY: as the caller promises.
        Part::Var => unsafe { whole(from, variable, word(0) as c_int, word(1) as c_int) },
        Part::Var1 => 1,
        // SAFETY: as the caller promises.
        Part::Vara | Part::Vars | Part::Varm => unsafe { product(word(3) as *const i64, variable.rank) },
        // SAFETY: as the caller promises.
        Part::Varn => unsafe { many(word(2) as c_int, word(4) as *const *const i64, variable.rank) },
        Part::Vard => return types::size(word(2)),
    };
    elements.saturating_mul(variable.size)
}

/// # Safety
/// `counts` is null or has that many numbers.
unsafe fn product(counts: *const i64, rank: usize) -> i64 {
    if counts.is_null() {
        return 1;
    }
    // SAFETY: as the caller promises.
    (0..rank.min(RANK)).fold(1i64, |all, index| all.saturating_mul(unsafe { *counts.add(index) }))
}

/// # Safety
/// `counts` is null or has `parts` lists; a list that is missing means one element.
unsafe fn many(parts: c_int, counts: *const *const i64, rank: usize) -> i64 {
    let parts = usize::try_from(parts).unwrap_or(0);
    if counts.is_null() {
        return parts as i64;
    }
    // SAFETY: as the caller promises.
    (0..parts).fold(0i64, |all, index| all.saturating_add(unsafe { product(*counts.add(index), rank) }))
}

/// Elements of a variable at its current size.
///
/// # Safety
/// The variable is one of the open file.
unsafe fn whole(from: usize, variable: &Variable, file: c_int, which: c_int) -> i64 {
    let mut ids = [0; RANK];
    if variable.rank > RANK {
        return 0;
    }
    // SAFETY: as the caller promises; there is room for as many dimensions as it has.
    unsafe { queries::dimension_ids(from, file, which, ids.as_mut_ptr()) };
    ids.iter().take(variable.rank).fold(1i64, |all, &id| {
        let mut len = 0;
        // SAFETY: a dimension of the file, and a place for its length.
        unsafe { queries::length(from, file, id, &mut len) };
        all.saturating_mul(len)
    })
}

/// Declares one function by the pieces of its name and its words.
macro_rules! function {
    ($op:ident $part:ident $how:ident [$($piece:literal)+] $count:tt $($word:ident)+) => {
        const _: () = {
            static KIND: Kind = Kind { op: Op::$op, part: Part::$part, how: How::$how };
            static REAL: Foreign = Foreign::new(concat!($($piece,)+ "\0"));
            #[allow(clippy::too_many_arguments)]
            unsafe extern "C-unwind" fn hook($($word: usize,)+ site: usize) -> c_int {
                const { assert!([$(stringify!($word)),+].len() == $count && $count <= MOST) };
                // SAFETY: the caller's arguments are passed on as they are.
                unsafe { access(&KIND, &REAL, &[$($word),+], site) }
            }
            $crate::library::entry!($count concat!($($piece),+), hook);
        };
    };
}

/// Declares the functions of all memory types for one selection, and the flexible one, which takes
/// two more words that describe the type.
macro_rules! types {
    ($op:ident $part:ident $how:ident $verb:literal $name:literal $end:literal $count:tt $words:tt $more:tt $many:tt) => {
        types!(@each $op $part $how $verb $name $end $count $words
            "_text" "_schar" "_uchar" "_short" "_ushort" "_int" "_uint" "_long" "_float" "_double" "_longlong" "_ulonglong");
        types!(@one $op $part $how [$verb $name $end] $more $many);
    };
    (@each $op:ident $part:ident $how:ident $verb:literal $name:literal $end:literal $count:tt $words:tt $($memory:literal)+) => {
        $(types!(@one $op $part $how [$verb $name $memory $end] $count $words);)+
    };
    (@one $op:ident $part:ident $how:ident $pieces:tt $count:tt [$($word:ident)+]) => {
        function!($op $part $how $pieces $count $($word)+);
    };
}

/// Declares all blocking functions of a verb.
macro_rules! waiting {
    ($($op:ident $how:ident $verb:literal $end:literal;)+) => {$(
        types!($op Var $how $verb "var" $end 3 [a b c] 5 [a b c d e]);
        types!($op Var1 $how $verb "var1" $end 4 [a b c d] 6 [a b c d e f]);
        types!($op Vara $how $verb "vara" $end 5 [a b c d e] 7 [a b c d e f g]);
        types!($op Vars $how $verb "vars" $end 6 [a b c d e f] 8 [a b c d e f g h]);
        types!($op Varm $how $verb "varm" $end 7 [a b c d e f g] 9 [a b c d e f g h i]);
        types!($op Varn $how $verb "varn" $end 6 [a b c d e f] 8 [a b c d e f g h]);
        function!($op Vard $how [$verb "vard" $end] 6 a b c d e f);
    )+};
}

/// Declares all functions of a verb that return a request.
macro_rules! later {
    ($($op:ident $how:ident $verb:literal;)+) => {$(
        types!($op Var $how $verb "var" "" 4 [a b c d] 6 [a b c d e f]);
        types!($op Var1 $how $verb "var1" "" 5 [a b c d e] 7 [a b c d e f g]);
        types!($op Vara $how $verb "vara" "" 6 [a b c d e f] 8 [a b c d e f g h]);
        types!($op Vars $how $verb "vars" "" 7 [a b c d e f g] 9 [a b c d e f g h i]);
        types!($op Varm $how $verb "varm" "" 8 [a b c d e f g h] 10 [a b c d e f g h i j]);
        types!($op Varn $how $verb "varn" "" 7 [a b c d e f g] 9 [a b c d e f g h i]);
    )+};
}

waiting! {
    NcPut Alone "ncmpi_put_" "";
    NcPut Together "ncmpi_put_" "_all";
    NcGet Alone "ncmpi_get_" "";
    NcGet Together "ncmpi_get_" "_all";
}

later! {
    NcPut Later "ncmpi_iput_";
    NcGet Later "ncmpi_iget_";
    NcPut LaterFromBuffer "ncmpi_bput_";
}
