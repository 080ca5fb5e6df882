//! What a manager tells of claims that are not its own: lists, details, and taking them away.
//!
//! One request, one answer, no retries: whoever asks can ask again.

use std::time::Duration;

use hyper::Method;
use turnstile_core::claim::message::Asked;

use super::error::{Cause, Error};
use super::manager::Manager;
use super::request::no_answer;
use crate::wire::ask::status_body;
use crate::wire::claim::id_in;
use crate::wire::filter::encode;

/// A question about other claims takes no longer.
const ASK_MAX: Duration = Duration::from_secs(30);

/// What anyone may ask about claims that are not theirs.
impl Manager {
    /// The claims of the server, oldest first, as its JSON.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses.
    pub async fn list(
        &self,
        resource: Option<&str>,
        status: Option<&str>,
        limit: usize,
    ) -> Result<String, Error> {
        let mut path = format!("{}?limit={limit}", self.shared.caller.place().path);
        for (name, value) in [("resource", resource), ("status", status)] {
            if let Some(value) = value {
                path += &format!("&{name}={}", encode(value));
            }
        }
        self.ask(Method::GET, &path, None).await
    }

    /// One claim by its number or URL, as the server's JSON.
    ///
    /// # Errors
    /// When there is none, or the server cannot be reached.
    pub async fn show(&self, claim: &str) -> Result<String, Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::GET, &path, None).await
    }

    /// Takes a claim, by its number or URL, from whoever has it.
    ///
    /// # Errors
    /// When it is over already, or the server cannot be reached.
    pub async fn revoke(&self, claim: &str) -> Result<(), Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::PATCH, &path, Some(status_body(Asked::Revoked))).await.map(drop)
    }

    /// Reads the server's JSON.
    ///
    /// # Errors
    /// When it is not what was expected.
    pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|error| Cause::Answer(error.to_string()).into())
    }

    fn path_of(&self, claim: &str) -> Result<String, Error> {
        let id = id_in(claim).ok_or_else(|| {
            Cause::Setting(format!("{claim:?} is neither the number nor the URL of a claim"))
        })?;
        Ok(format!("{}{id}/", self.shared.caller.place().path))
    }

    fn unreachable(&self, why: &dyn std::fmt::Display) -> Error {
        Cause::Unreachable(no_answer(self.shared.caller.place(), why)).into()
    }

    async fn ask(&self, method: Method, path: &str, body: Option<String>) -> Result<String, Error> {
        let answer = self.shared.caller.call(method, path, &[], body);
        let answer = match tokio::time::timeout(ASK_MAX, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(self.unreachable(&error)),
            Err(elapsed) => return Err(self.unreachable(&elapsed)),
        };
        if answer.status >= 300 {
            let (status, reason) = (answer.status, answer.reason());
            return Err(Cause::Refused { status, reason }.into());
        }
        String::from_utf8(answer.body.to_vec())
            .map_err(|error| Cause::Answer(error.to_string()).into())
    }
}
