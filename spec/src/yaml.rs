//! YAML as a tree with the position of every key and value. Independent of tables.
//!
//! It uses the parser's events, not serde: it can report every duplicate key, anchor, alias, merge
//! key and tag at its position, and an embedder does not compile serde.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::diagnostic::code;
use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::source::Source;

/// A scalar and its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A YAML value and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// What a YAML value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// No value after the colon.
    Absent,
    /// An alias, which is reported already.
    Refused,
    /// Text, a number or a word: all are text here.
    Scalar(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order written, keys unique.
    Map(Vec<(Word, Node)>),
}

impl Node {
    /// The value under a key of a mapping.
    pub(crate) fn at(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(word, _)| word.text == key).map(|(_, node)| node)
    }

    /// The entries of a mapping; none for anything else.
    pub(crate) fn entries(&self) -> &[(Word, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Absent | Value::Refused | Value::Scalar(_) | Value::List(_) => &[],
        }
    }

    /// The items of a list; anything else is a list of itself.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            Value::Absent | Value::Refused | Value::Scalar(_) | Value::Map(_) => {
                std::slice::from_ref(self)
            }
        }
    }

    /// The text of a scalar; empty for anything else.
    pub(crate) fn word(&self) -> Word {
        let text = match &self.value {
            Value::Scalar(text) => text.clone(),
            Value::Absent | Value::Refused | Value::List(_) | Value::Map(_) => String::new(),
        };
        Word { text, span: self.span }
    }

    /// The texts of a list of scalars, or of the one scalar.
    pub(crate) fn words(&self) -> Vec<Word> {
        self.items().iter().map(Node::word).collect()
    }
}

/// A collection that is not closed yet.
struct OpenCollection {
    span: Span,
    entries: Vec<(Word, Node)>,
    items: Vec<Node>,
    key: Option<Word>,
    keys: BTreeMap<String, Span>,
    is_map: bool,
}

impl OpenCollection {
    fn at(span: Span, is_map: bool) -> Self {
        let keys = BTreeMap::new();
        Self { span, entries: Vec::new(), items: Vec::new(), key: None, keys, is_map }
    }
}

/// A text as YAML.
pub(crate) struct Tree {
    /// Its value; none where a diagnostic makes one impossible.
    pub(crate) root: Option<Node>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The outermost collection that is not closed where reading stopped.
    #[cfg_attr(not(feature = "systems"), expect(dead_code, reason = "only tables are read"))]
    open: Option<OpenCollection>,
}

#[cfg(feature = "systems")]
impl Tree {
    /// Whether the outermost mapping has a key, as far as it was read.
    pub(crate) fn has(&self, key: &str) -> bool {
        let open = self.open.iter().flat_map(|open| {
            let keys = open.entries.iter().map(|(word, _)| word);
            keys.chain(&open.key)
        });
        let keys = self.root.iter().flat_map(|root| root.entries().iter().map(|(word, _)| word));
        keys.chain(open).any(|word| word.text == key)
    }
}

/// Reads a text into its tree.
pub(crate) fn parse(source: &Source) -> Tree {
    let mut tree =
        TreeBuilder { source, open: Vec::new(), root: None, diagnostics: Vec::new(), documents: 0 };
    let is_read = tree.read().is_some();
    let TreeBuilder { root, diagnostics, open, .. } = tree;
    Tree { root: root.filter(|_| is_read), diagnostics, open: open.into_iter().next() }
}

/// The error for a file without YAML.
pub(crate) fn empty() -> Diagnostic {
    Diagnostic::error(code::NOT_YAML, "the file is empty")
        .label(Span::default(), "no content")
        .help("start with `language: 1` and `machine: NAME`")
}

struct TreeBuilder<'s> {
    source: &'s Source,
    open: Vec<OpenCollection>,
    root: Option<Node>,
    diagnostics: Vec<Diagnostic>,
    documents: usize,
}

impl TreeBuilder<'_> {
    /// Reads the text. `None` where it stopped.
    fn read(&mut self) -> Option<()> {
        if self.source.text.len() > limit::FILE_BYTES {
            let (at, text) = (Span::default(), "the file is too large");
            self.diagnostics.push(Diagnostic::limit(at, text, "bytes", limit::FILE_BYTES));
            return None;
        }
        for event in Parser::new_from_str(&self.source.text) {
            let (event, span) = event.map_err(|error| self.syntax(&error)).ok()?;
            let span = span.byte_range().map_or(Span::default(), |range| Span::of(&range));
            self.take(event, span)?;
            if self.diagnostics.len() >= limit::DIAGNOSTICS {
                return None;
            }
        }
        Some(())
    }

    fn syntax(&mut self, error: &granit_parser::ScanError) {
        let marker = error.marker();
        let at = crate::source::floor(&self.source.text, marker.byte_offset().unwrap_or(0));
        let length = self.source.text[at..].chars().next().map_or(0, char::len_utf8);
        let span = Span::of(&(at..at + length));
        let diagnostic = Diagnostic::error(code::NOT_YAML, "invalid YAML")
            .label(span, error.info().replace('\n', " "))
            .help("check brackets, quotes and indentation before this position");
        self.diagnostics.push(diagnostic);
    }

    /// Takes one event in. `None` where reading on makes no sense.
    fn take(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        if let Some(tag) = event.tag() {
            self.refuse(span, &format!("the tag `{}`", tag.original()));
        }
        if event.anchor_id().is_some_and(|id| id != 0) {
            self.refuse(span, "an anchor");
        }
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Some(()),
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let diagnostic =
                        Diagnostic::error(code::NOT_YAML, "more than one YAML document in a file")
                            .label(span, "the second document starts here")
                            .help("move it to a file of its own");
                    self.diagnostics.push(diagnostic);
                    return None;
                }
                Some(())
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let absent = plain && (span.start == span.end || text == "~" || text == "null");
                let value =
                    if absent { Value::Absent } else { Value::Scalar(text.trim_end().to_owned()) };
                self.put(Node { span, value })
            }
            Event::SequenceStart(..) => self.enter(span, false),
            Event::MappingStart(..) => self.enter(span, true),
            Event::SequenceEnd | Event::MappingEnd => self.leave(span),
            Event::Alias(_) => {
                self.refuse(span, "an alias");
                self.put(Node { span, value: Value::Refused })
            }
            Event::Anchor(..) | Event::UnresolvedAlias(_) | _ => Some(()),
        }
    }

    fn refuse(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not supported");
        let diagnostic = Diagnostic::error(code::ANCHOR, message)
            .label(span, "not allowed here")
            .help("write the value out; use `sets:` or lists where states share a row");
        self.diagnostics.push(diagnostic);
    }

    fn enter(&mut self, span: Span, is_map: bool) -> Option<()> {
        if self.open.len() >= limit::NESTING {
            self.diagnostics.push(
                Diagnostic::limit(span, "YAML is nested too deeply", "levels", limit::NESTING)
                    .help(
                        "a table needs six levels at most: look for a bracket that is not closed",
                    ),
            );
            return None;
        }
        self.open.push(OpenCollection::at(span, is_map));
        Some(())
    }

    fn leave(&mut self, span: Span) -> Option<()> {
        let open = self.open.pop()?;
        let value = if open.is_map { Value::Map(open.entries) } else { Value::List(open.items) };
        let end = self.trim(open.span.start, span.end);
        self.put(Node { span: Span { start: open.span.start, end }, value })
    }

    /// A block collection ends where its last value ends, not at the next line's first byte.
    fn trim(&self, start: u32, end: u32) -> u32 {
        let span = Span { start, end };
        let kept = self.source.slice(span).trim_end().len();
        start + u32::try_from(kept).unwrap_or(0)
    }

    fn put(&mut self, node: Node) -> Option<()> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Some(());
        };
        if !open.is_map {
            open.items.push(node);
            return Some(());
        }
        let Some(key) = open.key.take() else {
            let key = node.word();
            if !matches!(node.value, Value::Scalar(_)) {
                let diagnostic = Diagnostic::error(code::WRONG_TYPE, "a key must be a plain name")
                    .label(node.span, "not a scalar")
                    .help("write a name before the colon");
                self.diagnostics.push(diagnostic);
            }
            open.key = Some(key);
            return Some(());
        };
        if key.text == "<<" {
            self.refuse(key.span, "a merge key");
            return Some(());
        }
        if let Some(first) = open.keys.insert(key.text.clone(), key.span) {
            let message = format!("duplicate key `{}`", key.text);
            let diagnostic = Diagnostic::error(code::DUPLICATE_KEY, message)
                .label(key.span, "duplicate")
                .label(first, "first defined here")
                .help("remove one of them");
            self.diagnostics.push(diagnostic);
            return Some(());
        }
        open.entries.push((key, node));
        Some(())
    }
}
