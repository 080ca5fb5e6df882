//! A diagnostic of a file, as results have it: with its position and its whole text.
//!
//! Diagnostics that only the checker can find are made here, too: names and values that the cores
//! of this binary do not take.

use serde::{Serialize, Serializer};
use turnstile_spec::diagnostic::{CellWords, Diagnostics, Label, Span, code};
use turnstile_spec::{Diagnostic, Severity, Source, nearest};

/// A diagnostic of a file (`faults` in JSON).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultReport {
    /// Stable code.
    pub code: String,
    /// The severity; in JSON its name.
    #[serde(serialize_with = "name")]
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The file, as it was named.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The line of its end.
    pub end_line: u32,
    /// One beyond the last character, from 1.
    pub end_column: u32,
    /// The fix.
    pub help: Option<String>,
    /// The id of the row that it is in.
    pub row: Option<String>,
    /// The cells that it concerns.
    pub cells: Vec<CellReport>,
    /// The whole text with its source frame.
    #[serde(skip)]
    pub rendered: String,
}

/// A cell: a state and an event, with the values of its payload unless it covers all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellReport {
    /// The state: `waiting`.
    pub state: String,
    /// The event: `response (400..499)`.
    pub event: String,
}

/// Serde passes each field by reference.
fn name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

impl FaultReport {
    /// Whether it is an error: no table results.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// A diagnostic with its position in a file.
    #[must_use]
    pub fn at(fault: &Diagnostic, source: &Source) -> Self {
        let span = fault.span();
        let (line, column) = source.position(span);
        let (end_line, end_column) = source.position(Span { start: span.end, end: span.end });
        let cell =
            |cell: &CellWords| CellReport { state: cell.state.clone(), event: cell.event.clone() };
        Self {
            code: fault.code.to_owned(),
            severity: fault.severity,
            message: fault.message.clone(),
            file: source.name.clone(),
            line,
            column,
            end_line,
            end_column,
            help: fault.help.clone(),
            row: fault.row.clone(),
            cells: fault.cells.iter().map(cell).collect(),
            rendered: turnstile_report::frame(fault, source),
        }
    }

    /// Diagnostics that prevent a search, findings among them: without `--as-written` a finding is
    /// an error.
    #[must_use]
    pub fn errors(faults: &Diagnostics) -> Vec<Self> {
        let error = |fault: &Diagnostic| Diagnostic { severity: Severity::Error, ..fault.clone() };
        faults.list.iter().map(|fault| Self::at(&error(fault), &faults.source)).collect()
    }

    /// Findings of a table that runs as written; warnings and notes.
    #[must_use]
    pub fn findings(list: &[Diagnostic], source: &Source) -> Vec<Self> {
        list.iter().map(|fault| Self::at(fault, source)).collect()
    }

    /// Whether another has the same code and position, whatever its severity.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let of =
            |fault: &Self| (fault.code.clone(), fault.message.clone(), fault.line, fault.column);
        self.file == other.file && of(self) == of(other)
    }

    /// Findings of a table as written. A number of initial states other than one is an error: no
    /// core can run the table.
    #[must_use]
    pub fn as_written(list: &[Diagnostic], source: &Source) -> Vec<Self> {
        let judged = |fault: &Diagnostic| match fault.code {
            code::INITIAL_STATE => Diagnostic { severity: Severity::Error, ..fault.clone() },
            _ => fault.clone(),
        };
        list.iter().map(|fault| Self::at(&judged(fault), source)).collect()
    }

    /// A file has a name that the cores of this binary do not know; `what` is one clause.
    #[must_use]
    pub fn not_compiled(source: &Source, span: Span, what: &str) -> Self {
        let help = "rebuild the binary with this file under spec/";
        let what = format!("{what}: rebuild");
        Self::of_checker((code::NOT_COMPILED, "not compiled in"), source, span, &what, help)
    }

    /// The same, with the known names.
    #[must_use]
    pub fn no_such(source: &Source, span: Span, what: &str, known: &[&str]) -> Self {
        let help = format!(
            "write one of {}; or rebuild the binary with this file under spec/",
            known.join(", ")
        );
        Self::of_checker((code::NOT_COMPILED, "not compiled in"), source, span, what, &help)
    }

    /// A world of tables has a budget that nothing in it can spend.
    #[must_use]
    pub fn no_budget(
        source: &Source,
        span: Span,
        (name, what): (&str, &str),
        known: &[&str],
    ) -> Self {
        let help = match nearest(name, known.iter().copied()) {
            Some(near) if near != name => format!("did you mean `{near}`?"),
            _ => format!("write one of {}, or a command of a table", known.join(", ")),
        };
        Self::of_checker((code::UNKNOWN_BUDGET, "has no effect"), source, span, what, &help)
    }

    /// A file gives a setting a value that its system cannot take.
    #[must_use]
    pub fn bad_setting(source: &Source, span: Span, what: &str) -> Self {
        let help = "change the value here, or try another with `--set KEY=VALUE`";
        Self::of_checker((code::INVALID_SETTING, "from here"), source, span, what, help)
    }

    /// A table or a world that cannot run.
    #[must_use]
    pub fn not_runnable(source: &Source, span: Span, what: &str, help: &str) -> Self {
        Self::of_checker((code::NOT_RUNNABLE, "from here"), source, span, what, help)
    }

    /// A file explains a mutant that does not survive, or does not exist.
    #[must_use]
    pub fn no_survivor(source: &Source, span: Span, what: &str) -> Self {
        let help = "take it out, or write a row and a change as `turnstile mutate` prints them";
        Self::of_checker((code::NOT_SURVIVING, "from here"), source, span, what, help)
    }

    fn of_checker(
        (code, label): (&'static str, &str),
        source: &Source,
        span: Span,
        message: &str,
        help: &str,
    ) -> Self {
        let fault = Diagnostic {
            code,
            severity: Severity::Error,
            message: message.to_owned(),
            labels: vec![Label { span, text: label.to_owned() }],
            help: Some(help.to_owned()),
            row: None,
            cells: Vec::new(),
        };
        Self::at(&fault, source)
    }
}
