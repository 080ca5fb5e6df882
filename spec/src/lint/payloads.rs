//! Declarations that are invalid by themselves: payloads, kinds of resources, causes of events.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Span, code};
use crate::raw::{Event, Resource, RowChange, Sections, Table};
use crate::read::vocabulary::domain;
use crate::yaml::Word;

pub(super) fn check(raw: &Table, diagnostics: &mut Vec<Diagnostic>) {
    let sources = [&raw.parts].into_iter().chain(raw.amendments.iter().map(|a| &a.add));
    for Sections { events, resources, .. } in sources {
        for (name, declared) in events {
            event(name, declared, diagnostics);
        }
        for (name, declared) in resources {
            resource(name, declared, diagnostics);
        }
    }
    for amendment in &raw.amendments {
        amendment.rows.iter().for_each(|each| change(each, diagnostics));
        for (name, event) in &amendment.change.events {
            if let Some((word, _)) = &event.payload {
                let message = format!("the payload of `{}` cannot be amended", name.text);
                let diagnostic = Diagnostic::error(code::INVALID_PAYLOAD, message)
                    .label(word.span, "both tables share one Rust enum")
                    .help("add an event with another name");
                diagnostics.push(diagnostic);
            }
        }
    }
}

fn event(name: &Word, event: &Event, diagnostics: &mut Vec<Diagnostic>) {
    if event.kind.is_none() && event.consumes.is_none() && !event.is_odd {
        let message = format!("event `{}` has no cause", name.text);
        let diagnostic = Diagnostic::error(code::MISSING_KEY, message)
            .label(name.span, "has neither `kind` nor `consumes`")
            .help("add `kind: command`, `kind: message`, or `consumes: RESOURCE`");
        diagnostics.push(diagnostic);
    }
    if let (Some(kind), Some(_)) = (&event.kind, &event.consumes) {
        let message = format!("event `{}` has two causes: `kind` and `consumes`", name.text);
        let diagnostic = Diagnostic::error(code::UNKNOWN_KEY, message)
            .label(kind.span, "`consumes` says who causes it")
            .help("remove `kind`; an answer that a link carries needs `consumes` alone");
        diagnostics.push(diagnostic);
    }
    if let Some(field) = &event.surplus {
        let message = format!("the payload of `{}` has more than one field", name.text);
        let diagnostic = Diagnostic::error(code::INVALID_PAYLOAD, message)
            .label(field.span, "the second field")
            .help("declare one field; use several events, or a guard, for the rest");
        diagnostics.push(diagnostic);
    }
    let Some((field, values)) = &event.payload else { return };
    if domain(event.is_words, values).is_none() && !event.is_cut {
        let span = values.first().map_or(field.span, |word| word.span);
        let message = format!("invalid payload values for `{}`", field.text);
        let diagnostic = Diagnostic::error(code::INVALID_PAYLOAD, message)
            .label(span, "not a range, `boolean` or a list of words")
            .help(
                "write a range such as `100..599` (within 0..65535), `boolean`, or a list of words",
            );
        diagnostics.push(diagnostic);
    }
    if event.is_words {
        twins(values, diagnostics);
    }
}

fn twins(values: &[Word], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = BTreeMap::<String, Span>::new();
    for word in values {
        if let Some(first) = seen.insert(word.text.clone(), word.span) {
            let message = format!("duplicate value `{}`", word.text);
            let diagnostic = Diagnostic::error(code::INVALID_PAYLOAD, message)
                .label(word.span, "the second")
                .label(first, "the first")
                .help("remove one of them");
            diagnostics.push(diagnostic);
        }
    }
}

fn resource(name: &Word, resource: &Resource, diagnostics: &mut Vec<Diagnostic>) {
    let help = "write `timer`, `request`, `note`, or a list of the resources that it stands for";
    if resource.kind.is_some() == resource.any_of.is_some() && !resource.is_odd {
        let found = if resource.kind.is_some() { "both" } else { "neither of" };
        let message = format!("resource `{}` needs either `kind` or `any of`", name.text);
        let diagnostic = Diagnostic::error(code::MISSING_KEY, message)
            .label(name.span, format!("has {found} `kind` and `any of`"))
            .help(help);
        diagnostics.push(diagnostic);
    }
}

/// An amendment with `row` but no `set`, or with `set` but no `row`.
fn change(change: &RowChange, diagnostics: &mut Vec<Diagnostic>) {
    let is_selected = change.row.is_written();
    let is_set = change.set.is_written();
    if is_selected != is_set && !change.is_odd {
        let (message, help) = if is_selected {
            ("the amendment selects a row, but sets nothing", "add `set: { … }`")
        } else {
            ("the amendment sets values, but selects no row", "add `row: { cite: … }`")
        };
        let span = if is_selected { change.row.span } else { change.set.span };
        diagnostics.push(
            Diagnostic::error(code::MISSING_KEY, message).label(span, "incomplete").help(help),
        );
    }
}
