//! What is to be said on a pipe that the other end may be slow to read, or never reads.
//!
//! Nobody waits for it. Of what is said of a claim's standing only the newest is kept, so that a
//! program which does not listen costs no more than its claims.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::line::{Reply, Told};

/// More answers than this are not kept: whoever does not read them may ask no more.
const UNREAD_MAX: usize = 10_000;

/// Lines on their way out.
#[derive(Debug)]
pub(super) struct Speech<W> {
    output: W,
    replies: VecDeque<Reply>,
    /// The line that is being written, and how much of it has been.
    line: Vec<u8>,
    written: usize,
    is_flushed: bool,
}

impl<W: AsyncWrite + Unpin> Speech<W> {
    pub(super) fn new(output: W) -> Self {
        let (replies, line) = (VecDeque::new(), Vec::new());
        Self { output, replies, line, written: 0, is_flushed: true }
    }

    pub(super) fn add(&mut self, reply: Reply) {
        if let Told::Now(now) = &reply.told {
            let resource = &now.resource;
            self.replies.retain(
                |older| !matches!(&older.told, Told::Now(now) if now.resource == *resource),
            );
        }
        self.replies.push_back(reply);
    }

    pub(super) fn is_full(&self) -> bool {
        self.replies.len() >= UNREAD_MAX
    }

    /// Whether everything has been said.
    pub(super) fn is_over(&self) -> bool {
        self.replies.is_empty() && self.written == self.line.len() && self.is_flushed
    }

    /// Says all that there is. Safe to be cancelled: the next call goes on.
    pub(super) async fn go_on(&mut self) -> io::Result<()> {
        loop {
            if self.written < self.line.len() {
                self.is_flushed = false;
                self.written += self.output.write(&self.line[self.written..]).await?;
            } else if let Some(reply) = self.replies.pop_front() {
                self.line = serde_json::to_vec(&reply)?;
                self.line.push(b'\n');
                self.written = 0;
            } else {
                self.output.flush().await?;
                self.is_flushed = true;
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    use super::super::line::{HELD, Now};
    use super::*;

    fn now(resource: &str, until: f64) -> Reply {
        let (url, standing) = (String::new(), HELD.to_owned());
        let resource = resource.to_owned();
        let now = Now { resource, url, fencing_token: None, standing, until, margin: 0.0 };
        Reply { id: Value::Null, told: Told::Now(now) }
    }

    #[tokio::test]
    async fn of_a_standing_the_newest_is_said() {
        let (near, far) = tokio::io::duplex(1 << 10);
        let mut speech = Speech::new(near);
        for until in 0..1_000 {
            speech.add(now("a", f64::from(until)));
            speech.add(now("b", f64::from(until)));
        }
        assert!(!speech.is_full() && !speech.is_over());
        speech.go_on().await.expect("it is read");
        assert!(speech.is_over());
        drop(speech);
        let mut lines = BufReader::new(far).lines();
        for resource in ["a", "b"] {
            let line = lines.next_line().await.expect("plain text").expect("a line");
            let line: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(line["now"]["resource"], resource);
            assert_eq!(line["now"]["until"], 999.0);
        }
        assert_eq!(lines.next_line().await.expect("plain text"), None);
    }
}
