//! The members of the server's cluster: listed, added and removed.
//!
//! One request and one response; no retries.

use hyper::Method;
use serde_json::json;

use super::error::Error;
use super::lock_client::LockClient;

/// The members of the server's cluster. Only an operator's token may change them.
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
}
