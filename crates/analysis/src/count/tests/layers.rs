//! HDF5 and PnetCDF.

use marigraph_model::counters::{h5d, h5f, pnetcdf_file, pnetcdf_var};
use marigraph_model::{Extra, Module, Scope};
use marigraph_wire::op::Op;

use super::*;

const SET: &str = NAMES[3];
const TEMP: &str = NAMES[4];

#[test]
fn files_and_datasets() {
    let trace = run(&[
        call(Op::FileCreate, 1, [1, 0, 1], 0),
        call(Op::DatasetCreate, 2, [4, 8, 2], 0),
        more([100, 200, 10]),
        more([20, 0, 0]),
        call(Op::DatasetWrite, 2, [2, 800, 1], 0),
        more([10, 10, 1]),
        more([2, 0, 0]),
        call(Op::DatasetRead, 2, [0, 160_000, 0], 0),
        call(Op::DatasetRead, 2, [1, 8, 0], 0),
        call(Op::DatasetRead, 2, [3, 8, 0], -1),
        call(Op::DatasetFlush, 2, [0; 3], 0),
        call(Op::DatasetClose, 2, [0; 3], 0),
        call(Op::FileFlush, 1, [0; 3], 0),
        call(Op::FileCloseH5, 1, [0; 3], 0),
    ]);
    assert_eq!(ints(&trace, Module::H5f, A, [h5f::OPENS, h5f::FLUSHES, h5f::USE_MPIIO]), [1, 1, 1]);
    assert_eq!(seconds(&trace, Module::H5f, A, h5f::F_META_TIME), 0.003);
    let set = |idx| ints(&trace, Module::H5d, SET, [idx])[0];
    assert_eq!(
        [h5d::OPENS, h5d::READS, h5d::WRITES, h5d::FLUSHES, h5d::RW_SWITCHES].map(set),
        [1, 2, 1, 1, 1]
    );
    assert_eq!([h5d::DATASPACE_NDIMS, h5d::DATASPACE_NPOINTS, h5d::DATATYPE_SIZE].map(set), [2, 20_000, 8]);
    assert_eq!([h5d::CHUNK_SIZE_D1, h5d::CHUNK_SIZE_D2, h5d::CHUNK_SIZE_D3].map(set), [20, 10, 0]);
    assert_eq!(
        [h5d::POINT_SELECTS, h5d::REGULAR_HYPERSLAB_SELECTS, h5d::IRREGULAR_HYPERSLAB_SELECTS].map(set),
        [1, 1, 0]
    );
    assert_eq!([h5d::ACCESS2_ACCESS, h5d::ACCESS2_LENGTH_D5, h5d::ACCESS2_LENGTH_D4].map(set), [800, 10, 10]);
    assert_eq!([h5d::ACCESS2_STRIDE_D5, h5d::ACCESS2_STRIDE_D4, h5d::ACCESS2_STRIDE_D1].map(set), [1, 2, 0]);
    assert_eq!(
        [h5d::USE_MPIIO_COLLECTIVE, h5d::BYTES_READ, h5d::ACCESS1_ACCESS].map(set),
        [1, 160_008, 160_000]
    );
    let record = find(&trace, Module::H5d, SET, Scope::Rank(Rank(0))).expect("record");
    assert_eq!(record.extra, &Extra::Parent(FileId::of_name(A.as_bytes())));
}

#[test]
fn netcdf_files_and_variables() {
    let trace = run(&[
        call(Op::NcCreate, 1, [1, 0, 0], 0),
        call(Op::NcVariable, 2, [5, 4, 2], 0),
        more([0, 50, 0]),
        call(Op::NcEnddef, 1, [0; 3], 0),
        call(Op::NcPut, 2, [3, 400, 1], 0),
        more([2, 50, 0]),
        call(Op::NcPut, 2, [3, 40, 2], 0),
        call(Op::NcPut, 2, [1, 40, 3], 0),
        call(Op::NcGet, 2, [2, 4, 0], 0),
        call(Op::NcWait, 1, [0, 2, 1], 0),
        call(Op::NcWait, 1, [0, 2, 0], -5),
        call(Op::NcSync, 1, [0; 3], 0),
        call(Op::NcRedef, 1, [0; 3], 0),
        call(Op::NcClose, 1, [0; 3], 0),
    ]);
    use pnetcdf_file as f;
    let file = |idx| ints(&trace, Module::PnetcdfFile, A, [idx])[0];
    assert_eq!(
        [f::CREATES, f::OPENS, f::COLL_WAITS, f::INDEP_WAITS, f::WAIT_FAILURES].map(file),
        [1, 0, 1, 0, 1]
    );
    assert_eq!([f::SYNCS, f::REDEFS, f::BYTES_READ, f::BYTES_WRITTEN].map(file), [1, 1, 4, 480]);
    assert_eq!(seconds(&trace, Module::PnetcdfFile, A, f::F_WAIT_TIME), 0.002);
    use pnetcdf_var as v;
    let var = |idx| ints(&trace, Module::PnetcdfVar, TEMP, [idx])[0];
    assert_eq!([v::COLL_WRITES, v::NB_WRITES, v::INDEP_READS, v::RW_SWITCHES].map(var), [1, 2, 1, 1]);
    assert_eq!([v::PUT_VARA, v::IPUT_VARA, v::BPUT_VAR, v::GET_VAR1].map(var), [1, 1, 1, 1]);
    assert_eq!([v::NDIMS, v::NPOINTS, v::IS_RECORD_VAR, v::DATATYPE_SIZE].map(var), [2, 50, 1, 4]);
    assert_eq!([v::ACCESS1_ACCESS, v::ACCESS1_COUNT, v::ACCESS2_ACCESS].map(var), [40, 2, 400]);
    assert_eq!([v::ACCESS2_LENGTH_D1, v::ACCESS2_LENGTH_D2].map(var), [2, 50]);
    let record = find(&trace, Module::PnetcdfVar, TEMP, Scope::Rank(Rank(0))).expect("record");
    assert_eq!(record.extra, &Extra::Parent(FileId::of_name(A.as_bytes())));
}
