//! Places in a document: its spans and lines, and the lines of a span, found by binary search.

use std::ops::Range;

use turnstile_spec::diagnostic::Span;

/// Where each line of a text begins.
#[derive(Debug)]
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    pub(crate) fn of(text: &str) -> Self {
        let after = text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at);
        Self { starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, byte: u32) -> u32 {
        let line = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The first and the last line of a span.
    pub(crate) fn lines(&self, span: Span) -> (u32, u32) {
        let last = span.end.saturating_sub(1).max(span.start);
        (self.line(span.start), self.line(last))
    }
}

/// The span of a range of bytes.
pub(crate) fn span(range: Range<usize>) -> Span {
    Span::of(&range)
}

/// A line of a text without its end, and the byte at which it begins.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}
