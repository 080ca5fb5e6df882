//! A file's name and text, with the line and column of a byte. Never opens a file.

use std::io::{self, Read};
use std::ops::Range;

use crate::limit;
use crate::span::Span;

/// A text to read, and what to call it in diagnostics.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file's name as diagnostics show it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// A text of any bytes: those that are not UTF-8 become U+FFFD, which no name has.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self::new(name, String::from_utf8_lossy(bytes))
    }

    /// What a reader gives, as [`Source::from_bytes`]; of more than a file may have, no more than
    /// it takes to see that.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn from_reader(name: impl Into<String>, reader: impl Read) -> io::Result<Self> {
        let most = u64::try_from(limit::FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        reader.take(most).read_to_end(&mut bytes)?;
        Ok(Self::from_bytes(name, &bytes))
    }

    /// Line and column of a span's first byte, both from 1, the column in characters.
    #[must_use]
    pub fn position(&self, span: Span) -> (u32, u32) {
        let end = floor(&self.text, span.start as usize);
        let before = &self.text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        (clamp(line), clamp(column))
    }

    /// FNV-1a, 64 bits, of the text; line ends count as `\n`.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.text.bytes().filter(|&byte| byte != b'\r').fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// The words under a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        &self.text[self.range(span)]
    }

    /// A span as bytes of the text: inside it, and between characters.
    #[must_use]
    pub fn range(&self, span: Span) -> Range<usize> {
        let start = floor(&self.text, span.start as usize);
        start..floor(&self.text, span.end as usize).max(start)
    }
}

/// The nearest character boundary at or before a byte.
pub(crate) fn floor(text: &str, byte: usize) -> usize {
    let mut at = byte.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
