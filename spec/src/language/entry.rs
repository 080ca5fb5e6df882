//! The shapes of the entries of a table: its declarations, rows and cells.

use super::formula::FORMULA;
use super::key::{ABOUT, BECAUSE, CITE, IDENT, NAME, NAMES, ONE_OR_MORE};
use crate::language::shape::{Kind, Shape, may, must};

pub(super) const CELLS: Kind = Kind::List(&Kind::Map(&CELL));
pub(super) const SET: Kind = Kind::Either(&[NAMES, Kind::Map(&SET_MAP)]);
pub(super) const RESOURCE: Kind =
    Kind::Either(&[Kind::Choice(RESOURCE_KINDS), NAMES, Kind::Map(&RESOURCE_MAP)]);
pub(super) const GUARD_NAME: Kind = Kind::Either(&[Kind::Text, Kind::Map(&GUARD_MAP)]);
/// A condition: a guard's name, or `all`, `any`, `not` over conditions.
pub(crate) static GUARD: Kind = Kind::Either(&[Kind::Text, Kind::Map(&CONDITION)]);

/// An entry of `do`: an action, a conditional block, or a loop.
pub(crate) static STEP: Kind = Kind::Either(&[Kind::Text, Kind::Map(&BRANCH)]);
pub(super) const DO: Kind = Kind::List(&STEP);

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

pub(super) static STATE: Shape = Shape {
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

pub(super) static ACTION: Shape = Shape {
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

pub(super) static VARIABLE: Kind = Kind::Either(&[Kind::Text, NAMES, Kind::Map(&VARIABLE_MAP)]);

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

pub(super) static ROW: Shape = Shape {
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
