//! Errors about the options of `turnstiled`.

use std::io;

/// Names the option that an error is about.
pub(crate) fn named(option: &str) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{option} {error}"))
}
