//! Names: declared, used, described and fit for Rust.

pub(crate) mod generic;
pub(crate) mod names;
pub(crate) mod texts;
pub(crate) mod undeclared;
pub(crate) mod unknowns;
pub(crate) mod unused;
