//! The schema of table files: every key of the language, with its type and a description. The
//! schema of system files is in `system/shape.rs`. turnstile-manual writes both for people and
//! editors.

mod amendment;
mod entry;
mod formula;
mod hints;
mod key;
pub(crate) mod shape;

use crate::language::shape::{may, must};

use entry::{ACTION, CELLS, GUARD_NAME, RESOURCE, ROW, SET, STATE, VARIABLE};
use formula::{COLLECTIONS, INSTANCES, PREDICATES, RULES};
use key::{BECAUSE, NAME, ONE_OR_MORE};

pub(crate) use amendment::{AMENDMENT, READING};
pub(crate) use entry::{EVENT, RESOURCE_MAP};
#[cfg(feature = "systems")]
pub(crate) use formula::FORMULA;
pub(crate) use hints::{help_on_key, help_on_kind, help_on_value, synonym};
#[cfg(feature = "systems")]
pub(crate) use key::ABOUT;
pub(crate) use key::CITE;
pub use shape::{Key, Kind, Shape};

/// A table file.
pub static TABLE: Shape = Shape {
    name: "table",
    keys: &[
        must("language", Kind::Choice(&["1"]), "The version of the language: 1."),
        must("machine", NAME, "The machine's name."),
        may("document", Kind::Map(&DOCUMENT), "The document that the table transcribes."),
        must("states", Kind::Names(&Kind::Map(&STATE)), "The states, in the document's order."),
        may("sets", Kind::Names(&SET), "Named sets of states."),
        must("events", Kind::Names(&Kind::Map(&EVENT)), "The events that can reach the machine."),
        may("actions", Kind::Names(&Kind::Map(&ACTION)), "The actions that rows perform."),
        may(
            "resources",
            Kind::Names(&RESOURCE),
            "The timers, requests and notes that states hold, and generic names for several of \
             them.",
        ),
        may(
            "variables",
            Kind::Names(&VARIABLE),
            "Small values beside the state, for a machine that runs without a core: `votes: 0..3`, \
             `boolean`, or a list of words. Guards compare them, actions change them.",
        ),
        may(
            "guards",
            Kind::Names(&GUARD_NAME),
            "The named booleans of conditions, computed by a formula or by the core. A bare text \
             is a description; a formula needs `{ is: … }`.",
        ),
        may(
            "predicates",
            PREDICATES,
            "Booleans for formulas, answered by the core or by the checker.",
        ),
        may(
            "collections",
            COLLECTIONS,
            "Lists for the quantifiers of formulas and the loops of rows.",
        ),
        may(
            "instances",
            Kind::Map(&INSTANCES),
            "Who knows the instances of the machine and their states, for formulas.",
        ),
        must(
            "transitions",
            Kind::List(&Kind::Map(&ROW)),
            "The rows (transitions), in the document's order.",
        ),
        may("ignore", CELLS, "States in which an event changes nothing, with the reason."),
        may(
            "impossible",
            CELLS,
            "States in which an event cannot occur, with the reason; the checker verifies it. Not \
             for commands, which may arrive in any state.",
        ),
        may(
            "unspecified",
            CELLS,
            "Cells that the document leaves open, with what it says: lint warns of them, and an \
             event that reaches one is unhandled.",
        ),
        may("rules", RULES, "Named formulas of the document, with parameters: who may do what."),
        may(
            "invariants",
            RULES,
            "Formulas of the document that must hold in every reachable state.",
        ),
        may(
            "uncited",
            UNCITED,
            "Lines of the document that the table does not transcribe, with the reason.",
        ),
        may("amendments", AMENDMENTS, "Differences from the document, each with its reason."),
        may(
            "readings",
            READINGS,
            "What else the document may mean: `check --reading ID` checks the table in one.",
        ),
        may(
            "survivors",
            SURVIVORS,
            "Mutants of the amended table that survive, each with the reason.",
        ),
    ],
};

/// Lines of the document that the table does not transcribe.
pub(crate) const UNCITED: Kind = Kind::List(&Kind::Map(&UNCITED_LINES));
const SURVIVORS: Kind = Kind::List(&Kind::Map(&SURVIVOR));
const AMENDMENTS: Kind = Kind::List(&Kind::Map(&AMENDMENT));
const READINGS: Kind = Kind::List(&Kind::Map(&READING));
/// The document.
pub(crate) static DOCUMENT: Shape = Shape {
    name: "document",
    keys: &[
        must("file", Kind::Text, "The document's file name."),
        may("title", Kind::Text, "The document's title."),
        may("section", Kind::Text, "The section that contains the table."),
        may("sha256", Kind::Text, "The SHA-256 of the document's text."),
        CITE,
    ],
};

static UNCITED_LINES: Shape =
    Shape { name: "entry of uncited", keys: &[must("lines", Kind::Lines, "The lines."), BECAUSE] };

static SURVIVOR: Shape = Shape {
    name: "entry of survivors",
    keys: &[
        must("row", ONE_OR_MORE, "The mutated row, as `turnstile mutate` prints it."),
        must(
            "change",
            ONE_OR_MORE,
            "The mutation, as `turnstile mutate` prints it; each of these changes of each of these \
             rows.",
        ),
        must("because", Kind::Text, "Why it survives, in one sentence."),
        may(
            "equivalent",
            Kind::Flag,
            "`false` if a world or a property could detect it, which the reason names; default: \
             `true`, no property can.",
        ),
    ],
};
