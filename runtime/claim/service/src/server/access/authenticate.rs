//! Authentication of requests: by the Host header, the origin and the token. The requested resource
//! is not considered.

use std::net::SocketAddr;

use hyper::header::{HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::http::request::Parts;

use crate::server::access::auth::{Identity, TokenCheck, bearer};
use crate::server::access::auth_throttle::Verdict;
use crate::server::access::token_file::BearerToken;
use crate::server::connections::connection_state::ConnectionState;
use crate::server::state::reply::Reply;
use crate::server::web::host;
use crate::server::web::http::AppState;
use crate::server::web::incoming::IncomingRequest;
use crate::server::web::login_page;
use crate::server::web::response::{Response, respond};
use crate::wire::date::Date;

/// Why a request is rejected.
pub(crate) enum Rejection {
    /// It has no token.
    NoToken,
    /// Its token is wrong.
    Wrong(&'static str),
    /// Too many wrong tokens came from the address: retry after this many seconds.
    Later(u32),
}

/// 401 or 429, as JSON or as the login page.
pub(crate) fn refuse(refusal: &Rejection, is_page: bool) -> Response {
    let (status, why) = match refusal {
        Rejection::NoToken => (401, None),
        Rejection::Wrong(why) => (401, Some(*why)),
        Rejection::Later(_) => (429, Some("Too many wrong tokens came from this address")),
    };
    let mut response = match is_page {
        true => login_page::ask_for_token(status, why),
        false => respond(Reply::message(status, why.unwrap_or("A bearer token is required"))),
    };
    let headers = response.headers_mut();
    match refusal {
        Rejection::NoToken | Rejection::Wrong(_) => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Rejection::Later(seconds) => {
            headers.insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
    }
    response
}

impl AppState {
    fn now(&self) -> Date {
        Date((self.wall_us)())
    }

    /// Protects against DNS rebinding: a page of another site can reach this server only by the
    /// page's own host name.
    pub(crate) fn refuse_host(&self, head: &Parts) -> Option<Reply> {
        let target = head.uri.authority().map_or("localhost", |authority| authority.as_str());
        let Some(named) = host::named(&head.headers).filter(|_| host::is_host(target)) else {
            return Some(Reply::message(400, "The Host header is missing or invalid"));
        };
        let takes_any = self.hosts.is_empty() && !self.tokens.is_open();
        let strange = [named, target]
            .into_iter()
            .find(|name| !takes_any && !self.hosts.admits(name, self.public_url.as_ref()))?;
        let text =
            format!("The host {strange} is not accepted: allow it with --host or --public-url");
        Some(Reply::message(421, &text))
    }

    /// The identity of a request, by its token or its browser session.
    pub(crate) async fn identify(
        &self,
        incoming: &IncomingRequest<'_>,
        is_page: bool,
    ) -> Result<Identity, Rejection> {
        let IncomingRequest { head: Parts { headers, .. }, from, state, .. } = incoming;
        let from = *from;
        if self.tokens.is_open() {
            return Ok(Identity { name: None, has_all_rights: true, from });
        }
        let token = match bearer(headers) {
            Some(shown) => self.judge(shown, from, state).await?,
            None => {
                let secret = self.sessions.secret(headers).filter(|_| is_page);
                // The session's token may have expired since, or may have been removed.
                match secret.map(|secret| self.tokens.find(&secret, self.now())) {
                    Some(TokenCheck::Right(token)) => token,
                    Some(TokenCheck::Expired(_) | TokenCheck::Wrong) | None => {
                        return Err(Rejection::NoToken);
                    }
                }
            }
        };
        Ok(Identity { name: token.name, has_all_rights: token.is_operator, from })
    }

    /// Checks a token. If its address is above the limit of wrong tokens, that may take a while, in
    /// which the connection's slot may be reclaimed.
    pub(crate) async fn judge(
        &self,
        shown: &str,
        from: SocketAddr,
        state: &ConnectionState,
    ) -> Result<BearerToken, Rejection> {
        let check = self.tokens.find(shown, self.now());
        let (verdict, delay) = self.auth_throttle.judge(from.ip(), shown, check);
        if let Some(delay) = delay {
            let is_working = state.flags().is_working;
            state.wait();
            delay.pass().await;
            if is_working {
                state.begin().await;
            }
        }
        match verdict {
            Verdict::Admitted(token) => Ok(token),
            Verdict::Refused(why) => Err(Rejection::Wrong(why)),
            Verdict::Later(seconds) => Err(Rejection::Later(seconds)),
        }
    }

    /// Whether a page of another site caused a request; `None` if the request does not say.
    /// Browsers say so in every request that changes something.
    pub(crate) fn is_foreign(&self, headers: &HeaderMap) -> Option<bool> {
        let from = headers.get(ORIGIN)?;
        Some(!from.to_str().is_ok_and(|from| self.is_own(from, headers)))
    }
}
