//! The reason for which a connection is rejected or closed, with details for the logs.

use std::fmt;

use crate::transport::Refusal;

/// The maximum size in bytes of the details that are sent to the peer.
const ABOUT_MAX: usize = 512;

/// A reason with the ids and names that it concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    pub(super) why: Refusal,
    pub(super) about: String,
}

impl Rejection {
    pub(super) fn new(why: Refusal, about: impl Into<String>) -> Self {
        Self { why, about: about.into() }
    }

    /// Appends the rejection to a frame.
    pub(super) fn write(&self, frame: &mut Vec<u8>) {
        frame.push(self.why.code());
        let about = self.about.as_bytes();
        frame.extend(&about[..about.len().min(ABOUT_MAX)]);
    }

    /// Decodes the rest of a frame. The text comes from the peer: control characters are escaped.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (code, about) = bytes.split_first()?;
        let about = String::from_utf8_lossy(&about[..about.len().min(ABOUT_MAX)]);
        let about = about.chars().filter(|letter| !letter.is_control()).collect::<String>();
        Some(Self { why: Refusal::from_code(*code)?, about })
    }
}

impl From<Refusal> for Rejection {
    fn from(why: Refusal) -> Self {
        Self::new(why, "")
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { why, about } = self;
        if about.is_empty() { why.fmt(f) } else { write!(f, "{why}: {about}") }
    }
}
