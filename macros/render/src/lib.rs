//! Writes a table for people: a page, a picture, a matrix, and diagrams for other programs.
//!
//! It reads no file, no clock and no font; the same table gives the same text everywhere. Only
//! [`docs`] touches a disk.

mod block;
pub mod diagram;
pub mod docs;
mod draw;
mod layout;
mod markdown;
mod matrix;
mod measure;
mod payload;
mod sheet;
mod svg;
mod text;

pub use draw::draw;
pub use sheet::{Sheet, Version};
pub use svg::svg;

/// What a table is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A page with the document's tables, findings and amendments.
    Markdown,
    /// A picture.
    Svg,
    /// Every state against every event.
    Matrix,
    /// A diagram for Mermaid.
    Mermaid,
    /// A diagram for Graphviz.
    Dot,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Markdown, Self::Svg, Self::Matrix, Self::Mermaid, Self::Dot];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Svg => "svg",
            Self::Matrix => "matrix",
            Self::Mermaid => "mermaid",
            Self::Dot => "dot",
        }
    }

    /// The format of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How its files end.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Svg => "svg",
            Self::Matrix => "matrix.txt",
            Self::Mermaid => "mmd",
            Self::Dot => "dot",
        }
    }
}

/// A table in a format. The header, one line, says where the text comes from.
#[must_use]
pub fn render(sheet: &Sheet<'_>, format: Format, header: &str) -> String {
    let mut text = match format {
        Format::Markdown => markdown::markdown(sheet, header),
        Format::Svg => svg(&draw(sheet), header),
        Format::Matrix => matrix::matrix(sheet, header),
        Format::Mermaid => text::mermaid(&draw(sheet), header),
        Format::Dot => text::dot(&draw(sheet), header),
    };
    // A template gives no line end at its end.
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
