//! A user of a member: it wants locks, holds them for a while, and gives them back or gives up.

use std::rc::Rc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use turnstile_host::Rng;
use turnstile_replicated_lock::{Guard, LockError, LockService};

use super::event::Event;
use super::line::Line;
use super::witness::{LOCKS, Process, RARE, UserId, Witness};

/// The pause between two wishes, and the time of a short hold, at most.
const PAUSE_MOST: Duration = Duration::from_millis(400);
const HOLD_MOST: Duration = Duration::from_millis(200);
/// The time of a long hold at most: longer than a lease and an election.
const LONG_MOST: Duration = Duration::from_millis(5_000);
/// The time between two looks at a line.
const LOOK: Duration = Duration::from_millis(20);
/// One that gives up does so after this at most.
const PATIENCE_MOST: Duration = Duration::from_millis(800);

pub(crate) struct User {
    pub(crate) process: Process,
    pub(crate) number: u64,
    pub(crate) service: LockService,
    pub(crate) witness: Witness,
    pub(crate) rng: Rng,
}

impl User {
    const fn id(&self) -> UserId {
        (self.process.member, self.number)
    }

    /// Uses locks until all is repaired, and then each of them once more.
    pub(crate) async fn run(mut self) {
        while !self.witness.is_calm() {
            sleep(self.rng.between(Duration::ZERO, PAUSE_MOST)).await;
            let lock = self.wish();
            match self.rng.number() % 8 {
                0..4 => self.lock(lock).await,
                4 | 5 => self.give_up(lock).await,
                _ => self.try_lock(lock).await,
            }
        }
        for lock in LOCKS {
            while !self.turn(lock).await {
                // A member that was removed refuses at once.
                sleep(LOOK).await;
            }
        }
        self.witness.serve(self.id());
        if self.number == 0 {
            for lock in LOCKS {
                self.line_up(lock).await;
            }
        }
    }

    fn wish(&mut self) -> &'static str {
        let is_rare = self.rng.number().is_multiple_of(6);
        let locks = if is_rare { &RARE[..] } else { &LOCKS[..] };
        locks[self.rng.number() as usize % locks.len()]
    }

    async fn lock(&mut self, lock: &'static str) {
        match self.service.lock(lock).lock().await {
            Ok(guard) => self.hold(lock, guard).await,
            Err(error) => self.failed(lock, error),
        }
    }

    /// Waits for a lock, but not for long.
    async fn give_up(&mut self, lock: &'static str) {
        let patience = self.rng.between(Duration::ZERO, PATIENCE_MOST);
        match timeout(patience, self.service.lock(lock).lock()).await {
            Ok(Ok(guard)) => self.hold(lock, guard).await,
            Ok(Err(error)) => self.failed(lock, error),
            Err(_) => self.witness.tally.note(Event::GaveUp),
        }
    }

    async fn try_lock(&mut self, lock: &'static str) {
        match self.service.lock(lock).try_lock().await {
            Ok(Some(guard)) => self.hold(lock, guard).await,
            Ok(None) => self.witness.tally.note(Event::TriedInVain),
            Err(error) => self.failed(lock, error),
        }
    }

    /// Whether it has had the lock and given it back.
    async fn turn(&self, lock: &'static str) -> bool {
        let guard = match self.service.lock(lock).lock().await {
            Ok(guard) => self.witness.granted(self.process, lock, guard),
            Err(error) => {
                self.failed(lock, error);
                None
            }
        };
        let Some(guard) = guard else { return false };
        self.unlock(lock, guard).await
    }

    fn failed(&self, lock: &str, error: LockError) {
        self.witness.trace.note(format_args!("{:?} has not {lock}: {error:?}", self.process));
        match error {
            LockError::NoMajority | LockError::Removed => {
                self.witness.tally.note(Event::NoMajority)
            }
            LockError::Failed => self.witness.tally.note(Event::Failed),
            // It was granted, and is lost already.
            LockError::Lost => {}
            LockError::Stopped => self.witness.fail(format!("{:?} has stopped", self.process)),
        }
    }

    async fn hold(&mut self, lock: &'static str, guard: Guard) {
        let Some(guard) = self.witness.granted(self.process, lock, guard) else { return };
        let (tally, epoch) = (self.witness.tally.clone(), self.service.status().epoch);
        let is_long = self.rng.number().is_multiple_of(4);
        let time = self.rng.between(Duration::ZERO, if is_long { LONG_MOST } else { HOLD_MOST });
        if self.rng.number().is_multiple_of(2) {
            tally.note(Event::Stalled);
            sleep(time).await;
        } else if timeout(time, guard.lost()).await.is_ok() {
            tally.note(Event::Lost);
        }
        // A member that stays in the majority keeps its locks.
        if guard.is_lost() && self.service.status().epoch == epoch {
            self.witness.fail(format!("{:?} loses {lock} in one session", self.process));
        }
        self.witness.writes(self.process, lock, &guard);
        if self.rng.number().is_multiple_of(3) {
            self.witness.trace.note(format_args!("{:?} drops {lock}", self.process));
            tally.note(Event::Dropped);
        } else {
            self.unlock(lock, guard).await;
        }
    }

    /// Whether it has given the lock back, as far as it is told.
    async fn unlock(&self, lock: &str, guard: Rc<Guard>) -> bool {
        let process = self.process;
        self.witness.trace.note(format_args!("{process:?} unlocks {lock}"));
        let guard = Rc::into_inner(guard).expect("no other has it");
        let was_lost = guard.is_lost();
        let unlocked = guard.unlock().await;
        self.witness.trace.note(format_args!("{process:?} is told of {lock}: {unlocked:?}"));
        match unlocked {
            Ok(()) if was_lost => {
                self.witness.fail(format!("{process:?} unlocks {lock}, which it has lost"));
            }
            Ok(()) => self.witness.tally.note(Event::Unlocked),
            Err(LockError::Lost) => self.witness.tally.note(Event::UnlockedLost),
            Err(LockError::Failed) => self.witness.tally.note(Event::UnlockFailed),
            Err(error @ (LockError::NoMajority | LockError::Removed | LockError::Stopped)) => {
                self.witness.fail(format!("{process:?} unlocks {lock}: {error:?}"));
            }
        }
        unlocked.is_ok()
    }

    /// Lines up for a lock behind the others. The first one finds it free.
    async fn line_up(&self, lock: &'static str) {
        let (witness, member) = (&self.witness, self.process.member);
        while witness.line(lock, |line| line.next()).flatten() != Some(member) {
            sleep(LOOK).await;
        }
        let is_first = witness.line(lock, |line| line.is_first(member)).unwrap_or_default();
        let mutex = self.service.lock(lock);
        let guard = loop {
            let locked =
                if is_first { mutex.try_lock().await } else { mutex.lock().await.map(Some) };
            match locked {
                Ok(Some(guard)) => break guard,
                Ok(None) => return witness.fail(format!("{:?} finds {lock} taken", self.process)),
                Err(error) => {
                    self.failed(lock, error);
                    witness.line(lock, Line::disturb);
                    sleep(LOOK).await;
                }
            }
        };
        let Some(guard) = witness.granted(self.process, lock, guard) else {
            return witness.fail(format!("{:?} loses {lock} in the end", self.process));
        };
        if witness.line(lock, |line| line.serve(member)) == Some(false) {
            witness.fail(format!("{:?} has {lock} before its turn", self.process));
        }
        while is_first && witness.line(lock, |line| line.is_complete()) != Some(true) {
            sleep(LOOK).await;
        }
        self.unlock(lock, guard).await;
        witness.line(lock, Line::leave);
    }
}
