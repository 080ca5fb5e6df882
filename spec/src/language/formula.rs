//! The schema of formulas, of the rules made of them, and of the predicates and collections that
//! they use.

use super::key::{ABOUT, CITE, IDENT, OF};
use crate::language::shape::{Kind, Shape, may, must};

pub(super) const PREDICATES: Kind = Kind::Names(&Kind::Map(&PREDICATE));
pub(super) const COLLECTIONS: Kind = Kind::Names(&Kind::Map(&COLLECTION));
const ANSWERS: Kind = Kind::Choice(&["core", "whole"]);
const LISTS: Kind = Kind::Choice(&["core", "whole", "row"]);

static PREDICATE: Shape = Shape {
    name: "predicate",
    keys: &[
        OF,
        may(
            "asked of",
            Kind::Either(&[ANSWERS, Kind::List(&ANSWERS)]),
            "Who can answer it: `core` (the default), or `whole`, the checker, which sees the \
             whole system.",
        ),
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
            "Who can list it: `core`, `whole` (the checker) or `row` (a loop of a row). Default: \
             `core`, and `row` if it has no parameters.",
        ),
        ABOUT,
        IDENT,
        CITE,
    ],
};

pub(super) static INSTANCES: Shape = Shape {
    name: "entry of instances",
    keys: &[
        must(
            "asked of",
            Kind::Either(&[ANSWERS, Kind::List(&ANSWERS)]),
            "Who knows them: `core` (the default) or `whole`, the checker.",
        ),
        ABOUT,
    ],
};

pub(super) const RULES: Kind = Kind::Names(&Kind::Map(&RULE));

static RULE: Shape =
    Shape { name: "rule", keys: &[OF, must("is", FORMULA, "The formula."), ABOUT, IDENT, CITE] };

/// A formula: a leaf, a connective over formulas, or a quantifier.
pub(crate) static FORMULA: Kind = Kind::Either(&[Kind::Text, Kind::Map(&FORMULA_MAP)]);

static FORMULA_MAP: Shape = Shape {
    name: "formula",
    keys: &[
        may("all", Kind::List(&FORMULA), "True if all of these are true."),
        may("any", Kind::List(&FORMULA), "True if at least one of these is true."),
        may("not", FORMULA, "True if this is false."),
        may(
            "implies",
            Kind::List(&FORMULA),
            "A list of two: if the first is true, so is the second.",
        ),
        may("iff", Kind::List(&FORMULA), "A list of two: both are true, or both are false."),
        may(
            "every",
            Kind::Text,
            "`VARIABLE in RANGE`: `is` holds for every element of a state, a set or a collection.",
        ),
        may("some", Kind::Text, "`VARIABLE in RANGE`: `is` holds for at least one element."),
        may("none", Kind::Text, "`VARIABLE in RANGE`: `is` holds for no element."),
        may("is", FORMULA, "The body of the quantifier."),
    ],
};
