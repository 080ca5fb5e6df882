//! A user of the member at a socket: what it is named, and what it asks for.

use std::path::Path;
use std::time::Duration;

use turnstile_local::{Client, Failure, Program};

use super::wire::{Reply, Request};

/// This program.
pub(crate) const PROGRAM: Program =
    Program { name: "raftlock", variable: "RAFTLOCK", undecided: "has no contact to a majority" };

/// The maximum time for what the member and its leader do, which have time-outs of 10 s.
pub(crate) const CHANGE_MAX: Duration = Duration::from_secs(60);

/// A user of the member at a socket.
pub(crate) const fn user(socket: &Path) -> Client<'_> {
    Client::new(PROGRAM, socket)
}

/// Has the member do something that has no result.
pub(crate) async fn have_done(socket: &Path, request: &Request) -> Result<u8, Failure> {
    let Reply::Done = user(socket).ask(request, CHANGE_MAX).await? else { return Err(undone()) };
    Ok(0)
}

pub(crate) fn undone() -> Failure {
    Failure::Unavailable("the member does not say whether it is done".into())
}
