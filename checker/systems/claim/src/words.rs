//! How the inputs and effects of the claim system read in a run that is shown.

use turnstile_core::claim::message::{Lease, Message, Response};
use turnstile_core::claim::{client, keychain, record};

use super::chain;
use super::types::{Command, Letter, Notice, Way};

pub(super) fn letter(letter: &Letter) -> String {
    match letter.message {
        Message::Response(Response { status, lease: Lease::Lapsed, .. }) => {
            format!("response ({status}), its lease over")
        }
        Message::Response(Response { status, is_expired: true, .. }) => {
            format!("response ({status}), the claim has expired")
        }
        Message::Response(Response { status, .. }) => format!("response ({status})"),
        Message::Request(request) if letter.way == Way::HungUp => {
            format!("call {} hung up", request.call)
        }
        Message::Request(_) | Message::Act { .. } | Message::Over { .. } => {
            letter.message.to_string()
        }
    }
}

pub(super) fn command(command: &Command) -> String {
    match command {
        Command::Client(client::Command::Claim { .. }) => "claim()".to_owned(),
        Command::Client(client::Command::Release) => "client requests release".to_owned(),
        Command::Client(client::Command::Signal) => "signal received".to_owned(),
        Command::Client(client::Command::Act) => "acts".to_owned(),
        Command::FreshKey(_) => "gets a fresh key".to_owned(),
        Command::AskOtherwise => "asks otherwise from now on".to_owned(),
        Command::Keychain(command) | Command::ClaimAgain(command) => chain::words(command),
        Command::Revoke(claim) => format!("an operator revokes claim {claim}"),
    }
}

pub(super) fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Client(client::Notice::KeyNeeded) => "needs a fresh key".to_owned(),
        Notice::Client(notice) => format!("tells user: {notice:?}"),
        Notice::Keychain(keychain::Notice::Told { resource, notice }) => {
            format!("tells program: {notice:?}, of resource {}", resource.0)
        }
        Notice::Keychain(notice) => format!("tells program: {notice:?}"),
        Notice::Store(notice) => format!("{notice:?}"),
        Notice::Server(record::Notice::Became { claim, status, .. }) => {
            format!("claim {claim} is {}", status.name())
        }
        Notice::Server(record::Notice::Over { claim }) => format!("nobody watches claim {claim}"),
        Notice::Idle => "who asks waits, and no claim is active".to_owned(),
        Notice::Forgotten(claim) => {
            format!("claim {claim} is forgotten before an older one, or not by its key")
        }
        Notice::PassedOver(claim) => format!("claim {claim} comes before an older one"),
    }
}
