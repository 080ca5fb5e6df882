//! I/O errors that name the file, directory, address or data that they concern.

use std::fmt::Display;
use std::io;

/// Adds the place of an error to its message.
pub fn at(place: impl Display) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{place}: {error}"))
}

/// The error for data in a version that this program does not read, with the remedy.
pub fn unsupported_version(data: impl Display, found: u8, own: u8, remedy: &str) -> io::Error {
    let text =
        format!("{data} has version {found}, and this program reads version {own}: {remedy}");
    io::Error::new(io::ErrorKind::InvalidData, text)
}
