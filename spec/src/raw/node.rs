//! What stands under the keys of a mapping whose shape is right.

use crate::language::shape::{self, Shape};
use crate::table::Lines;
use crate::yaml::{Node, Word};

/// A list of declarations, each under its name, in the order written.
pub(crate) type Named<T> = Vec<(Word, T)>;

/// Whether a mapping has keys that its shape does not know.
pub(super) fn is_odd(node: &Node, shape: &Shape) -> bool {
    let is_known = |word: &Word| shape.keys.iter().any(|key| key.name == word.text);
    node.entries().iter().any(|(word, _)| !is_known(word))
}

/// The text under a key, or empty.
pub(crate) fn text(node: &Node, key: &str) -> String {
    word(node, key).map(|word| word.text).unwrap_or_default()
}

/// The word under a key.
pub(crate) fn word(node: &Node, key: &str) -> Option<Word> {
    node.at(key).map(Node::word)
}

/// The word or words under a key.
pub(crate) fn words(node: &Node, key: &str) -> Option<Vec<Word>> {
    node.at(key).map(Node::words)
}

/// The lines under a key.
pub(crate) fn cite(node: &Node, key: &str) -> Vec<Lines> {
    let words = words(node, key).unwrap_or_default();
    words.iter().filter_map(|word| shape::lines(&word.text)).collect()
}

/// The items of the list under a key.
pub(crate) fn list<T>(node: &Node, key: &str, read: fn(&Node) -> T) -> Vec<T> {
    node.at(key).map(|list| list.items().iter().map(read).collect()).unwrap_or_default()
}

/// The entries of the mapping under a key.
pub(crate) fn named<T>(node: &Node, key: &str, read: fn(&Node) -> T) -> Named<T> {
    let entries = node.at(key).map(Node::entries).unwrap_or_default();
    entries.iter().map(|(name, node)| (name.clone(), read(node))).collect()
}

/// The flag under a key.
pub(crate) fn flag(node: &Node, key: &str) -> Option<bool> {
    word(node, key).map(|word| word.text == "true")
}
