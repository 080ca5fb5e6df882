//! How often a lock was granted in a row to the callers of one process: its share, after which it
//! is given to those that wait at other members.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;
use turnstile_group_lock_core::message::LockName;

use crate::turns::pause::POLL;

/// A share lasts for so long at least, however short its grants are: as long as a poll of those
/// that wait, which could take over no earlier.
const SHARE_LEAST: Duration = POLL.0;
/// Others could have had a lock that was free for so long, and a share ends: no poll takes longer.
const FREE: Duration = POLL.1;
/// For so long a place in line is kept for the next caller of this process, who may be about to
/// come: as long as a poll.
pub(crate) const KEPT: Duration = POLL.0;
/// The number of shares below which none that have ended are removed.
const PRUNE_LEAST: usize = 1024;

/// The shares of all locks of this process, with places in line of a type.
pub(crate) struct Shares<P> {
    grants_max: u32,
    shares: BTreeMap<LockName, Share<P>>,
    /// The number at which those that have ended are removed.
    prune_at: usize,
}

struct Share<P> {
    grants: u32,
    begun: Instant,
    /// When a caller has last had the lock, or has given up.
    left: Instant,
    /// Whether a caller has the lock, or asks for it.
    is_active: bool,
    /// The first place in line: who has it is the only member in line that asks for the lock.
    place: Option<P>,
}

/// What follows when a caller has left a lock.
pub(crate) enum Left<P> {
    /// Nothing: the process has no place in line.
    Nothing,
    /// Its place is free, once this is dropped.
    Ended(P),
    /// Its place is kept for the next caller, and is free if none comes.
    Kept,
}

impl<P> Shares<P> {
    pub(crate) const fn new(grants_max: u32) -> Self {
        Self { grants_max, shares: BTreeMap::new(), prune_at: PRUNE_LEAST }
    }

    fn is_used(&self, share: &Share<P>, now: Instant) -> bool {
        now < share.left + FREE
            && share.grants >= self.grants_max
            && now >= share.begun + SHARE_LEAST
    }

    /// Whether the present share of a lock is used up.
    pub(crate) fn are_used(&self, lock: LockName, now: Instant) -> bool {
        self.shares.get(&lock).is_some_and(|share| self.is_used(share, now))
    }

    /// A caller asks for a lock now: whether the process is the first one in line for it. If it is
    /// not, since its share is used up or its place was lost, that place is returned.
    pub(crate) fn resume(
        &mut self,
        lock: LockName,
        now: Instant,
        is_held: impl FnOnce(&P) -> bool,
    ) -> (bool, Left<P>) {
        let is_used = self.are_used(lock, now);
        let Some(share) = self.shares.get_mut(&lock) else { return (false, Left::Nothing) };
        share.is_active = !is_used && share.place.as_ref().is_some_and(is_held);
        if share.is_active { (true, Left::Nothing) } else { (false, self.end(lock)) }
    }

    /// A lock is granted after others could have it: a share begins, with a place in line or
    /// without one. A former place is returned.
    pub(crate) fn begin(&mut self, lock: LockName, place: Option<P>, now: Instant) -> Left<P> {
        if self.shares.len() >= self.prune_at {
            self.shares.retain(|_, share| share.place.is_some() || now < share.left + FREE);
            self.prune_at = PRUNE_LEAST.max(2 * self.shares.len());
        }
        let share = Share { grants: 1, begun: now, left: now, is_active: true, place };
        let before = self.shares.insert(lock, share).and_then(|before| before.place);
        before.map_or(Left::Nothing, Left::Ended)
    }

    /// A lock is granted once more; whether a share goes on. Otherwise one begins.
    pub(crate) fn count(&mut self, lock: LockName, now: Instant) -> bool {
        let goes_on = |share: &&mut Share<P>| share.place.is_some() || now < share.left + FREE;
        let Some(share) = self.shares.get_mut(&lock).filter(goes_on) else { return false };
        share.grants = share.grants.saturating_add(1);
        (share.is_active, share.left) = (true, now);
        true
    }

    /// A caller has given a lock back, or asks for it no longer.
    pub(crate) fn left(&mut self, lock: LockName, now: Instant) -> Left<P> {
        let Some(share) = self.shares.get_mut(&lock) else { return Left::Nothing };
        (share.is_active, share.left) = (false, now);
        if share.place.is_none() {
            return Left::Nothing;
        }
        if !self.are_used(lock, now) {
            return Left::Kept;
        }
        self.end(lock)
    }

    /// No caller has come since one has left a lock at this time, or one has.
    pub(crate) fn idle(&mut self, lock: LockName, left: Instant) -> Left<P> {
        let share = self.shares.get(&lock);
        let is_idle = share.is_some_and(|share| !share.is_active && share.left == left);
        if is_idle { self.end(lock) } else { Left::Nothing }
    }

    fn end(&mut self, lock: LockName) -> Left<P> {
        let place = self.shares.get_mut(&lock).and_then(|share| share.place.take());
        place.map_or(Left::Nothing, Left::Ended)
    }
}

#[cfg(test)]
mod tests {
    use crate::turns::shares::*;

    const LOCK: LockName = LockName(1);

    /// A grant to a caller who gives the lock back at this time.
    fn grant(shares: &mut Shares<()>, lock: LockName, now: Instant) {
        if !shares.count(lock, now) {
            shares.begin(lock, None, now);
        }
        shares.left(lock, now);
    }

    #[test]
    fn a_share_is_used_after_its_grants_and_ends_when_others_could_have_had_the_lock() {
        let (mut shares, now) = (Shares::new(2), Instant::now());
        let later = now + SHARE_LEAST;
        grant(&mut shares, LOCK, now);
        assert!(!shares.are_used(LOCK, later), "one more");
        (0..100).for_each(|_| grant(&mut shares, LOCK, now));
        assert!(!shares.are_used(LOCK, now), "they take no time: a share only after a poll");
        assert!(shares.are_used(LOCK, later) && !shares.are_used(LockName(2), later));
        grant(&mut shares, LOCK, later);
        assert!(shares.are_used(LOCK, later + FREE / 2), "the next caller comes a little later");
        assert!(!shares.are_used(LOCK, later + FREE), "nobody has wanted it for so long");
        shares.begin(LOCK, None, later);
        assert!(!shares.are_used(LOCK, later), "others could have it before: a share begins");
    }

    #[test]
    fn shares_that_have_ended_are_removed() {
        let (mut shares, mut now) = (Shares::new(8), Instant::now());
        for lock in 0..10 * PRUNE_LEAST as u64 {
            grant(&mut shares, LockName(lock), now);
            now += FREE;
        }
        assert!(shares.shares.len() <= PRUNE_LEAST);
    }

    #[test]
    fn a_place_is_kept_for_the_next_caller_until_the_share_ends_or_it_is_lost() {
        let (mut shares, now) = (Shares::new(2), Instant::now());
        let later = now + SHARE_LEAST;
        shares.begin(LOCK, Some("held"), now);
        assert!(matches!(shares.left(LOCK, later), Left::Kept), "for one more");
        assert!(shares.resume(LOCK, later, |place| *place == "held").0);
        assert!(matches!(shares.idle(LOCK, later), Left::Nothing) && shares.count(LOCK, later));
        assert!(matches!(shares.left(LOCK, later), Left::Ended("held")), "the share is used up");
        assert!(!shares.resume(LOCK, later, |_| true).0);
        shares.begin(LOCK, Some("held"), later);
        assert!(matches!(shares.left(LOCK, later), Left::Kept));
        assert!(matches!(shares.idle(LOCK, later), Left::Ended("held")), "none comes");
        assert!(!shares.resume(LOCK, later, |_| true).0);
        // In a merge another member has the place, and this one has to stand in line for it again.
        shares.begin(LOCK, Some("lost"), later);
        assert!(shares.resume(LOCK, later, |_| true).0);
        assert!(matches!(shares.resume(LOCK, later, |_| false), (false, Left::Ended("lost"))));
    }
}
