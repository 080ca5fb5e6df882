//! What ends the program with another status than that of its command.

use std::io;

use turnstile_claim::client::{Error, ErrorKind};
use turnstile_supervisor::LOST;

/// Exit status: the server cannot be reached, or it refused the request.
pub(crate) const UNAVAILABLE: u8 = 69;
/// Exit status: the timeout passed before the lock was granted.
const TIMED_OUT: u8 = 75;
/// Exit status: invalid arguments or settings.
pub(crate) const USAGE: u8 = 2;

/// The status of a command that has failed.
pub(crate) fn exit_status(error: &Error) -> u8 {
    match error.cause {
        ErrorKind::TimedOut => TIMED_OUT,
        ErrorKind::Lost(_) => LOST,
        ErrorKind::Address(..)
        | ErrorKind::Credentials(_)
        | ErrorKind::Setting(_)
        | ErrorKind::TtlTooShort { .. } => USAGE,
        ErrorKind::System(_)
        | ErrorKind::Unreachable(_)
        | ErrorKind::TooSlow(_)
        | ErrorKind::Refused { .. }
        | ErrorKind::Claimed { .. }
        | ErrorKind::TooMany
        | ErrorKind::Abandoned
        | ErrorKind::Keychain(_)
        | ErrorKind::Answer(_) => UNAVAILABLE,
    }
}

pub(crate) fn system_error(error: io::Error) -> Error {
    ErrorKind::System(error.to_string()).into()
}
