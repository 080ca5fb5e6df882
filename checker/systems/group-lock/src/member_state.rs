//! A member and its callers: their commands and notifications.

use std::collections::BTreeMap;

use turnstile_group_lock_core::message::{FencingToken, LockName, Message, MessageBody};
use turnstile_group_lock_core::{self as group, Notice, stack};
use turnstile_step::{Symbolic, not_symbolic};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, MemberId};
use turnstile_world::system::Effect;
use turnstile_world::{Breaches, Ordered, Value};

use crate::rule;

/// A running member, and its callers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct MemberState {
    /// The state of its core: of its locks, or of a stack of them and its view handling.
    pub(crate) runs: Value,
    /// The callers that wait for a lock or hold it.
    #[symbolic(skip)]
    pub(crate) callers: BTreeMap<LockName, Caller>,
    /// The last token of each lock that a caller was granted, where tokens are kept.
    #[symbolic(values)]
    pub(crate) tokens: BTreeMap<LockName, FencingToken>,
    /// What its core has saved.
    pub(crate) saved: Option<ViewId>,
}

/// What is left of a member whose process has ended, for the next one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Remains {
    /// What its core has saved.
    saved: Option<ViewId>,
    /// The tokens that its callers were granted.
    #[symbolic(values)]
    tokens: BTreeMap<LockName, FencingToken>,
}

/// The next life of a member that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Unborn;

/// A member that has crashed or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Departed;

/// A caller of lock() and unlock() at a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Caller {
    /// It waits for lock() to return.
    Waits,
    /// It was granted the lock, and has neither lost nor released it since.
    Holds,
    /// The same, and another one waits for lock() to return.
    HoldsAndWaits,
}

/// A call of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Call {
    /// To lock what it does not hold.
    Lock(LockName),
    /// To unlock what it holds.
    Unlock(LockName),
    /// To lock what its member holds.
    LockHeld(LockName),
    /// To unlock what it does not hold.
    UnlockUnheld(LockName),
}

not_symbolic!(Unborn, Departed, Call);

impl MemberState {
    /// A member without callers.
    pub(crate) fn new(runs: Value) -> Self {
        Self { runs, callers: BTreeMap::new(), tokens: BTreeMap::new(), saved: None }
    }

    /// The next life of a member.
    pub(crate) fn after(remains: Remains, runs: Value) -> Self {
        Self { saved: remains.saved, tokens: remains.tokens, ..Self::new(runs) }
    }

    /// What is left of it for its next life.
    pub(crate) fn remains(&self) -> Remains {
        Remains { saved: self.saved, tokens: self.tokens.clone() }
    }

    /// Its locks.
    pub(crate) fn core(&self) -> &group::State {
        locks_of(&self.runs)
    }

    /// Its view handling, if the member has its own.
    pub(crate) fn handler(&self) -> Option<&view::State> {
        self.runs.get().map(|stack: &stack::State| &stack.views)
    }

    /// A caller locks what it does not hold and unlocks what it holds; or it locks or unlocks
    /// needlessly, also before its member has a coordinator.
    pub(crate) fn calls(&self, locks: u64) -> impl Iterator<Item = Call> {
        (0..locks).map(LockName).flat_map(|lock| match self.callers.get(&lock) {
            None => vec![Call::Lock(lock), Call::UnlockUnheld(lock)],
            Some(Caller::Holds) => vec![Call::Unlock(lock), Call::LockHeld(lock)],
            Some(Caller::Waits | Caller::HoldsAndWaits) => Vec::new(),
        })
    }

    pub(crate) fn is_asked(&mut self, call: Call) {
        match call {
            Call::Lock(lock) => self.callers.insert(lock, Caller::Waits),
            Call::LockHeld(lock) => self.callers.insert(lock, Caller::HoldsAndWaits),
            Call::Unlock(lock) | Call::UnlockUnheld(lock) => self.callers.remove(&lock),
        };
    }

    /// Notifies its callers of a step's effects, and adds the rules that these break.
    pub(crate) fn did(&mut self, me: MemberId, effects: &[Effect], breaches: &mut Breaches) {
        let mut told = None;
        for effect in effects {
            match effect {
                Effect::Send { message, .. } => {
                    if let Some(MessageBody::DuplicateLockRsp(lock)) =
                        about_locks(message).map(|it| &it.body)
                    {
                        let is_notified = told == Some(Notice::Duplicate(*lock));
                        breaches.require(rule::NOTIFIED_FIRST, is_notified);
                    }
                }
                Effect::Notify(notice) => match notice.get() {
                    Some(stack::Notice::Views(notice)) => self.is_told_of_views(me, notice),
                    Some(stack::Notice::Locks(notice)) => {
                        told = Some(self.is_told(*notice, breaches))
                    }
                    None => told = Some(self.is_told(*notice.of(), breaches)),
                },
                Effect::Save(saved) => self.saved = saved.get().copied(),
                Effect::Arm(_) | Effect::Disarm(_) => {}
            }
        }
    }

    /// Keeps the tokens of a step's grants.
    pub(crate) fn keep_tokens(&mut self, effects: &[Effect]) {
        let granted = effects.iter().filter_map(|effect| match notice_of(effect)? {
            Notice::Locked(lock, token) => Some((lock, token?)),
            Notice::Rejected(_) | Notice::TimedOut(_) | Notice::Duplicate(_) => None,
        });
        self.tokens.extend(granted);
    }

    fn is_told(&mut self, notice: Notice, breaches: &mut Breaches) -> Notice {
        let lock = notice.lock();
        let before = self.callers.get(&lock).copied();
        let after = match (notice, before) {
            (Notice::Duplicate(_), Some(Caller::Waits)) => before,
            (Notice::Duplicate(_), _) => {
                breaches.require(rule::LOSS, before.is_none());
                (before == Some(Caller::HoldsAndWaits)).then_some(Caller::Waits)
            }
            (_, None | Some(Caller::Holds)) => {
                breaches.require(rule::RETURN, false);
                before
            }
            (Notice::Locked(..), _) | (_, Some(Caller::HoldsAndWaits)) => Some(Caller::Holds),
            (Notice::Rejected(_) | Notice::TimedOut(_), Some(Caller::Waits)) => None,
        };
        match after {
            Some(caller) => self.callers.insert(lock, caller),
            None => self.callers.remove(&lock),
        };
        notice
    }

    /// The callers of a member that has left lose its locks.
    fn is_told_of_views(&mut self, me: MemberId, notice: &view::Notice) {
        if matches!(notice, view::Notice::Installed(view) if !view.contains(me)) {
            self.callers.clear();
        }
    }
}

/// The locks of a member that runs them alone, or on top of its view handling.
pub(crate) fn locks_of(runs: &Value) -> &group::State {
    match runs.get() {
        Some(stack::State { locks, .. }) => locks,
        None => runs.of(),
    }
}

/// What a member tells a caller of a lock, if the effect is that.
pub(crate) fn notice_of(effect: &Effect) -> Option<Notice> {
    let Effect::Notify(notice) = effect else { return None };
    match notice.get() {
        Some(stack::Notice::Locks(notice)) => Some(*notice),
        Some(stack::Notice::Views(_)) => None,
        None => Some(*notice.of()),
    }
}

/// What a message says about locks, if it does.
pub(crate) fn about_locks(message: &Ordered) -> Option<&Message> {
    match message.get() {
        Some(stack::Message::Locks(message)) => Some(message),
        Some(stack::Message::Views(_)) => None,
        None => message.get(),
    }
}

/// A timer of a member's locks, if it is one.
pub(crate) fn timer_of_locks(timer: &Ordered) -> Option<group::Timer> {
    match timer.get() {
        Some(stack::Timer::Locks(timer)) => Some(*timer),
        Some(stack::Timer::Views(_)) => None,
        None => timer.get().copied(),
    }
}
