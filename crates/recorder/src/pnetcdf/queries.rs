//! Inquiry functions of PnetCDF. All are answered within the process.

use core::ffi::{c_char, c_int};

crate::library::queries! {
    "ncmpi_inq_path" fn path(file: c_int, len: *mut c_int, path: *mut c_char) -> c_int, else -1;
    "ncmpi_inq_nvars" fn variables(file: c_int, count: *mut c_int) -> c_int, else -1;
    "ncmpi_inq_varname" fn name(file: c_int, variable: c_int, name: *mut c_char) -> c_int, else -1;
    "ncmpi_inq_vartype" fn kind(file: c_int, variable: c_int, kind: *mut c_int) -> c_int, else -1;
    "ncmpi_inq_varndims" fn dimensions(file: c_int, variable: c_int, count: *mut c_int) -> c_int, else -1;
    "ncmpi_inq_vardimid" fn dimension_ids(file: c_int, variable: c_int, ids: *mut c_int) -> c_int, else -1;
    "ncmpi_inq_dimlen" fn length(file: c_int, dimension: c_int, len: *mut i64) -> c_int, else -1;
}
