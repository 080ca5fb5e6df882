//! The schema of `amendments` and `readings`: which row one selects, and what it sets, adds,
//! changes and removes.

use super::entry::{
    ACTION, CELLS, DO, EVENT, GUARD, GUARD_NAME, RESOURCE, ROW, SET, STATE, VARIABLE,
};
use super::formula::{COLLECTIONS, FORMULA, PREDICATES, RULES};
use super::key::{ABOUT, BECAUSE, CITE, NAME, NAMES, ONE_OR_MORE};
use crate::language::shape::{Key, Kind, Shape, may, must};

static SELECTOR: Shape = Shape {
    name: "selector",
    keys: &[
        may("cite", Kind::Lines, "The lines that the row cites."),
        may("from", NAME, "The row's source, as written."),
        may("event", NAME, "The row's event, as written."),
        may("if", GUARD, "The row's condition."),
    ],
};

static SET_ROW: Shape = Shape {
    name: "new row",
    keys: &[
        may("from", ONE_OR_MORE, "The new source."),
        may("to", NAME, "The new destination."),
        may("event", ONE_OR_MORE, "The new event."),
        may("if", GUARD, "The new condition."),
        may("do", DO, "The new actions."),
        may("untaken", Kind::Text, "Why it is right that no run takes the row."),
    ],
};

const SELECTED: Key = may("row", Kind::Map(&SELECTOR), "The row that `set` changes.");
const VALUES: Key = may("set", Kind::Map(&SET_ROW), "The row's new values.");
const ADDED: Key = may("add", Kind::Map(&ADD), "Declarations and rows to add.");
const CHANGED: Key = may(
    "change",
    Kind::Map(&CHANGE),
    "Declarations and rows to change: the given keys are replaced.",
);
const REMOVED: Key = may("remove", Kind::Map(&REMOVE), "Declarations and rows to remove.");

pub(crate) static READING: Shape = Shape {
    name: "reading",
    keys: &[
        must("id", NAME, "The id, for `check --reading`."),
        must("is", Kind::Text, "What the document means in it, in one sentence."),
        SELECTED,
        VALUES,
        ADDED,
        CHANGED,
        REMOVED,
        must(
            "differs",
            NAMES,
            "The checks that fail in it, and hold in the table: properties of the table, or \
             `SYSTEM/PROPERTY`. `[]`: it changes no verdict in any world.",
        ),
        may("needs", NAMES, "The amendments that it depends on."),
        may("without", NAMES, "The amendments that have no place in it."),
        CITE,
    ],
};

pub(crate) static AMENDMENT: Shape = Shape {
    name: "amendment",
    keys: &[
        must("id", NAME, "The id, for reports and `needs`."),
        SELECTED,
        VALUES,
        ADDED,
        CHANGED,
        REMOVED,
        BECAUSE,
        must(
            "shown-by",
            NAMES,
            "The checks that fail without the amendment: diagnostic codes, properties of the \
             table, or `SYSTEM/PROPERTY`.",
        ),
        may("needs", NAMES, "The amendments that this one depends on."),
        CITE,
    ],
};

static ADD: Shape = Shape {
    name: "list of additions",
    keys: &[
        may("states", Kind::Names(&Kind::Map(&STATE)), "New states."),
        may("sets", Kind::Names(&SET), "New sets."),
        may("events", Kind::Names(&Kind::Map(&EVENT)), "New events."),
        may("actions", Kind::Names(&Kind::Map(&ACTION)), "New actions."),
        may("resources", Kind::Names(&RESOURCE), "New resources."),
        may("variables", Kind::Names(&VARIABLE), "New variables."),
        may("guards", Kind::Names(&GUARD_NAME), "New guards."),
        may("predicates", PREDICATES, "New predicates."),
        may("collections", COLLECTIONS, "New collections."),
        may("rules", RULES, "New rules."),
        may("invariants", RULES, "New invariants."),
        may("transitions", Kind::List(&Kind::Map(&ROW)), "New rows, appended."),
        may("ignore", CELLS, "New ignored cells."),
        may("impossible", CELLS, "New impossible cells."),
        may("unspecified", CELLS, "New unspecified cells."),
    ],
};

static CHANGE: Shape = Shape {
    name: "list of changes",
    keys: &[
        may("rows", Kind::List(&Kind::Map(&CHANGED_ROW)), "Rows, each with its new values."),
        may("states", Kind::Names(&Kind::Map(&STATE)), "States."),
        may("sets", Kind::Names(&SET), "Sets."),
        may("events", Kind::Names(&Kind::Map(&EVENT)), "Events."),
        may("actions", Kind::Names(&Kind::Map(&ACTION)), "Actions."),
        may("resources", Kind::Names(&RESOURCE), "Resources."),
        may("guards", Kind::Names(&Kind::Map(&CHANGED_GUARD)), "Guards with a formula."),
        may("rules", RULES, "Rules."),
        may("invariants", RULES, "Invariants."),
    ],
};

static CHANGED_GUARD: Shape = Shape {
    name: "changed guard",
    keys: &[
        must("is", FORMULA, "The formula that computes it."),
        may("of", NAMES, "The parameters of the formula, as in `guards`."),
        ABOUT,
    ],
};

static CHANGED_ROW: Shape = Shape {
    name: "changed row",
    keys: &[
        must("row", Kind::Map(&SELECTOR), "The row to change."),
        must("set", Kind::Map(&SET_ROW), "The row's new values."),
    ],
};

static REMOVE: Shape = Shape {
    name: "list of removals",
    keys: &[
        may("rows", Kind::List(&Kind::Map(&SELECTOR)), "Rows."),
        may("states", NAMES, "States."),
        may("sets", NAMES, "Sets."),
        may("events", NAMES, "Events."),
        may("actions", NAMES, "Actions."),
        may("resources", NAMES, "Resources."),
        may("guards", NAMES, "Guards."),
        may("rules", NAMES, "Rules."),
        may("invariants", NAMES, "Invariants."),
        may("ignore", Kind::List(&Kind::Map(&CELL_SELECTOR)), "Ignored cells."),
        may("impossible", Kind::List(&Kind::Map(&CELL_SELECTOR)), "Impossible cells."),
        may("unspecified", Kind::List(&Kind::Map(&CELL_SELECTOR)), "Unspecified cells."),
    ],
};

static CELL_SELECTOR: Shape = Shape {
    name: "cell selector",
    keys: &[
        must("state", ONE_OR_MORE, "The states, as written."),
        must("event", ONE_OR_MORE, "The events, as written."),
    ],
};
