//! The format of the files of a store.

pub(crate) mod entry;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod image;
pub(crate) mod key;
pub(crate) mod manifest;
pub(crate) mod sip;
