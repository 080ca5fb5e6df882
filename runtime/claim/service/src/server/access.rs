//! Who asks, and whether they may.

pub(crate) mod auth;
pub(crate) mod auth_throttle;
pub(crate) mod authenticate;
pub(crate) mod network;
pub(crate) mod origin;
pub(crate) mod session;
pub(crate) mod token_file;
