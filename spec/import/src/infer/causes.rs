//! Who causes the events that neither a timer nor an answer does.

use std::collections::BTreeSet;

use super::payloads;
use crate::collect::Remarks;
use crate::draft::{CellMark, Draft, EventCause, EventDraft, START};
use crate::grid::{Word, words};
use crate::message::MESSAGES;

/// Words of users and their environment.
const COMMANDS: [&str; 8] =
    ["user", "client", "operator", "command", "signal", "button", "environment", "press"];

pub(super) fn infer(draft: &mut Draft, remarks: &Remarks) {
    let impossible: BTreeSet<String> = draft
        .cells
        .iter()
        .filter(|cell| match cell.mark {
            CellMark::Impossible => true,
            CellMark::Ignored => false,
            // In a file of cells, what the event is decides what the cell is.
            CellMark::Absent => cell.cite.is_some(),
        })
        .flat_map(|cell| cell.events.iter().map(|word| payloads::split(&word.text).0))
        .collect();
    for event in &mut draft.events {
        if event.cause != EventCause::Unknown {
            continue;
        }
        // The row without an event is a guess already.
        if event.name.text == START && draft.has_start {
            event.cause = EventCause::Command;
            continue;
        }
        let kind = remarks.by_name.get(&event.name.text).map(|(_, kind)| words(kind));
        let kind = kind.unwrap_or_default();
        let is = |list: &[&str], of: &[String]| of.iter().any(|word| list.contains(&&**word));
        if is(&COMMANDS, &kind) {
            event.cause = EventCause::Command;
            continue;
        }
        if is(&MESSAGES, &kind) {
            event.cause = EventCause::Message;
            continue;
        }
        let said = words(&event.name.text);
        let (cause, guess) = if is(&MESSAGES, &said) && !is(&COMMANDS, &said) {
            (EventCause::Message, "a message, by its words")
        } else if is(&COMMANDS, &said) {
            (EventCause::Command, "a command, by its words")
        } else if impossible.contains(&event.name.text) {
            (EventCause::Message, "a message: a command could arrive in every state")
        } else {
            (EventCause::Command, "a command: nothing says that another machine sends it")
        };
        event.cause = cause;
        event.guesses.push(guess.to_owned());
    }
    cells(draft);
}

/// A command may arrive in every state, so none is impossible.
fn cells(draft: &mut Draft) {
    for cell in &mut draft.cells {
        if cell.mark != CellMark::Absent {
            continue;
        }
        let is_command = cell.events.iter().any(|word| {
            let mut events = draft.events.iter();
            events.any(|event| is_meant(word, event) && event.cause == EventCause::Command)
        });
        cell.mark = if is_command { CellMark::Ignored } else { CellMark::Impossible };
        if !is_command || cell.cite.is_some() {
            continue;
        }
        let guess = "cells in which it cannot occur are under `ignore`: a command may arrive";
        for word in &cell.events {
            let event = draft.events.iter_mut().find(|event| is_meant(word, event));
            if let Some(event) = event.filter(|one| one.guesses.iter().all(|old| old != guess)) {
                event.guesses.push(guess.to_owned());
            }
        }
    }
}

/// Whether the word of a cell, perhaps with a pattern, means an event.
fn is_meant(word: &Word, event: &EventDraft) -> bool {
    [&payloads::split(&word.text).0, &word.text].contains(&&event.name.text)
}
