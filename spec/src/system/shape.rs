//! The schema of system files: every key, with its type and a description.

use crate::language::shape::{Key, Kind, Shape, may, may_with, must};
use crate::language::{ABOUT, CITE, DOCUMENT, FORMULA, UNCITED};

const BECAUSE: Key = may("because", Kind::Text, "The reason, in one sentence.");

/// A system file.
pub static SYSTEM: Shape = Shape {
    name: "system",
    keys: &[
        may("language", Kind::Choice(&["1"]), "The version of the language: 1."),
        must("system", Kind::Text, "The system's name."),
        ABOUT,
        may("document", Kind::Map(&DOCUMENT), "The document whose sentences the properties check."),
        must(
            "roles",
            Kind::Names(&Kind::Map(&ROLE)),
            "The roles: groups of nodes that run one machine.",
        ),
        may(
            "links",
            Kind::Names(&Kind::Map(&LINK)),
            "The links that carry messages, named `ROLE to ROLE`.",
        ),
        may(
            "routes",
            Kind::Names(&Kind::Map(&ROUTE)),
            "Who receives what an action sends, where several could: by event.",
        ),
        may("time", Kind::List(&TIME), "Assumptions on the order in which timers expire."),
        must(
            "worlds",
            Kind::Names(&Kind::Map(&WORLD)),
            "The worlds: configurations to search, each with its faults and sizes.",
        ),
        may(
            "set",
            Kind::Names(&Kind::Text),
            "The settings that `--set` may change, with their default values.",
        ),
        may(
            "properties",
            Kind::List(&Kind::Map(&PROPERTY)),
            "The properties to check. A system of tables has some without any: no unhandled event, \
             no action fails, timers match state, no deadlock, no full link.",
        ),
        may("uncited", UNCITED, "Lines of the document that no property checks, with the reason."),
    ],
};

static ROLE: Shape = Shape {
    name: "role",
    keys: &[
        may(
            "machine",
            Kind::Text,
            "The machine that the nodes run, in cores that are compiled in.",
        ),
        may(
            "table",
            Kind::Text,
            "The table that the nodes run, without a core: its path, from this file's folder.",
        ),
        may("count", Kind::Text, "The number of nodes, or a key of `set`."),
        may("symmetric", Kind::Flag, "Whether the nodes are interchangeable (symmetry reduction)."),
        ABOUT,
        CITE,
    ],
};

static LINK: Shape = Shape {
    name: "link",
    keys: &[
        must(
            "kind",
            Kind::Choice(LINK_KINDS),
            "How messages are delivered: with a slot for each request until it is answered, in \
             order, or in any order.",
        ),
        may("slots", Kind::Number, "The maximum number of outstanding requests."),
        may("capacity", Kind::Number, "The maximum number of messages in flight."),
        may(
            "when full",
            Kind::Choice(&["fail", "drop", "block"]),
            "What happens to a message that is sent while the link is full: it is dropped and \
             reported (`fail`, the default), dropped (`drop`), or the sender cannot take the step \
             until there is room (`block`).",
        ),
        may(
            "on failure",
            Kind::Text,
            "In a system of tables, for requests: the event that the sender of a request gets \
             where the request or its answer is lost, as `EVENT` or `EVENT (VALUE)`. Without it \
             none is lost but by a crash or a restart.",
        ),
        ABOUT,
        CITE,
    ],
};

static ROUTE: Shape = Shape {
    name: "route",
    keys: &[
        may("from", Kind::Text, "The sending role; default: every role that sends the event."),
        must(
            "to",
            Kind::Text,
            "The receiver: a role of one node, `every ROLE`, `every other` node of the sender's \
             role, or `sender`: the node whose message the sender handles.",
        ),
    ],
};

const LINK_KINDS: &[&str] = &["request-response", "fifo", "unordered"];

const TIME: Kind = Kind::Either(&[Kind::Text, Kind::Map(&RELATION)]);

static RELATION: Shape = Shape {
    name: "time relation",
    keys: &[
        must("relation", Kind::Text, "The relation: `client.lease before server.ttl`."),
        BECAUSE,
        CITE,
    ],
};

static WORLD: Shape = Shape {
    name: "world",
    keys: &[
        ABOUT,
        may(
            "budgets",
            Kind::Names(&BUDGET),
            "How often each fault, or each limited command, may happen: a number, or `any`.",
        ),
        may(
            "saved",
            Kind::Names(&SAVED),
            "In a system of tables: what survives a restart of a role's nodes: `state`, variables, \
             or `all`. What is not saved has its initial value after a restart.",
        ),
        may("set", Kind::Names(&Kind::Text), "Values of settings in this world."),
        may(
            "default",
            Kind::Flag,
            "Whether it is searched by default; if not, only by name or with `--set size=large`.",
        ),
        may(
            "properties",
            Kind::List(&Kind::Text),
            "The properties to check in this world; default: all.",
        ),
    ],
};

static SAVED: Kind = Kind::Either(&[Kind::Text, Kind::List(&Kind::Text)]);

const BUDGET: Kind = Kind::Either(&[Kind::Number, Kind::Choice(&["any"])]);

static TO: Kind = Kind::Either(&[Kind::Text, Kind::Map(&FROM_TO)]);

static FROM_TO: Shape = Shape {
    name: "pair of formulas",
    keys: &[
        may(
            "every",
            Kind::Text,
            "`VARIABLE in ROLE`: the property holds for each node of the role by itself.",
        ),
        must("from", FORMULA, "The antecedent."),
        must("to", FORMULA, "What follows, or is reachable."),
    ],
};

static PROPERTY: Shape = Shape {
    name: "property",
    keys: &[
        must("name", Kind::Text, "The property's name."),
        ABOUT,
        may(
            "always",
            FORMULA,
            "What must hold in every reachable state: a sentence, or in a system of tables a \
             formula.",
        ),
        may("never", FORMULA, "In a system of tables: what must hold in no reachable state."),
        may("sometimes", FORMULA, "What must hold in some reachable state."),
        may(
            "leads to",
            TO,
            "What must eventually hold on every fair trace, once the premise holds.",
        ),
        may("can reach", TO, "What must be reachable from every state in which the premise holds."),
        may(
            "where",
            Kind::List(&Kind::Text),
            "The budgets that a world must have for the property to be checked there.",
        ),
        may(
            "without",
            Kind::List(&Kind::Text),
            "The faults after which the property claims nothing.",
        ),
        may(
            "premise",
            Kind::Text,
            "In a system of compiled cores, the antecedent: if no state satisfies it, the verdict \
             is `vacuous`.",
        ),
        may_with(
            "because",
            "only",
            Kind::Choice(&["as written", "amended"]),
            "The only version of the tables that the property is checked on; `because` says why it \
             has no meaning on the other one.",
        ),
        BECAUSE,
        CITE,
    ],
};
