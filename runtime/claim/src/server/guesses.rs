//! Wrong tokens, limited per address: a guesser is soon told to come later, right or wrong.
//!
//! Who has shown a right token from an address before is let in from there in any case, so that
//! nobody's locks lapse because a neighbour guesses, or has a token that was taken away.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::auth::Shown;
use super::network::network;
use super::token_file::Token;

/// So many wrong tokens as are allowed are forgotten in this time.
const WINDOW: Duration = Duration::from_secs(60);
/// Of more addresses than this the one that was quiet for longest is forgotten.
const ADDRESSES_MAX: usize = 10_000;
/// Of more right tokens than this the first is forgotten, for each address.
const KNOWN_MAX: usize = 64;
/// Levels that differ by less are the same.
const ROUNDING: f64 = 1e-6;

/// How many wrong tokens came from where.
#[derive(Debug)]
pub(super) struct Guesses {
    max: f64,
    addresses: Mutex<HashMap<IpAddr, Address>>,
}

/// What came from one address.
struct Address {
    /// Wrong tokens; they drain away as time goes by.
    level: f64,
    seen: Instant,
    /// The log has been told that no more are looked at.
    is_told: bool,
    /// What was shown rightly from here, the last of them.
    known: Vec<Known>,
}

/// A token that was shown rightly, if perhaps too late.
struct Known {
    secret: Arc<str>,
    /// The log has been told that it has expired.
    has_expired: bool,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({} wrong, {} right)", self.level, self.known.len())
    }
}

/// What becomes of a request that shows a token.
pub(super) enum Verdict {
    Admitted(Token),
    Refused(&'static str),
    /// Come again after so many seconds.
    Later(u32),
}

impl Guesses {
    /// So many wrong tokens a minute are looked at from each address.
    pub(super) fn new(max: u32) -> Self {
        Self { max: f64::from(max.max(1)), addresses: Mutex::default() }
    }

    /// Judges a token that was shown from an address.
    pub(super) fn judge(&self, from: IpAddr, shown: Shown) -> Verdict {
        let from = network(from);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut addresses, from);
        let now = Instant::now();
        let address = addresses.entry(from).or_insert_with(|| Address::new(now));
        address.drain(self.max, now);
        if let Shown::Right(token) | Shown::Expired(token) = &shown
            && let Some(known) = address.known.iter_mut().find(|known| known.secret == token.secret)
        {
            return known.admit(shown, from);
        }
        let excess = address.level + 1.0 - self.max;
        if excess > ROUNDING {
            if !std::mem::replace(&mut address.is_told, true) {
                tracing::warn!(%from, "too many wrong tokens");
            }
            let wait = excess * WINDOW.as_secs_f64() / self.max;
            return Verdict::Later((wait - ROUNDING).ceil().max(1.0) as u32);
        }
        address.is_told = false;
        match shown {
            // One that has expired is no guess, though nobody is let in by it.
            Shown::Right(ref token) | Shown::Expired(ref token) => {
                if address.known.len() >= KNOWN_MAX {
                    address.known.remove(0);
                }
                let mut known = Known { secret: token.secret.clone(), has_expired: false };
                let verdict = known.admit(shown, from);
                address.known.push(known);
                verdict
            }
            Shown::Wrong => {
                address.level += 1.0;
                tracing::warn!(%from, "a wrong token");
                Verdict::Refused("This is no token of this server")
            }
        }
    }
}

impl Known {
    fn admit(&mut self, shown: Shown, from: IpAddr) -> Verdict {
        match shown {
            Shown::Right(token) => return Verdict::Admitted(token),
            Shown::Expired(token) if !self.has_expired => {
                let name = token.name.as_deref().unwrap_or("");
                tracing::warn!(%from, name, "an expired token");
                self.has_expired = true;
            }
            Shown::Expired(_) | Shown::Wrong => {}
        }
        Verdict::Refused("The token has expired")
    }
}

impl Address {
    const fn new(now: Instant) -> Self {
        Self { level: 0.0, seen: now, is_told: false, known: Vec::new() }
    }

    fn drain(&mut self, max: f64, now: Instant) {
        let quiet = now.saturating_duration_since(self.seen);
        self.level = (self.level - quiet.as_secs_f64() * max / WINDOW.as_secs_f64()).max(0.0);
        self.seen = now;
    }
}

fn make_room(addresses: &mut HashMap<IpAddr, Address>, from: IpAddr) {
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
        let guesses = Guesses::new(3);
        let (here, there) = (at("192.0.2.1"), at("192.0.2.2"));
        for _ in 0..3 {
            assert!(matches!(guesses.judge(here, Shown::Wrong), Verdict::Refused(_)));
        }
        let Verdict::Later(wait) = guesses.judge(here, Shown::Right(token("a"))) else {
            panic!("it is not looked at");
        };
        assert!(!is_later(&guesses.judge(there, Shown::Right(token("a")))));
        tokio::time::advance(Duration::from_secs(u64::from(wait)) - Duration::from_secs(1)).await;
        assert!(is_later(&guesses.judge(here, Shown::Wrong)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!is_later(&guesses.judge(here, Shown::Right(token("a")))));
        for _ in 0..10 {
            let _judged = guesses.judge(here, Shown::Wrong);
        }
        assert!(!is_later(&guesses.judge(here, Shown::Right(token("a")))), "it was shown before");
        assert!(is_later(&guesses.judge(here, Shown::Right(token("b")))));
        tokio::time::advance(WINDOW).await;
        assert!(!is_later(&guesses.judge(here, Shown::Right(token("b")))));
    }

    /// A job whose token has expired asks again and again beside one that has a new token.
    #[tokio::test(start_paused = true)]
    async fn an_expired_token_is_no_guess() {
        let guesses = Guesses::new(1);
        let here = at("192.0.2.1");
        for _ in 0..10 {
            let refused = guesses.judge(here, Shown::Expired(token("old")));
            assert!(matches!(refused, Verdict::Refused(why) if why.contains("expired")));
        }
        assert!(!is_later(&guesses.judge(here, Shown::Right(token("new")))));
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_bounded_and_the_quietest_makes_room() {
        let guesses = Guesses::new(1);
        let first = at("2001:db8::");
        let _judged = guesses.judge(first, Shown::Wrong);
        for number in 1..=ADDRESSES_MAX as u128 {
            tokio::time::advance(Duration::from_micros(1)).await;
            let next = Ipv6Addr::from_bits(number << 64);
            let _judged = guesses.judge(next.into(), Shown::Wrong);
        }
        let addresses = guesses.addresses.lock().expect("nobody panics with it");
        assert_eq!(addresses.len(), ADDRESSES_MAX);
        assert!(!addresses.contains_key(&first));
    }
}
