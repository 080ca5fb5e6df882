#![doc = include_str!("../README.md")]

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use turnstile_spec::diagnostic::Span;
use turnstile_spec::{Diagnostic, Diagnostics, Severity, Source};

/// The width of a frame in columns, wide enough for any row of a table.
const WIDTH: usize = 200;

/// All diagnostics of a file as text, separated by blank lines.
#[must_use]
pub fn text(diagnostics: &Diagnostics) -> String {
    frames(&diagnostics.list, &diagnostics.source)
}

/// Diagnostics as text, separated by blank lines, in their order.
#[must_use]
pub fn frames(diagnostics: &[Diagnostic], source: &Source) -> String {
    let texts: Vec<String> = diagnostics.iter().map(|one| frame(one, source)).collect();
    texts.join("\n\n") + "\n"
}

/// A diagnostic as text, without a line end: code, message, the lines with their labels, the
/// suggested edit.
#[must_use]
pub fn frame(diagnostic: &Diagnostic, source: &Source) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Finding => Level::WARNING.with_name(diagnostic.severity.name()),
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut snippet = Snippet::source(source.text.as_str()).path(source.name.as_str());
    for (nth, label) in diagnostic.labels.iter().enumerate() {
        let kind = if nth == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let range = first_line(source, label.span);
        snippet = snippet.annotation(kind.span(range).label(label.text.as_str()));
    }
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group: Group<'_> = title.element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::plain().term_width(WIDTH).render(&[group])
}

/// The part of a span on its first line.
fn first_line(source: &Source, span: Span) -> Range<usize> {
    let Range { start, end } = source.range(span);
    let line = source.text[start..end].find('\n').map_or(end, |newline| start + newline);
    start..line
}
