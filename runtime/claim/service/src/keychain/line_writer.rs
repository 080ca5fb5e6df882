//! Writes lines to a pipe that the other end may read slowly or never.
//!
//! Writing never blocks other work. Of several reports of one lease only the newest is kept, so
//! that memory is bounded by the number of claims.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::line::{Notification, Reply};

/// The maximum number of unread responses; at the maximum, no requests are read.
const UNREAD_MAX: usize = 10_000;

/// A line writer.
#[derive(Debug)]
pub(super) struct LineWriter<W> {
    output: W,
    replies: VecDeque<Reply>,
    /// The line that is being written; `written` bytes of it are.
    line: Vec<u8>,
    written: usize,
    is_flushed: bool,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub(super) fn new(output: W) -> Self {
        let (replies, line) = (VecDeque::new(), Vec::new());
        Self { output, replies, line, written: 0, is_flushed: true }
    }

    pub(super) fn add(&mut self, reply: Reply) {
        if let Notification::Now(now) = &reply.notification {
            self.replies.retain(|older| {
                !matches!(
                    &older.notification,
                    Notification::Now(older) if older.resource == now.resource
                )
            });
        }
        self.replies.push_back(reply);
    }

    pub(super) fn is_full(&self) -> bool {
        self.replies.len() >= UNREAD_MAX
    }

    /// Whether all lines are written and flushed.
    pub(super) fn is_over(&self) -> bool {
        self.replies.is_empty() && self.written == self.line.len() && self.is_flushed
    }

    /// Writes all lines. Cancel safe: the next call continues.
    pub(super) async fn write_all(&mut self) -> io::Result<()> {
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

    use super::super::line::{HELD, LeaseReport};
    use super::*;

    fn now(resource: &str, until: f64) -> Reply {
        let (url, standing) = (String::new(), HELD.to_owned());
        let resource = resource.to_owned();
        let now = LeaseReport { resource, url, fencing_token: None, standing, until, margin: 0.0 };
        Reply { id: Value::Null, notification: Notification::Now(now) }
    }

    #[tokio::test]
    async fn of_a_standing_the_newest_is_said() {
        let (near, far) = tokio::io::duplex(1 << 10);
        let mut writer = LineWriter::new(near);
        for until in 0..1_000 {
            writer.add(now("a", f64::from(until)));
            writer.add(now("b", f64::from(until)));
        }
        assert!(!writer.is_full() && !writer.is_over());
        writer.write_all().await.expect("it is read");
        assert!(writer.is_over());
        drop(writer);
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
