//! Words of the document as Rust and as pages.

pub(crate) mod document;
pub(crate) mod literal;
pub(crate) mod page;
#[cfg(feature = "pretty")]
pub(crate) mod pretty;
pub(crate) mod word;
