//! Events: what a machine receives, and what its actions send.

use std::ops::RangeInclusive;

use crate::name::{ActionId, Name, ResourceId};
use crate::span::Span;

/// The message that an action sends: an event of another machine, which this file does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sends {
    /// The action.
    pub action: ActionId,
    /// The event, as its receiver's table spells it.
    pub event: String,
    /// The value of its payload, if it is given.
    pub payload: Option<String>,
    /// Its position in the file.
    pub span: Span,
}

/// The event of rows without one. A file cannot name it.
pub const COMPLETION: &str = "completion";

/// An event and its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name.
    pub name: Name,
    /// The payload, if any.
    pub payload: Option<Payload>,
    /// Who causes it.
    pub kind: EventKind,
    /// The resources that may cause it: those of `consumes`, generic names and kinds expanded.
    /// Empty unless the kind is [`EventKind::Consuming`].
    pub consumes: Vec<ResourceId>,
}

/// Who causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The user or the environment, at any time.
    Command,
    /// A timer that expires or an answer that arrives: it consumes a resource of the state.
    Consuming,
    /// A message from another machine.
    Message,
    /// Nobody: it is what rows without an event take, as soon as their state is entered.
    Completion,
}

/// A small payload: one named field over a finite domain, mapped to `0..=u16::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The name of the field: `status`.
    pub field: String,
    /// Its values.
    pub domain: PayloadDomain,
}

/// The values of a payload. A pattern is a list of ranges over their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayloadDomain {
    /// Whole numbers: `100..599`, both ends included.
    Number(RangeInclusive<u16>),
    /// false is 0, true is 1.
    Bool,
    /// Words, numbered from 0 in the order written.
    Words(Vec<Name>),
}

impl PayloadDomain {
    /// The smallest and the largest number of the domain.
    #[must_use]
    pub fn bounds(&self) -> (u16, u16) {
        match self {
            Self::Number(range) => (*range.start(), *range.end()),
            Self::Bool => (0, 1),
            Self::Words(words) => (0, u16::try_from(words.len()).unwrap_or(u16::MAX) - 1),
        }
    }

    /// Its values, for messages: `0..3`, `true or false`, or the words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Number(range) => format!("{}..{}", range.start(), range.end()),
            Self::Bool => "true or false".to_owned(),
            Self::Words(words) => {
                let words: Vec<&str> = words.iter().map(|word| word.name.as_str()).collect();
                words.join(", ")
            }
        }
    }

    /// The number of a value in words: `503`, `true`, `commit`; `None` if it is none of its values.
    #[must_use]
    pub fn number(&self, value: &str) -> Option<u16> {
        match self {
            Self::Number(range) => value.parse().ok().filter(|number| range.contains(number)),
            Self::Bool => match value {
                "false" => Some(0),
                "true" => Some(1),
                _ => None,
            },
            Self::Words(words) => {
                let place = words.iter().position(|word| word.name == value)?;
                u16::try_from(place).ok()
            }
        }
    }
}
