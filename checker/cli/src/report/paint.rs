//! How a text looks: its width, and colour where there is a terminal for it.

/// The width and the colours of a text.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Columns.
    pub width: usize,
    /// Whether escape sequences are understood.
    pub is_coloured: bool,
}

/// The default width.
pub const WIDTH: usize = 100;

impl Default for Paint {
    fn default() -> Self {
        Self { width: WIDTH, is_coloured: false }
    }
}

impl Paint {
    /// For what holds.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For what fails.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// For verdicts that are incomplete or vacuous.
    #[must_use]
    pub fn open(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// For a heading.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// For what matters less.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.is_coloured && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Text broken into lines of at most so many columns, at spaces; a longer word stays whole.
#[must_use]
pub fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Columns that a text takes. The words of tables are counted by characters.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Text filled up with spaces on the right.
#[must_use]
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}
