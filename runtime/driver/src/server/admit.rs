//! Whether a request is let in: by the name that it gives the server, by the page that it comes
//! from, and by the token that it shows. What it asks for is not looked at.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::Method;
use hyper::header::{HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};

use super::auth::{Identity, Shown, bearer};
use super::guesses::Verdict;
use super::host;
use super::http::{Front, respond};
use super::page;
use super::reply::Reply;
use super::seat::Seat;
use super::token_file::Token;
use crate::wire::date::Date;

/// The other end of a request's connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Why a request is not let in.
pub(super) enum Refusal {
    /// It shows no token.
    NoToken,
    /// It shows one that is not right.
    Wrong(&'static str),
    /// Too many wrong tokens came from there: come again after so many seconds.
    Later(u32),
}

/// A page of another site may reach this server by a name of its own, but only by that name.
pub(super) async fn check_host(
    State(front): State<Arc<Front>>,
    request: Request,
    next: Next,
) -> Response {
    let target = request.uri().authority().map_or("localhost", |authority| authority.as_str());
    let named = host::named(request.headers()).filter(|_| host::is_host(target));
    let Some(named) = named else {
        return respond(Reply::message(400, "The Host header names no host"));
    };
    let takes_any = front.hosts.is_empty() && !front.tokens.is_open();
    let strange = [named, target]
        .into_iter()
        .find(|name| !takes_any && !front.hosts.admits(name, front.public_url.as_ref()));
    let Some(strange) = strange else { return next.run(request).await };
    let text = format!("This server is not called {strange}: --host or --public-url names it so");
    respond(Reply::message(421, &text))
}

/// Lets in who shows a token, or whose browser has shown one; from there on the request says whose
/// it is.
pub(super) async fn admit(
    State(front): State<Arc<Front>>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_page = request.uri().path().starts_with("/status/");
    let Some(Peer(from)) = request.extensions().get().copied() else {
        return respond(Reply::message(500, "The connection has no other end"));
    };
    match front.identify(request.headers(), from, is_page) {
        Ok(identity) => {
            if let Some(seat) = request.extensions().get::<Arc<Seat>>() {
                seat.know();
            }
            request.extensions_mut().insert(identity);
            next.run(request).await
        }
        Err(refusal) => refuse(&refusal, is_page && request.method() == Method::GET),
    }
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

    /// Whose a request is.
    fn identify(
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
