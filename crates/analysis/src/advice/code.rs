//! Stable names of findings.

/// Declares the codes: variant, stable name, and the code of Drishti's similar trigger, if any.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $(as $drishti:literal)?;)*) => {
        /// The subject of a finding. Names are a contract: they never change, new ones are only
        /// added.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            pub const fn drishti(self) -> Option<&'static str> {
                match self { $(Code::$variant => codes!(@or_none $($drishti)?),)* }
            }
        }
    };
    (@or_none) => { None };
    (@or_none $drishti:literal) => { Some($drishti) };
}

codes! {
    /// At most 1 MiB.
    SmallReads = "small_reads" as "P05";
    /// At most 1 MiB.
    SmallWrites = "small_writes" as "P06";
    /// In files that all processes share.
    SmallSharedReads = "small_shared_reads" as "P15";
    /// In files that all processes share.
    SmallSharedWrites = "small_shared_writes" as "P16";
    /// Every process reads a few bytes at a time, independently.
    TinyReads = "tiny_reads";
    /// Far smaller than a block of the file system.
    BelowBlockSize = "below_block_size";
    RandomReads = "random_reads" as "P11";
    RandomWrites = "random_writes" as "P13";
    /// Sequential reads: good news.
    OrderlyReads = "orderly_reads" as "P12";
    /// Sequential writes: good news.
    OrderlyWrites = "orderly_writes" as "P14";
    /// Accesses that straddle blocks of the file.
    Unaligned = "unaligned" as "P08";
    /// Buffers that straddle words or pages of memory.
    UnalignedMemory = "unaligned_memory" as "P07";
    SeekPerAccess = "seek_per_access";
    /// Of the same bytes.
    RepeatedReads = "repeated_reads" as "P09";
    /// Of the same bytes.
    RepeatedWrites = "repeated_writes" as "P10";
    RepeatedOpens = "repeated_opens";
    MetadataHeavy = "metadata_heavy";
    SlowMetadata = "slow_metadata" as "P17";
    /// Small files, with metadata calls that take much of the time.
    FilePerProcess = "file_per_process";
    ManySmallFiles = "many_small_files";
    /// Some ranks are much slower than others on shared files.
    RankImbalance = "rank_imbalance" as "P19";
    /// In shared files.
    ByteImbalance = "byte_imbalance" as "P18";
    /// In files shared by a few processes.
    UnevenWrites = "uneven_writes" as "P21";
    /// In files shared by a few processes.
    UnevenReads = "uneven_reads" as "P22";
    OneRank = "one_rank";
    NoMpiIo = "no_mpiio" as "M01";
    NoCollectiveReads = "no_collective_reads" as "M02";
    NoCollectiveWrites = "no_collective_writes" as "M03";
    /// Some MPI-IO calls are collective, most are not.
    NoCollectives = "no_collectives";
    /// MPI-IO without datatypes that describe the accesses.
    NoDatatypes = "no_datatypes";
    /// Good news.
    CollectiveReads = "collective_reads" as "M04";
    /// Good news.
    CollectiveWrites = "collective_writes" as "M05";
    /// All MPI-IO reads block; they could overlap with computing.
    BlockingReads = "blocking_reads" as "M06";
    /// All MPI-IO writes block; they could overlap with computing.
    BlockingWrites = "blocking_writes" as "M07";
    /// Than nodes.
    FewerAggregators = "fewer_aggregators" as "M08";
    /// Than nodes.
    MoreAggregators = "more_aggregators" as "M09";
    /// Good news.
    AggregatorPerNode = "aggregator_per_node" as "M10";
    StdioHeavy = "stdio_heavy" as "S01";
    /// By calls.
    MostlyWrites = "mostly_writes" as "P01";
    /// By calls.
    MostlyReads = "mostly_reads" as "P02";
    MostlyWrittenBytes = "mostly_written_bytes" as "P03";
    MostlyReadBytes = "mostly_read_bytes" as "P04";
    /// Large files shared by all ranks lie on one storage target.
    SingleStripe = "single_stripe";
    /// The speed exceeds the nodes' limit: I/O is sparse and uncoordinated, and the figure
    /// unreliable.
    SparseIo = "sparse_io";
    /// Bytes per process and speed fall as the application grows; needs several jobs.
    StrongScaling = "strong_scaling";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_every_trigger_of_drishti_is_there() {
        let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        let theirs: BTreeSet<String> =
            Code::ALL.iter().filter_map(|code| code.drishti()).map(String::from).collect();
        let posix = (1..=22).filter(|&n| n != 20).map(|n| format!("P{n:02}"));
        let mpi = (1..=10).map(|n| format!("M{n:02}"));
        let expected: BTreeSet<String> = posix.chain(mpi).chain(["S01".to_string()]).collect();
        assert_eq!(theirs, expected);
    }
}
