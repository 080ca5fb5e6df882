//! Links: their kinds, what is on them, and whom they connect.

pub(crate) mod channel;
pub mod link;
pub mod link_part;
pub(crate) mod network;
