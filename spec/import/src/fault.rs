//! Diagnostics of a document, in the form of those of table files.

use turnstile_spec::diagnostic::{Label, Span};
use turnstile_spec::{Diagnostic, Severity};

/// A diagnostic that is being written: the next calls say more.
pub(crate) struct Fault(Diagnostic);

impl Fault {
    /// What stands at the place.
    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.0.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Another place that belongs to it.
    pub(crate) fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.0.labels.push(Label { span, text: text.into() });
        self
    }

    /// The remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.0.help = Some(help.into());
        self.0
    }
}

fn of(severity: Severity, code: &'static str, span: Span, message: String) -> Fault {
    let labels = vec![Label { span, text: String::new() }];
    let (row, cells) = (None, Vec::new());
    Fault(Diagnostic { code, severity, message, labels, help: None, row, cells })
}

/// What stops the import.
pub(crate) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Fault {
    of(Severity::Error, code, span, message.into())
}

/// What the table file does not have, although the document does.
pub(crate) fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Fault {
    of(Severity::Warning, code, span, message.into())
}

/// A guess.
pub(crate) fn guess(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    of(Severity::Note, code, span, message.into()).0
}
