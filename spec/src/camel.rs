//! Rust identifiers of a document's names: `retrying abort` is `RetryingAbort`.

use crate::limit;

/// CamelCase of a name: each word begins with a capital, a word in capitals becomes lower case
/// after its first letter (`PATCH`, `Patch`), and all other characters separate words. May be
/// empty.
#[must_use]
pub fn camel(name: &str) -> String {
    let mut ident = String::new();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let shouted = !word.bytes().any(|b| b.is_ascii_lowercase());
        let (first, rest) = word.split_at(1);
        ident.push_str(&first.to_ascii_uppercase());
        if shouted {
            ident.push_str(&rest.to_ascii_lowercase());
        } else {
            ident.push_str(rest);
        }
    }
    if ident.starts_with(|c: char| c.is_ascii_digit()) {
        ident.insert(0, 'N');
    }
    ident
}

/// Whether a text can stand as the name of an enum's variant.
#[must_use]
pub(crate) fn is_variant(ident: &str) -> bool {
    ident.starts_with(|c: char| c.is_ascii_uppercase())
        && ident.bytes().all(|b| b.is_ascii_alphanumeric())
        && ident != "Self"
}

/// Whether the name of a machine or a system is valid as a file name and a module name.
#[must_use]
pub(crate) fn is_title(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= limit::NAME_BYTES
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b" -_".contains(&b))
}
