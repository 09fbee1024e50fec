//! Query functions of HDF5.

use core::ffi::{c_char, c_int, c_uint};

use super::Id;

crate::library::queries! {
    "H5Fget_name" fn file_name(id: Id, name: *mut c_char, size: usize) -> isize, else -1;
    "H5Iget_name" fn name(id: Id, name: *mut c_char, size: usize) -> isize, else -1;
    "H5Iget_type" fn kind(id: Id) -> c_int, else -1;
    "H5Dget_type" fn dataset_type(id: Id) -> Id, else -1;
    "H5Tget_size" fn type_size(id: Id) -> usize, else 0;
    "H5Tclose" fn type_close(id: Id) -> c_int, else -1;
    "H5Dget_space" fn dataset_space(id: Id) -> Id, else -1;
    "H5Sclose" fn space_close(id: Id) -> c_int, else -1;
    "H5Sget_simple_extent_ndims" fn dimensions(space: Id) -> c_int, else -1;
    "H5Sget_simple_extent_dims" fn sizes(space: Id, sizes: *mut u64, most: *mut u64) -> c_int, else -1;
    "H5Sget_select_npoints" fn points(space: Id) -> i64, else -1;
    "H5Sget_select_type" fn selection(space: Id) -> c_int, else -1;
    "H5Sis_regular_hyperslab" fn is_regular(space: Id) -> c_int, else -1;
    "H5Sget_regular_hyperslab" fn hyperslab(space: Id, start: *mut u64, stride: *mut u64, count: *mut u64, block: *mut u64) -> c_int, else -1;
    "H5Dget_create_plist" fn creation(id: Id) -> Id, else -1;
    "H5Pget_layout" fn layout(list: Id) -> c_int, else -1;
    "H5Pget_chunk" fn chunk(list: Id, most: c_int, sizes: *mut u64) -> c_int, else -1;
    "H5Pclose" fn list_close(list: Id) -> c_int, else -1;
    "H5Pget_dxpl_mpio" fn collective(list: Id, mode: *mut c_uint) -> c_int, else -1;
}
