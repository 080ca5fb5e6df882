//! Rate limit for wrong tokens, by client address. Above it, all tokens of the address are
//! rejected.
//!
//! Exception: a token that was used successfully from the address before is still accepted, so that
//! leases do not lapse because another client of the same address sends wrong tokens.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::auth::TokenCheck;
use super::network::network;
use super::token_file::Token;

/// The time in which the allowed number of wrong tokens is forgotten.
const WINDOW: Duration = Duration::from_secs(60);
/// The maximum number of addresses; the one that was idle for longest is dropped first.
const ADDRESSES_MAX: usize = 10_000;
/// The maximum number of known tokens per address; the oldest is dropped first.
const KNOWN_MAX: usize = 64;
/// Levels that differ by less are equal.
const ROUNDING: f64 = 1e-6;

/// The wrong tokens by address.
#[derive(Debug)]
pub(super) struct AuthThrottle {
    max: f64,
    addresses: Mutex<HashMap<IpAddr, AddressRecord>>,
}

/// The record of one address.
struct AddressRecord {
    /// The level of wrong tokens, which drains over time.
    level: f64,
    seen: Instant,
    /// Whether the log has reported that the limit is reached.
    is_told: bool,
    /// The tokens that were used successfully from here, the last of them.
    known: Vec<KnownToken>,
}

/// A token that was used successfully, or has expired.
struct KnownToken {
    secret: Arc<str>,
    /// Whether the log has reported that it has expired.
    has_expired: bool,
}

impl std::fmt::Debug for AddressRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({} wrong, {} right)", self.level, self.known.len())
    }
}

/// The decision about a request with a token.
pub(super) enum Verdict {
    Admitted(Token),
    Refused(&'static str),
    /// Retry after this many seconds.
    Later(u32),
}

impl AuthThrottle {
    /// Allows `max` wrong tokens per minute and address.
    pub(super) fn new(max: u32) -> Self {
        Self { max: f64::from(max.max(1)), addresses: Mutex::default() }
    }

    /// Decides about a token from an address.
    pub(super) fn judge(&self, from: IpAddr, shown: TokenCheck) -> Verdict {
        let from = network(from);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut addresses, from);
        let now = Instant::now();
        let address = addresses.entry(from).or_insert_with(|| AddressRecord::new(now));
        address.drain(self.max, now);
        if let TokenCheck::Right(token) | TokenCheck::Expired(token) = &shown
            && let Some(known) = address.known.iter_mut().find(|known| known.secret == token.secret)
        {
            return known.authenticate(shown, from);
        }
        let excess = address.level + 1.0 - self.max;
        if excess > ROUNDING {
            if !std::mem::replace(&mut address.is_told, true) {
                tracing::warn!(%from, "too many wrong tokens from this address");
            }
            let wait = excess * WINDOW.as_secs_f64() / self.max;
            return Verdict::Later((wait - ROUNDING).ceil().max(1.0) as u32);
        }
        address.is_told = false;
        match shown {
            // An expired token is rejected, but does not count as wrong.
            TokenCheck::Right(ref token) | TokenCheck::Expired(ref token) => {
                if address.known.len() >= KNOWN_MAX {
                    address.known.remove(0);
                }
                let mut known = KnownToken { secret: token.secret.clone(), has_expired: false };
                let verdict = known.authenticate(shown, from);
                address.known.push(known);
                verdict
            }
            TokenCheck::Wrong => {
                address.level += 1.0;
                tracing::warn!(%from, "wrong token");
                Verdict::Refused("The token is not valid for this server")
            }
        }
    }
}

impl KnownToken {
    fn authenticate(&mut self, shown: TokenCheck, from: IpAddr) -> Verdict {
        match shown {
            TokenCheck::Right(token) => return Verdict::Admitted(token),
            TokenCheck::Expired(token) if !self.has_expired => {
                let name = token.name.as_deref().unwrap_or("");
                tracing::warn!(%from, name, "expired token");
                self.has_expired = true;
            }
            TokenCheck::Expired(_) | TokenCheck::Wrong => {}
        }
        Verdict::Refused("The token has expired")
    }
}

impl AddressRecord {
    const fn new(now: Instant) -> Self {
        Self { level: 0.0, seen: now, is_told: false, known: Vec::new() }
    }

    fn drain(&mut self, max: f64, now: Instant) {
        let quiet = now.saturating_duration_since(self.seen);
        self.level = (self.level - quiet.as_secs_f64() * max / WINDOW.as_secs_f64()).max(0.0);
        self.seen = now;
    }
}

fn make_room(addresses: &mut HashMap<IpAddr, AddressRecord>, from: IpAddr) {
    if addresses.len() >= ADDRESSES_MAX && !addresses.contains_key(&from) {
        let quiet = addresses.iter().min_by_key(|(_, address)| address.seen);
        if let Some(quiet) = quiet.map(|(from, _)| *from) {
            addresses.remove(&quiet);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    fn token(secret: &str) -> Token {
        Token { name: None, secret: secret.into(), is_operator: false, expires: None }
    }

    fn at(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn is_later(verdict: &Verdict) -> bool {
        matches!(verdict, Verdict::Later(_))
    }

    #[tokio::test(start_paused = true)]
    async fn a_guesser_is_told_to_come_later_and_is_then_heard() {
        let auth_throttle = AuthThrottle::new(3);
        let (here, there) = (at("192.0.2.1"), at("192.0.2.2"));
        for _ in 0..3 {
            assert!(matches!(auth_throttle.judge(here, TokenCheck::Wrong), Verdict::Refused(_)));
        }
        let Verdict::Later(wait) = auth_throttle.judge(here, TokenCheck::Right(token("a"))) else {
            panic!("it is not looked at");
        };
        assert!(!is_later(&auth_throttle.judge(there, TokenCheck::Right(token("a")))));
        tokio::time::advance(Duration::from_secs(u64::from(wait)) - Duration::from_secs(1)).await;
        assert!(is_later(&auth_throttle.judge(here, TokenCheck::Wrong)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!is_later(&auth_throttle.judge(here, TokenCheck::Right(token("a")))));
        for _ in 0..10 {
            let _judged = auth_throttle.judge(here, TokenCheck::Wrong);
        }
        assert!(
            !is_later(&auth_throttle.judge(here, TokenCheck::Right(token("a")))),
            "it was shown before"
        );
        assert!(is_later(&auth_throttle.judge(here, TokenCheck::Right(token("b")))));
        tokio::time::advance(WINDOW).await;
        assert!(!is_later(&auth_throttle.judge(here, TokenCheck::Right(token("b")))));
    }

    /// A client with an expired token keeps retrying beside one with a new token.
    #[tokio::test(start_paused = true)]
    async fn an_expired_token_is_no_guess() {
        let auth_throttle = AuthThrottle::new(1);
        let here = at("192.0.2.1");
        for _ in 0..10 {
            let refused = auth_throttle.judge(here, TokenCheck::Expired(token("old")));
            assert!(matches!(refused, Verdict::Refused(why) if why.contains("expired")));
        }
        assert!(!is_later(&auth_throttle.judge(here, TokenCheck::Right(token("new")))));
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_bounded_and_the_quietest_makes_room() {
        let auth_throttle = AuthThrottle::new(1);
        let first = at("2001:db8::");
        let _judged = auth_throttle.judge(first, TokenCheck::Wrong);
        for number in 1..=ADDRESSES_MAX as u128 {
            tokio::time::advance(Duration::from_micros(1)).await;
            let next = Ipv6Addr::from_bits(number << 64);
            let _judged = auth_throttle.judge(next.into(), TokenCheck::Wrong);
        }
        let addresses = auth_throttle.addresses.lock().expect("no holder panics");
        assert_eq!(addresses.len(), ADDRESSES_MAX);
        assert!(!addresses.contains_key(&first));
    }
}
