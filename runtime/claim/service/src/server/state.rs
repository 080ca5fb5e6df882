//! The claims of a server beside its core: what is kept of each, limited, saved and told.

pub(crate) mod backend;
pub(crate) mod claim_engine;
pub(crate) mod entries;
pub(crate) mod handle;
#[cfg(test)]
pub(crate) mod histories;
pub(crate) mod index;
pub(crate) mod outlet;
pub(crate) mod quota;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod saved;
pub(crate) mod service;
pub(crate) mod watch;
