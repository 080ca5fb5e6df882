//! The timers of time relations, looked up in the tables of a system.

use crate::code;
use crate::diagnostic::{Diagnostic, Span};
use crate::system::composition::RoleTable;
use crate::system::formula::suggestion;
use crate::system::{System, Timer};
use crate::table::ResourceKind;

/// Reports names that are no timer of the role's table.
pub(super) fn check(system: &System, roles: &[RoleTable<'_>], diagnostics: &mut Vec<Diagnostic>) {
    for relation in &system.time {
        let timers = relation.earlier.iter().chain([&relation.later]);
        diagnostics.extend(timers.filter_map(|timer| unknown(roles, timer, relation.span)));
    }
}

fn unknown(roles: &[RoleTable<'_>], timer: &Timer, span: Span) -> Option<Diagnostic> {
    let role = roles.iter().find(|role| role.role.name == timer.role)?;
    let resources = role.vocabulary.resources.iter();
    let timers = resources.filter(|one| one.kind == ResourceKind::Timer);
    let timers: Vec<&str> = timers.map(|one| one.name.name.as_str()).collect();
    if timers.contains(&timer.name.as_str()) {
        return None;
    }
    let machine = &role.vocabulary.machine;
    let otherwise = match timers[..] {
        [] => format!("`{machine}` has no timers: remove the relation"),
        [..] => format!("write one of: {}", timers.join(", ")),
    };
    let help = suggestion(&timer.name, timers.iter().copied(), &otherwise);
    let message = format!("`{machine}` has no timer `{}`", timer.name);
    let diagnostic = Diagnostic::error(code::INVALID_RELATION, message);
    Some(diagnostic.label(span, "no such timer").help(help))
}
