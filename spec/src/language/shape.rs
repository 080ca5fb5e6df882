//! The shapes of YAML that the language knows, checked here. turnstile-manual writes the JSON
//! Schema from the same data.
//!
//! Decides nothing about meaning: whether a name is declared is a lint's question.

mod kind;

use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Span, code};
use crate::source::Source;
use crate::yaml::{Node, Value, Word};
use crate::{language, limit};

#[cfg(feature = "systems")]
pub(crate) use crate::language::shape::kind::may_with;
pub use crate::language::shape::kind::{Key, Kind, Shape};
pub(crate) use crate::language::shape::kind::{may, must};

/// A file of the other kind, where a table or a system was to be read: that it has the other's
/// first key is all there is to say of it.
pub(crate) fn mistaken(tree: &Node, is_table: bool) -> Option<Diagnostic> {
    let (wanted, found, help) = if is_table {
        ("machine", "system", "check it as a system, or compile it with `system!`")
    } else {
        ("system", "machine", "check it as a table, or compile it with `machine!`")
    };
    let (word, _) = tree.entries().iter().find(|(word, _)| word.text == found)?;
    let message = format!("expected a file with `{wanted}`, found one with `{found}`");
    let diagnostic = Diagnostic::error(code::WRONG_TYPE, message)
        .label(word.span, format!("has `{found}` instead of `{wanted}`"))
        .help(help);
    tree.at(wanted).is_none().then_some(diagnostic)
}

/// Checks a tree against a kind and adds all diagnostics.
pub(crate) fn check(source: &Source, node: &Node, kind: Kind, diagnostics: &mut Vec<Diagnostic>) {
    Check { source, diagnostics }.kind(node, kind, "the file");
}

struct Check<'a> {
    source: &'a Source,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn kind(&mut self, node: &Node, kind: Kind, of: &str) {
        if self.diagnostics.len() >= limit::DIAGNOSTICS {
            return;
        }
        match (kind, &node.value) {
            (_, Value::Refused) | (Kind::Text, Value::Scalar(_)) => {}
            (Kind::Flag, Value::Scalar(text)) if text == "true" || text == "false" => {}
            (Kind::Choice(words), Value::Scalar(text)) if words.contains(&text.as_str()) => {}
            (Kind::Choice(words), Value::Scalar(text)) => self.choice(node, text, words, of),
            (Kind::Number, Value::Scalar(text)) if text.parse::<u32>().is_ok() => {}
            (Kind::Lines, Value::Scalar(text)) if lines(text).is_some() => {}
            (Kind::Lines, Value::List(items)) => {
                items.iter().for_each(|item| match item.value {
                    Value::Scalar(_) => self.kind(item, Kind::Lines, of),
                    Value::Absent | Value::Refused | Value::List(_) | Value::Map(_) => {
                        self.wrong(item, kind, of)
                    }
                });
            }
            (Kind::Map(shape), Value::Map(entries)) => self.map(node, shape, entries),
            (Kind::Names(kind), Value::Map(entries)) => {
                for (nth, (name, value)) in entries.iter().enumerate() {
                    match cut(self.source, entries, nth) {
                        Some(first) if first + 1 == nth => self.comma(entries, first),
                        Some(_) => {}
                        None => self.kind(value, *kind, &format!("`{}`", name.text)),
                    }
                }
            }
            (Kind::List(_), Value::List(items)) if self.is_split(items) => {}
            (Kind::List(kind), Value::List(items)) => {
                items.iter().for_each(|item| self.kind(item, *kind, of));
            }
            (Kind::Either(kinds), _) => match kinds.iter().find(|kind| fits(**kind, node)) {
                // Not one of the words, and it could have been a number: neither is meant more.
                Some(Kind::Choice(words)) if is_number_too(kinds) && !is_among(node, words) => {
                    self.wrong(node, kind, of);
                }
                Some(kind) => self.kind(node, *kind, of),
                None => self.wrong(node, kind, of),
            },
            _ => self.wrong(node, kind, of),
        }
    }

    fn map(&mut self, node: &Node, shape: &Shape, entries: &[(Word, Node)]) {
        for (nth, (word, value)) in entries.iter().enumerate() {
            if self.diagnostics.len() >= limit::DIAGNOSTICS {
                return;
            }
            let is_cut = || cut(self.source, entries, nth + 1) == Some(nth);
            if let Some(key) = shape.keys.iter().find(|key| key.name == word.text) {
                // The rest of the split value is reported.
                if is_cut() && entries.get(nth + 1).is_some_and(|(next, _)| !shape.has(&next.text))
                {
                    continue;
                }
                self.kind(value, key.kind, &format!("`{}`", key.name));
            } else if let Some(first) = cut(self.source, entries, nth) {
                // Of a value that several commas cut, the first says it all.
                if first + 1 == nth {
                    self.comma(entries, first);
                }
            } else {
                self.unknown(word, shape);
            }
        }
        for key in shape.keys.iter().filter(|key| key.required) {
            if node.at(key.name).is_none() && !self.is_misspelt(node, shape, key.name) {
                let message = format!("this {} has no `{}`", shape.name, key.name);
                let diagnostic = Diagnostic::error(code::MISSING_KEY, message)
                    .label(node.span, format!("`{}` is missing here", key.name))
                    .help(format!("add `{}: …`: {}", key.name, describe(key.kind)));
                self.diagnostics.push(diagnostic);
            }
        }
        for (word, _) in entries {
            let key = shape.keys.iter().find(|key| key.name == word.text);
            if let Some(needs) = key.and_then(|key| key.needs)
                && node.at(needs).is_none()
                && !self.is_misspelt(node, shape, needs)
            {
                let message = format!("this {} has `{}` without `{needs}`", shape.name, word.text);
                let diagnostic = Diagnostic::error(code::MISSING_KEY, message)
                    .label(word.span, format!("needs `{needs}` beside it"))
                    .help(format!("add `{needs}: …`: the reason; or remove `{}`", word.text));
                self.diagnostics.push(diagnostic);
            }
        }
    }

    fn unknown(&mut self, word: &Word, shape: &Shape) {
        let known: Vec<&str> = shape.keys.iter().map(|key| key.name).collect();
        let near = meant(&word.text, shape, known.iter().copied());
        let help = match (language::help_on_key(shape.name, &word.text), near) {
            (Some(help), _) => help.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("known keys of a {}: {}", shape.name, known.join(", ")),
        };
        let message = format!("unknown key in a {}: `{}`", shape.name, word.text);
        let diagnostic = Diagnostic::error(code::UNKNOWN_KEY, message)
            .label(word.span, "unknown key")
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Whether a key of the mapping is a misspelling of the missing one: then only the misspelling
    /// is reported.
    fn is_misspelt(&self, node: &Node, shape: &Shape, missing: &str) -> bool {
        let known = || shape.keys.iter().map(|key| key.name);
        let is_like = |(word, _): &(Word, Node)| {
            let is_known = known().any(|key| key == word.text);
            let keys = known().filter(|key| node.at(key).is_none());
            let begins =
                || word.text.strip_prefix(missing).is_some_and(|rest| rest.starts_with(' '));
            !is_known && (meant(&word.text, shape, keys) == Some(missing) || begins())
        };
        let is_twice = |diagnostic: &Diagnostic| {
            let (of, at) = (node.span, diagnostic.span());
            diagnostic.code == code::DUPLICATE_KEY && of.start <= at.start && at.end <= of.end
        };
        node.entries().iter().any(is_like) || self.diagnostics.iter().any(is_twice)
    }

    /// A list in which a comma cut an item in two: `[response (5xx, 404), push]`. Says so.
    fn is_split(&mut self, items: &[Node]) -> bool {
        let is_open = |node: &Node| match &node.value {
            Value::Scalar(text) => text.matches('(').count() > text.matches(')').count(),
            Value::Absent | Value::Refused | Value::List(_) | Value::Map(_) => false,
        };
        let is_plain = |node: &Node| !self.source.slice(node.span).starts_with(['"', '\'']);
        let Some(at) = items.iter().position(|item| is_open(item) && is_plain(item)) else {
            return false;
        };
        let is_end = |node: &&Node| node.word().text.ends_with(')');
        let Some(last) = items[at + 1..].iter().find(is_end) else { return false };
        let span = Span { start: items[at].span.start, end: last.span.end };
        let whole = self.source.slice(span).to_owned();
        let diagnostic =
            Diagnostic::error(code::UNQUOTED_COMMA, "an unquoted comma splits an item of the list")
                .label(span, "YAML ends an item at a comma inside `[ ]`")
                .help(format!("quote it: `\"{whole}\"`"));
        self.diagnostics.push(diagnostic);
        true
    }

    /// A value that commas cut into several: `event: response (5xx, 404)`.
    fn comma(&mut self, entries: &[(Word, Node)], first: usize) {
        let mut last = first + 1;
        while cut(self.source, entries, last + 1) == Some(first) {
            last += 1;
        }
        let ((key, value), (rest, _)) = (&entries[first], &entries[last]);
        let span = Span { start: value.span.start, end: rest.span.end.max(value.span.end) };
        let whole = self.source.slice(span).trim_end_matches([',', '}', ' ']).to_owned();
        let message = format!("an unquoted comma splits the value of `{}`", key.text);
        let diagnostic = Diagnostic::error(code::UNQUOTED_COMMA, message)
            .label(span, "YAML ends a value at a comma inside `{ }` and `[ ]`")
            .help(format!("quote it: `{}: \"{whole}\"`", key.text));
        self.diagnostics.push(diagnostic);
    }

    fn choice(&mut self, node: &Node, text: &str, words: &[&str], of: &str) {
        let near = nearest(text, words.iter().copied());
        let help = match (language::help_on_kind(words, text), near) {
            (Some(help), _) => help.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("write one of: {}", words.join(", ")),
        };
        let diagnostic = Diagnostic::error(code::WRONG_TYPE, format!("{of} cannot be `{text}`"))
            .label(node.span, format!("expected one of: {}", words.join(", ")))
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    fn wrong(&mut self, node: &Node, kind: Kind, of: &str) {
        let found = match &node.value {
            Value::Absent | Value::Refused => "nothing",
            Value::Scalar(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        };
        let wanted = describe(kind);
        let diagnostic = Diagnostic::error(code::WRONG_TYPE, format!("{of} must be {wanted}"))
            .label(node.span, format!("found {found}"));
        let help = language::help_on_value(of).map_or(format!("write {wanted}"), str::to_owned);
        self.diagnostics.push(diagnostic.help(help));
    }
}

/// Where a value begins that commas cut, of which a key without a value is one of the rest: plain
/// text, a comma, then the key.
fn cut(source: &Source, entries: &[(Word, Node)], nth: usize) -> Option<usize> {
    let mut at = nth;
    loop {
        let before = at.checked_sub(1)?;
        let ((_, text), (rest, value)) = (entries.get(before)?, entries.get(at)?);
        let end = text.span.end.max(entries[before].0.span.end);
        let between = Span { start: end, end: rest.span.start };
        if value.value != Value::Absent || source.slice(between).trim() != "," {
            return None;
        }
        if matches!(text.value, Value::Scalar(_)) {
            return Some(before);
        }
        at = before;
    }
}

fn is_number_too(kinds: &[Kind]) -> bool {
    kinds.iter().any(|kind| matches!(kind, Kind::Number))
}

fn is_among(node: &Node, words: &[&str]) -> bool {
    matches!(&node.value, Value::Scalar(text) if words.contains(&text.as_str()))
}

/// Whether a kind is meant, by the form of the value alone.
fn fits(kind: Kind, node: &Node) -> bool {
    match (kind, &node.value) {
        (Kind::Text | Kind::Flag | Kind::Choice(_), Value::Scalar(_)) => true,
        (Kind::Number, Value::Scalar(text)) => text.parse::<u32>().is_ok(),
        (Kind::Lines, Value::Scalar(_) | Value::List(_)) => true,
        (Kind::Map(_) | Kind::Names(_), Value::Map(_)) => true,
        (Kind::List(_), Value::List(_)) => true,
        (Kind::Either(kinds), _) => kinds.iter().any(|kind| fits(*kind, node)),
        _ => false,
    }
}

/// A name with its article.
fn one(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// What a kind is called in a sentence.
fn describe(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
        Kind::Lines => "lines such as 36, 36-41 or [36, 40]".to_owned(),
        Kind::Map(shape) => {
            let required: Vec<&str> =
                shape.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
            if required.is_empty() {
                format!("{} in braces: {{ … }}", one(shape.name))
            } else {
                format!("{} in braces: {{ {}: … }}", one(shape.name), required.join(": …, "))
            }
        }
        Kind::Names(_) => "names, each with a value".to_owned(),
        Kind::List(Kind::Text | Kind::Either([Kind::Text, ..])) => "a list of names".to_owned(),
        Kind::List(kind) => format!("a list, each item {}", describe(*kind)),
        Kind::Either(kinds) => {
            let texts: Vec<String> = kinds.iter().map(|kind| describe(*kind)).collect();
            texts.join(", or ")
        }
    }
}

/// Lines of a document: `36` or `36-41`.
pub(crate) fn lines(text: &str) -> Option<crate::table::Lines> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first: u32 = first.trim().parse().ok()?;
    let last: u32 = last.trim().parse().ok()?;
    (first >= 1 && first <= last).then_some(first..=last)
}

/// The key that an unknown one probably means: of the same meaning, or spelled alike.
fn meant<'k>(
    word: &str,
    shape: &Shape,
    keys: impl Iterator<Item = &'k str> + Clone,
) -> Option<&'k str> {
    let synonym = language::synonym(word).filter(|key| shape.has(key));
    let same = keys.clone().find(|key| Some(*key) == synonym);
    same.or_else(|| nearest(word, keys))
}
