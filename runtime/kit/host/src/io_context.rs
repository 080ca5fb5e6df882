//! I/O errors that name the file, directory or address that they concern.

use std::fmt::Display;
use std::io;

/// Adds the place of an error to its message.
pub fn at(place: impl Display) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{place}: {error}"))
}
