//! The mutants of a file: what the visitor of its syntax can change.

mod changes;
mod firsts;
mod names;
mod paths;
mod places;
mod scope;
mod stale;
mod swaps;
pub mod types;
mod visit;

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::Span;
use syn::visit::Visit as _;

use crate::site::{Edit, Kind, Mutant, insert};
use scope::Scope;
use types::Types;

/// The mutants of a file.
///
/// # Errors
///
/// The file is no Rust.
pub fn mutants(
    (file, text): (&str, &str),
    kinds: &[Kind],
    types: &Types,
) -> Result<Vec<Mutant>, String> {
    let tree = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
    let mut finder = Finder {
        file,
        text,
        kinds,
        types,
        kind: Kind::Change,
        path: Vec::new(),
        scope: Scope::default(),
        statements: Vec::new(),
        found: Vec::new(),
        seen: BTreeMap::new(),
    };
    finder.visit_file(&tree);
    Ok(finder.found)
}

struct Finder<'t> {
    file: &'t str,
    text: &'t str,
    /// Those that are looked for.
    kinds: &'t [Kind],
    types: &'t Types,
    /// The one that is looked for at present.
    kind: Kind,
    /// The type and the function that are open.
    path: Vec<String>,
    /// The names that an expression may use.
    scope: Scope,
    /// Where the open statements begin.
    statements: Vec<usize>,
    found: Vec<Mutant>,
    /// How often each change of a function was met.
    seen: BTreeMap<(String, String), usize>,
}

impl Finder<'_> {
    /// Whether a kind is looked for; what is found from now on is of it.
    fn looks_for(&mut self, kind: Kind) -> bool {
        self.kind = kind;
        self.kinds.contains(&kind)
    }

    fn of(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    /// The text of a place in one short line.
    fn words(&self, span: Span) -> String {
        let words: Vec<&str> = self.of(span).split_whitespace().collect();
        let words = words.join(" ");
        match words.char_indices().nth(60) {
            Some((at, _)) => format!("{}…", &words[..at]),
            None => words,
        }
    }

    /// The text of a place, to be put elsewhere, with some bytes of it replaced.
    fn copied(&self, span: Span, replaced: Range<usize>, by: &str) -> String {
        let whole = span.byte_range();
        let (before, after) = (whole.start..replaced.start, replaced.end..whole.end);
        let text = format!("{}{by}{}", &self.text[before], &self.text[after]);
        text.replace("{}", "{ }")
    }

    fn add(&mut self, span: Span, change: String, edits: Vec<Edit>) {
        let function = self.path.join("::");
        let seen = self.seen.entry((function.clone(), change.clone())).or_default();
        *seen += 1;
        let (occurrence, line, kind) = (*seen, span.start().line, self.kind);
        let file = self.file.to_owned();
        self.found.push(Mutant { kind, file, function, change, occurrence, line, edits });
    }

    /// A change that wraps an expression.
    fn wrap(&mut self, span: Span, (open, close): (&str, &str), change: String) {
        let Range { start, end } = span.byte_range();
        let edits = vec![insert(start, false, open), insert(end, true, close)];
        self.add(span, change, edits);
    }

    /// Visits something with names of its own.
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = self.scope.len();
        visit(self);
        self.scope.leave(outer);
    }

    fn bind(&mut self, pattern: &syn::Pat) {
        self.scope.bind(pattern, None, self.types, self.file);
    }
}

/// The mutants of one kind of a text, and their changes.
#[cfg(test)]
fn found_in(text: &str, kind: Kind) -> (Vec<Mutant>, Vec<String>) {
    let mut types = Types::default();
    types.add("core.rs", text).expect("it is Rust");
    let found = mutants(("core.rs", text), &[kind], &types).expect("it is Rust");
    let changes = found.iter().map(|mutant| mutant.change.clone()).collect();
    (found, changes)
}

#[cfg(test)]
mod tests {
    use super::found_in;
    use crate::site::Kind;

    const TEXT: &str = "
const LIMIT: bool = 1 < 2;
const fn fixed(a: u8) -> bool { a < 3 }
struct Core;
impl core::fmt::Display for Core {
    fn fmt(&self) -> bool { true }
}
impl Core {
    fn step(&mut self, one: u8) -> bool {
        if self.is_done() && one + 1 != 4 {
            self.end();
        }
        match one {
            0 => self.begin(),
            2 if self.is_late() => {}
            _ => self.count += 1,
        }
        let Some(known) = self.known else { return false };
        if let Some(one) = known && one > 2 {}
        true
    }
}
#[cfg(test)]
mod tests {
    fn is_left_out() -> bool { true }
}
";

    #[test]
    fn what_a_step_runs_is_mutated() {
        let (found, _) = found_in(TEXT, Kind::Change);
        let found: Vec<String> = found.iter().map(|mutant| mutant.id()).collect();
        let expected = [
            "the body becomes `true`",
            "the body becomes `false`",
            "`self.is_done()` becomes `true`",
            "`one + 1 != 4` becomes `true`",
            "`one + 1 != 4` is negated",
            "`one + 1` adds nothing",
            "`self.end()` is left out",
            "`self.begin()` is left out",
            "`self.is_late()` is negated",
            "`self.count += 1` adds nothing",
            "`false` is negated",
            "`one > 2` is negated",
            "`one > 2` becomes `>=`",
            "`true` is negated",
        ];
        let expected = expected.map(|change| format!("core.rs Core::step: {change}"));
        assert_eq!(found, expected);
    }
}
