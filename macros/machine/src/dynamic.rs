//! The machine of a table that was read at run time: its names are data.

use core::fmt;

use crate::machine::{Event, Machine, Name, Never, RowId, Signature, Table};
use crate::read::interned;

/// The machine of any table that was read at run time. It has no names of its own: they come with
/// the table, so [`Name::ALL`] is empty and [`Name::from_name`] finds nothing. Its formulas are
/// not part of it: guards are without formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dynamic;

/// A name of such a table: its position in its list, and its spelling. Names of two tables may be
/// equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DynamicName {
    place: u16,
    name: &'static str,
}

/// An event of such a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DynamicEvent {
    /// The event.
    pub kind: DynamicName,
    /// The number of its payload; 0 without one.
    pub number: u16,
}

impl DynamicName {
    /// A name at a position of its list. It is kept for the life of the process.
    #[must_use]
    pub fn new(place: u16, name: &str) -> Self {
        Self { place, name: interned(name) }
    }
}

impl fmt::Debug for DynamicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for DynamicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Name for DynamicName {
    const ALL: &'static [Self] = &[];

    fn index(self) -> usize {
        usize::from(self.place)
    }

    fn name(self) -> &'static str {
        self.name
    }

    fn from_name(_: &str) -> Option<Self> {
        None
    }

    fn resolve(place: u16, name: &str) -> Option<Self> {
        Some(Self::new(place, name))
    }
}

impl RowId for DynamicName {
    fn at(place: u16) -> Self {
        Self { place, name: "" }
    }
}

impl Event for DynamicEvent {
    type Kind = DynamicName;

    fn kind(self) -> DynamicName {
        self.kind
    }

    fn number(self) -> u16 {
        self.number
    }
}

impl Signature for Dynamic {
    type Predicate = Never;
    type Collection = Never;
    type Rule = Never;
    type Invariant = Never;
    type Instance = Never;
}

impl Machine for Dynamic {
    type State = DynamicName;
    type Event = DynamicEvent;
    type EventKind = DynamicName;
    type Action = DynamicName;
    type Resource = DynamicName;
    type Guard = DynamicName;
    type OpenGuard = DynamicName;
    type Subject = Never;
    type RowId = DynamicName;
    type Loop = DynamicName;
    type Whole = Never;

    const TABLE: Table = Table { machine: "", hash: 0, cites: &[] };
}
