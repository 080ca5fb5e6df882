//! The language of table files, as shapes: every key that a table may have. Tables only; systems
//! have [`crate::system`].

use crate::shape::{Key, Kind, Shape, may, must};

const NAME: Kind = Kind::Text;
const NAMES: Kind = Kind::List(&Kind::Text);
const ONE_OR_MORE: Kind = Kind::Either(&[Kind::Text, NAMES]);

/// The document's prose.
pub(crate) const ABOUT: Key = may("about", Kind::Text, "The document's prose on it.");
/// The document's lines.
pub(crate) const CITE: Key = may("cite", Kind::Lines, "The document's lines that say so.");
const OF: Key = may("of", NAMES, "The things that it speaks of, in order.");
const IDENT: Key = may("ident", Kind::Text, "The Rust name, where CamelCase of the name collides.");
const BECAUSE: Key = must("because", Kind::Text, "Why, in one sentence.");

/// A whole file.
pub(crate) static TABLE: Shape = Shape {
    name: "table",
    keys: &[
        must("language", Kind::Choice(&["1"]), "The version of the language: 1."),
        must("machine", NAME, "The machine's name."),
        may("document", Kind::Map(&DOCUMENT), "The document that the table transcribes."),
        must("states", Kind::Names(&Kind::Map(&STATE)), "The states, in the document's order."),
        may("sets", Kind::Names(&SET), "Named sets of states."),
        must("events", Kind::Names(&Kind::Map(&EVENT)), "What may happen."),
        may("actions", Kind::Names(&Kind::Map(&ACTION)), "What a row does."),
        may("resources", Kind::Names(&RESOURCE), "Timers, requests, notes; general words."),
        may(
            "guards",
            Kind::Names(&GUARD_NAME),
            "Named booleans: formulas, or the core's to answer.",
        ),
        may("predicates", PREDICATES, "What formulas ask about things."),
        may("collections", COLLECTIONS, "What formulas and rows go through."),
        may("instances", Kind::Map(&INSTANCES), "The machine's instances, for formulas."),
        must("transitions", Kind::List(&Kind::Map(&ROW)), "The rows, in the document's order."),
        may("ignore", CELLS, "Cells without a row in which the event changes nothing."),
        may("impossible", CELLS, "Cells without a row to which the event cannot come."),
        may("rules", RULES, "The document's formulas about some things: who may do what."),
        may("invariants", RULES, "The document's formulas that are always so."),
        may("uncited", UNCITED, "Lines of the document that nothing cites, and why."),
        may("amendments", AMENDMENTS, "Where the table differs from its document, and why."),
        may("survivors", SURVIVORS, "Mutants of the amended table that no property notices."),
    ],
};

const CELLS: Kind = Kind::List(&Kind::Map(&CELL));
/// Lines that nothing cites.
pub(crate) const UNCITED: Kind = Kind::List(&Kind::Map(&UNCITED_LINES));
const SURVIVORS: Kind = Kind::List(&Kind::Map(&SURVIVOR));
const AMENDMENTS: Kind = Kind::List(&Kind::Map(&AMENDMENT));
const SET: Kind = Kind::Either(&[NAMES, Kind::Map(&SET_MAP)]);
const RESOURCE: Kind =
    Kind::Either(&[Kind::Choice(RESOURCE_KINDS), NAMES, Kind::Map(&RESOURCE_MAP)]);
const GUARD_NAME: Kind = Kind::Either(&[Kind::Text, Kind::Map(&GUARD_MAP)]);
/// A condition: a guard's name, or `all`, `any`, `not` over conditions.
pub(crate) static GUARD: Kind = Kind::Either(&[Kind::Text, Kind::Map(&CONDITION)]);

/// What a row does: actions, and actions under a condition.
pub(crate) static STEP: Kind = Kind::Either(&[Kind::Text, Kind::Map(&BRANCH)]);
const DO: Kind = Kind::List(&STEP);

static BRANCH: Shape = Shape {
    name: "branch",
    keys: &[
        may("if", GUARD, "The condition, answered before the row is taken."),
        may("for each", Kind::Text, "The collection: what is done is done for each of its things."),
        must("do", Kind::List(&STEP), "What is done."),
    ],
};

/// The kinds of resources.
pub(crate) const RESOURCE_KINDS: &[&str] = &["timer", "request", "note"];

/// The document.
pub(crate) static DOCUMENT: Shape = Shape {
    name: "document",
    keys: &[
        must("file", Kind::Text, "The document's file name."),
        may("title", Kind::Text, "Its title."),
        may("section", Kind::Text, "The section that has the table."),
        may("sha256", Kind::Text, "The SHA-256 of its text."),
        CITE,
    ],
};

static STATE: Shape = Shape {
    name: "state",
    keys: &[
        ABOUT,
        may("holds", NAMES, "The resources that the state holds."),
        may("may hold", NAMES, "The resources that it holds only sometimes."),
        may("initial", Kind::Flag, "Whether a machine begins here."),
        may("final", Kind::Flag, "Whether a machine ends here."),
        may("invented", Kind::Text, "Why a state stands here that the document does not name."),
        may("undeclared", Kind::Flag, "The document uses the name and never declares it."),
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
        may("kind", Kind::Choice(&["command", "message"]), "Who causes it."),
        may("payload", PAYLOAD, "What it carries: one field and its values."),
        may("consumes", ONE_OR_MORE, "The resource that is held no longer once it has come."),
        IDENT,
        CITE,
    ],
};

const PAYLOAD: Kind = Kind::Names(&ONE_OR_MORE);

static ACTION: Shape = Shape {
    name: "action",
    keys: &[
        ABOUT,
        may("creates", ONE_OR_MORE, "The resources that are held once it is done."),
        may("deletes", ONE_OR_MORE, "The resources that are held no longer."),
        may("restarts", ONE_OR_MORE, "The timers that are held and start anew."),
        may("abandons", ONE_OR_MORE, "The requests whose answers no longer reach the table."),
        may("tells", Kind::Text, "The event that other instances get in the same step."),
        IDENT,
        CITE,
    ],
};

pub(crate) static RESOURCE_MAP: Shape = Shape {
    name: "resource",
    keys: &[
        may("kind", Kind::Choice(RESOURCE_KINDS), "Timer, request or note."),
        may("any of", NAMES, "The resources that a general word stands for."),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static GUARD_MAP: Shape = Shape {
    name: "guard",
    keys: &[
        may("is", FORMULA, "The formula that answers it; without one the core does."),
        may(
            "of",
            NAMES,
            "What the formula speaks of, beside what it gives to a parameter of that name.",
        ),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static CONDITION: Shape = Shape {
    name: "condition",
    keys: &[
        may("all", Kind::List(&GUARD), "Every one of these."),
        may("any", Kind::List(&GUARD), "At least one of these."),
        may("not", GUARD, "The opposite."),
    ],
};

const PREDICATES: Kind = Kind::Names(&Kind::Map(&PREDICATE));
const COLLECTIONS: Kind = Kind::Names(&Kind::Map(&COLLECTION));
const ANSWERS: Kind = Kind::Choice(&["core", "whole"]);
const LISTS: Kind = Kind::Choice(&["core", "whole", "row"]);

static PREDICATE: Shape = Shape {
    name: "predicate",
    keys: &[
        OF,
        may("asked of", Kind::Either(&[ANSWERS, Kind::List(&ANSWERS)]), "Who can answer: core."),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static COLLECTION: Shape = Shape {
    name: "collection",
    keys: &[
        OF,
        may(
            "asked of",
            Kind::Either(&[LISTS, Kind::List(&LISTS)]),
            "Who can list it: core; without `of` the row that is taken, too.",
        ),
        ABOUT,
        IDENT,
        CITE,
    ],
};

static INSTANCES: Shape = Shape {
    name: "entry of instances",
    keys: &[
        must("asked of", Kind::Either(&[ANSWERS, Kind::List(&ANSWERS)]), "Who knows them: core."),
        ABOUT,
    ],
};

const RULES: Kind = Kind::Names(&Kind::Map(&RULE));

static RULE: Shape =
    Shape { name: "rule", keys: &[OF, must("is", FORMULA, "The formula."), ABOUT, IDENT, CITE] };

/// A formula: a leaf, a connective over formulas, or a quantifier.
static FORMULA: Kind = Kind::Either(&[Kind::Text, Kind::Map(&FORMULA_MAP)]);

static FORMULA_MAP: Shape = Shape {
    name: "formula",
    keys: &[
        may("all", Kind::List(&FORMULA), "Every one of these."),
        may("any", Kind::List(&FORMULA), "At least one of these."),
        may("not", FORMULA, "The opposite."),
        may("implies", Kind::List(&FORMULA), "Two: where the first is so, so is the second."),
        may("iff", Kind::List(&FORMULA), "Two: both are so, or neither."),
        may("every", Kind::Text, "`VARIABLE in STATE`, a set or a collection: so of all."),
        may("some", Kind::Text, "`VARIABLE in STATE`, a set or a collection: so of one."),
        may("none", Kind::Text, "`VARIABLE in STATE`, a set or a collection: so of none."),
        may("is", FORMULA, "What is so of the variable."),
    ],
};

static ROW: Shape = Shape {
    name: "row",
    keys: &[
        must("from", ONE_OR_MORE, "The state that the row leaves."),
        must("to", NAME, "The state that the row enters, or `same`."),
        must("event", ONE_OR_MORE, "The event, with a pattern over what it carries."),
        may("if", GUARD, "The condition beside the event."),
        may(
            "do",
            DO,
            "What is done, in order, in one step; what takes time goes on in a row of its own.",
        ),
        may("untaken", Kind::Text, "Why it is right that no run takes the row."),
        CITE,
    ],
};

static CELL: Shape = Shape {
    name: "cell",
    keys: &[
        must("state", ONE_OR_MORE, "The states; `any` for every state whose cell says nothing."),
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
        must("row", ONE_OR_MORE, "What is changed, as `turnstile mutate` names it."),
        must("change", ONE_OR_MORE, "How, as `turnstile mutate` says it: each change of each row."),
        must("because", Kind::Text, "Why it is right that nothing notices, in one sentence."),
    ],
};

static SELECTOR: Shape = Shape {
    name: "selector",
    keys: &[
        may("cite", Kind::Lines, "The line of the literal row."),
        may("from", NAME, "The literal row's source."),
        may("event", NAME, "The literal row's event, as written."),
        may("if", GUARD, "The literal row's condition."),
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

pub(crate) static AMENDMENT: Shape = Shape {
    name: "amendment",
    keys: &[
        must("id", NAME, "The name that others use."),
        may("row", Kind::Map(&SELECTOR), "The literal row that `set` changes."),
        may("set", Kind::Map(&SET_ROW), "The row's new values."),
        may("add", Kind::Map(&ADD), "What is added."),
        may("change", Kind::Map(&CHANGE), "What is changed: the given keys are replaced."),
        may("remove", Kind::Map(&REMOVE), "What is removed."),
        BECAUSE,
        must("shown-by", NAMES, "What fails without it, and not without those that need it alone."),
        may("needs", NAMES, "The amendments that it builds on."),
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
        may("guards", Kind::Names(&GUARD_NAME), "New guards."),
        may("predicates", PREDICATES, "New predicates."),
        may("collections", COLLECTIONS, "New collections."),
        may("rules", RULES, "New rules."),
        may("invariants", RULES, "New invariants."),
        may("transitions", Kind::List(&Kind::Map(&ROW)), "New rows, after the others."),
        may("ignore", CELLS, "New ignored cells."),
        may("impossible", CELLS, "New impossible cells."),
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
        may("guards", Kind::Names(&Kind::Map(&CHANGED_GUARD)), "Guards that are formulas."),
        may("rules", RULES, "Rules."),
        may("invariants", RULES, "Invariants."),
    ],
};

static CHANGED_GUARD: Shape = Shape {
    name: "changed guard",
    keys: &[
        must("is", FORMULA, "The formula that answers it."),
        may("of", NAMES, "What the formula speaks of, as in `guards`."),
        ABOUT,
    ],
};

static CHANGED_ROW: Shape = Shape {
    name: "changed row",
    keys: &[
        must("row", Kind::Map(&SELECTOR), "The literal row."),
        must("set", Kind::Map(&SET_ROW), "Its new values."),
    ],
};

static REMOVE: Shape = Shape {
    name: "list of removals",
    keys: &[
        may("rows", Kind::List(&Kind::Map(&SELECTOR)), "Literal rows."),
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
    ],
};

static CELL_SELECTOR: Shape = Shape {
    name: "cell selector",
    keys: &[
        must("state", ONE_OR_MORE, "The states, as written."),
        must("event", ONE_OR_MORE, "The events, as written."),
    ],
};
