//! Datatypes. A type used with a file is described once, from MPI's own account of how it was made.
//! Equal types share one number, however often a program makes and frees them.
//!
//! Numbers up to 255 are predefined types: the 1-based index in [`BASIC_TYPES`], or for a type not
//! listed there 200 plus the binary logarithm of its size.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use marigraph_wire::mpich;
use marigraph_wire::op::{BASIC_TYPES, Op};

use super::family::{self, MpiFamily};
use super::queries;
use crate::call::timed;
use crate::files::Handles;
use crate::library::with_room;

static NUMBERS: Handles<8192> = Handles::EMPTY;
/// Numbers of descriptions, by hash.
static DESCRIBED: Handles<8192> = Handles::EMPTY;
static LAST: AtomicU64 = AtomicU64::new(255);

/// Limit on the rows of arguments in a description.
const ROWS: usize = 1024;
const LEVELS: u8 = 16;

/// Combiners with special treatment; all are numbered in MPI's order, from 1.
const NAMED: i64 = 1;
const SUBARRAY: i64 = 13;
const DARRAY: i64 = 14;
/// Fortran reals, complex numbers and integers with a kind.
const FORTRAN: core::ops::RangeInclusive<i64> = 15..=17;

fn is_type(datatype: usize) -> bool {
    let fixed = family::handles();
    fixed.byte != 0 && datatype != fixed.no_type && datatype != 0
}

/// Bytes of data in one element of a type that a call took; 0 unknown.
pub fn size(datatype: usize) -> i64 {
    let from = family::anchor();
    let (mut large, mut small) = (0i64, 0);
    if !is_type(family::handle(datatype)) {
        return 0;
    }
    // SAFETY: a type that is in use, and places for the answers.
    unsafe {
        if queries::type_size_x(from, datatype, &mut large) == 0 && large >= 0 {
            return large;
        }
        queries::type_size(from, datatype, &mut small);
    }
    i64::from(small.max(0))
}

/// The number of a type that a call took; 0 none.
pub fn number(datatype: usize) -> i64 {
    let datatype = family::handle(datatype);
    match NUMBERS.get(datatype as u64) {
        0 if is_type(datatype) => {
            let number = describe(datatype, 0);
            NUMBERS.set(datatype as u64, number as u64);
            number
        }
        known => known as i64,
    }
}

/// The number and size of the type of a failed call; zeros unless it is known to be a type.
pub fn if_known(datatype: usize) -> (i64, i64) {
    match NUMBERS.get(family::handle(datatype) as u64) {
        0 => (0, 0),
        known => (known as i64, size(datatype)),
    }
}

/// For a type that is freed: its handle may be reused.
pub fn forget(datatype: usize) {
    NUMBERS.take(datatype as u64);
}

struct Frame {
    size: i64,
    extent: i64,
    lower: i64,
    combiner: i64,
}

fn describe(datatype: usize, level: u8) -> i64 {
    let from = family::anchor();
    let mut frame = Frame { size: size(datatype), extent: 0, lower: 0, combiner: 0 };
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    // SAFETY: a type that is in use, and places for the answers.
    let told = unsafe {
        queries::type_extent(from, datatype, &mut frame.lower, &mut frame.extent);
        queries::type_envelope(from, datatype, &mut integers, &mut addresses, &mut types, &mut combiner)
    } == 0;
    if told {
        // Open MPI counts from 0.
        frame.combiner = i64::from(combiner).saturating_add(i64::from(family::kind() == MpiFamily::OpenMpi));
    }
    if frame.combiner == NAMED {
        return named(datatype, &frame);
    }
    let counts = [integers, addresses, types].map(|count| usize::try_from(count).unwrap_or(0));
    let [integers, addresses, types] = counts;
    let all = integers.saturating_add(addresses).saturating_add(types);
    // The arguments as MPI returns them, then all of them as words.
    with_room(all.saturating_mul(2), |room| {
        let room = room.and_then(|room| room.split_at_mut_checked(all)).filter(|_| told && level < LEVELS);
        let Some((raw, words)) = room else { return defined(&frame, &[]) };
        if contents(datatype, counts, raw, words, level).is_none() {
            return defined(&frame, &[]);
        }
        clean(&frame, integers, words);
        defined(&frame, words)
    })
}

/// Queries the arguments a type was made with; types among them become numbers.
fn contents(
    datatype: usize,
    counts: [usize; 3],
    raw: &mut [u64],
    words: &mut [u64],
    level: u8,
) -> Option<()> {
    let [integers, addresses, types] = counts;
    let many = counts.map(|count| c_int::try_from(count).unwrap_or(0));
    let (to_integers, rest) = raw.split_at_mut_checked(integers)?;
    let (to_addresses, to_types) = rest.split_at_mut_checked(addresses)?;
    let list: *mut c_void = to_types.as_mut_ptr().cast();
    // SAFETY: a type in use, that many arguments as its envelope tells, and a word of room for each.
    let code = unsafe {
        queries::type_contents(
            family::anchor(),
            datatype,
            many[0],
            many[1],
            many[2],
            to_integers.as_mut_ptr().cast(),
            to_addresses.as_mut_ptr().cast(),
            list,
        )
    };
    if code != 0 {
        return None;
    }
    let (integer_words, rest) = words.split_at_mut_checked(integers)?;
    let (address_words, type_words) = rest.split_at_mut_checked(addresses)?;
    for (pair, from) in integer_words.chunks_mut(2).zip(to_integers.iter()) {
        // Each word holds two 32-bit numbers.
        pair.iter_mut()
            .zip([*from as i32, (*from >> 32) as i32])
            .for_each(|(to, number)| *to = i64::from(number) as u64);
    }
    address_words.copy_from_slice(to_addresses);
    let mut last = (0, 0);
    for (index, to) in type_words.iter_mut().enumerate().take(types) {
        // SAFETY: MPI filled the list with that many handles.
        let mut inner = unsafe { family::handle_at(list, index) };
        if inner != last.0 {
            last = (inner, inner_number(inner, level));
        }
        *to = last.1;
        if last.1 > 255 && !is_permanent(inner) {
            // SAFETY: MPI lends derived types to whoever asks; this gives it back.
            unsafe { queries::type_free(family::anchor(), &mut inner) };
        }
    }
    Some(())
}

/// Whether a type must not be freed although it has a combiner: the predefined types of Fortran
/// kinds.
fn is_permanent(datatype: usize) -> bool {
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    // SAFETY: a type that MPI just gave, and places for the answers.
    let told = unsafe {
        queries::type_envelope(
            family::anchor(),
            datatype,
            &mut integers,
            &mut addresses,
            &mut types,
            &mut combiner,
        )
    } == 0;
    let combiner = i64::from(combiner).saturating_add(i64::from(family::kind() == MpiFamily::OpenMpi));
    !told || combiner == NAMED || FORTRAN.contains(&combiner)
}

/// The number of a nested type. It is not kept for the handle, whose end is not seen.
fn inner_number(datatype: usize, level: u8) -> u64 {
    match NUMBERS.get(datatype as u64) {
        0 if is_type(datatype) => describe(datatype, level.saturating_add(1)) as u64,
        known => known,
    }
}

/// Makes the constants among the arguments the same for all libraries: order 0 as in C, 1 as in
/// Fortran; distribution 0 block, 1 cyclic, 2 none; default argument -1.
fn clean(frame: &Frame, integers: usize, words: &mut [u64]) {
    if family::kind() != MpiFamily::Mpich || !matches!(frame.combiner, SUBARRAY | DARRAY) {
        return;
    }
    let Some(integers) = words.get_mut(..integers) else { return };
    if let Some(order) = integers.last_mut() {
        *order = order.wrapping_sub(mpich::ORDER as u64);
    }
    if frame.combiner == DARRAY {
        let dimensions = integers.get(2).map_or(0, |&count| count as usize);
        let from = dimensions.saturating_add(3);
        let distributions = integers.iter_mut().skip(from).take(dimensions);
        distributions.for_each(|kind| *kind = kind.wrapping_sub(mpich::DISTRIBUTION as u64));
        let arguments = integers.iter_mut().skip(from.saturating_add(dimensions)).take(dimensions);
        arguments
            .filter(|argument| **argument as i64 == i64::from(mpich::DEFAULT_ARGUMENT))
            .for_each(|argument| *argument = -1i64 as u64);
    }
}

fn named(datatype: usize, frame: &Frame) -> i64 {
    let mut text = [0u8; 512];
    let mut len: c_int = 0;
    // SAFETY: a type in use; names have at most 128 bytes.
    unsafe { queries::type_name(family::anchor(), datatype, text.as_mut_ptr().cast(), &mut len) };
    let name = text.get(..usize::try_from(len).unwrap_or(0)).unwrap_or(&[]);
    let place = BASIC_TYPES.iter().position(|known| known.as_bytes() == name);
    let power = (frame.size.max(1) as u64).ilog2().min(32);
    let number = place.map_or(200 + i64::from(power), |place| place as i64 + 1);
    if DESCRIBED.get(number as u64) == 0 {
        DESCRIBED.set(number as u64, number as u64);
        write(frame, number, &[]);
    }
    number
}

/// Records the description if it is new.
fn defined(frame: &Frame, words: &[u64]) -> i64 {
    let head = [frame.size, frame.extent, frame.lower, frame.combiner].map(|word| word as u64);
    let hash = head.iter().chain(words).fold(words.len() as u64, |sum, &word| {
        let sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^ sum >> 32
    });
    // Above the numbers of predefined types, which are their own hashes.
    let hash = hash | 1 << 63;
    match DESCRIBED.get(hash) {
        0 => {
            let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1) as i64;
            DESCRIBED.set(hash, number as u64);
            write(frame, number, words);
            number
        }
        known => known as i64,
    }
}

fn write(frame: &Frame, number: i64, words: &[u64]) {
    let now = timed(|| ());
    now.note(Op::Type, 0, [number, frame.size, frame.combiner], 0, 0);
    now.more([frame.extent, frame.lower, words.len() as i64], 0);
    for row in words.chunks(3).take(ROWS) {
        let mut args = [0; 3];
        args.iter_mut().zip(row).for_each(|(to, &word)| *to = word as i64);
        now.more(args, 0);
    }
}
