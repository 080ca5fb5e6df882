//! What is encoded, and how: operations, snapshots, backups and kinds of requests.

pub(crate) mod backup;
pub(crate) mod batch;
pub(crate) mod kinds;
pub(crate) mod snapshot;
