//! The cluster of the server: its members are listed, added and removed, and its state is written
//! as a file for `turnstiled snapshot restore`.
//!
//! One request and one response; no retries.

use std::io::Write;

use hyper::Method;
use serde_json::json;

use super::error::{Error, ErrorKind};
use super::lock_client::LockClient;
use super::query::{REQUEST_TIMEOUT, accepted};

/// The server's cluster. Only an operator's token may change its members.
impl LockClient {
    /// Lists the members, as far as the server knows them, as its JSON.
    ///
    /// # Errors
    /// When the server is no member of a cluster, or cannot be reached.
    pub async fn members(&self) -> Result<String, Error> {
        self.ask(Method::GET, &self.shared.caller.server().members_path(), None).await
    }

    /// Adds a member, which has been started, with the address that the others connect to. It is
    /// done once the member has the log and a vote. A member that is one already stays one.
    ///
    /// # Errors
    /// When the change is refused, or its outcome is unknown (503): then it may be repeated.
    pub async fn add_member(&self, id: u64, address: &str) -> Result<(), Error> {
        let path = format!("{}{id}/", self.shared.caller.server().members_path());
        let body = json!({ "address": address }).to_string();
        self.ask(Method::PUT, &path, Some(body)).await.map(drop)
    }

    /// Removes a member, whether it runs or not. No other member may ever have its number.
    ///
    /// # Errors
    /// As [`LockClient::add_member`]; and when there is no such member (404), which after an
    /// unknown outcome means that it is removed.
    pub async fn remove_member(&self, id: u64) -> Result<(), Error> {
        let path = format!("{}{id}/", self.shared.caller.server().members_path());
        self.ask(Method::DELETE, &path, None).await.map(drop)
    }

    /// Writes the state of the server's cluster as the bytes of a file: with all that was answered
    /// before, or a stale one, which is what this member has applied, without a majority. Only an
    /// operator's token may read it.
    ///
    /// # Errors
    /// When the server is no member of a cluster, cannot be reached, or does not confirm a state
    /// that is not stale (503); or when the writing fails. Then a part may be written.
    pub async fn save_snapshot(
        &self,
        is_stale: bool,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let path = self.shared.caller.server().snapshot_path(is_stale);
        let mut failed = None;
        let part = &mut |bytes: &[u8]| {
            let written = out.write_all(bytes);
            written.inspect_err(|error| failed = Some(ErrorKind::Setting(error.to_string())))
        };
        let called = self.shared.caller.receive(&path, REQUEST_TIMEOUT, part).await;
        match (failed, called) {
            (Some(failed), _) => Err(failed.into()),
            (None, called) => accepted(called).map(drop),
        }
    }
}
