//! What users and listeners are told, and what must hold of it, whatever the members think.
//!
//! The members' clocks have one rate and no process stands still, so a loser is told before
//! another's grant: at each grant, every other holder of the lock knows that it has lost it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};

use turnstile_members_simulation::counts::Tally;
use turnstile_members_simulation::net::Trace;
use turnstile_replicated_lock::{Guard, LockName, LockStatus, StatusChange, lock_name};

use super::event::Event;
use super::line::Line;

/// The locks that all want.
pub(crate) const LOCKS: [&str; 2] = ["first", "second"];
/// Others, of which nobody wants one again when all is repaired.
pub(crate) const RARE: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A process of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) member: u64,
    pub(crate) life: u64,
}

/// A user of a member, whichever process that has.
pub(crate) type UserId = (u64, u64);

/// Hears all that is told; clones share it.
#[derive(Clone)]
pub(crate) struct Witness {
    pub(crate) tally: Tally<Event>,
    pub(crate) trace: Trace,
    seen: Rc<RefCell<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// Of each lock, the greatest token that was granted.
    greatest: BTreeMap<&'static str, u64>,
    /// Of each lock, the greatest token with which something was written under it.
    fences: BTreeMap<&'static str, u64>,
    holds: Vec<Hold>,
    /// To whom each token was granted.
    owners: BTreeMap<(LockName, u64), Process>,
    /// What each listener was told last.
    told: BTreeMap<(Process, LockName), LockStatus>,
    /// All is repaired: nobody gives up.
    is_calm: bool,
    /// The users that have had each lock since then.
    served: BTreeSet<UserId>,
    /// The lines for the locks, which are free before.
    lines: BTreeMap<LockName, Line>,
    wrong: Option<String>,
}

/// A user holds a lock, as long as it keeps the guard.
struct Hold {
    lock: &'static str,
    by: Process,
    guard: Weak<Guard>,
}

impl Witness {
    pub(crate) fn new(trace: &Trace) -> Self {
        Self { tally: Tally::default(), trace: trace.clone(), seen: Rc::default() }
    }

    /// What is wrong, if anything is.
    pub(crate) fn wrong(&self) -> Option<String> {
        self.seen.borrow().wrong.clone()
    }

    pub(crate) fn fail(&self, why: String) {
        self.trace.note(format_args!("wrong: {why}"));
        self.seen.borrow_mut().wrong.get_or_insert(why);
    }

    /// A user is told that it holds a lock; `None`: it is told, too, that it has lost it.
    pub(crate) fn granted(
        &self,
        by: Process,
        lock: &'static str,
        guard: Guard,
    ) -> Option<Rc<Guard>> {
        let token = guard.token();
        self.trace.note(format_args!("{by:?} has {lock} with {token}"));
        if guard.is_lost() {
            return None;
        }
        self.tally.note(Event::Granted);
        if let Some(other) = self.holder(lock) {
            self.fail(format!("{by:?} is granted {lock}, which {other:?} holds"));
        }
        let greatest = self.seen.borrow_mut().greatest.insert(lock, token).unwrap_or_default();
        if token <= greatest {
            self.fail(format!("{by:?} is granted {lock} with {token} after {greatest}"));
        }
        self.owns(by, lock_name(lock), token);
        let guard = Rc::new(guard);
        let hold = Hold { lock, by, guard: Rc::downgrade(&guard) };
        self.seen.borrow_mut().holds.push(hold);
        Some(guard)
    }

    /// Who holds a lock, and has not been told that it is lost.
    fn holder(&self, lock: &str) -> Option<Process> {
        self.holders().find(|(held, _)| *held == lock).map(|(_, by)| by)
    }

    /// Whether a user of this member holds a lock.
    pub(crate) fn holds(&self, member: u64) -> bool {
        self.holders().any(|(_, by)| by.member == member)
    }

    fn holders(&self) -> impl Iterator<Item = (&'static str, Process)> + use<> {
        let mut seen = self.seen.borrow_mut();
        seen.holds.retain(|hold| hold.guard.strong_count() > 0);
        let is_held = |hold: &&Hold| hold.guard.upgrade().is_some_and(|guard| !guard.is_lost());
        let held = seen.holds.iter().filter(is_held).map(|hold| (hold.lock, hold.by));
        held.collect::<Vec<_>>().into_iter()
    }

    /// A token has one owner for ever.
    fn owns(&self, by: Process, lock: LockName, token: u64) {
        let owner = *self.seen.borrow_mut().owners.entry((lock, token)).or_insert(by);
        if owner != by {
            self.fail(format!("{by:?} has {lock:?} with {token}, which is {owner:?}'s"));
        }
    }

    /// A holder writes under its lock: what it writes is refused if a later holder has written.
    pub(crate) fn writes(&self, by: Process, lock: &'static str, guard: &Guard) {
        let token = guard.token();
        let fence = {
            let mut seen = self.seen.borrow_mut();
            let fence = seen.fences.entry(lock).or_default();
            *fence = token.max(*fence);
            *fence
        };
        if fence > token {
            self.tally.note(Event::WriteRefused);
            if !guard.is_lost() {
                self.fail(format!("{by:?} holds {lock} with {token}, but {fence} has written"));
            }
        }
    }

    /// A listener is told of a change of its member.
    pub(crate) fn changed(&self, process: Process, change: &StatusChange) {
        let StatusChange { lock, status, token, .. } = *change;
        self.trace.note(format_args!("{process:?} is told {status:?} of {lock:?}, {token:?}"));
        let before = self.seen.borrow_mut().told.insert((process, lock), status);
        if before.unwrap_or(LockStatus::None) == status {
            self.fail(format!("{process:?} is told {status:?} of {lock:?} twice"));
        }
        if (status == LockStatus::Holding) != token.is_some() {
            self.fail(format!("{process:?} is told {status:?} of {lock:?} with {token:?}"));
        }
        if let Some(token) = token {
            self.owns(process, lock, token);
        }
        if status == LockStatus::Waiting {
            self.tally.note(Event::Waited);
            if let Some(line) = self.seen.borrow_mut().lines.get_mut(&lock) {
                line.waits(process.member);
            }
        }
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.seen.borrow().is_calm
    }

    /// All is repaired.
    pub(crate) fn calm_down(&self) {
        self.seen.borrow_mut().is_calm = true;
    }

    /// A user has had each lock since all is repaired.
    pub(crate) fn serve(&self, user: UserId) {
        self.seen.borrow_mut().served.insert(user);
    }

    pub(crate) fn is_served(&self, user: UserId) -> bool {
        self.seen.borrow().served.contains(&user)
    }

    /// These members line up for each lock, in an order of its own.
    pub(crate) fn line_up(&self, members: &[u64]) {
        let mut seen = self.seen.borrow_mut();
        for (number, lock) in LOCKS.into_iter().enumerate() {
            let mut order = members.to_vec();
            order.rotate_left(number);
            seen.lines.insert(lock_name(lock), Line::new(order));
        }
    }

    /// Asks about the line for a lock, or tells it something; `None`: there is none yet.
    pub(crate) fn line<T>(&self, lock: &str, with: impl FnOnce(&mut Line) -> T) -> Option<T> {
        self.seen.borrow_mut().lines.get_mut(&lock_name(lock)).map(with)
    }
}
