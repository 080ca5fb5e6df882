//! Variables of a machine: small values beside its state, which actions change and guards compare.

/// The values of a payload or a variable, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSet {
    /// Whole numbers, both ends included.
    Number(u16, u16),
    /// `false` is 0, `true` is 1.
    Bool,
    /// Words, numbered from 0.
    Words(&'static [&'static str]),
}

impl ValueSet {
    /// The smallest and the largest number.
    #[must_use]
    pub fn bounds(&self) -> (u16, u16) {
        match *self {
            Self::Number(least, greatest) => (least, greatest),
            Self::Bool => (0, 1),
            Self::Words(words) => {
                (0, u16::try_from(words.len()).unwrap_or(u16::MAX).saturating_sub(1))
            }
        }
    }

    /// The words of the values, by their numbers; empty for numbers, which are their own words.
    #[must_use]
    pub const fn words(&self) -> &'static [&'static str] {
        match *self {
            Self::Number(..) => &[],
            Self::Bool => &["false", "true"],
            Self::Words(words) => words,
        }
    }

    /// The number of a value in words; `None` if it is none of its values.
    #[must_use]
    pub fn number(&self, value: &str) -> Option<u16> {
        if let Self::Number(least, greatest) = *self {
            return value.parse().ok().filter(|number| (least..=greatest).contains(number));
        }
        let place = self.words().iter().position(|word| *word == value)?;
        u16::try_from(place).ok()
    }
}

/// What an action does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The variable, by its position.
    pub variable: usize,
    /// The change.
    pub change: VariableChange,
}

/// A change of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableChange {
    /// It gets this value.
    Set(Operand),
    /// This is added to its number.
    Add(i32),
}

/// A value in an assignment or a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number.
    Number(u16),
    /// The value of a variable, by its position.
    Variable(usize),
    /// The payload of the event.
    Payload,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A guard over variables and the payload of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// A comparison.
    Is(Operand, Relation, Operand),
    /// True if all of these are true, also if there are none.
    All(&'static [Self]),
    /// True if at least one of these is true.
    Any(&'static [Self]),
    /// True if this is false.
    Not(&'static Self),
}

impl Comparison {
    /// Whether it holds, given the value of each operand.
    pub fn holds(&self, value: &impl Fn(Operand) -> u16) -> bool {
        match self {
            Self::Is(one, relation, other) => {
                let (one, other) = (value(*one), value(*other));
                match relation {
                    Relation::Equal => one == other,
                    Relation::NotEqual => one != other,
                    Relation::Less => one < other,
                    Relation::AtMost => one <= other,
                    Relation::Greater => one > other,
                    Relation::AtLeast => one >= other,
                }
            }
            Self::All(parts) => parts.iter().all(|part| part.holds(value)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(value)),
            Self::Not(part) => !part.holds(value),
        }
    }
}
