//! A user of a member: it wants locks, holds them, and writes with their tokens.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use turnstile_group_lock::{Guard, Member};
use turnstile_host::Rng;

use super::event::Event;
use super::witness::{LOCKS, Witness};

/// The longest pause between two locks, and the longest time for which one is held.
const PAUSE: Duration = Duration::from_millis(400);
/// The longest time for which who gives up waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// A user.
pub(crate) struct User {
    /// The member, and its number there.
    pub(crate) own: (u64, u64),
    pub(crate) member: Member,
    pub(crate) witness: Witness,
    pub(crate) running: Rc<RefCell<BTreeMap<u64, Member>>>,
    pub(crate) is_over: Rc<Cell<bool>>,
    pub(crate) rng: Rng,
}

impl User {
    pub(crate) async fn run(mut self) {
        while !self.is_over.get() {
            sleep(self.rng.between(Duration::ZERO, PAUSE)).await;
            let lock = LOCKS[usize::from(self.rng.chance(0.5))];
            if let Some(guard) = self.lock(lock).await {
                self.hold(lock, guard).await;
            }
        }
    }

    /// Waits for a lock; or tries it, or gives up.
    async fn lock(&mut self, lock: &str) -> Option<Guard> {
        match self.rng.number() % 8 {
            0 => {
                let guard = self.member.try_lock(lock).await;
                if guard.is_none() {
                    self.witness.tally.note(Event::TriedInVain);
                }
                guard
            }
            1 => {
                let most = self.rng.between(Duration::ZERO, PATIENCE);
                let guard = timeout(most, self.member.lock(lock)).await.ok();
                if guard.is_none() {
                    self.witness.tally.note(Event::GaveUp);
                }
                guard
            }
            _ => Some(self.member.lock(lock).await),
        }
    }

    /// Holds a lock, and writes; some do so without a look whether they have lost it.
    async fn hold(&mut self, lock: &'static str, guard: Guard) {
        // It may be lost before its user has seen that it was granted.
        let Some(token) = guard.token().map(|token| token.to_string()) else { return };
        self.witness.granted(self.own, lock, &token, &self.running.borrow());
        let work = sleep(self.rng.between(Duration::ZERO, PAUSE));
        tokio::pin!(work);
        let is_lost = tokio::select! {
            biased;
            () = guard.lost() => true,
            () = &mut work => false,
        };
        if is_lost {
            self.witness.lost(self.own, lock);
            if self.rng.chance(0.5) {
                return;
            }
            work.await;
        }
        self.witness.write(lock, &token);
        if !is_lost {
            self.witness.returned(self.own, lock);
        }
    }
}
