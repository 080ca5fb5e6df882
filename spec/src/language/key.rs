//! Keys and kinds of values that several shapes have.

use crate::language::shape::{Key, Kind, may, must};

pub(super) const NAME: Kind = Kind::Text;
pub(super) const NAMES: Kind = Kind::List(&Kind::Text);
pub(super) const ONE_OR_MORE: Kind = Kind::Either(&[Kind::Text, NAMES]);

/// The document's prose.
pub(crate) const ABOUT: Key = may("about", Kind::Text, "What the document says about it.");
/// The document's lines.
pub(crate) const CITE: Key = may("cite", Kind::Lines, "The lines of the document that state it.");
pub(super) const OF: Key = may("of", NAMES, "The parameters, in order.");
pub(super) const IDENT: Key =
    may("ident", Kind::Text, "The Rust identifier, if CamelCase of the name is already taken.");
pub(super) const BECAUSE: Key = must("because", Kind::Text, "The reason, in one sentence.");
