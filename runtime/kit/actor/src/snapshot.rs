//! The state of an actor as data, with the identity of its table, and its migration to another one.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use turnstile_machine::{Machine, Name, PlainMachine};
use turnstile_plain::State;

/// The state of an actor in the words of its table, with the table's name and content hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Snapshot {
    /// The machine's name.
    pub machine: String,
    /// FNV-1a, 64 bits, of the table's file.
    pub hash: u64,
    /// The state.
    pub state: String,
    /// How many of each resource are armed, outstanding or noted; those of which there is none are
    /// missing.
    pub held: BTreeMap<String, u8>,
    /// The values of the variables.
    pub variables: BTreeMap<String, String>,
}

/// Why a snapshot cannot be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// It is of another machine.
    OtherMachine {
        /// Its machine.
        machine: String,
        /// The machine that runs.
        own: &'static str,
    },
    /// It is of another version of the table, for which there is no migration.
    OtherTable {
        /// The machine.
        machine: String,
        /// The hash of its table.
        hash: u64,
        /// The hash of the table that runs.
        own: u64,
    },
    /// The table has no such state, resource or variable.
    Unknown {
        /// `state`, `resource` or `variable`.
        what: &'static str,
        /// The name, after the migration.
        name: String,
    },
    /// A variable has no such value.
    Value {
        /// The variable.
        variable: String,
        /// The value.
        value: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMachine { machine, own } => {
                write!(f, "the snapshot is of the machine `{machine}`, and this is `{own}`")
            }
            Self::OtherTable { machine, hash, own } => write!(
                f,
                "the snapshot is of `{machine}` with the table {hash:#018x}, and this is table \
                 {own:#018x}: resume it with `Migration::from({hash:#018x})`"
            ),
            Self::Unknown { what, name } => write!(
                f,
                "the table has no {what} `{name}`, which the snapshot has: map it in the migration"
            ),
            Self::Value { variable, value } => write!(
                f,
                "`{value}` of the snapshot is no value of the variable `{variable}`: drop the \
                 variable in the migration, or change the snapshot"
            ),
        }
    }
}

impl std::error::Error for SnapshotError {}

/// How names of an earlier table became those of this one. Names that are not mapped stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    hash: u64,
    states: BTreeMap<String, String>,
    variables: BTreeMap<String, Option<String>>,
}

impl Migration {
    /// From the table with this hash, in which every name stays.
    #[must_use]
    pub const fn from(hash: u64) -> Self {
        Self { hash, states: BTreeMap::new(), variables: BTreeMap::new() }
    }

    /// A state of the earlier table is this state now.
    #[must_use]
    pub fn state(mut self, before: &str, now: &str) -> Self {
        self.states.insert(before.to_owned(), now.to_owned());
        self
    }

    /// A variable of the earlier table is this variable now.
    #[must_use]
    pub fn variable(mut self, before: &str, now: &str) -> Self {
        self.variables.insert(before.to_owned(), Some(now.to_owned()));
        self
    }

    /// A variable of the earlier table is dropped; a variable without a value gets its initial one.
    #[must_use]
    pub fn drop_variable(mut self, before: &str) -> Self {
        self.variables.insert(before.to_owned(), None);
        self
    }
}

fn unknown(what: &'static str, name: &str) -> SnapshotError {
    SnapshotError::Unknown { what, name: name.to_owned() }
}

impl Snapshot {
    /// The snapshot of a state.
    #[must_use]
    pub fn of<M: PlainMachine>(state: &State<M>) -> Self {
        let held = M::Resource::ALL.iter().zip(&state.held).filter(|(_, count)| **count > 0);
        let variables = M::PLAIN.variables.iter().zip(&state.variables);
        let variables = variables.map(|(variable, number)| {
            let word = variable.values.words().get(usize::from(*number)).copied();
            let word = word.map_or_else(|| number.to_string(), str::to_owned);
            (variable.name.to_owned(), word)
        });
        Self {
            machine: <M as Machine>::TABLE.machine.to_owned(),
            hash: <M as Machine>::TABLE.hash,
            state: state.at.name().to_owned(),
            held: held.map(|(one, count)| (one.name().to_owned(), *count)).collect(),
            variables: variables.collect(),
        }
    }

    /// The state of a machine.
    ///
    /// # Errors
    ///
    /// When it is of another table, for which there is no migration, or has a name or a value that
    /// the table does not have. After a migration the state has the resources that the new table
    /// says it holds.
    pub fn restore<M: PlainMachine>(
        &self,
        migrations: &[Migration],
    ) -> Result<State<M>, SnapshotError> {
        let own = <M as Machine>::TABLE;
        let migration = migrations.iter().find(|one| one.hash == self.hash);
        let is_same = self.hash == own.hash;
        if self.machine != own.machine && (is_same || migration.is_none()) {
            let machine = self.machine.clone();
            return Err(SnapshotError::OtherMachine { machine, own: own.machine });
        }
        if !is_same && migration.is_none() {
            let (machine, hash) = (self.machine.clone(), self.hash);
            return Err(SnapshotError::OtherTable { machine, hash, own: own.hash });
        }
        let migration = migration.filter(|_| !is_same);
        let name = migration.and_then(|one| one.states.get(&self.state)).unwrap_or(&self.state);
        let at = M::State::from_name(name).ok_or_else(|| unknown("state", name))?;
        let held = match migration {
            None => self.held::<M>()?,
            Some(_) => {
                let machine = M::default();
                let holds = |one: &M::Resource| u8::from(machine.holds(at).contains(one));
                M::Resource::ALL.iter().map(holds).collect()
            }
        };
        Ok(State { at, held, variables: self.numbers::<M>(migration)? })
    }

    fn held<M: PlainMachine>(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut held = vec![0; M::Resource::ALL.len()];
        for (name, count) in &self.held {
            let one = M::Resource::from_name(name).ok_or_else(|| unknown("resource", name))?;
            held[one.index()] = *count;
        }
        Ok(held)
    }

    fn numbers<M: PlainMachine>(
        &self,
        migration: Option<&Migration>,
    ) -> Result<Vec<u16>, SnapshotError> {
        let known = M::PLAIN.variables;
        let mut numbers: Vec<u16> = known.iter().map(|variable| variable.initial).collect();
        for (before, value) in &self.variables {
            let name = match migration.and_then(|one| one.variables.get(before)) {
                Some(None) => continue,
                Some(Some(now)) => now,
                None => before,
            };
            let place = known.iter().position(|variable| variable.name == name);
            let place = place.ok_or_else(|| unknown("variable", name))?;
            let number = known[place].values.number(value).ok_or_else(|| SnapshotError::Value {
                variable: name.clone(),
                value: value.clone(),
            })?;
            numbers[place] = number;
        }
        Ok(numbers)
    }
}
