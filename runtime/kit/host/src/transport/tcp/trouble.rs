//! Why a peer is not connected, for those that want to know more than that it is unreachable.

use std::fmt;
use std::io;

use super::rejection::Rejection;
use crate::transport::Refusal;

/// Why the last attempt to connect to a peer failed, or why its connection was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The name of its host is not found.
    NotFound(String),
    /// Nothing listens at its address.
    NoListener,
    /// What is there has rejected this node, or this node has rejected it.
    Rejected(Refusal, String),
    /// Another reason: no answer in time, for example.
    Other(String),
}

impl Trouble {
    pub(super) fn rejected(rejection: &Rejection) -> Self {
        Self::Rejected(rejection.why, rejection.to_string())
    }
}

impl From<&io::Error> for Trouble {
    fn from(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            Self::NotFound(error.to_string())
        } else if error.kind() == io::ErrorKind::ConnectionRefused {
            Self::NoListener
        } else {
            Self::Other(error.to_string())
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound(text) | Self::Rejected(_, text) | Self::Other(text) => text,
            Self::NoListener => "nothing listens there",
        })
    }
}
