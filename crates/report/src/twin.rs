//! The figures of `darshan-parser --total`, `--file` and `--perf`, line for line.

use marigraph_analysis::Aggregate;
use marigraph_analysis::figures::{Estimate, FilesOfKind, Kinds};
use marigraph_model::Module;
use marigraph_model::counters::{IntKind, daos};

/// Appends the aggregate record, after the description of the module's counters.
///
/// Sums of the reference start at zero, and it adds the mark "not measured" (-1) like any number. A
/// counter that no record has prints as -1 where the module clamps sums, else as minus the number
/// of records.
pub fn total(module: Module, total: &Aggregate, out: &mut String) {
    out.push('\n');
    let clamps = matches!(module, Module::Posix | Module::Dfs | Module::Daos);
    for (at, (def, value)) in module.ints().iter().zip(total.ints()).enumerate() {
        let missing = match def.kind {
            IntKind::Sum if clamps && total.records() > 0 => -1,
            IntKind::Sum => -i64::try_from(total.records()).unwrap_or(i64::MAX),
            IntKind::Any if total.records() > 0 => -1,
            _ => 0,
        };
        let extreme = matches!(
            def.kind,
            IntKind::FastestRank | IntKind::FastestBytes | IntKind::SlowestRank | IntKind::SlowestBytes
        );
        // The reference does not add up this counter.
        let forgotten = module == Module::Daos && at == daos::NB_OPS.at();
        let value = match value.get() {
            _ if extreme && !total.is_one_file() => -1,
            _ if forgotten => 0,
            Some(value) if clamps && def.kind == IntKind::Sum => value.max(-1),
            Some(value) => value,
            None => missing,
        };
        out.push_str(&format!("total_{}: {value}\n", def.name));
    }
    for (def, value) in module.floats().iter().zip(total.floats()) {
        use marigraph_model::counters::FloatKind::{BytesVariance, FastestTime, SlowestTime, TimeVariance};
        let value = match def.kind {
            TimeVariance | BytesVariance => 0.0,
            FastestTime | SlowestTime if !total.is_one_file() => 0.0,
            _ => value.get().unwrap_or(0.0),
        };
        out.push_str(&format!("total_{}: {value:.6}\n", def.name));
    }
}

const FILES_EXPLAINED: &str = "
# Total file counts
# -----
# <file_type>: type of file access:
#    *read_only: file was only read
#    *write_only: file was only written
#    *read_write: file was read and written
#    *unique: file was opened by a single process only
#    *shared: file was accessed by a group of processes (maybe all processes)
# <file_count> total number of files of this type
# <total_bytes> total number of bytes moved to/from files of this type
# <max_byte_offset> maximum byte offset accessed for a file of this type

# <file_type> <file_count> <total_bytes> <max_byte_offset>
";

/// Appends files by kind. Modules without offsets print -1 where there are files, else 0.
pub fn files(kinds: &Kinds, out: &mut String) {
    out.push_str(FILES_EXPLAINED);
    let highest = |kind: &FilesOfKind| kind.highest.unwrap_or(if kind.files > 0 { -1 } else { 0 });
    for (name, kind) in [
        ("total", &kinds.total),
        ("read_only", &kinds.read_only),
        ("write_only", &kinds.write_only),
        ("read_write", &kinds.read_write),
        ("unique", &kinds.unique),
    ] {
        out.push_str(&format!("# {name}: {} {} {}\n", kind.files, kind.bytes, highest(kind)));
    }
    let (all, some) = (&kinds.shared, &kinds.part_shared);
    let (count, bytes) = (all.files + some.files, all.bytes.saturating_add(some.bytes));
    out.push_str(&format!("# shared: {count} {bytes} {}\n", highest(all).saturating_add(highest(some))));
}

pub fn performance(estimate: &Estimate, out: &mut String) {
    let dots = "# ...........................\n";
    out.push_str("\n# performance\n# -----------\n");
    out.push_str(&format!(
        "# total_bytes: {}\n#\n# I/O timing for unique files (seconds):\n{dots}",
        estimate.bytes
    ));
    out.push_str(&format!("# unique files: slowest_rank_io_time: {:.6}\n", estimate.unique_s));
    out.push_str(&format!("# unique files: slowest_rank_meta_only_time: {:.6}\n", estimate.unique_meta_s));
    out.push_str(&format!("# unique files: slowest_rank_rw_only_time: {:.6}\n", estimate.unique_data_s));
    out.push_str(&format!("# unique files: slowest_rank: {}\n", estimate.slowest_rank));
    out.push_str(&format!("#\n# I/O timing for shared files (seconds):\n{dots}"));
    out.push_str(&format!("# shared files: time_by_slowest: {:.6}\n", estimate.shared_s));
    out.push_str(&format!("#\n# Aggregate performance, including both shared and unique files:\n{dots}"));
    out.push_str(&format!("# agg_time_by_slowest: {:.6} # seconds\n", estimate.seconds()));
    out.push_str(&format!("# agg_perf_by_slowest: {:.6} # MiB/s\n", estimate.mib_per_s()));
}
