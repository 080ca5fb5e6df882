//! The locks of one process: whose turn it is among its callers, and what the core has said.
//!
//! The core takes one call of a lock at a time, and its requests do not queue: a call that is
//! rejected is made again.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siphasher::sip::SipHasher24;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turns, OwnedMutexGuard, mpsc, watch};
use tokio::time::{Instant, sleep};
use turnstile_group_lock_core::Notice;
use turnstile_group_lock_core::message::{FencingToken, LockName};
use turnstile_group_lock_core::stack::Command;

use crate::turns::shares::{KEPT, Left, Shares};
use crate::turns::users::LockUsers;

/// The key of the hash. All members must have the same, so it is fixed, and no secret: who can name
/// locks can find two names of one hash, and all that follows is that these exclude each other.
const KEY: &[u8; 16] = b"turnstile group!";

/// The key of the hash of places in line, so that no name of a lock is that of a place.
const PLACE_KEY: &[u8; 16] = b"turnstile place!";

/// The number of the lock with a name: its SipHash-2-4.
pub(crate) fn number(name: &str) -> LockName {
    let mut hasher = SipHasher24::new_with_key(KEY);
    hasher.write(name.as_bytes());
    LockName(hasher.finish())
}

/// The number of a place in the line for a lock: a lock as well.
fn place_number(lock: LockName, place: u64) -> LockName {
    let mut hasher = SipHasher24::new_with_key(PLACE_KEY);
    hasher.write(&lock.0.to_le_bytes());
    hasher.write(&place.to_le_bytes());
    LockName(hasher.finish())
}

/// What the core has said last of a lock that this process wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is asked for.
    Waiting,
    /// It is held, by this token.
    Held(Option<FencingToken>),
    /// Another member holds it, or the core has waited too long.
    NotGranted,
    /// It was held, and is no longer.
    Lost,
}

/// The locks that callers of this process want.
pub(crate) struct Locks {
    wanted: Mutex<BTreeMap<LockName, Wanted>>,
    commands: mpsc::UnboundedSender<Command>,
    shares: Mutex<Shares<Turn>>,
    runtime: Handle,
}

struct Wanted {
    /// What the callers call the lock; `None`: it is a place in line, which they do not know.
    name: Option<String>,
    turns: Arc<Turns<()>>,
    /// `None` while nobody has the turn.
    phase: watch::Sender<Option<Phase>>,
}

/// The turn of one caller. Dropping it gives the lock back.
pub(crate) struct Turn {
    locks: Arc<Locks>,
    lock: LockName,
    phase: watch::Receiver<Option<Phase>>,
    turn: Option<OwnedMutexGuard<()>>,
}

impl Locks {
    /// The commands for the core are sent in their order. A lock is granted so often in a row to
    /// callers of this process. Needs a tokio runtime.
    pub(crate) fn new(grants_max: u32) -> (Arc<Self>, mpsc::UnboundedReceiver<Command>) {
        let (commands, sent) = mpsc::unbounded_channel();
        let (wanted, shares) = (Mutex::default(), Mutex::new(Shares::new(grants_max)));
        (Arc::new(Self { wanted, commands, shares, runtime: Handle::current() }), sent)
    }

    /// Waits for the turn of a caller.
    pub(crate) async fn turn(self: &Arc<Self>, name: &str) -> Turn {
        let (mut turn, turns) = self.enqueue(number(name), Some(name));
        turn.turn = Some(turns.lock_owned().await);
        turn
    }

    /// The turn of a caller, if no other one has it or waits for it.
    pub(crate) fn try_turn(self: &Arc<Self>, name: &str) -> Option<Turn> {
        let (mut turn, turns) = self.enqueue(number(name), Some(name));
        turn.turn = Some(turns.try_lock_owned().ok()?);
        Some(turn)
    }

    /// One that has no turn yet.
    fn enqueue(self: &Arc<Self>, lock: LockName, name: Option<&str>) -> (Turn, Arc<Turns<()>>) {
        let mut wanted = self.lock();
        let wanted = wanted.entry(lock).or_insert_with(|| Wanted {
            name: name.map(ToOwned::to_owned),
            turns: Arc::default(),
            phase: watch::Sender::new(None),
        });
        let (turns, phase) = (Arc::clone(&wanted.turns), wanted.phase.subscribe());
        (Turn { locks: Arc::clone(self), lock, phase, turn: None }, turns)
    }

    /// A caller has left a lock. The place in line that the process may have is given back with it,
    /// or if no other caller comes.
    fn left(self: &Arc<Self>, lock: LockName) {
        let now = Instant::now();
        let left = self.shares().left(lock, now);
        if matches!(left, Left::Kept) {
            let locks = Arc::downgrade(self);
            self.runtime.spawn(async move {
                sleep(KEPT).await;
                let Some(locks) = locks.upgrade() else { return };
                let idle = locks.shares().idle(lock, now);
                drop(idle);
            });
        }
    }

    /// The core has said something of a lock.
    pub(crate) fn said(&self, notice: Notice) {
        let lock = notice.lock();
        let next = match notice {
            Notice::Locked(_, token) => Phase::Held(token),
            Notice::Rejected(_) | Notice::TimedOut(_) => Phase::NotGranted,
            Notice::Duplicate(_) => Phase::Lost,
        };
        let is_heard = self.lock().get(&lock).is_some_and(|wanted| wanted.tell(next));
        if !is_heard && matches!(next, Phase::Held(_)) {
            // Whoever asked for it has gone.
            self.command(Command::Unlock(lock));
        }
    }

    /// The member is in no group any more: all that it holds is lost, and what it asked for is
    /// asked for again.
    pub(crate) fn lose_all(&self) {
        for wanted in self.lock().values() {
            wanted.phase.send_if_modified(|phase| {
                let next = match phase {
                    Some(Phase::Held(_)) => Some(Phase::Lost),
                    Some(Phase::Waiting) => Some(Phase::NotGranted),
                    None | Some(Phase::NotGranted | Phase::Lost) => *phase,
                };
                std::mem::replace(phase, next) != next
            });
        }
    }

    /// The callers of each lock, by name.
    pub(crate) fn users(&self) -> Vec<LockUsers> {
        let mut users: Vec<LockUsers> = self.lock().values().filter_map(Wanted::users).collect();
        users.sort_by(|one, other| one.name.cmp(&other.name));
        users
    }

    fn command(&self, command: Command) {
        // An error means that the member has stopped.
        let _stopped = self.commands.send(command);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<LockName, Wanted>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shares(&self) -> MutexGuard<'_, Shares<Turn>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wanted {
    fn users(&self) -> Option<LockUsers> {
        let name = self.name.clone()?;
        let phase = *self.phase.borrow();
        let is_granted = matches!(phase, Some(Phase::Held(_) | Phase::Lost));
        let waiters = self.callers() - usize::from(is_granted);
        Some(LockUsers { name, is_held: is_held(phase), waiters })
    }

    /// Those that wait for their turn, or have it: each has a handle, as has this.
    fn callers(&self) -> usize {
        Arc::strong_count(&self.turns) - 1
    }

    /// Returns whether a caller has the turn, and waits for this or holds the lock.
    fn tell(&self, next: Phase) -> bool {
        let mut is_heard = false;
        self.phase.send_if_modified(|phase| {
            is_heard = match (*phase, next) {
                (Some(Phase::Waiting), Phase::Held(_) | Phase::NotGranted)
                | (Some(Phase::Held(_)), Phase::Lost) => true,
                (None | Some(_), _) => false,
            };
            if is_heard {
                *phase = Some(next);
            }
            is_heard
        });
        is_heard
    }
}

fn is_held(phase: Option<Phase>) -> bool {
    matches!(phase, Some(Phase::Held(_)))
}

impl Turn {
    /// Asks the core for the lock, and waits for its answer: whether it is held.
    pub(crate) async fn ask(&mut self) -> bool {
        self.set(Some(Phase::Waiting));
        self.locks.command(Command::Lock(self.lock));
        // An error cannot be: the sender is kept while there is a turn.
        let answered = self.phase.wait_for(|phase| *phase != Some(Phase::Waiting)).await;
        answered.is_ok_and(|phase| is_held(*phase))
    }

    /// The turn at a place in the line for the lock: only who has the turn of the lock wants one.
    pub(crate) async fn place(&self, place: u64) -> Self {
        let (mut turn, turns) = self.locks.enqueue(place_number(self.lock, place), None);
        turn.turn = Some(turns.lock_owned().await);
        turn
    }

    /// How many locks and places in line this process wants.
    pub(crate) fn wanted(&self) -> usize {
        self.locks.lock().len()
    }

    /// Whether the callers of this process have had the lock so often in a row that it is given to
    /// those that wait at other members.
    pub(crate) fn has_had_its_share(&self) -> bool {
        self.locks.shares().are_used(self.lock, Instant::now())
    }

    /// Whether this process is the first one in line for the lock already; otherwise it has no
    /// place.
    pub(crate) fn is_first_in_line(&self) -> bool {
        let (is_first, place) =
            self.locks.shares().resume(self.lock, Instant::now(), Self::is_held);
        // It is dropped here, since that takes the lock of the shares.
        drop(place);
        is_first
    }

    /// Counts a grant of the lock that was not waited for.
    pub(crate) fn count(&self) {
        let goes_on = self.locks.shares().count(self.lock, Instant::now());
        if !goes_on {
            self.begin_share(None);
        }
    }

    /// The lock is granted after others could have it, with the first place in line or without one.
    pub(crate) fn begin_share(&self, place: Option<Self>) {
        let before = self.locks.shares().begin(self.lock, place, Instant::now());
        // It is dropped here, since that takes the lock of the shares.
        drop(before);
    }

    pub(crate) fn is_held(&self) -> bool {
        is_held(*self.phase.borrow())
    }

    /// The token by which the lock is held.
    pub(crate) fn token(&self) -> Option<FencingToken> {
        match *self.phase.borrow() {
            Some(Phase::Held(token)) => token,
            None | Some(Phase::Waiting | Phase::NotGranted | Phase::Lost) => None,
        }
    }

    /// Waits until the lock is lost.
    pub(crate) async fn lost(&self) {
        let mut phase = self.phase.clone();
        let _lost = phase.wait_for(|phase| !is_held(*phase)).await;
    }

    fn set(&self, next: Option<Phase>) {
        if let Some(wanted) = self.locks.lock().get(&self.lock) {
            wanted.phase.send_replace(next);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turn) = self.turn.take() {
            let was_held = self.is_held();
            self.set(None);
            if was_held {
                self.locks.command(Command::Unlock(self.lock));
            }
            self.locks.left(self.lock);
            // The commands of the next caller come after this one's.
            drop(turn);
        }
        let mut wanted = self.locks.lock();
        if wanted.get(&self.lock).is_some_and(|wanted| wanted.callers() == 0) {
            wanted.remove(&self.lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use crate::turns::locks::*;

    const LOCK: LockName = LockName(5_628_796_508_648_624_219);

    /// The next turn, to which the core says this.
    async fn said(locks: &Arc<Locks>, notice: Notice) -> Turn {
        // Members of all versions must agree on the number of a name.
        let mut turn = locks.turn("printer").await;
        let is_held = tokio::join!(turn.ask(), async { locks.said(notice) }).0;
        let is_granted = matches!(notice, Notice::Locked(..));
        assert!(is_held == is_granted && turn.is_held() == is_granted);
        turn
    }

    #[tokio::test]
    async fn callers_take_turns_are_counted_and_the_lock_goes_back_to_the_core_in_between() {
        let (locks, mut commands) = Locks::new(8);
        let users = |is_held, waiters| [LockUsers { name: "printer".into(), is_held, waiters }];
        let first = said(&locks, Notice::Locked(LOCK, None)).await;
        let mut second = Box::pin(said(&locks, Notice::Rejected(LOCK)));
        assert!(timeout(Duration::from_millis(1), &mut second).await.is_err(), "it waits");
        assert_eq!(locks.users(), users(true, 1));
        drop(first);
        assert_eq!(locks.users(), users(false, 1));
        drop(second.await);
        for expected in [Command::Lock(LOCK), Command::Unlock(LOCK), Command::Lock(LOCK)] {
            assert_eq!(commands.recv().await, Some(expected));
        }
        assert!(locks.lock().is_empty(), "nothing is kept of a lock that nobody wants");
    }

    #[tokio::test]
    async fn a_grant_that_nobody_waits_for_goes_back() {
        let (locks, mut commands) = Locks::new(8);
        let mut turn = locks.turn("printer").await;
        let asked = timeout(Duration::from_millis(1), turn.ask()).await;
        drop((asked.expect_err("nothing is said"), turn));
        assert_eq!(commands.recv().await, Some(Command::Lock(LOCK)));
        locks.said(Notice::Locked(LOCK, None));
        assert_eq!(commands.recv().await, Some(Command::Unlock(LOCK)));
    }

    #[tokio::test]
    async fn a_lock_is_lost_in_a_merge_and_with_the_group() {
        let (locks, _commands) = Locks::new(8);
        for lose in [|locks: &Locks| locks.said(Notice::Duplicate(LOCK)), Locks::lose_all] {
            let turn = said(&locks, Notice::Locked(LOCK, None)).await;
            lose(&locks);
            turn.lost().await;
            assert!(!turn.is_held());
        }
    }
}
