//! The commands to a client, its inputs and its effects.

use std::fmt;

use turnstile_claim_core::client;
use turnstile_claim_core::message::Server;
use turnstile_claim_core::number::IdempotencyKey;
use turnstile_step::{Effect, Input, Symbolic};

use crate::envelope::Envelope;

/// A command to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum ClientCommand {
    /// A command of its user.
    User(client::Command),
    /// Its driver supplies the key that it needs to claim again.
    FreshKey(IdempotencyKey),
    /// A polling client long-polls from now on, and a long-polling one polls.
    TogglePolling,
    /// The line of a client becomes slow, or a slow one fast.
    ChangeLine,
}

/// An input of a client's node.
pub(crate) type ClientInput = Input<Server, Envelope, client::Timer, ClientCommand, ()>;

/// An effect of a client's node.
pub(crate) type ClientEffect = Effect<Server, Envelope, client::Timer, client::Notice, ()>;

impl fmt::Display for ClientCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User(client::Command::Claim { .. }) => "claim()",
            Self::User(client::Command::Release) => "client requests release",
            Self::User(client::Command::Signal) => "signal received",
            Self::User(client::Command::Act) => "acts",
            Self::FreshKey(_) => "gets a fresh key",
            Self::TogglePolling => "switches between polling and long polling",
            Self::ChangeLine => "has a slow line from now on, or a fast one",
        })
    }
}
