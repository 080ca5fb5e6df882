//! Whether a request is let in: by the name that it gives the server, by the page that it comes
//! from, and by the token that it shows. What it asks for is not looked at.

use std::net::SocketAddr;

use hyper::header::{HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::http::request::Parts;

use super::auth::{Identity, Shown, bearer};
use super::guesses::Verdict;
use super::host;
use super::http::{Front, Response, respond};
use super::page;
use super::reply::Reply;
use super::token_file::Token;
use crate::wire::date::Date;

/// Why a request is not let in.
pub(super) enum Refusal {
    /// It shows no token.
    NoToken,
    /// It shows one that is not right.
    Wrong(&'static str),
    /// Too many wrong tokens came from there: come again after so many seconds.
    Later(u32),
}

/// 401 or 429, as JSON or as the page that asks for a token.
pub(super) fn refuse(refusal: &Refusal, is_page: bool) -> Response {
    let (status, why) = match refusal {
        Refusal::NoToken => (401, None),
        Refusal::Wrong(why) => (401, Some(*why)),
        Refusal::Later(_) => (429, Some("Too many wrong tokens came from this address")),
    };
    let mut response = match is_page {
        true => page::ask_for_token(status, why),
        false => respond(Reply::message(status, why.unwrap_or("A bearer token is required"))),
    };
    let headers = response.headers_mut();
    match refusal {
        Refusal::NoToken | Refusal::Wrong(_) => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Refusal::Later(seconds) => {
            headers.insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
    }
    response
}

impl Front {
    fn now(&self) -> Date {
        Date((self.wall_us)())
    }

    /// A page of another site may reach this server by a name of its own, but only by that name.
    pub(super) fn refuse_host(&self, head: &Parts) -> Option<Reply> {
        let target = head.uri.authority().map_or("localhost", |authority| authority.as_str());
        let Some(named) = host::named(&head.headers).filter(|_| host::is_host(target)) else {
            return Some(Reply::message(400, "The Host header names no host"));
        };
        let takes_any = self.hosts.is_empty() && !self.tokens.is_open();
        let strange = [named, target]
            .into_iter()
            .find(|name| !takes_any && !self.hosts.admits(name, self.public_url.as_ref()))?;
        let text =
            format!("This server is not called {strange}: --host or --public-url names it so");
        Some(Reply::message(421, &text))
    }

    /// Whose a request is that shows a token, or whose browser has shown one.
    pub(super) fn identify(
        &self,
        headers: &HeaderMap,
        from: SocketAddr,
        is_page: bool,
    ) -> Result<Identity, Refusal> {
        if self.tokens.is_open() {
            return Ok(Identity { name: None, has_all_rights: true, from });
        }
        let token = match bearer(headers) {
            Some(shown) => self.judge(shown, from)?,
            None => {
                let secret = self.sessions.secret(headers).filter(|_| is_page);
                // The token may have expired since, or have been taken away.
                match secret.map(|secret| self.tokens.find(&secret, self.now())) {
                    Some(Shown::Right(token)) => token,
                    Some(Shown::Expired(_) | Shown::Wrong) | None => {
                        return Err(Refusal::NoToken);
                    }
                }
            }
        };
        Ok(Identity { name: token.name, has_all_rights: token.is_operator, from })
    }

    /// The token that is shown, unless it is none or too many wrong ones came from there.
    pub(super) fn judge(&self, shown: &str, from: SocketAddr) -> Result<Token, Refusal> {
        match self.guesses.judge(from.ip(), self.tokens.find(shown, self.now())) {
            Verdict::Admitted(token) => Ok(token),
            Verdict::Refused(why) => Err(Refusal::Wrong(why)),
            Verdict::Later(seconds) => Err(Refusal::Later(seconds)),
        }
    }

    /// Whether a page of another site has caused a request; None: the request does not say. A
    /// browser says so of every request that changes something.
    pub(super) fn is_foreign(&self, headers: &HeaderMap) -> Option<bool> {
        let from = headers.get(ORIGIN)?;
        Some(!from.to_str().is_ok_and(|from| self.is_own(from, headers)))
    }
}
