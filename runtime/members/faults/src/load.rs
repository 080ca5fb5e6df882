//! The load: users and clients, and what they write down.

pub(crate) mod claims;
pub(crate) mod client;
pub(crate) mod hold;
pub(crate) mod http;
pub(crate) mod users;
