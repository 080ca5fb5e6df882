//! The errors for a directory that the store rejects, with the remedy.

use std::io;

use crate::io_context::unsupported_version;
use crate::store::format::header::VERSION;

/// What is to be done about data that are damaged: the end of the error that says so.
pub const REMEDY: &str = "restore the file, or the whole directory, from a backup; without a \
    backup, acknowledged data is lost: stop all clients, then start with an empty directory";

/// The error for lost data, which only an operator can resolve.
pub(super) fn refuse(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what}: {REMEDY}"))
}

/// The error for a file of a version that this program does not read.
pub(super) fn of_version(name: &str, version: u8) -> io::Error {
    let remedy = "start the program that wrote it, or start with an empty directory";
    unsupported_version(name, version, VERSION, remedy)
}
