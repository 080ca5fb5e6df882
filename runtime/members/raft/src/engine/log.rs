//! The log as openraft stores it: entries, their encoding and their authors.

pub(crate) mod answered;
pub(crate) mod authors;
pub(crate) mod encoding;
pub(crate) mod entry;
pub(crate) mod log_store;
pub(crate) mod unsynced;
