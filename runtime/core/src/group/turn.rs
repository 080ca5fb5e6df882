//! One step of a member: where a message goes, and what follows from it within the step.
//!
//! A message of another round than its receiver's is handed to the table as just that; what is to
//! become of it the table says.

use alloc::collections::VecDeque;

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client as client;
use turnstile_machines::group_lock_coordinator as coordinator;
use turnstile_step::{Effect, OutOf, RowOutcome};

use super::coordinator::MACHINE;
use super::message::{Info, LockName, Message, Request, Round, Says};
use super::{Member, State};
use crate::view::{MemberId, View};

/// One step on its way.
pub(super) struct Turn<'a, C: Rules<client::Machine>, K: Rules<coordinator::Machine>> {
    pub(super) core: &'a Member<C, K>,
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut OutOf<Member<C, K>>,
    /// What this member has sent to itself and not heard.
    own: VecDeque<Message>,
    /// How often it has begun the ReconciliationProtocol.
    pub(super) begun: u8,
}

/// Who said what, or which one of several a row is about; what it may look at beside the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard<'m> {
    pub(super) from: MemberId,
    pub(super) request: Option<Request>,
    pub(super) info: Option<&'m Info>,
    pub(super) round: Round,
}

impl Heard<'_> {
    pub(super) fn lock(self) -> Option<LockName> {
        self.request.map(Request::lock)
    }

    /// Who asks for what.
    pub(super) fn asked(self) -> Option<(MemberId, Request)> {
        self.request.map(|request| (self.from, request))
    }
}

impl<'a, C: Rules<client::Machine>, K: Rules<coordinator::Machine>> Turn<'a, C, K> {
    pub(super) fn new(
        core: &'a Member<C, K>,
        state: &'a mut State,
        out: &'a mut OutOf<Member<C, K>>,
    ) -> Self {
        Self { core, state, out, own: VecDeque::new(), begun: 0 }
    }

    /// A message reaches the machine that it is for.
    pub(super) fn hear(&mut self, from: MemberId, message: Message) {
        use coordinator::Event;
        let Message { says, round } = message;
        let mut heard = Heard { from, request: None, info: None, round };
        if says == Says::LockInfoReq && self.is_early(round) {
            return self.take(Event::LockInfoReqOfALaterView, heard);
        }
        if self.is_of_another_round(from, &says, round) {
            return self.take(Event::MessageOfAnotherView, heard);
        }
        match says {
            Says::Asks(request) => self.receive(from, request, heard),
            Says::LockInfoReq => self.take(Event::LockInfoReq, heard),
            Says::LockInfoRsp(info) => {
                heard.info = Some(&info);
                self.take(Event::LockInfoRsp, heard);
            }
            Says::DuplicateLockRsp(lock) => {
                heard.request = Some(Request::Lock(lock));
                self.take(Event::DuplicateLockRsp, heard);
            }
            Says::LockRsp { lock, is_successful } => self.answered(lock, is_successful),
            Says::UnlockRsp(lock) => self.take_lock(lock, client::Event::UnlockRsp),
            Says::DuplicateLock(lock) => self.take_lock(lock, client::Event::DuplicateLock),
        }
    }

    /// Whether a round is that of a view that has not been delivered.
    fn is_early(&self, round: Round) -> bool {
        round > self.state.view.as_ref().map(|view| view.id)
    }

    /// Whether a message belongs to another round than the one this member is in: as coordinator
    /// for what clients say, as client for what coordinators say. A LOCK-INFO-REQ begins the round
    /// of the view that it is numbered with, if it comes from that view's coordinator. Numbers are
    /// each group's own: so what has the right one, and comes from who is in no such round, is of
    /// another one, too.
    fn is_of_another_round(&self, from: MemberId, says: &Says, round: Round) -> bool {
        let State { view, coord, .. } = &*self.state;
        let is_in_view = |view: &View| view.contains(from);
        let (expected, is_known) = match says {
            Says::LockInfoReq => {
                let is_its =
                    |view: &View| round == Some(view.id) && view.coordinator() == Some(from);
                (round, view.as_ref().is_some_and(is_its))
            }
            Says::Asks(_) | Says::LockInfoRsp(_) | Says::DuplicateLockRsp(_) => {
                (self.state.server.round, view.as_ref().is_some_and(is_in_view))
            }
            Says::LockRsp { .. } | Says::UnlockRsp(_) | Says::DuplicateLock(_) => {
                (self.state.round, *coord == Some(from))
            }
        };
        round != expected || round.is_some() && !is_known
    }

    pub(super) fn send(&mut self, to: MemberId, says: Says, round: Round) {
        let message = Message { says, round };
        if to == self.core.me {
            self.own.push_back(message);
        } else {
            self.out.effects.push(Effect::Send { to, message });
        }
    }

    /// Hears what it sent to itself, and lets the lock-handler run until its queue is empty; with
    /// a table by which a member answers itself without end, until it has had enough.
    pub(super) fn finish(&mut self) {
        let locks = self.state.locks().count() + self.state.server.size();
        for _ in 0..OWN_MIN + OWN_EACH * locks {
            if let Some(message) = self.own.pop_front() {
                self.hear(self.core.me, message);
            } else if !self.handle_next() {
                return;
            }
        }
        self.endless("answer");
    }

    /// What a table asks for without end, and is not done.
    pub(super) fn endless(&mut self, action: &'static str) {
        let (machine, because) = (MACHINE, "it follows from itself without end");
        self.out.rows.push(RowOutcome::ActionFailed { machine, action, because });
    }
}

/// The most that a member hears of itself in one step: for each lock and request a few messages.
const OWN_EACH: usize = 8;
/// Where there are hardly any.
const OWN_MIN: usize = 64;
