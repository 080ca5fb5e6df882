//! Queries about all claims of the server: list, show, revoke.
//!
//! One request and one response; only with several servers, the others are asked if one does not
//! answer.

use std::time::Duration;

use hyper::Method;
use turnstile_claim_core::message::TargetStatus;

use super::error::{Error, ErrorKind};
use super::lock_client::LockClient;
use crate::client::requests::answer::Answer;
use crate::client::requests::call::Called;
use crate::client::requests::pending_request::NoAnswer;
use crate::client::requests::redact::redacted;
use crate::client::requests::server_address::ServerAddress;
use crate::client::requests::server_list::is_for_another;
use crate::wire::claim::id_in;
use crate::wire::filter::encode;
use crate::wire::request::status_body;

/// The timeout of a query, at all servers together.
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
        let servers = self.shared.caller.servers();
        if claim.contains("://") {
            let of = ServerAddress::read(claim, "v1")?;
            let is_own = |own: &ServerAddress| {
                (of.is_tls, of.port) == (own.is_tls, own.port)
                    && of.host.eq_ignore_ascii_case(&own.host)
            };
            if !servers.addresses().any(is_own) {
                let own: Vec<String> = servers.addresses().map(ToString::to_string).collect();
                let own = own.join(" or ");
                return Err(ErrorKind::Setting(format!(
                    "the claim's URL is of {of}, but the server is {own}: give `--url {of}`, or \
                     the claim's id"
                ))
                .into());
            }
        }
        let id = id_in(claim).ok_or_else(|| {
            let claim = redacted(claim);
            ErrorKind::Setting(format!(
                "{claim:?} is neither the id nor the URL of a claim; for the claims of a resource, \
                 use `claim ls --resource NAME`"
            ))
        })?;
        Ok(format!("{}{id}/", self.shared.caller.server().path))
    }

    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> Result<String, Error> {
        // What may be repeated is asked of each server.
        let is_safe = matches!(method, Method::GET | Method::PATCH);
        let mut left = if is_safe { self.shared.caller.servers().len() } else { 1 };
        let patience = REQUEST_TIMEOUT / u32::try_from(left).unwrap_or(u32::MAX);
        let answer = loop {
            let (method, body) = (method.clone(), body.clone());
            let called = self.shared.caller.call(patience, method, path, &[], body).await;
            left -= 1;
            if left == 0 || !is_for_another(&called.answer) {
                break accepted(called)?;
            }
        };
        String::from_utf8(answer.body.to_vec())
            .map_err(|error| ErrorKind::Answer(error.to_string()).into())
    }
}

/// The answer, unless it is a refusal.
pub(super) fn accepted(called: Called) -> Result<Answer, Error> {
    let no_answer = |error: NoAnswer| ErrorKind::Unreachable(error.text(&called.server));
    let answer = called.answer.map_err(no_answer)?;
    if answer.status >= 300 {
        let (status, reason) = (answer.status, answer.reason());
        return Err(ErrorKind::Refused { status, reason }.into());
    }
    Ok(answer)
}
