//! A system of tables with every name looked up: what each action sends and to whom, and the
//! formulas of the properties.

use crate::diagnostic::{Diagnostic, Diagnostics, sort};
use crate::system::formula::resolve;
pub use crate::system::formula::{Flight, NodeTerm, ProcessStatus, StateFormula, Value};
use crate::system::{Count, Property, Role, System, requests, route, saved, time};
use crate::table::{ActionId, EventId, Table, VariableId, Vocabulary};

/// A system of tables with every name looked up.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The messages that each role's actions send, role by role.
    pub sends: Vec<Vec<Send>>,
    /// The formulas of each property, in the order of the file.
    pub claims: Vec<Claim>,
}

/// A message that an action of a role sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// The action.
    pub action: ActionId,
    /// The event, in words.
    pub event: String,
    /// The value of its payload.
    pub payload: SentValue,
    /// Its receivers.
    pub to: Receivers,
}

/// The payload of a message that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentValue {
    /// The event has none.
    Nothing,
    /// This value, in words.
    Value(String),
    /// The value of a variable of the sender.
    Variable(VariableId),
    /// The payload of the event that the sender handles.
    Payload,
}

/// The receivers of a message, roles by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// Every node of a role, but the sender.
    Every(usize),
    /// The node whose message the sender handles.
    Sender,
}

/// The formulas of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The role of whose nodes it is claimed, one by one: each is the first variable of the
    /// formulas.
    pub each: Option<usize>,
    /// The antecedent.
    pub antecedent: StateFormula,
    /// The consequent or the goal.
    pub holds: StateFormula,
}

/// A role with the names of its table.
#[derive(Clone, Copy, Debug)]
pub struct RoleTable<'a> {
    /// The role.
    pub role: &'a Role,
    /// The names of its table.
    pub vocabulary: &'a Vocabulary,
    /// Its table.
    pub table: &'a Table,
    /// Whether it has one node in every world.
    pub is_one: bool,
}

impl<'a> RoleTable<'a> {
    /// A role with the names of its table.
    #[must_use]
    pub fn new(role: &'a Role, (vocabulary, table): (&'a Vocabulary, &'a Table)) -> Self {
        Self { role, vocabulary, table, is_one: role.count == Count::Number(1) }
    }

    /// An event of its table.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<EventId> {
        let place = self.vocabulary.events.iter().position(|event| event.name.name == name)?;
        u16::try_from(place).ok().map(EventId)
    }
}

impl Composition {
    /// Looks up the names of a system in the tables of its roles, which are in the order of the
    /// roles.
    ///
    /// # Errors
    ///
    /// Names that no table has; messages that have no receiver, or may have several.
    pub fn new(system: &System, tables: &[(&Vocabulary, &Table)]) -> Result<Self, Diagnostics> {
        let roles = system.roles.iter().zip(tables);
        let roles: Vec<RoleTable<'_>> =
            roles.map(|(role, table)| RoleTable::new(role, *table)).collect();
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let sends = (0..roles.len())
            .map(|role| route::sends(system, &roles, role, &mut diagnostics))
            .collect();
        route::unused(system, &roles, &mut diagnostics);
        saved::check(system, &roles, &mut diagnostics);
        requests::check(system, &roles, &mut diagnostics);
        time::check(system, &roles, &mut diagnostics);
        let claims = system
            .properties
            .iter()
            .map(|property| claim(&roles, property, &mut diagnostics))
            .collect();
        if diagnostics.is_empty() {
            return Ok(Self { sends, claims });
        }
        sort(&mut diagnostics);
        Err(Diagnostics { source: system.source.clone(), list: diagnostics })
    }
}

fn claim(roles: &[RoleTable<'_>], property: &Property, diagnostics: &mut Vec<Diagnostic>) -> Claim {
    let always = || StateFormula::All(Vec::new());
    let nothing = || Claim { each: None, antecedent: always(), holds: always() };
    property.claim.as_ref().map_or_else(nothing, |claim| resolve(roles, claim, diagnostics))
}
