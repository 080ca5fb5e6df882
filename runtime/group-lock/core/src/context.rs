//! One step of a member: the dispatch of a message, and the events that follow within the step.
//!
//! A message of another round is an event of its own; the table decides about it.

use alloc::collections::VecDeque;

use turnstile_group_lock_machines::group_lock_client as client;
use turnstile_group_lock_machines::group_lock_coordinator as coordinator;
use turnstile_machine::{Machine as _, Rules};
use turnstile_step::{Effect, OutOf, RowOutcome};

use super::member::Member;
use super::message::{FencingToken, LockInfo, LockName, LockRequest, Message, MessageBody, Round};
use super::state::State;
use turnstile_view_handler_core::{MemberId, View};

/// The step in progress.
pub(super) struct StepContext<'a, C: Rules<client::Machine>, K: Rules<coordinator::Machine>> {
    pub(super) core: &'a Member<C, K>,
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut OutOf<Member<C, K>>,
    /// Messages to itself that are not yet delivered.
    own: VecDeque<Message>,
    /// The number of runs of the ReconciliationProtocol started in this step.
    pub(super) reconciliations: u8,
    /// The token of the grant that is received.
    pub(super) token: Option<FencingToken>,
}

/// The data of an event, or of one item of a loop, that guards and actions may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventContext<'m> {
    pub(super) from: MemberId,
    pub(super) request: Option<LockRequest>,
    pub(super) info: Option<&'m LockInfo>,
    pub(super) round: Round,
}

impl EventContext<'_> {
    pub(super) fn lock(self) -> Option<LockName> {
        self.request.map(LockRequest::lock)
    }

    /// The request with its client.
    pub(super) fn client_request(self) -> Option<(MemberId, LockRequest)> {
        self.request.map(|request| (self.from, request))
    }
}

impl<'a, C: Rules<client::Machine>, K: Rules<coordinator::Machine>> StepContext<'a, C, K> {
    pub(super) fn new(
        core: &'a Member<C, K>,
        state: &'a mut State,
        out: &'a mut OutOf<Member<C, K>>,
    ) -> Self {
        Self { core, state, out, own: VecDeque::new(), reconciliations: 0, token: None }
    }

    /// Dispatches a message to its machine.
    pub(super) fn on_message(&mut self, from: MemberId, message: Message) {
        use coordinator::Event;
        let Message { body, round } = message;
        let mut ctx = EventContext { from, request: None, info: None, round };
        if body == MessageBody::LockInfoReq && self.is_early(round) {
            return self.step_machine(Event::LockInfoReqOfALaterView, ctx);
        }
        if self.is_of_another_round(from, &body, round) {
            return self.step_machine(Event::MessageOfAnotherView, ctx);
        }
        match body {
            MessageBody::Request(request) => self.receive(from, request, ctx),
            MessageBody::LockInfoReq => self.step_machine(Event::LockInfoReq, ctx),
            MessageBody::LockInfoRsp(info) => {
                ctx.info = Some(&info);
                self.step_machine(Event::LockInfoRsp, ctx);
            }
            MessageBody::DuplicateLockRsp(lock) => {
                ctx.request = Some(LockRequest::Lock(lock));
                self.step_machine(Event::DuplicateLockRsp, ctx);
            }
            MessageBody::LockRsp { lock, is_successful, number } => {
                self.token = round.zip(number).map(|(round, number)| FencingToken {
                    round,
                    coordinator: from,
                    number,
                });
                self.answered(lock, is_successful);
            }
            MessageBody::UnlockRsp(lock) => self.step_lock(lock, client::Event::UnlockRsp),
            MessageBody::DuplicateLock(lock) => self.step_lock(lock, client::Event::DuplicateLock),
        }
    }

    /// Whether a round belongs to a view that is not yet delivered.
    fn is_early(&self, round: Round) -> bool {
        round > self.state.view.as_ref().map(|view| view.id)
    }

    /// Whether a message belongs to another round than this member's: its round as coordinator for
    /// messages of clients, its round as client for messages of coordinators. A LOCK-INFO-REQ
    /// starts the round of its view, if its sender coordinates that view. Each group numbers its
    /// rounds itself, so a message with the right number from outside the round is of another
    /// round, too.
    fn is_of_another_round(&self, from: MemberId, body: &MessageBody, round: Round) -> bool {
        let State { view, coord, .. } = &*self.state;
        let is_in_view = |view: &View| view.contains(from);
        let (expected, is_known) = match body {
            MessageBody::LockInfoReq => {
                let is_its =
                    |view: &View| round == Some(view.id) && view.coordinator() == Some(from);
                (round, view.as_ref().is_some_and(is_its))
            }
            MessageBody::Request(_)
            | MessageBody::LockInfoRsp(_)
            | MessageBody::DuplicateLockRsp(_) => {
                (self.state.coordinator.round, view.as_ref().is_some_and(is_in_view))
            }
            MessageBody::LockRsp { .. }
            | MessageBody::UnlockRsp(_)
            | MessageBody::DuplicateLock(_) => (self.state.round, *coord == Some(from)),
        };
        round != expected || round.is_some() && !is_known
    }

    pub(super) fn send(&mut self, to: MemberId, body: MessageBody, round: Round) {
        let message = Message { body, round };
        if to == self.core.me {
            self.own.push_back(message);
        } else {
            self.out.effects.push(Effect::Send { to, message });
        }
    }

    /// Delivers the messages to itself and runs the lock-handler until its queue is empty. A table
    /// may make a member send to itself forever, so the number of messages is bounded.
    pub(super) fn finish(&mut self) {
        let locks = self.state.locks().count() + self.state.coordinator.size();
        for _ in 0..OWN_MESSAGES_MIN + OWN_MESSAGES_PER_LOCK * locks {
            if let Some(message) = self.own.pop_front() {
                self.on_message(self.core.me, message);
            } else if !self.handle_next() {
                return;
            }
        }
        self.fail_endless("answer");
    }

    /// Reports an action that would repeat forever and is not carried out.
    pub(super) fn fail_endless(&mut self, action: &'static str) {
        let (machine, reason) = (coordinator::Machine::TABLE.machine, "it would repeat forever");
        self.out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
    }
}

/// The most messages to itself in one step, for each lock and request.
const OWN_MESSAGES_PER_LOCK: usize = 8;
/// The same, for any number of locks and requests.
const OWN_MESSAGES_MIN: usize = 64;
