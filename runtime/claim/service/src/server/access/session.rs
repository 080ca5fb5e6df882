//! Browser sessions: the login form takes a bearer token, and a cookie replaces it.
//!
//! The cookie is random, not readable by scripts, limited to the status page, and not sent with
//! cross-site requests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::header::{COOKIE, HeaderMap};
use tokio::time::Instant;

use crate::server::access::auth::is_same;
use turnstile_host::random_bytes;

/// The lifetime of a session.
const LASTS: Duration = Duration::from_secs(12 * 3_600);
/// The maximum number of sessions; a new one replaces the one that expires first.
const SESSIONS_MAX: usize = 1_000;
const NAME: &str = "turnstile-session";

/// The open sessions. A restart ends all of them.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<BTreeMap<String, LoginSession>>);

/// A session.
struct LoginSession {
    until: Instant,
    /// The token of the login: the session ends when the token is no longer valid.
    secret: Arc<str>,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sessions({} of them)", self.lock().len())
    }
}

impl Sessions {
    /// Opens a session for this token; returns its cookie.
    ///
    /// # Errors
    /// When the system has no source of randomness.
    pub(crate) fn open(&self, secret: Arc<str>, is_tls: bool) -> io::Result<String> {
        let id = random_bytes::<32>()?.iter().fold(String::new(), |mut id, byte| {
            // Writing to a string cannot fail.
            let _taken = write!(id, "{byte:02x}");
            id
        });
        let mut open = self.lock();
        let now = Instant::now();
        open.retain(|_, session| session.until > now);
        if open.len() >= SESSIONS_MAX {
            let first = open.iter().min_by_key(|(_, session)| session.until);
            let first = first.map(|(id, _)| id.clone());
            open.remove(&first.unwrap_or_default());
        }
        open.insert(id.clone(), LoginSession { until: now + LASTS, secret });
        Ok(cookie(&id, LASTS, is_tls))
    }

    /// The token of a request's session, if it has one.
    pub(crate) fn secret(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        let now = Instant::now();
        let shown = id(headers)?;
        let open = self.lock();
        // All are compared, so that the time does not depend on the result.
        let mut found = None;
        for (id, session) in open.iter() {
            if is_same(id, shown) & (session.until > now) {
                found = Some(session.secret.clone());
            }
        }
        found
    }

    /// Ends a session; returns the cookie that deletes its cookie.
    pub(crate) fn close(&self, headers: &HeaderMap, is_tls: bool) -> String {
        if let Some(id) = id(headers) {
            self.lock().remove(id);
        }
        cookie("", Duration::ZERO, is_tls)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, LoginSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cookie(id: &str, lasts: Duration, is_tls: bool) -> String {
    let secure = if is_tls { "; Secure" } else { "" };
    let lasts_s = lasts.as_secs();
    format!("{NAME}={id}; Path=/status/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{secure}")
}

/// The session id in a request's cookie.
fn id(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == NAME).map(|(_, id)| id.trim())
}

#[cfg(test)]
mod tests {
    use crate::server::access::session::*;

    fn headers(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, cookie.parse().expect("printable"));
        headers
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_is_open_until_it_is_closed_or_over() {
        let sessions = Sessions::default();
        let is_open = |headers: &HeaderMap| sessions.secret(headers).is_some();
        let cookie = sessions.open("secret".into(), true).expect("the system has randomness");
        assert!(cookie.ends_with("HttpOnly; SameSite=Strict; Secure"), "{cookie}");
        let (own, _) = cookie.split_once(';').expect("attributes");
        assert_eq!(sessions.secret(&headers(own)).as_deref(), Some("secret"));
        assert!(is_open(&headers(&format!("a=b; {own}"))));
        assert!(!is_open(&headers(&own[..own.len() - 1])));
        assert!(!is_open(&headers(NAME)) && !is_open(&HeaderMap::new()));
        assert!(!is_open(&headers(&format!("{NAME}="))), "an empty id is no session's");
        let other = sessions.open("other".into(), false).expect("the system has randomness");
        assert!(!other.contains("Secure") && !other.contains(own));
        sessions.close(&headers(own), true);
        assert!(!is_open(&headers(own)));
        let (other, _) = other.split_once(';').expect("attributes");
        assert!(is_open(&headers(other)));
        tokio::time::advance(LASTS).await;
        assert!(!is_open(&headers(other)), "it is over");
    }

    #[test]
    fn the_oldest_makes_room() {
        let sessions = Sessions::default();
        for _ in 0..SESSIONS_MAX + 5 {
            sessions.open("other".into(), false).expect("the system has randomness");
        }
        assert_eq!(sessions.lock().len(), SESSIONS_MAX);
    }
}
