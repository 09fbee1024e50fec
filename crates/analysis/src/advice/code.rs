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
    /// Many reads of at most 1 MiB.
    SmallReads = "small_reads" as "P05";
    /// Many writes of at most 1 MiB.
    SmallWrites = "small_writes" as "P06";
    /// The same in files that all processes share.
    SmallSharedReads = "small_shared_reads" as "P15";
    /// The same in files that all processes share.
    SmallSharedWrites = "small_shared_writes" as "P16";
    /// Every process reads a few bytes at a time, independently.
    TinyReads = "tiny_reads";
    /// Accesses far smaller than a block of the file system.
    BelowBlockSize = "below_block_size";
    /// Reads that jump about.
    RandomReads = "random_reads" as "P11";
    /// Writes that jump about.
    RandomWrites = "random_writes" as "P13";
    /// Reads are sequential: good news.
    OrderlyReads = "orderly_reads" as "P12";
    /// Writes are sequential: good news.
    OrderlyWrites = "orderly_writes" as "P14";
    /// Accesses that straddle blocks of the file.
    Unaligned = "unaligned" as "P08";
    /// Buffers that straddle words or pages of memory.
    UnalignedMemory = "unaligned_memory" as "P07";
    /// One seek per access.
    SeekPerAccess = "seek_per_access";
    /// The same bytes are read repeatedly.
    RepeatedReads = "repeated_reads" as "P09";
    /// The same bytes are written repeatedly.
    RepeatedWrites = "repeated_writes" as "P10";
    /// Files are opened repeatedly.
    RepeatedOpens = "repeated_opens";
    /// Metadata calls take much of the I/O time.
    MetadataHeavy = "metadata_heavy";
    /// Slow metadata calls on single files.
    SlowMetadata = "slow_metadata" as "P17";
    /// One small file per process, and metadata calls take much of the time.
    FilePerProcess = "file_per_process";
    /// Many small files.
    ManySmallFiles = "many_small_files";
    /// Some ranks are much slower than others on shared files.
    RankImbalance = "rank_imbalance" as "P19";
    /// Ranks move different amounts of data in shared files.
    ByteImbalance = "byte_imbalance" as "P18";
    /// Processes that share a file among a few write different amounts.
    UnevenWrites = "uneven_writes" as "P21";
    /// Processes that share a file among a few read different amounts.
    UnevenReads = "uneven_reads" as "P22";
    /// One process does all the I/O of a large job.
    OneRank = "one_rank";
    /// No MPI-IO in a parallel job.
    NoMpiIo = "no_mpiio" as "M01";
    /// MPI-IO reads, none of them collective.
    NoCollectiveReads = "no_collective_reads" as "M02";
    /// MPI-IO writes, none of them collective.
    NoCollectiveWrites = "no_collective_writes" as "M03";
    /// Some MPI-IO calls are collective, most are not.
    NoCollectives = "no_collectives";
    /// MPI-IO without datatypes that describe what is accessed.
    NoDatatypes = "no_datatypes";
    /// Collective reads: good news.
    CollectiveReads = "collective_reads" as "M04";
    /// Collective writes: good news.
    CollectiveWrites = "collective_writes" as "M05";
    /// All MPI-IO reads could overlap with computing.
    BlockingReads = "blocking_reads" as "M06";
    /// All MPI-IO writes could overlap with computing.
    BlockingWrites = "blocking_writes" as "M07";
    /// Fewer aggregators than nodes.
    FewerAggregators = "fewer_aggregators" as "M08";
    /// More aggregators than nodes.
    MoreAggregators = "more_aggregators" as "M09";
    /// An aggregator per node: good news.
    AggregatorPerNode = "aggregator_per_node" as "M10";
    /// Streams carry much data.
    StdioHeavy = "stdio_heavy" as "S01";
    /// More writes than reads.
    MostlyWrites = "mostly_writes" as "P01";
    /// More reads than writes.
    MostlyReads = "mostly_reads" as "P02";
    /// More bytes written than read.
    MostlyWrittenBytes = "mostly_written_bytes" as "P03";
    /// More bytes read than written.
    MostlyReadBytes = "mostly_read_bytes" as "P04";
    /// Large files shared by all ranks lie on one storage target.
    SingleStripe = "single_stripe";
    /// The speed is higher than nodes can be: I/O is sparse and uncoordinated, the figure is not to be trusted.
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
