//! Tables of a document as the readers of the formats leave them: cells with their places, and no
//! meaning yet.

use turnstile_spec::Diagnostic;
use turnstile_spec::diagnostic::Span;

use crate::code;
use crate::fault::warning;

/// The text of one cell, with its place in the document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    /// The text; a line break that the document writes (`<br>`) is `\n`.
    pub(crate) text: String,
    /// Its place.
    pub(crate) span: Span,
}

impl Word {
    pub(crate) fn new(text: impl Into<String>, span: Span) -> Self {
        Self { text: text.into(), span }
    }

    /// The same place with another text.
    pub(crate) fn with(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), span: self.span }
    }

    /// Whether the cell is empty or has a dash.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().chars().all(|c| "-–—−".contains(c))
    }

    /// Whether the cell says that there is nothing. A state may be called `none`.
    pub(crate) fn is_nothing(&self) -> bool {
        self.is_blank() || ["none", "n/a", "nil", "(none)"].contains(&&*lower(self.text.trim()))
    }
}

/// One line of a table: its cells as far as the document has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct GridLine {
    /// The cells; a line that is too short or too long for its table has another number of them.
    pub(crate) cells: Vec<Word>,
    /// The place of the whole line.
    pub(crate) span: Span,
}

/// A table of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// The heading above the table, or empty.
    pub(crate) section: String,
    /// The names of the columns.
    pub(crate) header: GridLine,
    /// The lines below.
    pub(crate) body: Vec<GridLine>,
    /// Whether it is a list of arrows: one without words says nothing of its event.
    pub(crate) is_of_arrows: bool,
}

impl Grid {
    /// Warns of a column without a heading if it has text.
    pub(crate) fn unnamed_column(&self, at: usize) -> Option<Diagnostic> {
        let heading = self.header.cells.get(at).filter(|cell| cell.text.trim().is_empty())?;
        let mut cells = self.body.iter().filter_map(|line| line.cells.get(at));
        let cell = cells.find(|cell| !cell.is_blank())?;
        let fault = warning(code::UNREAD_COLUMN, cell.span, "a column has no heading");
        let fault = fault.label("this cell and those of its column are not imported");
        Some(fault.also(heading.span, "no heading").help("name the column in the header"))
    }
}

impl GridLine {
    /// Warns of a line of a grid without a name if it has text.
    pub(crate) fn unnamed(&self) -> Option<Diagnostic> {
        let (first, rest) = self.cells.split_first()?;
        let cell = rest.iter().find(|cell| !cell.is_blank())?;
        let fault = warning(code::UNREAD_CELL, cell.span, "a line of the grid has no name");
        let fault = fault.label("this cell and those of its line are not imported");
        let is_unnamed = first.text.trim().is_empty();
        is_unnamed.then(|| fault.help("name the state or event in the first column"))
    }
}

/// What a reader finds in a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// The document's first heading, or empty.
    pub(crate) title: String,
    /// The tables, in the document's order.
    pub(crate) grids: Vec<Grid>,
    /// Lines that look like rows and belong to no table.
    pub(crate) strays: Vec<Span>,
    /// Cells that span columns or rows, or stand for several.
    pub(crate) spanning: Vec<Span>,
}

/// A text in lower case.
pub(crate) fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// The words of a text in lower case, without punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    let is_end = |c: char| !c.is_alphanumeric();
    text.split(is_end).filter(|word| !word.is_empty()).map(lower).collect()
}

/// A name or a sentence in one line: white space is one space, and quotes and marks around it are
/// removed, as is the stop at its end.
pub(crate) fn name(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let mut trimmed = joined.trim_end_matches(['.', ';', ',']);
    for (open, close) in [("**", "**"), ("*", "*"), ("`", "`"), ("\"", "\""), ("“", "”")] {
        let inner = trimmed.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        trimmed = inner.filter(|inner| !inner.contains(close)).unwrap_or(trimmed).trim();
    }
    let control = |c: char| if c.is_control() { ' ' } else { c };
    trimmed.chars().map(control).collect()
}
