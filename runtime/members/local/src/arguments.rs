//! Arguments that the programs share.

use std::ffi::OsString;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser};
use turnstile_host::seconds;

/// The maximum length of a lock's id in bytes.
const ID_MAX: usize = 255;

/// The arguments of a command `run`: what to run, and under which lock.
// What documents a field is the text of `--help`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The lock's id: 1 to 255 bytes, without control characters.
    #[arg(value_parser = lock_id)]
    pub id: String,
    /// The maximum time to wait for the lock, in seconds; 0: only if it is free now, and no other
    /// user of this member waits for it [default: no limit]. A member that says nothing for 1 s
    /// more, or with 0 for 10 s, is taken for one that cannot be reached.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read)]
    pub timeout: Option<Duration>,
    /// The time between a signal to terminate and SIGKILL to the command, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "10")]
    pub grace: Duration,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}

/// Parses the arguments of a program, none of which is a URL. An error, which ends it, hides each
/// word that may be one: it may have a password.
pub fn parse<A: Parser>() -> A {
    A::try_parse().unwrap_or_else(|mut error| {
        let urls = error.context().filter_map(|(kind, value)| {
            let ContextValue::String(word) = value else { return None };
            (word.contains('@') || word.contains("://")).then_some(kind)
        });
        for kind in urls.collect::<Vec<_>>() {
            error.insert(kind, ContextValue::String("***".into()));
            // It quotes the word.
            error.insert(ContextKind::Suggested, ContextValue::None);
        }
        error.exit()
    })
}

/// Reads the id of a lock: 1 to 255 bytes without control characters.
///
/// # Errors
/// What is expected, in words.
pub(crate) fn lock_id(text: &str) -> Result<String, String> {
    match text.is_empty() || text.len() > ID_MAX || text.chars().any(char::is_control) {
        true => Err(format!("1 to {ID_MAX} bytes without control characters are expected")),
        false => Ok(text.to_owned()),
    }
}

/// Reads the maximum number of users of a member.
///
/// # Errors
/// Which numbers are possible, in words.
pub fn users(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| "1 to 100000 are possible".to_owned())
}
