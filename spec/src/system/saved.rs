//! What survives a restart in a world of a system of tables.

use crate::diagnostic::{Diagnostic, code};
use crate::system::formula::suggestion;
use crate::system::role_table::RoleTable;
use crate::system::{Saved, System, World};

/// The saved parts of a role's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedParts {
    /// Whether the state is saved.
    pub state: bool,
    /// Whether each variable is saved, in the table's order.
    pub variables: Vec<bool>,
}

/// The saved parts of a role in a world; `None`: nothing.
#[must_use]
pub fn saved(world: &World, role: &RoleTable<'_>) -> Option<SavedParts> {
    let saved = world.saved.iter().find(|saved| saved.role == role.role.name)?;
    let has = |name: &str| saved.parts.iter().any(|part| part == "all" || part == name);
    let variables = role.vocabulary.variables.iter();
    let variables = variables.map(|variable| has(&variable.name.name)).collect();
    Some(SavedParts { state: has("state"), variables })
}

/// Reports roles and parts that do not exist.
pub(super) fn check(system: &System, roles: &[RoleTable<'_>], diagnostics: &mut Vec<Diagnostic>) {
    for saved in system.worlds.iter().flat_map(|world| &world.saved) {
        diagnostics.extend(faults(roles, saved));
    }
}

fn faults(roles: &[RoleTable<'_>], saved: &Saved) -> Vec<Diagnostic> {
    let Some(role) = roles.iter().find(|role| role.role.name == saved.role) else {
        let known = roles.iter().map(|role| role.role.name.as_str());
        let help = suggestion(&saved.role, known, "write a role of `roles`");
        let message = format!("role `{}` is not declared", saved.role);
        let diagnostic = Diagnostic::error(code::UNKNOWN_ROLE, message);
        return vec![diagnostic.label(saved.span, "no such role").help(help)];
    };
    let variables = || role.vocabulary.variables.iter().map(|one| one.name.name.as_str());
    let is_known = |part: &str| part == "all" || part == "state" || variables().any(|v| v == part);
    let unknown = saved.parts.iter().filter(|part| !is_known(part));
    let fault = |part: &String| {
        let help = suggestion(part, variables(), "write `all`, `state` or a variable");
        let message = format!("`{}` has no `{part}` to save", role.vocabulary.machine);
        let diagnostic = Diagnostic::error(code::INVALID_VARIABLE, message);
        diagnostic.label(saved.span, "cannot be saved").help(help)
    };
    unknown.map(fault).collect()
}
