//! The protocol of a member's socket: one request a connection, lines of JSON in both directions.
//!
//! A connection that locks holds the lock until it sends [`Unlock`], or is closed.

use std::fmt;
use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Duration, timeout};

/// The maximum length of a line in bytes.
const LINE_MAX: u64 = 1 << 20;

/// The maximum time for the first line of a connection, and for taking an answer.
pub(crate) const REQUEST_MAX: Duration = Duration::from_secs(10);

/// The maximum time for what a user still writes after an answer that refuses it.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// A request for a lock: what is in `{"lock": {...}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockRequest {
    /// The lock's id.
    pub id: String,
    /// The maximum time to wait, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether the user holds a lock already; then it has a place although many wait.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
}

/// A fencing token: greater than those of all earlier grants of the lock. Numbers are compared as
/// numbers, texts of one service as texts: they have one length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UserToken {
    /// A number.
    Number(u64),
    /// A text.
    Text(String),
}

impl fmt::Display for UserToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A line in reply to a request for a lock.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LockReply {
    /// The lock is held.
    Held {
        /// The fencing token, if the service has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<UserToken>,
        /// Without another line for this time, in milliseconds, the lock is lost: the member has
        /// stopped, and the others exclude it later.
        lease_ms: u64,
    },
    /// The lock is still held.
    StillHeld,
    /// The timeout passed; the lock is not held.
    TimedOut,
    /// The lock was lost.
    Lost,
    /// The lock is unlocked, at the end of the connection.
    Unlocked,
    /// The request is refused, or has failed.
    Error(String),
}

/// The line by which a connection unlocks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Unlock {
    /// Unlocks.
    Unlock,
}

/// Why there is no line.
#[derive(Debug)]
pub(crate) enum LineError {
    /// The stream has failed.
    Failed(io::Error),
    /// It is not what is expected; the text says why.
    Wrong(String),
}

/// Reads lines of JSON.
pub(crate) struct Lines<R>(BufReader<R>);

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self(BufReader::new(stream))
    }

    /// The next line of a member; `None` at the end of the stream. Not cancel-safe.
    ///
    /// # Errors
    /// When the stream fails, ends within a line, or has a line that is too long or no value.
    pub(crate) async fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
        match self.line().await {
            Ok(None) => Ok(None),
            Ok(Some(line)) => serde_json::from_str(&line).map(Some).map_err(io::Error::from),
            Err(LineError::Failed(error)) => Err(error),
            Err(LineError::Wrong(text)) => Err(wrong(text)),
        }
    }

    /// The next line of a user: a word, or an object whose word has an object. `None` at the end of
    /// the stream. Not cancel-safe.
    ///
    /// # Errors
    /// When the stream fails, or the line is not a `T`.
    pub(crate) async fn request<T: DeserializeOwned>(&mut self) -> Result<Option<T>, LineError> {
        let Some(line) = self.line().await? else { return Ok(None) };
        let wrong = |error: serde_json::Error| LineError::Wrong(error.to_string());
        // The values of an object may stand in a list, as far as serde is concerned.
        let is_request = match serde_json::from_str(&line).map_err(wrong)? {
            Value::String(_) => true,
            Value::Object(words) => words.values().all(Value::is_object),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
        };
        if !is_request {
            let text = "expected a word, or an object in which a word has an object";
            return Err(LineError::Wrong(text.into()));
        }
        serde_json::from_str(&line).map(Some).map_err(wrong)
    }

    async fn line(&mut self) -> Result<Option<String>, LineError> {
        let mut line = Vec::new();
        let len = (&mut self.0).take(LINE_MAX).read_until(b'\n', &mut line).await;
        let len = len.map_err(LineError::Failed)?;
        if len == 0 {
            return Ok(None);
        }
        let wrong = |text: String| Err(LineError::Wrong(text));
        if line.pop() != Some(b'\n') {
            return wrong(match len as u64 == LINE_MAX {
                true => format!("a line has at most {LINE_MAX} bytes, and this one has more"),
                false => "the input ends without a newline".into(),
            });
        }
        match String::from_utf8(line) {
            Ok(line) if line.trim().is_empty() => wrong("the line is empty".into()),
            Ok(line) => Ok(Some(line)),
            Err(error) => wrong(format!("the line is no UTF-8: {error}")),
        }
    }

    /// Whether more has been received.
    pub(crate) fn has_more(&self) -> bool {
        !self.0.buffer().is_empty()
    }

    /// Reads on, for a short time, what no answer needs any more: a user that still writes is not
    /// interrupted, and gets to read the answer.
    pub(crate) async fn drain(mut self) {
        let mut nowhere = tokio::io::sink();
        let drained = timeout(DRAIN_MAX, tokio::io::copy_buf(&mut self.0, &mut nowhere)).await;
        // A user that goes on writing, or has gone, is left alone.
        let _over = drained;
    }
}

/// Writes a line of JSON.
///
/// # Errors
/// When the stream fails.
pub(crate) async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    value: &impl Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    stream.flush().await
}

/// Says why a connection ends, also to a user that still writes.
pub(crate) async fn refuse(
    lines: Lines<OwnedReadHalf>,
    mut sink: OwnedWriteHalf,
    why: String,
) -> io::Result<()> {
    timeout(REQUEST_MAX, write(&mut sink, &LockReply::Error(why))).await??;
    sink.shutdown().await?;
    lines.drain().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_there_is_none_of_is_left_out() {
        for (token, line) in [
            (Some(UserToken::Number(5)), r#"{"held":{"token":5,"lease_ms":4200}}"#),
            (Some(UserToken::Text("05-1".into())), r#"{"held":{"token":"05-1","lease_ms":4200}}"#),
            (None, r#"{"held":{"lease_ms":4200}}"#),
        ] {
            let reply = LockReply::Held { token, lease_ms: 4200 };
            assert_eq!(serde_json::to_string(&reply).expect("JSON"), line);
            assert_eq!(serde_json::from_str::<LockReply>(line).expect("a reply"), reply);
        }
    }
}
