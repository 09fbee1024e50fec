//! System calls through the C library.

pub mod aio;
pub mod copy;
pub mod data;
pub mod directory;
pub mod libaio;
pub mod metadata;
pub mod open;
pub mod process;
pub mod uring;

pub fn find_all() {
    aio::find_all();
    copy::find_all();
    data::find_all();
    directory::find_all();
    metadata::find_all();
    open::find_all();
    process::find_all();
}
