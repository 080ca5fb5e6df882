//! The language of system files, as shapes.

use crate::language::{ABOUT, CITE, DOCUMENT, UNCITED};
use crate::shape::{Key, Kind, Shape, may, must};

const BECAUSE: Key = may("because", Kind::Text, "Why, in one sentence.");

/// A whole file.
pub(crate) static SYSTEM: Shape = Shape {
    name: "system",
    keys: &[
        may("language", Kind::Choice(&["1"]), "The version of the language: 1."),
        must("system", Kind::Text, "The system's name."),
        ABOUT,
        may("document", Kind::Map(&DOCUMENT), "The document whose sentences are checked."),
        must("roles", Kind::Names(&Kind::Map(&ROLE)), "Who takes part."),
        may("links", Kind::Names(&Kind::Map(&LINK)), "What carries messages: `A to B`."),
        may("time", Kind::List(&TIME), "Which timers fire before which."),
        must("worlds", Kind::Names(&Kind::Map(&WORLD)), "The worlds to search."),
        may("set", Kind::Names(&Kind::Text), "What --set may change, with its usual value."),
        must("properties", Kind::List(&Kind::Map(&PROPERTY)), "What must hold."),
        may("uncited", UNCITED, "Lines of the document that nothing cites, and why."),
    ],
};

static ROLE: Shape = Shape {
    name: "role",
    keys: &[
        must("machine", Kind::Text, "The table that its nodes run."),
        may("count", Kind::Text, "How many there are: a number, or a key of `set`."),
        may("symmetric", Kind::Flag, "Whether their numbers are exchangeable."),
        ABOUT,
        CITE,
    ],
};

static LINK: Shape = Shape {
    name: "link",
    keys: &[
        must("kind", Kind::Choice(LINK_KINDS), "How messages travel."),
        may("slots", Kind::Number, "Requests on their way at once."),
        may("capacity", Kind::Number, "Messages on their way at once."),
        ABOUT,
        CITE,
    ],
};

const LINK_KINDS: &[&str] = &["request-response", "fifo", "unordered"];

const TIME: Kind = Kind::Either(&[Kind::Text, Kind::Map(&RELATION)]);

static RELATION: Shape = Shape {
    name: "time relation",
    keys: &[must("relation", Kind::Text, "`client.lease before server.ttl`."), BECAUSE, CITE],
};

static WORLD: Shape = Shape {
    name: "world",
    keys: &[
        ABOUT,
        may("budgets", Kind::Names(&BUDGET), "How often each kind of fault may happen."),
        may("set", Kind::Names(&Kind::Text), "Values of `set` that hold here."),
        may(
            "default",
            Kind::Flag,
            "Whether it is searched where no world is named; if not, it is by `--set size=large`.",
        ),
        may("properties", Kind::List(&Kind::Text), "The properties checked here, if not all."),
    ],
};

const BUDGET: Kind = Kind::Either(&[Kind::Number, Kind::Choice(&["any"])]);

static PROPERTY: Shape = Shape {
    name: "property",
    keys: &[
        must("name", Kind::Text, "Its name."),
        may("always", Kind::Text, "The sentence that is true in every reachable state."),
        may("sometimes", Kind::Text, "The sentence that is true in some reachable state."),
        may("leads to", Kind::Text, "The sentence that every fair run comes to."),
        may("can reach", Kind::Text, "The sentence that can become true after the premise."),
        may("where", Kind::List(&Kind::Text), "Budgets that a world must have to check it."),
        may("without", Kind::List(&Kind::Text), "Faults after which it says nothing."),
        may("premise", Kind::Text, "What must be reached for it to say anything."),
        may("only", Kind::Choice(&["as written", "amended"]), "The table that it is about."),
        BECAUSE,
        CITE,
    ],
};
