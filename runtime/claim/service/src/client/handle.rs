//! A user's handle of one claim: its view, and the channel for commands.

use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::clock::Clock;
use super::command::{ClaimView, UserCommand};
use super::error::{Error, ErrorKind};
use crate::client::requests::call::Caller;
use crate::client::requests::explain::no_answer;

/// One claim of one resource.
#[derive(Debug)]
pub(super) struct ClaimHandle {
    pub(super) resource: String,
    pub(super) key: u64,
    pub(super) ttl: Duration,
    pub(super) caller: Caller,
    pub(super) clock: Clock,
    pub(super) view: watch::Receiver<ClaimView>,
    pub(super) commands: mpsc::UnboundedSender<UserCommand>,
}

impl ClaimHandle {
    pub(super) fn url(&self) -> Option<String> {
        self.view.borrow().claim.map(|id| self.caller.server().claim_url(id))
    }

    pub(super) fn error(&self, cause: ErrorKind) -> Error {
        Error { resource: self.resource.clone(), claim: self.url(), cause }
    }

    /// The error when the lock was not granted in time.
    pub(super) fn timed_out(&self) -> ErrorKind {
        let view = self.view.borrow();
        let is_accepted = view.claim.is_some();
        let cause = view.retry_cause.as_ref();
        cause.map_or(ErrorKind::TimedOut, |cause| cause.timed_out(is_accepted))
    }

    /// The error after the loss of the lock.
    pub(super) fn lost(&self) -> Error {
        self.error(self.view.borrow().loss())
    }

    /// The error when the server has not answered in this time.
    pub(super) fn no_response_in(&self, timeout: Duration) -> ErrorKind {
        let why = self.view.borrow().retry_cause.as_ref().map(ToString::to_string);
        let silence = || no_answer(self.caller.server(), &format!("no response in {timeout:?}"));
        ErrorKind::Unreachable(why.unwrap_or_else(silence))
    }

    /// Ends the claim. The resource can be claimed again when the claim has ended.
    pub(super) fn release(&self) {
        self.send(UserCommand::Release { resource: self.resource.clone(), key: self.key });
    }

    pub(super) fn refresh(&self, ttl: Option<Duration>) {
        self.send(UserCommand::Refresh { resource: self.resource.clone(), key: self.key, ttl });
    }

    fn send(&self, command: UserCommand) {
        // An error means that the driver has ended, and then no claim is held.
        let _over = self.commands.send(command);
    }
}
