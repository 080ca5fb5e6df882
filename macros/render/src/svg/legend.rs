//! What the colours and signs of a picture mean: those that occur in it.

use crate::diagram::{Cause, Diagram, Entry, NoteKind, Phase, View};
use crate::measure::Font;

use super::icon::Icon;
use super::path::Px;

/// Of the legend's words, as in the style sheet.
const FONT: Font = Font { size: 12.0, bold: false };

/// From one line of the legend to the next.
const LINE: f64 = 26.0;

/// Room between two entries.
const BETWEEN: f64 = 26.0;

/// The sign and what it means.
pub(crate) struct Key {
    pub(crate) sign: Sign,
    pub(crate) text: &'static str,
    pub(crate) x: Px,
    pub(crate) y: Px,
}

impl Key {
    /// The sign of a note as SVG.
    pub(crate) fn mark(&self, kind: &NoteKind) -> String {
        Icon { kind: *kind, x: self.x + 8.0, y: self.y + 3.0 }.mark()
    }
}

/// What is drawn before the words.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    Box(&'static str),
    End,
    Way(&'static str),
    Dot,
    Bar,
    Note(NoteKind),
    Condition,
}

/// The entries in their places, and how far down they reach.
pub(crate) fn legend(diagram: &Diagram, left: f64, top: f64, right: f64) -> (Vec<Key>, f64) {
    let (mut x, mut y) = (left, top);
    let mut keys = Vec::new();
    for (sign, text) in signs(diagram) {
        let width = 34.0 + FONT.width(text);
        if x > left && x + width > right {
            (x, y) = (left, y + LINE);
        }
        keys.push(Key { sign, text, x: Px(x), y: Px(y) });
        x += width + BETWEEN;
    }
    (keys, y + 16.0)
}

fn signs(diagram: &Diagram) -> Vec<(Sign, &'static str)> {
    let has = |phase| diagram.nodes.iter().any(|node| node.phase == phase);
    let entries = || diagram.arrows.iter().flat_map(|arrow| &arrow.entries);
    let caused = |cause| {
        let full = diagram.arrows.iter().filter(|arrow| !diagram.is_dim(arrow));
        full.flat_map(|arrow| &arrow.entries).any(|entry: &Entry| entry.cause == cause)
    };
    let mixed = diagram
        .arrows
        .iter()
        .any(|arrow| !diagram.is_dim(arrow) && arrow.entries.len() > 1 && arrow.cause().is_none());
    let ends = diagram.arrows.iter().any(|arrow| diagram.is_dim(arrow));
    let loops = || diagram.nodes.iter().flat_map(|node| &node.loops);
    let amended = entries().chain(loops()).any(|entry| entry.amended_by.is_some());
    let noted = |kind| {
        let notes = diagram.nodes.iter().flat_map(|node| &node.notes);
        notes.into_iter().any(|note| note.kind == kind)
    };
    let conditions = entries().any(|entry| !entry.guard.is_empty())
        || diagram.nodes.iter().flat_map(|node| &node.notes).any(|note| note.text.contains('['));
    let is_small = diagram.view == View::Overview;
    let all = [
        (diagram.nodes.iter().any(|node| node.initial), Sign::Dot, "begins"),
        (has(Phase::Rest), Sign::Box("rest"), "waits for a command or a message"),
        (has(Phase::Answer), Sign::Box("answer"), "waits for an answer"),
        (has(Phase::Time), Sign::Box("time"), "waits for a timer"),
        (has(Phase::End), Sign::End, "final"),
        (has(Phase::Undeclared), Sign::Box("undeclared"), "named, not declared"),
        (caused(Cause::Command), Sign::Way("command"), "a command"),
        (caused(Cause::Answer), Sign::Way("answer"), "an answer or a message"),
        (caused(Cause::Time), Sign::Way("time"), "a timer"),
        (caused(Cause::Completion), Sign::Way("mixed"), "at once, without an event"),
        (mixed, Sign::Way("mixed"), "events of several kinds"),
        (ends, Sign::Way("dim"), "ends the machine"),
        (has(Phase::Several), Sign::Box("several"), "any of these states"),
        (noted(NoteKind::End), Sign::Note(NoteKind::End), "ends there, or can only end from there"),
        (
            noted(NoteKind::Retry),
            Sign::Note(NoteKind::Retry),
            "retries: goes there, and a timer leads back",
        ),
        (noted(NoteKind::Stay), Sign::Note(NoteKind::Stay), "events that do not leave the state"),
        (is_small && conditions, Sign::Condition, "under a condition"),
        (amended, Sign::Bar, "added or changed by the amendment named"),
        (diagram.nodes.iter().any(|node| node.amended), Sign::Box("rest amended"), "state amended"),
    ];
    all.into_iter().filter(|(is_shown, ..)| *is_shown).map(|(_, sign, text)| (sign, text)).collect()
}
