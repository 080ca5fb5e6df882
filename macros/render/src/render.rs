//! A table or a diagram as the text of a file.

use crate::diagram::Diagram;
use crate::draw::draw;
use crate::format::Format;
use crate::markdown::{Links, markdown};
use crate::matrix::matrix;
use crate::sheet::Sheet;
use crate::svg::svg;
use crate::text;

/// A table in a format. The header, one line, says where the text comes from.
///
/// A page links to no other file: [`docs::pages`](crate::docs::pages) writes pages with the files
/// that they link to.
#[must_use]
pub fn render(sheet: &Sheet<'_>, format: Format, header: &str) -> String {
    match format {
        Format::Svg | Format::Mermaid | Format::Dot => picture(&draw(sheet), format, header),
        Format::Markdown => ended(markdown(sheet, header, Links::default())),
        Format::Matrix => ended(matrix(sheet, header)),
    }
}

/// A diagram in a format.
///
/// # Panics
///
/// Where the format [is no picture](Format::is_picture).
#[must_use]
pub fn picture(diagram: &Diagram, format: Format, header: &str) -> String {
    match format {
        Format::Svg => ended(svg(diagram, header)),
        Format::Mermaid => ended(text::mermaid(diagram, header)),
        Format::Dot => ended(text::dot(diagram, header)),
        Format::Markdown | Format::Matrix => panic!("{} is no picture", format.name()),
    }
}

/// A text with one line end at its end; a template gives none.
pub(crate) fn ended(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
