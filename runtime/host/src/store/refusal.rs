//! Why a directory is refused, and what to do about it.

use std::io;

use super::header::VERSION;

const REMEDY: &str = "put the file back from a copy, or the whole directory from a backup; if \
    there is none, some of what was answered is lost: begin with an empty directory, once nobody \
    relies on anything that was answered from this one";

/// What was answered is lost: it takes a person to say what is so instead.
pub(super) fn refuse(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what}: {REMEDY}"))
}

/// A file that another program has written.
pub(super) fn of_version(name: &str, version: u8) -> io::Error {
    let text = format!(
        "{name} has version {version} of the data's format: this program reads versions 2 and \
         {VERSION}"
    );
    io::Error::new(io::ErrorKind::InvalidData, text)
}
