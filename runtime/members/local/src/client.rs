//! A user of the member of this machine.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{sleep, timeout};

use crate::program::{Failure, Program};
use crate::socket::check_path;
use crate::wire::{Lines, write};

/// The pause before the member is asked again.
const REPEAT_PAUSE: Duration = Duration::from_millis(50);

/// The maximum time for a reply that needs no lock.
pub(crate) const REPLY_MAX: Duration = Duration::from_secs(10);

/// A user of a member: a program, and the socket.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    pub(crate) program: Program,
    socket: &'a Path,
}

/// The request that every program has.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum StatusRequest {
    Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusReply {
    Status(Value),
}

/// What remains of a connection after the first answer.
pub(crate) type Rest = (Lines<OwnedReadHalf>, OwnedWriteHalf);

impl<'a> Client<'a> {
    /// A user of the member at this socket.
    #[must_use]
    pub const fn new(program: Program, socket: &'a Path) -> Self {
        Self { program, socket }
    }

    /// What the member knows, as JSON: its answer to `"status"`, which is `{"status": ...}`.
    ///
    /// # Errors
    /// When the member does not answer.
    pub async fn status(&self) -> Result<Value, Failure> {
        let reply = self.ask(&StatusRequest::Status, REPLY_MAX).await?;
        let StatusReply::Status(status) = serde_json::from_value(reply)
            .map_err(|_| Failure::Unavailable("the member does not say its status".into()))?;
        Ok(status)
    }

    /// Sends the member a request that has one answer, for which it waits for this time.
    ///
    /// # Errors
    /// When the member does not answer, or its answer is `{"error": "..."}` or no `R`.
    pub async fn ask<R: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        most: Duration,
    ) -> Result<R, Failure> {
        let answered = timeout(most, self.exchange::<Value>(request)).await;
        let (reply, _) = answered.map_err(|_| silent())??;
        if let Some(Value::String(text)) = reply.get("error") {
            return Err(Failure::Unavailable(text.clone()));
        }
        serde_json::from_value(reply).map_err(|error| io::Error::from(error).into())
    }

    /// Connects, sends a request and waits for the first answer.
    pub(crate) async fn exchange<R: DeserializeOwned>(
        &self,
        request: &impl Serialize,
    ) -> Result<(R, Rest), Failure> {
        let (lines, mut sink) = self.connect().await?.into_split();
        write(&mut sink, request).await?;
        let mut lines = Lines::new(lines);
        let closed = || Failure::Unavailable("the member has closed the connection".into());
        let reply = lines.next::<R>().await?.ok_or_else(closed)?;
        Ok((reply, (lines, sink)))
    }

    /// Connects to the member of this machine. While the system holds as many connections for it as
    /// it may, because it is stopped, the caller's timeout ends the wait.
    async fn connect(&self) -> Result<UnixStream, Failure> {
        check_path(self.program, self.socket)?;
        loop {
            match UnixStream::connect(self.socket).await {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    sleep(REPEAT_PAUSE).await;
                }
                Err(error) => {
                    let (path, name) = (self.socket.display(), self.program.name);
                    return Err(Failure::Unavailable(format!(
                        "no member answers at {path}: {error}; `{name} member --socket {path}` \
                         runs one"
                    )));
                }
                Ok(stream) => return Ok(stream),
            }
        }
    }
}

/// The member is there, and says nothing.
fn silent() -> Failure {
    Failure::Unavailable("the member does not answer: it is stopped, or overloaded".into())
}
