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

/// Declares a module's counters: index constants, and the tables `INTS` and `FLOATS`. Modules that
/// move data end with the counters of `ranked`; those with variances over ranks say `transfers`.
/// Those whose accesses have a shape have the counters of `shaped` in between.
macro_rules! counter_table {
    (prefix $prefix:literal; ints { $($first:tt)* } shaped { $($last:tt)* } transfers) => {
        $crate::counters::def::counter_table! {
            prefix $prefix;
            ints {
                $($first)*
                SlowestReadSize: MAX_READ_TIME_SIZE;
                SlowestWriteSize: MAX_WRITE_TIME_SIZE;
                Sum: SIZE_READ_AGG_0_100 SIZE_READ_AGG_100_1K SIZE_READ_AGG_1K_10K SIZE_READ_AGG_10K_100K
                    SIZE_READ_AGG_100K_1M SIZE_READ_AGG_1M_4M SIZE_READ_AGG_4M_10M SIZE_READ_AGG_10M_100M
                    SIZE_READ_AGG_100M_1G SIZE_READ_AGG_1G_PLUS SIZE_WRITE_AGG_0_100
                    SIZE_WRITE_AGG_100_1K SIZE_WRITE_AGG_1K_10K SIZE_WRITE_AGG_10K_100K
                    SIZE_WRITE_AGG_100K_1M SIZE_WRITE_AGG_1M_4M SIZE_WRITE_AGG_4M_10M
                    SIZE_WRITE_AGG_10M_100M SIZE_WRITE_AGG_100M_1G SIZE_WRITE_AGG_1G_PLUS;
                CommonValue: ACCESS1_ACCESS;
                CommonShape: ACCESS1_LENGTH_D1 ACCESS1_LENGTH_D2 ACCESS1_LENGTH_D3 ACCESS1_LENGTH_D4
                    ACCESS1_LENGTH_D5 ACCESS1_STRIDE_D1 ACCESS1_STRIDE_D2 ACCESS1_STRIDE_D3
                    ACCESS1_STRIDE_D4 ACCESS1_STRIDE_D5;
                CommonValue: ACCESS2_ACCESS;
                CommonShape: ACCESS2_LENGTH_D1 ACCESS2_LENGTH_D2 ACCESS2_LENGTH_D3 ACCESS2_LENGTH_D4
                    ACCESS2_LENGTH_D5 ACCESS2_STRIDE_D1 ACCESS2_STRIDE_D2 ACCESS2_STRIDE_D3
                    ACCESS2_STRIDE_D4 ACCESS2_STRIDE_D5;
                CommonValue: ACCESS3_ACCESS;
                CommonShape: ACCESS3_LENGTH_D1 ACCESS3_LENGTH_D2 ACCESS3_LENGTH_D3 ACCESS3_LENGTH_D4
                    ACCESS3_LENGTH_D5 ACCESS3_STRIDE_D1 ACCESS3_STRIDE_D2 ACCESS3_STRIDE_D3
                    ACCESS3_STRIDE_D4 ACCESS3_STRIDE_D5;
                CommonValue: ACCESS4_ACCESS;
                CommonShape: ACCESS4_LENGTH_D1 ACCESS4_LENGTH_D2 ACCESS4_LENGTH_D3 ACCESS4_LENGTH_D4
                    ACCESS4_LENGTH_D5 ACCESS4_STRIDE_D1 ACCESS4_STRIDE_D2 ACCESS4_STRIDE_D3
                    ACCESS4_STRIDE_D4 ACCESS4_STRIDE_D5;
                CommonCount: ACCESS1_COUNT ACCESS2_COUNT ACCESS3_COUNT ACCESS4_COUNT;
                $($last)*
            }
            transfers
        }
    };
    (prefix $prefix:literal; ints { $($ints:tt)* } transfers) => {
        $crate::counters::def::counter_table! {
            prefix $prefix;
            ints { $($ints)* }
            ranked { TimeVariance: F_VARIANCE_RANK_TIME; BytesVariance: F_VARIANCE_RANK_BYTES; }
        }
    };
    (prefix $prefix:literal; ints { $($ints:tt)* } ranked { $($variances:tt)* }) => {
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
                $($variances)*
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
