//! From a document to its tables: one reader a format, chosen by the file's ending.

mod arrows;
mod ascii;
mod asciidoc;
mod comma;
mod layout;
mod markdown;

use turnstile_spec::{Diagnostic, Source, limit};

use crate::code;
use crate::fault::error;
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

/// Why a text cannot be a document.
pub(crate) fn unreadable(source: &Source) -> Option<Diagnostic> {
    let text = source.text.as_str();
    let message = if text.len() > limit::FILE_BYTES {
        format!("the document is larger than {} bytes", limit::FILE_BYTES)
    } else if text.trim().is_empty() {
        "the document is empty".to_owned()
    } else if text.contains('\0') {
        "the document is no text: it has bytes of value 0".to_owned()
    } else {
        return None;
    };
    let fault = error(code::UNREADABLE, Default::default(), message).label("this file");
    Some(fault.help("name a Markdown, AsciiDoc, CSV or text file with the tables"))
}
