//! The texts of each code. Names in braces are figures of the finding.

mod accesses;
mod jobs;
mod mpiio;

use marigraph_analysis::advice::Code;

use super::Example;

#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub(super) title: &'static str,
    /// Sentences with figures.
    pub(super) evidence: &'static str,
    pub(super) advice: &'static str,
    pub(super) estimate: &'static str,
    pub(super) example: Option<&'static Example>,
}

pub(super) fn of(code: Code) -> Words {
    match code {
        Code::SmallReads => accesses::SMALL_READS,
        Code::SmallWrites => accesses::SMALL_WRITES,
        Code::SmallSharedReads => accesses::SMALL_SHARED_READS,
        Code::SmallSharedWrites => accesses::SMALL_SHARED_WRITES,
        Code::TinyReads => accesses::TINY_READS,
        Code::BelowBlockSize => accesses::BELOW_BLOCK_SIZE,
        Code::RandomReads => accesses::RANDOM_READS,
        Code::RandomWrites => accesses::RANDOM_WRITES,
        Code::OrderlyReads => accesses::ORDERLY_READS,
        Code::OrderlyWrites => accesses::ORDERLY_WRITES,
        Code::Unaligned => accesses::UNALIGNED,
        Code::UnalignedMemory => accesses::UNALIGNED_MEMORY,
        Code::SeekPerAccess => accesses::SEEK_PER_ACCESS,
        Code::RepeatedReads => accesses::REPEATED_READS,
        Code::RepeatedWrites => accesses::REPEATED_WRITES,
        Code::RepeatedOpens => jobs::REPEATED_OPENS,
        Code::MetadataHeavy => jobs::METADATA_HEAVY,
        Code::SlowMetadata => jobs::SLOW_METADATA,
        Code::FilePerProcess => jobs::FILE_PER_PROCESS,
        Code::ManySmallFiles => jobs::MANY_SMALL_FILES,
        Code::RankImbalance => jobs::RANK_IMBALANCE,
        Code::ByteImbalance => jobs::BYTE_IMBALANCE,
        Code::UnevenWrites => jobs::UNEVEN_WRITES,
        Code::UnevenReads => jobs::UNEVEN_READS,
        Code::OneRank => jobs::ONE_RANK,
        Code::NoMpiIo => mpiio::NO_MPIIO,
        Code::NoCollectiveReads => mpiio::NO_COLLECTIVE_READS,
        Code::NoCollectiveWrites => mpiio::NO_COLLECTIVE_WRITES,
        Code::NoCollectives => mpiio::NO_COLLECTIVES,
        Code::NoDatatypes => mpiio::NO_DATATYPES,
        Code::CollectiveReads => mpiio::COLLECTIVE_READS,
        Code::CollectiveWrites => mpiio::COLLECTIVE_WRITES,
        Code::BlockingReads => mpiio::BLOCKING_READS,
        Code::BlockingWrites => mpiio::BLOCKING_WRITES,
        Code::FewerAggregators => mpiio::FEWER_AGGREGATORS,
        Code::MoreAggregators => mpiio::MORE_AGGREGATORS,
        Code::AggregatorPerNode => mpiio::AGGREGATOR_PER_NODE,
        Code::StdioHeavy => jobs::STDIO_HEAVY,
        Code::MostlyWrites => jobs::MOSTLY_WRITES,
        Code::MostlyReads => jobs::MOSTLY_READS,
        Code::MostlyWrittenBytes => jobs::MOSTLY_WRITTEN_BYTES,
        Code::MostlyReadBytes => jobs::MOSTLY_READ_BYTES,
        Code::SingleStripe => jobs::SINGLE_STRIPE,
        Code::SparseIo => jobs::SPARSE_IO,
        Code::StrongScaling => jobs::STRONG_SCALING,
    }
}
