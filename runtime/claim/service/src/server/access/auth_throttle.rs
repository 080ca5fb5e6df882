//! Rate limit for wrong tokens, by client address.
//!
//! A wrong token counts once, however often it is repeated: behind a proxy, all clients have one
//! address, and one of them may be set up with a wrong token. Above the limit each token that the
//! address has not shown before is delayed, right or wrong, so that a guess holds a connection for
//! that long, and a right token is never refused because of wrong ones. What a client that hangs up
//! has waited counts for its next request. A token that was used successfully from the address
//! before is not delayed, so that no lease lapses.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::access::auth::TokenCheck;
use crate::server::access::network::network;
use crate::server::access::token_file::BearerToken;

/// The time in which the allowed number of wrong tokens is forgotten.
const WINDOW: Duration = Duration::from_secs(60);
/// How long a token that is new at its address is delayed above the limit.
const DELAY: Duration = Duration::from_secs(1);
/// The maximum number of addresses; the one that was idle for longest is dropped first.
const ADDRESSES_MAX: usize = 10_000;
/// The maximum number of known tokens per address; the oldest is dropped first.
const KNOWN_MAX: usize = 256;
/// The maximum number of wrong tokens per address that are known to be wrong; the oldest is dropped
/// first.
const WRONG_MAX: usize = 64;
/// Levels that differ by less are equal.
const ROUNDING: f64 = 1e-6;

/// The wrong tokens by address.
#[derive(Debug)]
pub(crate) struct AuthThrottle {
    max: f64,
    /// Wrong tokens are kept as hashes with a key of this process.
    hasher: RandomState,
    addresses: Mutex<HashMap<IpAddr, AddressRecord>>,
}

/// The record of one address.
struct AddressRecord {
    /// The level of wrong tokens, which drains over time.
    level: f64,
    seen: Instant,
    /// Whether the log has reported that the limit is reached.
    is_told: bool,
    /// The right tokens that were shown from here, the last of them.
    known: Vec<KnownToken>,
    /// The wrong tokens that were counted, the last of them.
    wrong: VecDeque<u64>,
}

/// A right token, or one that has expired.
struct KnownToken {
    secret: Arc<str>,
    /// How long its requests are still to wait, if the address is above the limit.
    owed: Duration,
    /// Whether the log has reported that it has expired.
    has_expired: bool,
}

impl std::fmt::Debug for AddressRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({} wrong, {} right)", self.level, self.known.len())
    }
}

/// The decision about a request with a token.
pub(crate) enum Verdict {
    Admitted(BearerToken),
    Refused(&'static str),
    /// Retry after this many seconds.
    Later(u32),
}

/// How long a decision is withheld.
pub(crate) struct Delay<'a> {
    throttle: &'a AuthThrottle,
    from: IpAddr,
    /// The token, if it is known.
    secret: Option<Arc<str>>,
    left: Duration,
    since: Instant,
}

impl Delay<'_> {
    pub(crate) async fn pass(self) {
        tokio::time::sleep(self.left).await;
    }
}

impl Drop for Delay<'_> {
    fn drop(&mut self) {
        let Some(secret) = &self.secret else { return };
        let mut addresses = self.throttle.lock();
        let known = addresses.get_mut(&self.from).map(|address| address.known.iter_mut());
        if let Some(known) = known.into_iter().flatten().find(|known| known.secret == *secret) {
            known.owed = known.owed.saturating_sub(self.since.elapsed());
        }
    }
}

impl AuthThrottle {
    /// Allows `max` wrong tokens per minute and address.
    pub(crate) fn new(max: u32) -> Self {
        let max = f64::from(max.max(1));
        Self { max, hasher: RandomState::new(), addresses: Mutex::default() }
    }

    /// Decides about a token from an address, and whether the decision is to be withheld.
    pub(crate) fn judge(
        &self,
        from: IpAddr,
        shown: &str,
        check: TokenCheck,
    ) -> (Verdict, Option<Delay<'_>>) {
        let from = network(from);
        let mut addresses = self.lock();
        make_room(&mut addresses, from);
        let now = Instant::now();
        let address = addresses.entry(from).or_insert_with(|| AddressRecord::new(now));
        address.drain(self.max, now);
        let excess = address.level + 1.0 - self.max;
        let is_above = excess > ROUNDING;
        let delay = |secret, left: Duration| {
            let is_due = is_above && !left.is_zero();
            is_due.then(|| Delay { throttle: self, from, secret, left, since: now })
        };
        match check {
            // An expired token is rejected, but does not count as wrong.
            TokenCheck::Right(ref token) | TokenCheck::Expired(ref token) => {
                let secret = token.secret.clone();
                let known = address.known(&secret, if is_above { DELAY } else { Duration::ZERO });
                (known.authenticate(check, from), delay(Some(secret), known.owed))
            }
            TokenCheck::Wrong if address.wrong.contains(&self.hasher.hash_one(shown)) => {
                (Verdict::Refused(WRONG), None)
            }
            TokenCheck::Wrong if is_above => {
                if !std::mem::replace(&mut address.is_told, true) {
                    tracing::warn!(%from, "too many wrong tokens from this address");
                }
                let wait = excess * WINDOW.as_secs_f64() / self.max;
                let wait = (wait - ROUNDING).ceil().max(1.0) as u32;
                (Verdict::Later(wait), delay(None, DELAY))
            }
            TokenCheck::Wrong => {
                address.count(self.hasher.hash_one(shown));
                tracing::warn!(%from, "wrong token");
                (Verdict::Refused(WRONG), None)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, AddressRecord>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a wrong token.
const WRONG: &str = "The token is not valid for this server";

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
    fn new(now: Instant) -> Self {
        let (known, wrong) = (Vec::new(), VecDeque::new());
        Self { level: 0.0, seen: now, is_told: false, known, wrong }
    }

    fn drain(&mut self, max: f64, now: Instant) {
        let quiet = now.saturating_duration_since(self.seen);
        self.level = (self.level - quiet.as_secs_f64() * max / WINDOW.as_secs_f64()).max(0.0);
        self.seen = now;
    }

    /// The record of a right token, which a new one waits for this long.
    fn known(&mut self, secret: &Arc<str>, owed: Duration) -> &mut KnownToken {
        let place = self.known.iter().position(|known| known.secret == *secret);
        let place = place.unwrap_or_else(|| {
            if self.known.len() >= KNOWN_MAX {
                self.known.remove(0);
            }
            let secret = secret.clone();
            self.known.push(KnownToken { secret, owed, has_expired: false });
            self.known.len() - 1
        });
        let known = &mut self.known[place];
        // Below the limit no token waits.
        known.owed = known.owed.min(owed);
        known
    }

    fn count(&mut self, wrong: u64) {
        self.level += 1.0;
        self.is_told = false;
        if self.wrong.len() >= WRONG_MAX {
            self.wrong.pop_front();
        }
        self.wrong.push_back(wrong);
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

    use crate::server::access::auth_throttle::*;

    const HERE: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

    /// Judges a token, and waits as long as its request would.
    async fn show(throttle: &AuthThrottle, from: IpAddr, shown: &str, check: TokenCheck) {
        let (_verdict, delay) = throttle.judge(from, shown, check);
        if let Some(delay) = delay {
            delay.pass().await;
        }
    }

    async fn show_right(throttle: &AuthThrottle, secret: &str) {
        let (name, secret, is_operator, expires) = (None, secret.into(), false, None);
        let token = BearerToken { name, secret, is_operator, expires };
        show(throttle, HERE, &token.secret.clone(), TokenCheck::Right(token)).await;
    }

    /// A client that waits for less than the delay tries again.
    #[tokio::test(start_paused = true)]
    async fn what_an_impatient_client_has_waited_counts() {
        let throttle = AuthThrottle::new(1);
        show(&throttle, HERE, "0", TokenCheck::Wrong).await;
        let patience = DELAY * 2 / 5;
        for has_waited in [false, false, true] {
            let shown = tokio::time::timeout(patience, show_right(&throttle, "a")).await;
            assert_eq!(shown.is_ok(), has_waited);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_kept_of_an_address_is_bounded() {
        let throttle = AuthThrottle::new(10_000);
        for number in 0..1_000 {
            show(&throttle, HERE, &number.to_string(), TokenCheck::Wrong).await;
            show_right(&throttle, &format!("right {number}")).await;
        }
        let addresses = throttle.lock();
        let address = addresses.values().next().expect("it was seen");
        assert_eq!((address.known.len(), address.wrong.len()), (KNOWN_MAX, WRONG_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_bounded_and_the_quietest_makes_room() {
        let throttle = AuthThrottle::new(1);
        for number in 0..=ADDRESSES_MAX as u128 {
            tokio::time::advance(Duration::from_micros(1)).await;
            let next = Ipv6Addr::from_bits(number << 64).into();
            show(&throttle, next, "0", TokenCheck::Wrong).await;
        }
        let (addresses, first) = (throttle.lock(), network(Ipv6Addr::UNSPECIFIED.into()));
        assert_eq!(addresses.len(), ADDRESSES_MAX);
        assert!(!addresses.contains_key(&first));
    }
}
