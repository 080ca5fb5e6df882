//! A fault of a file, as results have it: at its place, with its whole text.
//!
//! What only the checker can find wrong with a file is made here, too: names and values that the
//! cores of this binary do not take.

use serde::Serialize;
use turnstile_spec::fault::{Faults, Label, Span};
use turnstile_spec::{Fault, Severity, Source, code};

/// A fault of a file, at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultReport {
    /// Stable code.
    pub code: String,
    /// `error` or `finding`.
    pub severity: String,
    /// One sentence.
    pub message: String,
    /// The file, as it was named.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The whole text with its frame.
    #[serde(skip)]
    pub rendered: String,
}

impl FaultReport {
    /// A fault at its place in a file.
    #[must_use]
    pub fn at(fault: &Fault, source: &Source) -> Self {
        let (line, column) = source.position(fault.span());
        let severity = match fault.severity {
            Severity::Error => "error",
            Severity::Finding => "finding",
        };
        Self {
            code: fault.code.to_owned(),
            severity: severity.to_owned(),
            message: fault.message.clone(),
            file: source.name.clone(),
            line,
            column,
            rendered: fault.render(source),
        }
    }

    /// Faults that stop what was asked, findings among them: without `--as-written` a finding is
    /// an error.
    #[must_use]
    pub fn errors(faults: &Faults) -> Vec<Self> {
        let error = |fault: &Fault| Fault { severity: Severity::Error, ..fault.clone() };
        faults.list.iter().map(|fault| Self::at(&error(fault), &faults.source)).collect()
    }

    /// Findings of a table that runs as written.
    #[must_use]
    pub fn findings(list: &[Fault], source: &Source) -> Vec<Self> {
        list.iter().map(|fault| Self::at(fault, source)).collect()
    }

    /// A file names what the cores of this binary do not know; `what` is one clause.
    #[must_use]
    pub fn not_compiled(source: &Source, span: Span, what: &str) -> Self {
        let help = "build the binary anew with this file under spec/";
        Self::of_checker(
            (code::NOT_COMPILED, "not compiled in"),
            source,
            span,
            &format!("{what}: rebuild"),
            help,
        )
    }

    /// The same, where one of a few names is meant.
    #[must_use]
    pub fn no_such(source: &Source, span: Span, what: &str, known: &[&str]) -> Self {
        let help = format!(
            "write one of {}; or build the binary anew with this file under spec/",
            known.join(", ")
        );
        Self::of_checker((code::NOT_COMPILED, "not compiled in"), source, span, what, &help)
    }

    /// A file gives a setting a value that its system cannot take.
    #[must_use]
    pub fn bad_setting(source: &Source, span: Span, what: &str) -> Self {
        let help = "change the value here, or try another with `--set KEY=VALUE`";
        Self::of_checker((code::BAD_SETTING, "from here"), source, span, what, help)
    }

    /// A file explains a mutant that does not survive, or that there is not.
    #[must_use]
    pub fn no_survivor(source: &Source, span: Span, what: &str) -> Self {
        let help = "take it out, or write a row and a change as `turnstile mutate` prints them";
        Self::of_checker((code::NO_SURVIVOR, "from here"), source, span, what, help)
    }

    fn of_checker(
        (code, label): (&'static str, &str),
        source: &Source,
        span: Span,
        message: &str,
        help: &str,
    ) -> Self {
        let fault = Fault {
            code,
            severity: Severity::Error,
            message: message.to_owned(),
            labels: vec![Label { span, text: label.to_owned() }],
            help: Some(help.to_owned()),
        };
        Self::at(&fault, source)
    }
}
