//! Checks of one step of a member: compares its states before and after the step with its input and
//! effects, so that no history is needed.

use turnstile_group_lock_core::message::{
    FencingToken, GrantNumber, LockName, Message, MessageBody, Round,
};
use turnstile_group_lock_core::{Notice, State};
use turnstile_group_lock_machines::group_lock_client::{Action, Event, State as LockAt};
use turnstile_group_lock_machines::group_lock_coordinator::State as At;
use turnstile_machine::Rules as _;
use turnstile_view_handler_core::MemberId;
use turnstile_world::Breaches;
use turnstile_world::system::{Effect, Input};

use crate::fifo;
use crate::group_lock::{ClientRules, member};
use crate::member_state::{Call, about_locks, notice_of};
use crate::rule;

/// A step of a member's locks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepCheck<'s> {
    pub(crate) me: MemberId,
    /// The table of its locks.
    pub(crate) client: &'s ClientRules,
    pub(crate) before: &'s State,
    pub(crate) after: &'s State,
    pub(crate) input: &'s Input,
    pub(crate) effects: &'s [Effect],
}

impl<'s> StepCheck<'s> {
    /// Adds the rules that the step breaks.
    pub(crate) fn add_to(&self, breaches: &mut Breaches) {
        let in_order = fifo::is_in_order(self.me, (self.before, self.after), self.sent());
        breaches.require(rule::ORDER, in_order);
        breaches.require(rule::REFUSAL, self.refuses_only_taken());
        breaches.require(rule::EMPTY_ROUND, self.begins_empty());
        breaches.require(rule::PENDING_UNLOCK, self.keeps_unlocks());
        breaches.require(rule::EARLY, self.keeps_only_early());
        breaches.require(rule::GROWTH, self.grants_grow());
        breaches.require(rule::LOSERS, self.waits_for_losers());
    }

    /// The messages about locks to other members.
    fn sent(&self) -> impl Iterator<Item = (MemberId, &'s Message)> + use<'s> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => Some((member(*to), about_locks(message)?)),
            Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) | Effect::Notify(_) => None,
        })
    }

    /// Whether each lock that it refuses is taken before or after the step. Where a round ends, the
    /// locks of the responses may be taken, too.
    fn refuses_only_taken(&self) -> bool {
        if self.before.coordinator().at == At::Reconciling {
            return true;
        }
        let table = |state: &'s State| &state.coordinator().table;
        self.sent().all(|(_, message)| {
            let MessageBody::LockRsp { lock, is_successful: false, .. } = message.body else {
                return true;
            };
            table(self.before).contains_key(&lock) || table(self.after).contains_key(&lock)
        })
    }

    /// Whether a coordinator waits for each loser that it tells, until that has acknowledged or the
    /// view changes.
    fn waits_for_losers(&self) -> bool {
        let [before, after] = [self.before, self.after].map(State::coordinator);
        let acknowledges = |loser: (MemberId, LockName)| {
            let Input::Message { from, .. } = self.input else { return false };
            member(*from) == loser.0 && self.receives(&MessageBody::DuplicateLockRsp(loser.1))
        };
        let is_left = |loser| after.losers().any(|left| left == loser);
        let is_over = before.round != after.round || after.at == At::Member;
        let is_told = |(to, message): (MemberId, &Message)| {
            let MessageBody::DuplicateLock(lock) = message.body else { return true };
            is_left((to, lock))
        };
        let is_kept = |loser| is_left(loser) || acknowledges(loser);
        let tells = after.at == At::Telling;
        (is_over || before.losers().all(is_kept)) && (!tells || self.sent().all(is_told))
    }

    /// Whether each grant of the step has a greater token than the one before.
    fn grants_grow(&self) -> bool {
        let mut last = last_token(self.me, self.before);
        self.granted().all(|token| {
            let grows = token > last;
            last = token;
            grows
        })
    }

    /// The tokens of what it grants as a coordinator, to others and to itself, in their order.
    fn granted(&self) -> impl Iterator<Item = Option<FencingToken>> + use<'s> {
        let (me, is_answered) = (self.me, self.receives_an_answer());
        self.effects.iter().filter_map(move |effect| {
            if let Effect::Send { message, .. } = effect {
                let Message { body, round } = about_locks(message)?;
                let MessageBody::LockRsp { is_successful: true, number, .. } = *body else {
                    return None;
                };
                return Some(token(me, *round, number));
            }
            // One that it is told of without an answer is its own.
            let Notice::Locked(_, token) = notice_of(effect)? else { return None };
            (!is_answered).then_some(token)
        })
    }

    /// Whether the step receives a LOCK-RSP.
    fn receives_an_answer(&self) -> bool {
        let Input::Message { message, .. } = self.input else { return false };
        let body = about_locks(message).map(|message| &message.body);
        matches!(body, Some(MessageBody::LockRsp { .. }))
    }

    /// Whether a round that begins, and does not end in the same step, has no requests yet.
    fn begins_empty(&self) -> bool {
        let (was, is) = (self.before.coordinator(), self.after.coordinator());
        was.round == is.round || is.at != At::Reconciling || is.requests().next().is_none()
    }

    /// Whether an UNLOCK is pending after unlock() and after a timeout, until it is answered by
    /// a message or by this member itself. A member that has left has no requests.
    fn keeps_unlocks(&self) -> bool {
        let has_left = self.before.view.is_some() && self.after.view.is_none();
        if self.after.coordinator().is_handling || has_left {
            return true;
        }
        let before = self.before.locks().filter(|(_, lock)| is_unlocking(lock.at));
        let pending = before.map(|(name, _)| name).filter(|name| !self.answers(*name));
        let mut asked = pending.chain(self.unlocked()).chain(self.timed_out());
        asked.all(|name| self.after.lock(name).is_some_and(|lock| is_unlocking(lock.at)))
    }

    /// Whether only a LOCK-INFO-REQ is kept until its view comes.
    fn keeps_only_early(&self) -> bool {
        let is_old = |early| self.before.early().any(|old| old == early);
        self.receives(&MessageBody::LockInfoReq) || self.after.early().all(is_old)
    }

    /// Whether the step receives the UNLOCK-RSP of a lock.
    fn answers(&self, name: LockName) -> bool {
        self.receives(&MessageBody::UnlockRsp(name))
    }

    fn receives(&self, body: &MessageBody) -> bool {
        let Input::Message { message, .. } = self.input else { return false };
        about_locks(message).is_some_and(|message| message.body == *body)
    }

    /// The lock of the unlock() call.
    fn unlocked(&self) -> Option<LockName> {
        let Input::Command(command) = self.input else { return None };
        match command.get()? {
            Call::Unlock(name) | Call::UnlockUnheld(name) => Some(*name),
            Call::Lock(_) | Call::LockHeld(_) => None,
        }
    }

    /// The lock whose lock() times out, if the timeout cancels the LOCK.
    fn timed_out(&self) -> Option<LockName> {
        let timed_out = self.effects.iter().find_map(|effect| {
            let Notice::TimedOut(name) = notice_of(effect)? else { return None };
            Some(name)
        });
        timed_out.filter(|_| self.cancels())
    }

    /// Whether a timeout cancels the LOCK by an UNLOCK. In the document it sends none.
    fn cancels(&self) -> bool {
        let step = self.client.step(LockAt::Locking, Event::ATimeout, &|_| true);
        let is_unlock = |action| matches!(action, Action::SendUnlock | Action::AddTheUnlockRequest);
        step.is_ok_and(|step| step.actions.into_iter().any(|call| is_unlock(call.action)))
    }
}

/// The token of the last grant of a coordinator, or one that is less than that of its first one.
pub(crate) fn last_token(me: MemberId, state: &State) -> Option<FencingToken> {
    token(me, state.coordinator().round, Some(state.coordinator().granted))
}

/// Whether a token is at most this one, whatever the numbers of the members are.
pub(crate) fn is_at_most(token: FencingToken, last: Option<FencingToken>) -> bool {
    last.is_some_and(|last| {
        let is_of_it = (token.round, token.coordinator) == (last.round, last.coordinator);
        token.round < last.round || is_of_it && token.number <= last.number
    })
}

fn token(coordinator: MemberId, round: Round, number: Option<GrantNumber>) -> Option<FencingToken> {
    let (round, number) = round.zip(number)?;
    Some(FencingToken { round, coordinator, number })
}

/// Whether an UNLOCK is pending.
pub(crate) fn is_unlocking(at: LockAt) -> bool {
    matches!(at, LockAt::Unlocking | LockAt::Relocking)
}
