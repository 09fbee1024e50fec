//! Declaration of counter tables: one list, from which names, indices and the reduction over ranks
//! follow.

/// Position of an integer counter in its module's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntIdx(pub u16);

/// Position of a float counter in its module's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatIdx(pub u16);

impl IntIdx {
    pub const fn at(self) -> usize {
        self.0 as usize
    }
    /// The counter `n` places further; the tables keep families (bins, slots) together.
    pub const fn plus(self, n: usize) -> IntIdx {
        IntIdx(self.0 + n as u16)
    }
}

impl FloatIdx {
    pub const fn at(self) -> usize {
        self.0 as usize
    }
}

/// How an integer counter is reduced over ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntKind {
    Sum,
    Max,
    /// The same for every rank, or a fact about the object: taken from any record.
    Any,
    /// Logical or.
    Flag,
    /// An unsigned record id; never "not measured".
    Id,
    /// Size of the longest single read; follows [`FloatKind::SlowestRead`].
    SlowestReadSize,
    /// Size of the longest single write; follows [`FloatKind::SlowestWrite`].
    SlowestWriteSize,
    /// A common value (access size, stride); the counts follow the values.
    CommonValue,
    /// Shape of the common value before it (lengths and strides per dimension).
    CommonShape,
    CommonCount,
    /// Rank with the least I/O time.
    FastestRank,
    FastestBytes,
    /// Rank with the most I/O time.
    SlowestRank,
    SlowestBytes,
}

/// How a float counter is reduced over ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatKind {
    /// Cumulative seconds, added up.
    Time,
    /// Start of the first operation: the smallest non-zero value.
    Start,
    /// End of the last operation: the largest value.
    End,
    SlowestRead,
    SlowestWrite,
    FastestTime,
    SlowestTime,
    /// Population variance over ranks of their I/O time.
    TimeVariance,
    /// Population variance over ranks of their bytes moved.
    BytesVariance,
    /// Taken from any record.
    Any,
}

/// One integer counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntDef {
    /// Full name, as tools print it.
    pub name: &'static str,
    pub kind: IntKind,
}

/// One float counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloatDef {
    /// Full name, as tools print it.
    pub name: &'static str,
    pub kind: FloatKind,
}

/// Declares a module's counters: index constants, and the tables `INTS` and `FLOATS`. Modules
/// with variances over ranks end with the counters of `transfers`.
macro_rules! counter_table {
    (prefix $prefix:literal; ints { $($ints:tt)* } transfers) => {
        $crate::counters::def::counter_table! {
            prefix $prefix;
            ints {
                $($ints)*
                FastestRank: FASTEST_RANK;
                FastestBytes: FASTEST_RANK_BYTES;
                SlowestRank: SLOWEST_RANK;
                SlowestBytes: SLOWEST_RANK_BYTES;
            }
            floats {
                Start: F_OPEN_START_TIMESTAMP F_READ_START_TIMESTAMP F_WRITE_START_TIMESTAMP
                    F_CLOSE_START_TIMESTAMP;
                End: F_OPEN_END_TIMESTAMP F_READ_END_TIMESTAMP F_WRITE_END_TIMESTAMP
                    F_CLOSE_END_TIMESTAMP;
                Time: F_READ_TIME F_WRITE_TIME F_META_TIME;
                SlowestRead: F_MAX_READ_TIME;
                SlowestWrite: F_MAX_WRITE_TIME;
                FastestTime: F_FASTEST_RANK_TIME;
                SlowestTime: F_SLOWEST_RANK_TIME;
                TimeVariance: F_VARIANCE_RANK_TIME;
                BytesVariance: F_VARIANCE_RANK_BYTES;
            }
        }
    };
    (
        prefix $prefix:literal;
        ints { $($ik:ident: $($int:ident)+;)* }
        floats { $($fk:ident: $($float:ident)+;)* }
    ) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum IntOrder { $($($int,)+)* }
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum FloatOrder { $($($float,)+)* }
        $($(
            #[doc = concat!("Index of `", $prefix, stringify!($int), "`.")]
            pub const $int: super::IntIdx = super::IntIdx(IntOrder::$int as u16);
        )+)*
        $($(
            #[doc = concat!("Index of `", $prefix, stringify!($float), "`.")]
            pub const $float: super::FloatIdx = super::FloatIdx(FloatOrder::$float as u16);
        )+)*
        pub static INTS: &[super::IntDef] = &[
            $($(super::IntDef {
                name: concat!($prefix, stringify!($int)),
                kind: super::IntKind::$ik,
            },)+)*
        ];
        pub static FLOATS: &[super::FloatDef] = &[
            $($(super::FloatDef {
                name: concat!($prefix, stringify!($float)),
                kind: super::FloatKind::$fk,
            },)+)*
        ];
    };
}

pub(super) use counter_table;
