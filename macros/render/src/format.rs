//! The formats that a table is written in.

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
