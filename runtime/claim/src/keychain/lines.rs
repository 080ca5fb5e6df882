//! Lines from a pipe, none longer than a limit. What they say is not looked at.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What comes next.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line was too long, and is passed over.
    TooLong,
    /// Nothing more. A line that breaks off is none.
    End,
}

/// Lines, and what there is of the next.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, max: usize) -> Self {
        Self { input: BufReader::new(input), max, line: Vec::new(), is_too_long: false }
    }

    /// The next line. Safe to be cancelled: what was read stays.
    pub(super) async fn next(&mut self) -> io::Result<Read> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(Read::End);
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
                return Ok(if is_too_long { Read::TooLong } else { Read::Line(line) });
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
        let mut lines = Lines::new(text.as_bytes(), 10);
        let line = |text: &str| Read::Line(text.into());
        for next in [line("aaaaaaaaaa"), Read::TooLong, line(""), line("last"), Read::End] {
            assert_eq!(lines.next().await.expect("memory can be read"), next);
        }
    }
}
