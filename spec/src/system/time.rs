//! Time relations: their timers, looked up in the tables of a system, and circles of them.

use crate::diagnostic::{Diagnostic, Span, code};
use crate::system::formula::suggestion;
use crate::system::role_table::RoleTable;
use crate::system::{System, TimeRelation, Timer};
use crate::table::ResourceKind;

/// Reports names that are no timer of the role's table.
pub(super) fn check(system: &System, roles: &[RoleTable<'_>], diagnostics: &mut Vec<Diagnostic>) {
    for relation in &system.time {
        let timers = relation.earlier.iter().chain([&relation.later]);
        diagnostics.extend(timers.filter_map(|timer| unknown(roles, timer, relation.span)));
    }
}

/// Reports each relation that closes a circle: none of its timers could ever fire.
pub(super) fn circles(system: &System, diagnostics: &mut Vec<Diagnostic>) {
    for (place, relation) in system.time.iter().enumerate() {
        let Some(earlier) = &relation.earlier else { continue };
        let Some(path) = path(&system.time[..place], &relation.later, earlier) else { continue };
        let circle = path.into_iter().chain([&relation.later]);
        let circle: Vec<String> =
            circle.map(|Timer { role, name }| format!("`{role}.{name}`")).collect();
        let message = format!("time relations in a circle: {}", circle.join(" before "));
        let diagnostic = Diagnostic::error(code::INVALID_RELATION, message);
        let help = "each of these timers waits for another one and never fires: remove a relation";
        diagnostics.push(diagnostic.label(relation.span, "closes the circle").help(help));
    }
}

/// The fewest timers from one to another, each before the next.
fn path<'a>(relations: &'a [TimeRelation], from: &'a Timer, to: &Timer) -> Option<Vec<&'a Timer>> {
    let mut paths = vec![vec![from]];
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        let last = path[path.len() - 1];
        if last == to {
            return Some(path);
        }
        for one in relations.iter().filter(|one| one.earlier.as_ref() == Some(last)) {
            if paths.iter().all(|path| path[path.len() - 1] != &one.later) {
                paths.push([&path[..], &[&one.later]].concat());
            }
        }
        next += 1;
    }
    None
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
