//! Diagnostics: a problem in a file, its position and the suggested edit.
//!
//! A diagnostic is data; turnstile-report draws it with the lines of the file.

pub mod code;
pub(crate) mod similarity;
use std::fmt;

use crate::source::Source;

pub use crate::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Stops the reader: no table results.
    Error,
    /// A problem of the table as written, which still runs; the amended table may not have it.
    Finding,
    /// Probably a mistake; the amended table compiles and runs in spite of it.
    Warning,
    /// Information; nothing is wrong.
    Note,
}

impl Severity {
    /// One word: `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Finding => "finding",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A labelled range of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The range.
    pub span: Span,
    /// The text of the label.
    pub text: String,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code: `T012`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The message: one sentence.
    pub message: String,
    /// The position of the problem first, then related positions.
    pub labels: Vec<Label>,
    /// The suggested edit.
    pub help: Option<String>,
    /// The id of the row that contains it.
    pub row: Option<String>,
    /// The cells concerned.
    pub cells: Vec<CellWords>,
}

/// A cell in the words of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellWords {
    /// The state: `waiting`.
    pub state: String,
    /// The event, with a pattern unless all payload values are concerned: `response (400..499)`.
    pub event: String,
}

impl Diagnostic {
    /// An error.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let severity = Severity::Error;
        let (labels, cells) = (Vec::new(), Vec::new());
        Self { code, severity, message, labels, help: None, row: None, cells }
    }

    /// A finding.
    pub(crate) fn finding(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Finding, ..Self::error(code, message) }
    }

    /// A warning.
    pub(crate) fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// A note.
    pub(crate) fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }

    /// An exceeded limit.
    pub(crate) fn limit(span: Span, what: &str, unit: &str, limit: usize) -> Self {
        let message = format!("{what}; the limit is {limit} {unit}");
        Self::error(code::LIMIT, message)
            .label(span, "limit exceeded")
            .help("split the machine into several tables")
    }

    /// A name of a machine or a system that is not usable as a file and module name.
    pub(crate) fn title(what: &str, name: &str, span: Span) -> Self {
        Self::error(code::INVALID_NAME, format!("`{name}` is not a valid {what} name"))
            .label(span, "not usable as a file name and a Rust module name")
            .help("start with a letter, then use letters, digits, spaces, `-` and `_`")
    }

    /// Adds a label. The first one marks the problem itself.
    #[must_use]
    pub(crate) fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Marks another position with the same problem, up to a few.
    pub(crate) fn also(&mut self, span: Span) {
        const PLACES: usize = 4;
        if self.labels.len() < PLACES {
            self.labels.push(Label { span, text: "also here".to_owned() });
        }
    }

    /// Sets the suggested edit.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the cells concerned.
    #[must_use]
    pub(crate) fn cells(mut self, cells: Vec<CellWords>) -> Self {
        self.cells = cells;
        self
    }

    /// The position of the problem.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::default(), |label| label.span)
    }
}

/// The diagnostics of one file, sorted; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The file.
    pub source: Source,
    /// The diagnostics.
    pub list: Vec<Diagnostic>,
}

/// A line for each, and a second one with the suggested edit.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.list {
            let (line, column) = self.source.position(one.span());
            let (name, severity, code) = (&self.source.name, one.severity.name(), one.code);
            writeln!(f, "{name}:{line}:{column}: {severity} {code}: {}", one.message)?;
            if let Some(help) = &one.help {
                writeln!(f, "    {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Merges diagnostics of these codes that have the same message: the first remains and marks a few
/// of the other positions.
pub(crate) fn merge(diagnostics: &mut Vec<Diagnostic>, codes: &[&str]) {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics.drain(..) {
        let is_again = |known: &&mut Diagnostic| {
            let same = (known.code, &known.message) == (diagnostic.code, &diagnostic.message);
            same && codes.contains(&diagnostic.code)
        };
        match kept.iter_mut().find(is_again) {
            Some(known) => known.also(diagnostic.span()),
            None => kept.push(diagnostic),
        }
    }
    *diagnostics = kept;
}

/// Sorts by position in the file; those without a position come first. Unreachable states and
/// unused declarations come last: a missing row, reported before them, is a frequent cause.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    let is_effect = |code: &str| [code::UNREACHABLE, code::UNUSED].contains(&code);
    let rank = |one: &Diagnostic| (is_effect(one.code), one.span().start, one.code);
    diagnostics.sort_by(|a, b| rank(a).cmp(&rank(b)));
}
