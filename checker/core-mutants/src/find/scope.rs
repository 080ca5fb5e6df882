//! The names that are in scope in a function, with their types where the source writes them.

use syn::{FnArg, Ident, Member, Pat, Signature};

use super::types::{self, Types};

/// The names in scope, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: Vec<(String, Option<String>)>,
    /// Names, and the places that they were read from.
    copies: Vec<(String, String)>,
}

impl Scope {
    /// Enters a function of a type.
    pub(super) fn enter(
        &mut self,
        signature: &Signature,
        own: Option<&str>,
        all: &Types,
        file: &str,
    ) {
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(_) => self.names.push(("self".to_owned(), own.map(str::to_owned))),
                FnArg::Typed(typed) => {
                    self.bind(&typed.pat, Some(&types::text(&typed.ty)), all, file);
                }
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Notes which names a pattern gives the parts of a place.
    pub(super) fn copy(&mut self, pattern: &Pat, place: &str) {
        match pattern {
            Pat::Ident(one) => self.copies.push((one.ident.to_string(), place.to_owned())),
            Pat::Struct(shape) => {
                for field in &shape.fields {
                    if let Member::Named(member) = &field.member {
                        self.copy(&field.pat, &format!("{place}.{member}"));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a name is a copy of the other place.
    pub(super) fn are_one(&self, one: &str, other: &str) -> bool {
        let both = |(copy, place): &(String, String)| {
            [(one, other), (other, one)].contains(&(copy.as_str(), place.as_str()))
        };
        self.copies.iter().any(both)
    }

    /// Forgets what was bound since.
    pub(super) fn leave(&mut self, outer: usize) {
        self.names.truncate(outer);
    }

    /// The names in scope, each once, with their types.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let is_last = |nth: usize| {
            let name = &self.names[nth].0;
            !self.names[nth + 1..].iter().any(|(later, _)| later == name)
        };
        let last = (0..self.names.len()).filter(move |nth| is_last(*nth));
        last.map(|nth| (self.names[nth].0.as_str(), self.names[nth].1.as_deref()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// The type of a name, if it is known.
    pub(super) fn of(&self, name: &str) -> Option<&str> {
        let found = self.names.iter().rev().find(|(known, _)| known == name);
        found.and_then(|(_, of)| of.as_deref())
    }

    /// Binds the names of a pattern over a value of a type.
    pub(super) fn bind(&mut self, pattern: &Pat, of: Option<&str>, all: &Types, file: &str) {
        match pattern {
            Pat::Ident(one) => {
                if is_variable(&one.ident) {
                    let of = of.filter(|of| !of.is_empty());
                    self.names.push((one.ident.to_string(), of.map(str::to_owned)));
                }
                if let Some((_, inner)) = &one.subpat {
                    self.bind(inner, of, all, file);
                }
            }
            Pat::Struct(shape) => {
                let name = structure(&shape.path);
                for field in &shape.fields {
                    let Member::Named(member) = &field.member else { continue };
                    let of = all.field(&name, &member.to_string(), file);
                    self.bind(&field.pat, of, all, file);
                }
            }
            Pat::TupleStruct(shape) => {
                let name = structure(&shape.path);
                for (nth, inner) in shape.elems.iter().enumerate() {
                    self.bind(inner, all.field(&name, &nth.to_string(), file), all, file);
                }
            }
            Pat::Type(typed) => self.bind(&typed.pat, Some(&types::text(&typed.ty)), all, file),
            Pat::Reference(inner) => self.bind(&inner.pat, of, all, file),
            Pat::Paren(inner) => self.bind(&inner.pat, of, all, file),
            Pat::Guard(inner) => self.bind(&inner.pat, of, all, file),
            Pat::Tuple(tuple) => {
                tuple.elems.iter().for_each(|inner| self.bind(inner, None, all, file));
            }
            Pat::Slice(slice) => {
                slice.elems.iter().for_each(|inner| self.bind(inner, None, all, file));
            }
            // Each case binds the same names.
            Pat::Or(cases) => {
                cases.cases.first().into_iter().for_each(|one| self.bind(one, of, all, file));
            }
            _ => {}
        }
    }
}

/// Whether a name is of a value, and not of a variant or a type.
pub(super) fn is_variable(name: &Ident) -> bool {
    name.to_string().starts_with(|first: char| first.is_ascii_lowercase())
}

/// What a pattern names: `Request`, `RequestKind::Post`.
fn structure(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    let is_type = |name: &&String| name.starts_with(|first: char| first.is_ascii_uppercase());
    let types: Vec<&String> = names.iter().filter(is_type).collect();
    match types.as_slice() {
        [.., outer, variant] => format!("{outer}::{variant}"),
        [one] => (*one).clone(),
        [] => String::new(),
    }
}
