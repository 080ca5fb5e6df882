//! A system of tables with every name looked up: what each action sends and to whom, and the
//! formulas of the properties.

use crate::diagnostic::{Diagnostic, Diagnostics, sort};
use crate::system::formula::resolve;
use crate::system::{Property, System, requests, route, saved, time};
use crate::table::{Table, Vocabulary};

pub use crate::system::formula::{Flight, Formulas, NodeTerm, ProcessStatus, StateFormula, Value};
pub use crate::system::role_table::RoleTable;
pub use crate::system::route::{Receivers, Send, SentValue};

/// A system of tables with every name looked up.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The messages that each role's actions send, role by role.
    pub sends: Vec<Vec<Send>>,
    /// The formulas of each property, in the order of the file.
    pub claims: Vec<Formulas>,
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

fn claim(
    roles: &[RoleTable<'_>],
    property: &Property,
    diagnostics: &mut Vec<Diagnostic>,
) -> Formulas {
    let always = || StateFormula::All(Vec::new());
    let nothing = || Formulas { each: None, antecedent: always(), holds: always() };
    property.claim.as_ref().map_or_else(nothing, |claim| resolve(roles, claim, diagnostics))
}
