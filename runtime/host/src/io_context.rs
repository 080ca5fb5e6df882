//! Errors of the system that name what they are about: a file, a directory, an address.

use std::fmt::Display;
use std::io;

/// Says where an error has happened.
pub fn at(place: impl Display) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{place}: {error}"))
}
