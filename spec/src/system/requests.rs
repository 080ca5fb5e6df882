//! Links of requests and responses in a system of tables: what stands in place of an answer.

use crate::diagnostic::{Diagnostic, code};
use crate::system::formula::suggestion;
use crate::system::role_table::RoleTable;
use crate::system::{Failure, LinkKind, LinkSpec, System};
use crate::table::EventKind;

/// Reports events in place of answers that the sender's table does not have, and those on links
/// that have no answers.
pub(super) fn check(system: &System, roles: &[RoleTable<'_>], diagnostics: &mut Vec<Diagnostic>) {
    for link in &system.links {
        let Some(failure) = &link.failure else { continue };
        if link.kind != LinkKind::RequestResponse {
            let message = format!("`{}` has no answers that could fail", link.name);
            let diagnostic = Diagnostic::error(code::WITHOUT_EFFECT, message)
                .label(failure.span, "has no effect")
                .help("remove it, or write `kind: request-response`");
            diagnostics.push(diagnostic);
        }
        diagnostics.extend(unknown(link, failure, roles));
    }
}

fn unknown(link: &LinkSpec, failure: &Failure, roles: &[RoleTable<'_>]) -> Option<Diagnostic> {
    let role = roles.iter().find(|role| role.role.name == link.from)?;
    let machine = &role.vocabulary.machine;
    let Some(event) = role.event(&failure.event) else {
        let events = role.vocabulary.events.iter().map(|event| event.name.name.as_str());
        let otherwise = format!("declare the event in the table of `{}`", link.from);
        let help = suggestion(&failure.event, events, &otherwise);
        let message = format!("`{machine}` has no event `{}`", failure.event);
        let diagnostic = Diagnostic::error(code::UNDECLARED_EVENT, message);
        return Some(diagnostic.label(failure.span, "no such event").help(help));
    };
    if role.vocabulary.events[event.index()].kind == EventKind::Command {
        let message = format!("`{}` is a command: it cannot answer a request", failure.event);
        let help = "write an event that consumes the request, or one of `kind: message`";
        let diagnostic = Diagnostic::error(code::INVALID_RELATION, message);
        return Some(diagnostic.label(failure.span, "a command").help(help));
    }
    let payload = role.vocabulary.events[event.index()].payload.as_ref();
    let help = match (payload, &failure.payload) {
        (None, None) => return None,
        (None, Some(_)) => format!("write `on failure: {}`: it has no payload", failure.event),
        (Some(payload), Some(value)) if payload.domain.number(value).is_some() => return None,
        (Some(payload), _) => {
            let values = payload.domain.words();
            format!("write `on failure: {} (VALUE)`, a value of: {values}", failure.event)
        }
    };
    let message = format!("`on failure` of `{}` has not the payload of its event", link.name);
    let diagnostic = Diagnostic::error(code::INVALID_RELATION, message);
    Some(diagnostic.label(failure.span, "not this payload").help(help))
}
