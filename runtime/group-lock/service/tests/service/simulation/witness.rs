//! Sees what the users are told, and what of it must not be.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use turnstile_group_lock::{GroupMember, GroupStatus, Member};
use turnstile_members_simulation::counts::Tally;

use super::event::Event;
use super::member::USERS;

/// The locks of a simulation.
pub(crate) const LOCKS: [&str; 2] = ["one", "other"];

/// The characters of a token before the number of its grant: those of the round and of its
/// coordinator, by 16 digits each.
const ROUND: usize = 33;

/// What is seen; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Witness {
    pub(crate) tally: Tally<Event>,
    seen: Rc<RefCell<Seen>>,
}

#[derive(Default)]
struct Seen {
    wrong: Option<String>,
    /// Who holds a lock, as it believes, and its token.
    holders: BTreeMap<(&'static str, (u64, u64)), String>,
    /// All tokens of all locks.
    tokens: BTreeSet<String>,
    /// The greatest token of each lock.
    greatest: BTreeMap<&'static str, String>,
    /// What each lock protects has seen no greater token.
    fences: BTreeMap<&'static str, String>,
    /// All is repaired: tokens grow from now on.
    is_calm: bool,
    /// Who has had which lock since.
    served: BTreeSet<(&'static str, (u64, u64))>,
}

/// The view of a member, which is named by its number and its coordinator.
fn view(status: &GroupStatus) -> Option<(u64, Option<GroupMember>)> {
    Some((status.view?, status.coordinator()))
}

impl Witness {
    /// A user is told that it holds a lock.
    pub(crate) fn granted(
        &self,
        user: (u64, u64),
        lock: &'static str,
        token: &str,
        running: &BTreeMap<u64, Member>,
    ) {
        self.tally.note(Event::Granted);
        let mut seen = self.seen.borrow_mut();
        let seen = &mut *seen;
        let own = running.get(&user.0).map(Member::status);
        let own = own.as_ref().and_then(view);
        let is_of_own_view = own.is_some_and(|(id, coordinator)| {
            let number = coordinator.map_or(0, |one| one.number);
            token.starts_with(&format!("{id:016x}-{number:016x}-"))
        });
        let others = seen.holders.iter().filter(|((held, who), _)| *held == lock && *who != user);
        for ((_, other), theirs) in others {
            self.tally.note(Event::HeldInTwoParts);
            let their_view = running.get(&other.0).map(Member::status);
            let is_one_view = is_of_own_view && their_view.as_ref().and_then(view) == own;
            if theirs[..ROUND] == token[..ROUND] || is_one_view {
                let text = format!("{lock}: {user:?} by {token}, {other:?} by {theirs}: {own:?}");
                seen.wrong.get_or_insert(text);
            }
        }
        if !seen.tokens.insert(token.to_owned()) {
            seen.wrong.get_or_insert(format!("{lock}: {token} is granted twice"));
        }
        let greatest = seen.greatest.entry(lock).or_default();
        if seen.is_calm && token < &**greatest {
            let text = format!("{lock}: {user:?} is granted {token} after {greatest}");
            seen.wrong.get_or_insert(text);
        }
        if token > &**greatest {
            token.clone_into(greatest);
        }
        seen.holders.insert((lock, user), token.to_owned());
        if seen.is_calm {
            seen.served.insert((lock, user));
        }
    }

    /// A user is told that it has lost a lock.
    pub(crate) fn lost(&self, user: (u64, u64), lock: &'static str) {
        self.tally.note(Event::Lost);
        self.returned(user, lock);
    }

    /// A user has given a lock back, or does not believe any more that it holds it.
    pub(crate) fn returned(&self, user: (u64, u64), lock: &'static str) {
        self.seen.borrow_mut().holders.remove(&(lock, user));
    }

    /// Somebody writes to what a lock protects.
    pub(crate) fn write(&self, lock: &'static str, token: &str) {
        let is_rejected = {
            let mut seen = self.seen.borrow_mut();
            let fence = seen.fences.entry(lock).or_default();
            let is_rejected = token < &**fence;
            if !is_rejected {
                token.clone_into(fence);
            }
            is_rejected
        };
        if is_rejected {
            self.tally.note(Event::WriteRejected);
        }
    }

    /// The process of a member has ended, and its users with it.
    pub(crate) fn ended(&self, member: u64) {
        self.seen.borrow_mut().holders.retain(|(_, (of, _)), _| *of != member);
    }

    /// All is repaired, and the members have one view: who holds a lock holds it alone.
    pub(crate) fn calm_down(&self) {
        let mut seen = self.seen.borrow_mut();
        let seen = &mut *seen;
        seen.is_calm = true;
        for lock in LOCKS {
            let holders = seen.holders.keys().filter(|(held, _)| *held == lock).count();
            if holders > 1 {
                let text = format!("{lock} has {holders} holders: {:?}", seen.holders);
                seen.wrong.get_or_insert(text);
            }
        }
    }

    /// Whether each user of these members has had each lock since all is repaired.
    pub(crate) fn are_served(&self, members: impl Iterator<Item = u64>) -> bool {
        let seen = self.seen.borrow();
        let mut users = members.flat_map(|id| (0..USERS).map(move |user| (id, user)));
        users.all(|user| LOCKS.iter().all(|lock| seen.served.contains(&(*lock, user))))
    }

    /// Whether nobody holds a lock.
    pub(crate) fn are_free(&self) -> bool {
        self.seen.borrow().holders.is_empty()
    }

    /// What must not be.
    pub(crate) fn wrong(&self) -> Option<String> {
        self.seen.borrow().wrong.clone()
    }
}
