//! Query functions of MPI. All are answered within the process.

use core::ffi::{c_char, c_int, c_void};

crate::library::queries! {
    "PMPI_Initialized" fn initialized(flag: *mut c_int) -> c_int, else 1;
    "PMPI_Finalized" fn finalized(flag: *mut c_int) -> c_int, else 1;
    "PMPI_Get_library_version" fn library_version(text: *mut c_char, len: *mut c_int) -> c_int, else 1;
    "PMPI_Error_class" fn error_class(code: c_int, class: *mut c_int) -> c_int, else 1;
    "PMPI_Comm_rank" fn comm_rank(comm: usize, rank: *mut c_int) -> c_int, else 1;
    "PMPI_Comm_size" fn comm_size(comm: usize, size: *mut c_int) -> c_int, else 1;
    "PMPI_Comm_group" fn comm_group(comm: usize, group: *mut usize) -> c_int, else 1;
    "PMPI_Group_translate_ranks" fn translate_ranks(group: usize, count: c_int, ranks: *const c_int, other: usize, out: *mut c_int) -> c_int, else 1;
    "PMPI_Group_free" fn group_free(group: *mut usize) -> c_int, else 1;
    "PMPI_Type_size_x" fn type_size_x(datatype: usize, size: *mut i64) -> c_int, else 1;
    "PMPI_Type_size" fn type_size(datatype: usize, size: *mut c_int) -> c_int, else 1;
    "PMPI_Type_get_extent" fn type_extent(datatype: usize, lower: *mut i64, extent: *mut i64) -> c_int, else 1;
    "PMPI_Type_get_name" fn type_name(datatype: usize, name: *mut c_char, len: *mut c_int) -> c_int, else 1;
    "PMPI_Type_get_envelope" fn type_envelope(datatype: usize, integers: *mut c_int, addresses: *mut c_int, types: *mut c_int, combiner: *mut c_int) -> c_int, else 1;
    "PMPI_Type_get_contents" fn type_contents(datatype: usize, integers: c_int, addresses: c_int, types: c_int, to: *mut c_int, to_addresses: *mut i64, to_types: *mut c_void) -> c_int, else 1;
    "PMPI_Type_free" fn type_free(datatype: *mut usize) -> c_int, else 1;
    "PMPI_Get_elements_x" fn elements_x(status: *const c_void, datatype: usize, count: *mut i64) -> c_int, else 1;
    "PMPI_Get_count" fn count(status: *const c_void, datatype: usize, count: *mut c_int) -> c_int, else 1;
    "PMPI_Info_get_nkeys" fn info_keys(info: usize, keys: *mut c_int) -> c_int, else 1;
}
