//! What events carry, what resources are, who causes what: declarations that make no sense by
//! themselves.

use std::collections::BTreeMap;

use crate::code;
use crate::fault::{Fault, Span};
use crate::raw::{Change, Event, Parts, Resource, Table};
use crate::read::vocabulary::domain;
use crate::yaml::Word;

pub(super) fn check(raw: &Table, faults: &mut Vec<Fault>) {
    let sources = [&raw.parts].into_iter().chain(raw.amendments.iter().map(|a| &a.add));
    for Parts { events, resources, .. } in sources {
        for (name, declared) in events {
            event(name, declared, faults);
        }
        for (name, declared) in resources {
            resource(name, declared, faults);
        }
    }
    for amendment in &raw.amendments {
        amendment.rows.iter().for_each(|each| change(each, faults));
        for (name, event) in &amendment.change.events {
            if let Some((word, _)) = &event.payload {
                let message = format!("what `{}` carries cannot be amended", name.text);
                let fault = Fault::error(code::BAD_PAYLOAD, message)
                    .label(word.span, "both tables are one Rust enum")
                    .help("add an event of another name");
                faults.push(fault);
            }
        }
    }
}

fn event(name: &Word, event: &Event, faults: &mut Vec<Fault>) {
    if event.kind.is_none() && event.consumes.is_none() && !event.is_odd {
        let message = format!("nothing says who causes `{}`", name.text);
        let fault = Fault::error(code::MISSING_KEY, message)
            .label(name.span, "neither `kind` nor `consumes`")
            .help("add `kind: command`, `kind: message`, or `consumes: RESOURCE`");
        faults.push(fault);
    }
    if let Some(field) = &event.surplus {
        let message = format!("`{}` carries more than one field", name.text);
        let fault = Fault::error(code::BAD_PAYLOAD, message)
            .label(field.span, "the second field")
            .help("an event carries one field; make two events of it, or let a guard ask");
        faults.push(fault);
    }
    let Some((field, values)) = &event.payload else { return };
    if domain(event.is_words, values).is_none() && !event.is_cut {
        let span = values.first().map_or(field.span, |word| word.span);
        let message = format!("the values of `{}` cannot be read", field.text);
        let fault = Fault::error(code::BAD_PAYLOAD, message)
            .label(span, "no values")
            .help("write `100..599` (from 0 to 65535), `boolean`, or a list of words");
        faults.push(fault);
    }
    if event.is_words {
        twins(values, faults);
    }
}

fn twins(values: &[Word], faults: &mut Vec<Fault>) {
    let mut seen = BTreeMap::<String, Span>::new();
    for word in values {
        if let Some(first) = seen.insert(word.text.clone(), word.span) {
            let message = format!("the value `{}` is written twice", word.text);
            let fault = Fault::error(code::BAD_PAYLOAD, message)
                .label(word.span, "the second")
                .label(first, "the first")
                .help("keep one of them");
            faults.push(fault);
        }
    }
}

fn resource(name: &Word, resource: &Resource, faults: &mut Vec<Fault>) {
    let help = "write `timer`, `request`, `note`, or a list of the resources that it stands for";
    if resource.kind.is_some() == resource.any_of.is_some() && !resource.is_odd {
        let found = if resource.kind.is_some() { "both" } else { "neither" };
        let message = format!("`{}` must be of a kind or a general word", name.text);
        let fault = Fault::error(code::MISSING_KEY, message)
            .label(name.span, format!("{found} `kind` and `any of`"))
            .help(help);
        faults.push(fault);
    }
}

/// A `row` without `set`, or the other way round.
fn change(change: &Change, faults: &mut Vec<Fault>) {
    let is_selected = change.row.is_written();
    let is_set = change.set.is_written();
    if is_selected != is_set && !change.is_odd {
        let (message, help) = if is_selected {
            ("the amendment says which row, and not what it becomes", "add `set: { … }`")
        } else {
            ("the amendment says what a row becomes, and not which", "add `row: { cite: … }`")
        };
        let span = if is_selected { change.row.span } else { change.set.span };
        faults.push(Fault::error(code::MISSING_KEY, message).label(span, "half of it").help(help));
    }
}
