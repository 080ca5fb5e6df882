//! The kinds of requests between members, beside the handshake.

/// The first byte of a request of the log.
pub(crate) const LOG: u8 = 0;
/// The first byte of a forwarded operation.
pub(crate) const OPERATION: u8 = 1;

/// The first byte of a request of the application.
pub(crate) const APPLICATION: u8 = 2;

/// The first byte of a forwarded change of the members.
pub(crate) const CHANGE: u8 = 3;
