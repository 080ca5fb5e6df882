//! Variables of a machine: small values beside its state, which actions change and guards compare.

use crate::event::PayloadDomain;
use crate::name::{ActionId, Name, indices};

indices! {
    /// A variable, by its position in [`crate::table::Vocabulary::variables`].
    VariableId,
}

/// A variable of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: Name,
    /// Its values, numbered as those of a payload.
    pub domain: PayloadDomain,
    /// The number of its initial value.
    pub initial: u16,
}

/// What an action does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// The action.
    pub action: ActionId,
    /// The variable.
    pub variable: VariableId,
    /// The change.
    pub change: VariableChange,
}

/// A change of a variable. A value outside its domain is a violation, and the variable keeps its
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableChange {
    /// It gets this value.
    Set(Operand),
    /// This is added to its number.
    Add(i32),
}

/// A value in a comparison or an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A number.
    Number(u16),
    /// The value of a variable.
    Variable(VariableId),
    /// The payload of the event.
    Payload,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

impl Relation {
    /// The relations by their signs; a sign stands before those that it begins with.
    pub(crate) const SIGNS: [(&str, Self); 6] = [
        ("!=", Self::NotEqual),
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("=", Self::Equal),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Whether it holds.
    #[must_use]
    pub fn holds(self, one: u16, other: u16) -> bool {
        match self {
            Self::Equal => one == other,
            Self::NotEqual => one != other,
            Self::Less => one < other,
            Self::AtMost => one <= other,
            Self::Greater => one > other,
            Self::AtLeast => one >= other,
        }
    }

    /// Whether a text has a sign of a comparison, even a wrong one such as `==`.
    pub(crate) fn is_in(text: &str) -> bool {
        text.contains(['=', '<', '>'])
    }

    /// Splits `votes >= 2` at its sign, which has a space on either side.
    pub(crate) fn split(text: &str) -> Option<(&str, Self, &str)> {
        Self::SIGNS.iter().find_map(|(sign, relation)| {
            let (one, other) = text.split_once(&format!(" {sign} "))?;
            Some((one.trim(), *relation, other.trim()))
        })
    }
}

/// A guard over variables and the payload of the event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// A comparison.
    Is(Operand, Relation, Operand),
    /// Conjunction; true if empty.
    All(Vec<Comparison>),
    /// Disjunction; false if empty.
    Any(Vec<Comparison>),
    /// Negation.
    Not(Box<Comparison>),
}

impl Comparison {
    /// Whether it reads the payload of the event.
    #[must_use]
    pub fn reads_payload(&self) -> bool {
        match self {
            Self::Is(one, _, other) => [one, other].contains(&&Operand::Payload),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::reads_payload),
            Self::Not(part) => part.reads_payload(),
        }
    }

    /// Whether it holds, given the value of each operand.
    pub fn holds(&self, value: &impl Fn(Operand) -> u16) -> bool {
        match self {
            Self::Is(one, relation, other) => relation.holds(value(*one), value(*other)),
            Self::All(parts) => parts.iter().all(|part| part.holds(value)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(value)),
            Self::Not(part) => !part.holds(value),
        }
    }
}
