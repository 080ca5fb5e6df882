//! Reads lines of limited length from a pipe.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The next item.
#[derive(Debug, PartialEq)]
pub(super) enum NextLine {
    /// A line without its terminator.
    Request(Vec<u8>),
    /// A line that was too long; it is skipped.
    TooLong,
    /// The end of the input. An unterminated last line is dropped.
    End,
}

/// A line reader.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(input: R, max: usize) -> Self {
        Self { input: BufReader::new(input), max, line: Vec::new(), is_too_long: false }
    }

    /// Reads the next line. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<NextLine> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(NextLine::End);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            self.is_too_long |= self.line.len() + part.len() > self.max;
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let len = part.len() + usize::from(end.is_some());
            self.input.consume(len);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let is_too_long = std::mem::take(&mut self.is_too_long);
                return Ok(if is_too_long { NextLine::TooLong } else { NextLine::Request(line) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over() {
        let text = format!("{}\n{}\n\nlast\nbroken", "a".repeat(10), "b".repeat(100_000));
        let mut lines = LineReader::new(text.as_bytes(), 10);
        let line = |text: &str| NextLine::Request(text.into());
        for next in [line("aaaaaaaaaa"), NextLine::TooLong, line(""), line("last"), NextLine::End] {
            assert_eq!(lines.next().await.expect("memory can be read"), next);
        }
    }
}
