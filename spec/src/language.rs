//! The schema of table files: every key of the language, with its type and a description. The
//! schema of system files is in [`crate::system`].

mod amendment;
mod formula;
mod hints;

pub(crate) use amendment::{AMENDMENT, READING};
pub(crate) use formula::FORMULA;
use formula::{COLLECTIONS, INSTANCES, PREDICATES, RULES};
pub(crate) use hints::{help_on_key, help_on_kind, help_on_value, synonym};

use crate::shape::{Key, Kind, Shape, may, must};

const NAME: Kind = Kind::Text;
const NAMES: Kind = Kind::List(&Kind::Text);
const ONE_OR_MORE: Kind = Kind::Either(&[Kind::Text, NAMES]);

/// The document's prose.
pub(crate) const ABOUT: Key = may("about", Kind::Text, "What the document says about it.");
/// The document's lines.
pub(crate) const CITE: Key = may("cite", Kind::Lines, "The lines of the document that state it.");
const OF: Key = may("of", NAMES, "The parameters, in order.");
const IDENT: Key =
    may("ident", Kind::Text, "The Rust identifier, if CamelCase of the name is already taken.");
const BECAUSE: Key = must("because", Kind::Text, "The reason, in one sentence.");

/// A whole file.
pub(crate) static TABLE: Shape = Shape {
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

const CELLS: Kind = Kind::List(&Kind::Map(&CELL));
/// Lines of the document that the table does not transcribe.
pub(crate) const UNCITED: Kind = Kind::List(&Kind::Map(&UNCITED_LINES));
const SURVIVORS: Kind = Kind::List(&Kind::Map(&SURVIVOR));
const AMENDMENTS: Kind = Kind::List(&Kind::Map(&AMENDMENT));
const READINGS: Kind = Kind::List(&Kind::Map(&READING));
const SET: Kind = Kind::Either(&[NAMES, Kind::Map(&SET_MAP)]);
const RESOURCE: Kind =
    Kind::Either(&[Kind::Choice(RESOURCE_KINDS), NAMES, Kind::Map(&RESOURCE_MAP)]);
const GUARD_NAME: Kind = Kind::Either(&[Kind::Text, Kind::Map(&GUARD_MAP)]);
/// A condition: a guard's name, or `all`, `any`, `not` over conditions.
pub(crate) static GUARD: Kind = Kind::Either(&[Kind::Text, Kind::Map(&CONDITION)]);

/// An entry of `do`: an action, a conditional block, or a loop.
pub(crate) static STEP: Kind = Kind::Either(&[Kind::Text, Kind::Map(&BRANCH)]);
const DO: Kind = Kind::List(&STEP);

static BRANCH: Shape = Shape {
    name: "branch",
    keys: &[
        may("if", GUARD, "The condition, evaluated before the row is taken."),
        may(
            "for each",
            Kind::Text,
            "The collection: the actions run once for each of its elements.",
        ),
        must("do", Kind::List(&STEP), "The actions."),
    ],
};

/// The kinds of resources.
pub(crate) const RESOURCE_KINDS: &[&str] = &["timer", "request", "note"];

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

static STATE: Shape = Shape {
    name: "state",
    keys: &[
        ABOUT,
        may("holds", NAMES, "The resources that the state always holds."),
        may("may hold", NAMES, "The resources that the state holds only sometimes."),
        may(
            "initial",
            Kind::Flag,
            "Whether the machine may begin in this state. With several, the checker tries each.",
        ),
        may("final", Kind::Flag, "Whether the machine ends in this state."),
        may(
            "may end",
            Kind::Flag,
            "Whether the machine may stay in this state for ever, although it takes events (a \
             valid end state).",
        ),
        may(
            "exit",
            Kind::List(&Kind::Text),
            "Actions of every row that leaves the state, before the row's own. A row with `to: \
             same` does not leave it; one that names the state does.",
        ),
        may(
            "entry",
            Kind::List(&Kind::Text),
            "Actions of every row that enters the state, after the row's own. A machine that \
             begins in the state has not entered it.",
        ),
        may("invented", Kind::Text, "Why the table has a state that the document does not name."),
        may("undeclared", Kind::Flag, "Whether the document uses the name without declaring it."),
        IDENT,
        CITE,
    ],
};

static SET_MAP: Shape =
    Shape { name: "set", keys: &[must("states", NAMES, "The states of the set."), ABOUT, CITE] };

pub(crate) static EVENT: Shape = Shape {
    name: "event",
    keys: &[
        ABOUT,
        may(
            "kind",
            Kind::Choice(&["command", "message"]),
            "Who causes it: `command`, the user or the environment, at any time, so each state has \
             a row or `ignore` for it; `message`, another machine.",
        ),
        may(
            "payload",
            PAYLOAD,
            "The payload: one field and its values: `{ code: 100..599 }`, `{ last: boolean }` or \
             `{ status: [ok, busy] }`.",
        ),
        may(
            "consumes",
            ONE_OR_MORE,
            "The resource that the event uses up: the timer that expires, or the request that is \
             answered.",
        ),
        IDENT,
        CITE,
    ],
};

const PAYLOAD: Kind = Kind::Names(&ONE_OR_MORE);

static ACTION: Shape = Shape {
    name: "action",
    keys: &[
        ABOUT,
        may("creates", ONE_OR_MORE, "The resources that are held after the action."),
        may("deletes", ONE_OR_MORE, "The resources that are no longer held after the action."),
        may("restarts", ONE_OR_MORE, "The timers that are held and start again."),
        may(
            "abandons",
            ONE_OR_MORE,
            "The outstanding requests whose answers the machine no longer waits for.",
        ),
        may(
            "tells",
            Kind::Text,
            "The event that other instances of the machine receive in the same step.",
        ),
        may(
            "sends",
            Kind::Text,
            "The event that another machine receives as a message, with its payload: `vote (yes)`. \
             The system says which one.",
        ),
        may(
            "sets",
            Kind::Names(&Kind::Text),
            "Variables with the value that each gets: a value, another variable, or `payload`.",
        ),
        may("adds", Kind::Names(&Kind::Text), "Variables with the number that is added to each."),
        may("clears", ONE_OR_MORE, "The variables that get their initial value."),
        IDENT,
        CITE,
    ],
};

static VARIABLE: Kind = Kind::Either(&[Kind::Text, NAMES, Kind::Map(&VARIABLE_MAP)]);

static VARIABLE_MAP: Shape = Shape {
    name: "variable",
    keys: &[
        must("values", ONE_OR_MORE, "A range of numbers, `boolean`, or a list of words."),
        may("initial", Kind::Text, "The initial value; default: the first."),
        ABOUT,
        IDENT,
        CITE,
    ],
};

pub(crate) static RESOURCE_MAP: Shape = Shape {
    name: "resource",
    keys: &[
        may(
            "kind",
            Kind::Choice(RESOURCE_KINDS),
            "The kind: timer, request or note. A timer's duration is not in the table: the service \
             that runs the machine gives it.",
        ),
        may(
            "any of",
            NAMES,
            "The resources that a generic name stands for: in each row, the one that the state \
             holds.",
        ),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static GUARD_MAP: Shape = Shape {
    name: "guard",
    keys: &[
        may(
            "is",
            FORMULA,
            "The formula that computes it, or a comparison of variables, `votes >= 2`: a variable \
             or `payload`, then `=`, `!=`, `<`, `<=`, `>` or `>=` between spaces, then a value, a \
             variable or `payload`. Without it, the core does; where there is no core, it may be \
             true or false, whatever the variables are.",
        ),
        may(
            "of",
            NAMES,
            "The parameters of the formula, in addition to arguments named like the parameter they \
             are passed to.",
        ),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static CONDITION: Shape = Shape {
    name: "condition",
    keys: &[
        may("all", Kind::List(&GUARD), "True if all of these are true."),
        may("any", Kind::List(&GUARD), "True if at least one of these is true."),
        may("not", GUARD, "True if this is false."),
    ],
};

static ROW: Shape = Shape {
    name: "row",
    keys: &[
        must("from", ONE_OR_MORE, "The state that the row leaves."),
        must("to", NAME, "The state that the row enters, or `same`."),
        may(
            "event",
            ONE_OR_MORE,
            "The event, with a pattern over its payload. A row without one is taken as soon as its \
             state is entered and its condition holds, in the same step.",
        ),
        may("if", GUARD, "The condition (guard) under which the row is taken."),
        may("do", DO, "The actions, in order, in one atomic step."),
        may("untaken", Kind::Text, "Why it is right that no run takes the row."),
        CITE,
    ],
};

static CELL: Shape = Shape {
    name: "cell",
    keys: &[
        must(
            "state",
            ONE_OR_MORE,
            "The states; `any` for every state that declares nothing else for the event.",
        ),
        must("event", ONE_OR_MORE, "The events."),
        BECAUSE,
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
