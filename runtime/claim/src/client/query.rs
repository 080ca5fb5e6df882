//! Queries about all claims of the server: list, show, revoke.
//!
//! One request and one response; no retries.

use std::io;
use std::time::Duration;

use hyper::Method;
use turnstile_core::claim::message::TargetStatus;

use super::call::Answer;
use super::error::{Error, ErrorKind};
use super::lock_client::LockClient;
use super::pending_request::unanswered;
use super::request::no_answer;
use super::server_address::ServerAddress;
use crate::wire::claim::id_in;
use crate::wire::filter::encode;
use crate::wire::request::status_body;

/// The timeout of a query.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Queries about claims, also those of other clients.
impl LockClient {
    /// Lists the claims of the server, oldest first, as the server's JSON.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the request.
    pub async fn list(
        &self,
        resource: Option<&str>,
        status: Option<&str>,
        limit: usize,
    ) -> Result<String, Error> {
        let mut path = format!("{}?limit={limit}", self.shared.caller.server().path);
        for (name, value) in [("resource", resource), ("status", status)] {
            if let Some(value) = value {
                path += &format!("&{name}={}", encode(value));
            }
        }
        self.ask(Method::GET, &path, None).await
    }

    /// One claim by its id or URL, as the server's JSON.
    ///
    /// # Errors
    /// When there is no such claim, or the server cannot be reached.
    pub async fn show(&self, claim: &str) -> Result<String, Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::GET, &path, None).await
    }

    /// Revokes a claim by its id or URL.
    ///
    /// # Errors
    /// When the claim has ended, or the server cannot be reached.
    pub async fn revoke(&self, claim: &str) -> Result<(), Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::PATCH, &path, Some(status_body(TargetStatus::Revoked))).await.map(drop)
    }

    /// Parses the server's JSON.
    ///
    /// # Errors
    /// When the JSON does not match the type.
    pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|error| ErrorKind::Answer(error.to_string()).into())
    }

    fn path_of(&self, claim: &str) -> Result<String, Error> {
        let own = self.shared.caller.server();
        if claim.contains("://") {
            let of = ServerAddress::read(claim, "v1")?;
            let is_own = (of.is_tls, of.port) == (own.is_tls, own.port)
                && of.host.eq_ignore_ascii_case(&own.host);
            if !is_own {
                return Err(ErrorKind::Setting(format!(
                    "the claim's URL is of {of}, but the server is {own}: give `--url {of}`, or \
                     the claim's id"
                ))
                .into());
            }
        }
        let id = id_in(claim).ok_or_else(|| {
            ErrorKind::Setting(format!(
                "{claim:?} is neither the id nor the URL of a claim; for the claims of a resource, \
                 use `claim ls --resource NAME`"
            ))
        })?;
        Ok(format!("{}{id}/", own.path))
    }

    fn unreachable(&self, why: &dyn std::fmt::Display) -> Error {
        ErrorKind::Unreachable(no_answer(self.shared.caller.server(), why)).into()
    }

    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> Result<String, Error> {
        let answer = self.shared.caller.call(method, path, &[], body);
        let answer = match tokio::time::timeout(REQUEST_TIMEOUT, answer).await {
            Ok(answer) => self.accepted(answer)?,
            Err(elapsed) => return Err(self.unreachable(&elapsed)),
        };
        String::from_utf8(answer.body.to_vec())
            .map_err(|error| ErrorKind::Answer(error.to_string()).into())
    }

    /// The answer, unless it is a refusal.
    pub(super) fn accepted(&self, answer: io::Result<Answer>) -> Result<Answer, Error> {
        let answer = answer.map_err(|error| self.unreachable(&unanswered(&error).why))?;
        if answer.status >= 300 {
            let (status, reason) = (answer.status, answer.reason());
            return Err(ErrorKind::Refused { status, reason }.into());
        }
        Ok(answer)
    }
}
