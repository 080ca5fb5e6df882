#![doc = include_str!("../README.md")]
//! It reads no file, no clock and no font. Only [`docs`] touches a disk.

mod block;
pub mod diagram;
pub mod docs;
mod draw;
mod focus;
mod layout;
mod markdown;
mod matrix;
mod measure;
mod overview;
mod payload;
mod sheet;
mod svg;
mod text;

pub use diagram::Diagram;
pub use draw::draw;
pub use focus::focus;
pub use overview::overview;
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

    /// Whether it draws a diagram.
    #[must_use]
    pub fn is_picture(self) -> bool {
        match self {
            Self::Svg | Self::Mermaid | Self::Dot => true,
            Self::Markdown | Self::Matrix => false,
        }
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
///
/// A page links to no other file: [`docs::pages`] writes pages with the files that they link to.
#[must_use]
pub fn render(sheet: &Sheet<'_>, format: Format, header: &str) -> String {
    match format {
        Format::Svg | Format::Mermaid | Format::Dot => picture(&draw(sheet), format, header),
        Format::Markdown => ended(markdown::markdown(sheet, header, markdown::Links::default())),
        Format::Matrix => ended(matrix::matrix(sheet, header)),
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
fn ended(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
