//! The table behind [`Module::roles`](crate::Module::roles).

use crate::counters::{daos, dfs, h5d, h5f, mpiio, pnetcdf_file, pnetcdf_var, posix, stdio};
use crate::module::{CommonSlots, Module, Roles};

pub(crate) const fn of(module: Module) -> &'static Roles {
    match module {
        Module::Posix => &POSIX,
        Module::MpiIo => &MPIIO,
        Module::Stdio => &STDIO,
        Module::H5f => &H5F,
        Module::H5d => &H5D,
        Module::PnetcdfFile => &PNETCDF_FILE,
        Module::PnetcdfVar => &PNETCDF_VAR,
        Module::Dfs => &DFS,
        Module::Daos => &DAOS,
        _ => &NOTHING,
    }
}

/// A module without roles, and the base of the others.
const NOTHING: Roles = Roles {
    reads: &[],
    writes: &[],
    opens: &[],
    other_metadata: &[],
    bytes_read: None,
    bytes_written: None,
    max_byte: None,
    size_bins: None,
    access: None,
    stride: None,
    read_time: None,
    write_time: None,
    meta_time: None,
    wait_time: None,
    rank_times: None,
    read_span: None,
    write_span: None,
    open_span: None,
};

/// Fills the time roles, which have the same counter names in all modules that have them.
macro_rules! timed {
    ($module:ident) => {
        Roles {
            read_time: Some($module::F_READ_TIME),
            write_time: Some($module::F_WRITE_TIME),
            meta_time: Some($module::F_META_TIME),
            rank_times: Some(($module::F_FASTEST_RANK_TIME, $module::F_SLOWEST_RANK_TIME)),
            read_span: Some(($module::F_READ_START_TIMESTAMP, $module::F_READ_END_TIMESTAMP)),
            write_span: Some(($module::F_WRITE_START_TIMESTAMP, $module::F_WRITE_END_TIMESTAMP)),
            open_span: Some(($module::F_OPEN_START_TIMESTAMP, $module::F_CLOSE_END_TIMESTAMP)),
            bytes_read: Some($module::BYTES_READ),
            bytes_written: Some($module::BYTES_WRITTEN),
            ..NOTHING
        }
    };
}

const POSIX: Roles = Roles {
    reads: &[posix::READS],
    writes: &[posix::WRITES],
    opens: &[posix::OPENS],
    other_metadata: &[
        posix::SEEKS,
        posix::STATS,
        posix::MMAPS,
        posix::FSYNCS,
        posix::FDSYNCS,
        posix::RENAME_SOURCES,
    ],
    max_byte: Some((posix::MAX_BYTE_READ, posix::MAX_BYTE_WRITTEN)),
    size_bins: Some(posix::SIZE_READ_0_100),
    access: Some(CommonSlots { values: posix::ACCESS1_ACCESS, step: 1, counts: posix::ACCESS1_COUNT }),
    stride: Some(CommonSlots { values: posix::STRIDE1_STRIDE, step: 1, counts: posix::STRIDE1_COUNT }),
    ..timed!(posix)
};

const MPIIO: Roles = Roles {
    reads: &[mpiio::INDEP_READS, mpiio::COLL_READS, mpiio::SPLIT_READS, mpiio::NB_READS],
    writes: &[mpiio::INDEP_WRITES, mpiio::COLL_WRITES, mpiio::SPLIT_WRITES, mpiio::NB_WRITES],
    opens: &[mpiio::INDEP_OPENS, mpiio::COLL_OPENS],
    other_metadata: &[mpiio::SYNCS, mpiio::VIEWS],
    size_bins: Some(mpiio::SIZE_READ_AGG_0_100),
    access: Some(CommonSlots { values: mpiio::ACCESS1_ACCESS, step: 1, counts: mpiio::ACCESS1_COUNT }),
    ..timed!(mpiio)
};

const STDIO: Roles = Roles {
    reads: &[stdio::READS],
    writes: &[stdio::WRITES],
    opens: &[stdio::OPENS],
    other_metadata: &[stdio::SEEKS, stdio::FLUSHES],
    max_byte: Some((stdio::MAX_BYTE_READ, stdio::MAX_BYTE_WRITTEN)),
    ..timed!(stdio)
};

const H5F: Roles = Roles {
    opens: &[h5f::OPENS],
    other_metadata: &[h5f::FLUSHES],
    meta_time: Some(h5f::F_META_TIME),
    open_span: Some((h5f::F_OPEN_START_TIMESTAMP, h5f::F_CLOSE_END_TIMESTAMP)),
    ..NOTHING
};

const H5D: Roles = Roles {
    reads: &[h5d::READS],
    writes: &[h5d::WRITES],
    opens: &[h5d::OPENS],
    other_metadata: &[h5d::FLUSHES],
    size_bins: Some(h5d::SIZE_READ_AGG_0_100),
    access: Some(CommonSlots { values: h5d::ACCESS1_ACCESS, step: 11, counts: h5d::ACCESS1_COUNT }),
    ..timed!(h5d)
};

const PNETCDF_FILE: Roles = Roles {
    opens: &[pnetcdf_file::CREATES, pnetcdf_file::OPENS],
    other_metadata: &[
        pnetcdf_file::REDEFS,
        pnetcdf_file::INDEP_WAITS,
        pnetcdf_file::COLL_WAITS,
        pnetcdf_file::SYNCS,
    ],
    bytes_read: Some(pnetcdf_file::BYTES_READ),
    bytes_written: Some(pnetcdf_file::BYTES_WRITTEN),
    meta_time: Some(pnetcdf_file::F_META_TIME),
    wait_time: Some(pnetcdf_file::F_WAIT_TIME),
    open_span: Some((pnetcdf_file::F_OPEN_START_TIMESTAMP, pnetcdf_file::F_CLOSE_END_TIMESTAMP)),
    ..NOTHING
};

const PNETCDF_VAR: Roles = Roles {
    reads: &[pnetcdf_var::INDEP_READS, pnetcdf_var::COLL_READS, pnetcdf_var::NB_READS],
    writes: &[pnetcdf_var::INDEP_WRITES, pnetcdf_var::COLL_WRITES, pnetcdf_var::NB_WRITES],
    opens: &[pnetcdf_var::OPENS],
    size_bins: Some(pnetcdf_var::SIZE_READ_AGG_0_100),
    access: Some(CommonSlots {
        values: pnetcdf_var::ACCESS1_ACCESS,
        step: 11,
        counts: pnetcdf_var::ACCESS1_COUNT,
    }),
    ..timed!(pnetcdf_var)
};

const DFS: Roles = Roles {
    reads: &[dfs::READS, dfs::READXS],
    writes: &[dfs::WRITES, dfs::WRITEXS],
    opens: &[dfs::OPENS, dfs::GLOBAL_OPENS],
    other_metadata: &[dfs::LOOKUPS, dfs::DUPS, dfs::GET_SIZES, dfs::PUNCHES, dfs::REMOVES, dfs::STATS],
    size_bins: Some(dfs::SIZE_READ_0_100),
    access: Some(CommonSlots { values: dfs::ACCESS1_ACCESS, step: 1, counts: dfs::ACCESS1_COUNT }),
    ..timed!(dfs)
};

const DAOS: Roles = Roles {
    reads: &[daos::OBJ_FETCHES, daos::ARRAY_READS, daos::KV_GETS],
    writes: &[daos::OBJ_UPDATES, daos::ARRAY_WRITES, daos::KV_PUTS],
    opens: &[daos::OBJ_OPENS, daos::ARRAY_OPENS, daos::KV_OPENS],
    other_metadata: &[
        daos::OBJ_PUNCHES,
        daos::OBJ_DKEY_PUNCHES,
        daos::OBJ_AKEY_PUNCHES,
        daos::OBJ_DKEY_LISTS,
        daos::OBJ_AKEY_LISTS,
        daos::OBJ_RECX_LISTS,
        daos::ARRAY_GET_SIZES,
        daos::ARRAY_SET_SIZES,
        daos::ARRAY_STATS,
        daos::ARRAY_PUNCHES,
        daos::ARRAY_DESTROYS,
        daos::KV_REMOVES,
        daos::KV_LISTS,
        daos::KV_DESTROYS,
    ],
    size_bins: Some(daos::SIZE_READ_0_100),
    access: Some(CommonSlots { values: daos::ACCESS1_ACCESS, step: 1, counts: daos::ACCESS1_COUNT }),
    ..timed!(daos)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_names_the_counter_it_claims() {
        for module in Module::ALL {
            let (roles, ints, floats) = (module.roles(), module.ints(), module.floats());
            let ends = |idx: Option<crate::counters::IntIdx>, suffix: &str| {
                idx.is_none_or(|i| ints[i.at()].name.ends_with(suffix))
            };
            assert!(ends(roles.bytes_read, "BYTES_READ"), "{module:?}");
            assert!(ends(roles.bytes_written, "BYTES_WRITTEN"), "{module:?}");
            assert!(ends(roles.size_bins, "_0_100"), "{module:?}");
            assert!(ends(roles.size_bins.map(|i| i.plus(19)), "1G_PLUS"), "{module:?}");
            if let Some(slots) = roles.access {
                let last = CommonSlots::COUNT - 1;
                assert!(ends(Some(slots.values.plus(last * slots.step)), "ACCESS4_ACCESS"));
                assert!(ends(Some(slots.counts.plus(last)), "ACCESS4_COUNT"));
            }
            for idx in roles.read_time.iter().chain(&roles.write_time).chain(&roles.meta_time) {
                assert!(floats[idx.at()].name.ends_with("_TIME"));
            }
        }
    }
}
