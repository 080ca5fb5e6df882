//! What cannot be played: a line, or the input in it.

use alloc::string::String;
use core::fmt;

/// An input that cannot be taken: why, and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// Why the input is invalid.
    pub reason: String,
    /// What a valid input looks like.
    pub help: String,
}

impl InputError {
    /// An error with this reason and this help.
    pub fn new(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self { reason: reason.into(), help: help.into() }
    }
}

/// A line that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// Why it cannot be played.
    pub reason: String,
    /// What a valid line looks like.
    pub help: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, reason, help } = self;
        write!(f, "line {line}: {reason}: `{text}`\nhelp: {help}")
    }
}

impl core::error::Error for LineError {}
