//! Faults: what is wrong with a file, where, and what to do about it.
//!
//! A fault is data; [`Fault::render`] turns it into the text a person reads. It knows no table.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::code;
use crate::source::{Source, floor};

/// A place in a file, in bytes of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of bytes; what lies beyond 4 GiB is no file of ours.
    #[must_use]
    pub fn of(range: &Range<usize>) -> Self {
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { start: clamp(range.start), end: clamp(range.end) }
    }
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Stops the reader: there is no table.
    Error,
    /// The literal table runs with it; an amended one may not have it.
    Finding,
    /// Probably a mistake: the amended table compiles and runs with it.
    Warning,
    /// Worth knowing, and right as it is.
    Note,
}

/// A place in the file that a fault points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable code: `T012`.
    pub code: &'static str,
    /// Error or finding.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The place, first; then the other places that have to do with it.
    pub labels: Vec<Label>,
    /// The edit that mends it.
    pub help: Option<String>,
    /// The id of the row in which it stands.
    pub row: Option<String>,
    /// The cells that it is about.
    pub cells: Vec<CellWords>,
}

/// A cell in the words of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellWords {
    /// The state: `waiting`.
    pub state: String,
    /// The event, with the values of its payload where not all of them are meant:
    /// `response (400..499)`.
    pub event: String,
}

impl Fault {
    /// A fault that stops the reader.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let severity = Severity::Error;
        let (labels, cells) = (Vec::new(), Vec::new());
        Self { code, severity, message, labels, help: None, row: None, cells }
    }

    /// A fault that the literal table runs with.
    pub(crate) fn finding(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Finding, ..Self::error(code, message) }
    }

    /// A probable mistake, with which even the amended table compiles and runs.
    pub(crate) fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// What is worth knowing.
    pub(crate) fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }

    /// Something is more than a named limit allows.
    pub(crate) fn limit(span: Span, what: &str, unit: &str, limit: usize) -> Self {
        let message = format!("{what}; the limit is {limit} {unit}");
        Self::error(code::LIMIT, message)
            .label(span, "too much")
            .help("split the machine into several, one a file")
    }

    /// A machine or a system that is called what no file and no module can be.
    pub(crate) fn title(what: &str, name: &str, span: Span) -> Self {
        Self::error(code::BAD_NAME, format!("no {what} can be called `{name}`"))
            .label(span, "neither a file nor a module can be")
            .help("begin with a letter; go on with letters, digits, spaces, `-` and `_`")
    }

    /// Points at a place. The first one is where the fault is; an empty place is left out.
    #[must_use]
    pub(crate) fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Points at another place of which the same is so; of many, at a few.
    pub(crate) fn also(&mut self, span: Span) {
        const PLACES: usize = 4;
        if self.labels.len() < PLACES {
            self.labels.push(Label { span, text: "and here".to_owned() });
        }
    }

    /// Says what to edit.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the cells that it is about.
    #[must_use]
    pub(crate) fn cells(mut self, cells: Vec<CellWords>) -> Self {
        self.cells = cells;
        self
    }

    /// Where the fault is.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::default(), |label| label.span)
    }

    /// The text a person reads: code, message, the offending lines underlined, what to edit.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Finding => Level::WARNING.with_name("finding"),
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut snippet = Snippet::source(source.text.as_str()).path(source.name.as_str());
        for (nth, label) in self.labels.iter().enumerate() {
            let kind = if nth == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = first_line(&source.text, label.span);
            snippet = snippet.annotation(kind.span(range).label(label.text.as_str()));
        }
        let mut group: Group<'_> =
            level.primary_title(self.message.as_str()).id(self.code).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().term_width(WIDTH).render(&[group])
    }
}

/// Columns of a frame: a row of a table is one line and is shown whole.
const WIDTH: usize = 200;

/// The part of a span on its first line: a whole block is pointed at by its first words.
fn first_line(text: &str, span: Span) -> Range<usize> {
    let start = floor(text, span.start as usize);
    let end = floor(text, span.end as usize).max(start);
    let line = text[start..end].find('\n').map_or(end, |newline| start + newline);
    start..line
}

/// The faults of one file, in the order in which they stand in it; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The file.
    pub source: Source,
    /// What is wrong with it.
    pub list: Vec<Fault>,
}

impl Faults {
    /// Every fault as text, a blank line between two.
    #[must_use]
    pub fn render(&self) -> String {
        render(&self.list, &self.source)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

impl std::error::Error for Faults {}

/// Faults or findings as text, a blank line between two.
#[must_use]
pub fn render(faults: &[Fault], source: &Source) -> String {
    let texts: Vec<String> = faults.iter().map(|fault| fault.render(source)).collect();
    texts.join("\n\n") + "\n"
}

/// Makes one fault of those that say the same of several places: of each of these codes, the first
/// of a message stays and points at a few of the others, too.
pub(crate) fn merge(faults: &mut Vec<Fault>, codes: &[&str]) {
    let mut kept: Vec<Fault> = Vec::new();
    for fault in faults.drain(..) {
        let is_again = |known: &&mut Fault| {
            let same = (known.code, &known.message) == (fault.code, &fault.message);
            same && codes.contains(&fault.code)
        };
        match kept.iter_mut().find(is_again) {
            Some(known) => known.also(fault.span()),
            None => kept.push(fault),
        }
    }
    *faults = kept;
}

/// In the order of the file; what points at nothing comes first.
pub(crate) fn sort(faults: &mut [Fault]) {
    faults.sort_by(|a, b| (a.span().start, a.code).cmp(&(b.span().start, b.code)));
}
