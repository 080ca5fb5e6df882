//! Variables: their values, what actions do to them, and the guards that compare them.

use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::LintContext;
use crate::read::variables::{PAYLOAD, comparisons, is_comparable, updates};
use crate::read::vocabulary::domain;
use crate::table::{EventKind, GuardId, Row};
use crate::variable::{Comparison, Operand, VariableChange, VariableId};

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    declared(cx, diagnostics);
    updates(cx.lookup, diagnostics);
    comparisons(cx.lookup, diagnostics);
    if diagnostics.iter().all(|one| one.code != code::INVALID_VARIABLE) {
        cx.table.rows.iter().for_each(|row| payloads(cx, row, diagnostics));
    }
}

fn report(message: String, span: Span, help: &str) -> Diagnostic {
    Diagnostic::finding(code::INVALID_VARIABLE, message).label(span, "here").help(help)
}

/// Declarations without values, and initial values that are none of them.
fn declared(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (word, variable) in &cx.lookup.draft.parts.variables {
        let name = &word.text;
        let Some(values) = domain(variable.is_words, &variable.values) else {
            let message = format!("the values of the variable `{name}` cannot be read");
            let help = "write `0..3` (within 0..65535), `boolean`, or a list of words";
            diagnostics.push(report(message, word.span, help));
            continue;
        };
        if let Some(initial) = &variable.initial
            && values.number(&initial.text).is_none()
        {
            let message = format!("`{}` is no value of the variable `{name}`", initial.text);
            let help = format!("write one of: {}", values.words());
            diagnostics.push(report(message, initial.span, &help));
        }
        if name == PAYLOAD {
            let message = format!("a variable cannot be called `{PAYLOAD}`");
            diagnostics.push(report(message, word.span, "it means the payload of the event"));
        }
    }
}

/// Rows whose actions or guards read a payload that the event does not have, or of other values.
fn payloads(cx: &LintContext<'_>, row: &Row, diagnostics: &mut Vec<Diagnostic>) {
    let words = cx.lookup.vocabulary;
    let mut read: Vec<Option<VariableId>> = Vec::new();
    for update in &cx.table.updates {
        let is_done = row.actions.iter().any(|call| call.action == update.action);
        if is_done && update.change == VariableChange::Set(Operand::Payload) {
            read.push(Some(update.variable));
        }
    }
    let mut guards: Vec<GuardId> = Vec::new();
    row.guard.asked(&mut guards);
    for guard in guards {
        if let Some(Some(comparison)) = cx.table.comparisons.get(guard.index()) {
            compared(comparison, &mut read);
        }
    }
    let event = &words.events[row.event.index()];
    let own = event.payload.as_ref().map(|payload| &payload.domain);
    let differs = |variable: &Option<VariableId>| {
        let other = variable.map(|id| &words.variables[id.index()].domain);
        match (own, other) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(other)) => !is_comparable(own, other),
        }
    };
    if read.iter().any(differs) {
        let what = match own {
            None => "has none",
            Some(_) => "has other values than the variable",
        };
        let name = &event.name.name;
        let message = match event.kind {
            EventKind::Completion => {
                format!("{} reads a payload and has no event", cx.row(row.id))
            }
            EventKind::Command | EventKind::Message | EventKind::Consuming => {
                format!("{} reads the payload of `{name}`, which {what}", cx.row(row.id))
            }
        };
        let known = diagnostics.iter().any(|one| one.message == message);
        if !known {
            let help = match event.kind {
                EventKind::Completion => "use another action or guard in the row",
                EventKind::Command | EventKind::Message | EventKind::Consuming => {
                    "give the event this payload, or use another action or guard in the row"
                }
            };
            diagnostics.push(report(message, cx.row_at(row.id), help));
        }
    }
}

/// The variables that the payload is compared with; `None`: a number.
fn compared(comparison: &Comparison, read: &mut Vec<Option<VariableId>>) {
    match comparison {
        Comparison::Is(Operand::Payload, _, other) | Comparison::Is(other, _, Operand::Payload) => {
            read.push(match other {
                Operand::Variable(id) => Some(*id),
                Operand::Number(_) | Operand::Payload => None,
            });
        }
        Comparison::Is(..) => {}
        Comparison::All(parts) | Comparison::Any(parts) => {
            parts.iter().for_each(|part| compared(part, read));
        }
        Comparison::Not(part) => compared(part, read),
    }
}
