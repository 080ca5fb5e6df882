//! From a document to its tables: one reader a format, chosen by the file's ending.

mod arrows;
mod ascii;
mod asciidoc;
mod comma;
mod layout;
mod markdown;

use std::ops::Range;

use turnstile_spec::diagnostic::Span;
use turnstile_spec::{Diagnostic, Source};

use crate::grid::Tables;

/// The tables of a document. Where a format has none, drawings and lists of arrows
/// (`idle -> busy: start`) are tables, too.
pub(crate) fn read(source: &Source) -> Result<Tables, Box<Diagnostic>> {
    let text = source.text.as_str();
    let ending = source.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut tables = match ending.to_lowercase().as_str() {
        "csv" | "tsv" => return comma::read(text),
        "md" | "markdown" | "mkd" | "mdown" => markdown::read(text),
        "adoc" | "asciidoc" | "asc" => asciidoc::read(text),
        _ if text.contains("\n|===") => asciidoc::read(text),
        _ => Tables::default(),
    };
    if tables.grids.is_empty() {
        let drawn = ascii::read(text, 0);
        tables.grids = drawn.grids;
        if tables.title.is_empty() {
            tables.title = drawn.title;
        }
    }
    if tables.grids.is_empty() {
        tables.grids = arrows::read(text);
    }
    Ok(tables)
}

/// The span of a range of bytes.
fn span(range: Range<usize>) -> Span {
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
