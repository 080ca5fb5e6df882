//! The claim server as a node: the watchers of its claims, and the checks of its steps.

use std::collections::BTreeMap;
use std::fmt;

use turnstile_claim_core::message::{Caller, Message, Request, RequestKind};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{self, Records, Status};
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, OutOf, RowOutcome, Symbolic};
use turnstile_world::{Breaches, CoreNode, NodeId};

use crate::claim::{ClaimSystem, ServerCore};
use crate::envelope::{self, Envelope, Route};
use crate::requests::{OPERATOR, STRANGER, STRAY, ServerCommand};
use crate::rule;
use crate::server_step::queue::QueueSnapshot;
use crate::server_step::saves::SavedBefore;
use crate::server_step::statuses::{Cause, ServerStep};

/// A claim server, and the watchers of its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct ServerState {
    /// The core's state.
    pub(crate) core: record::State,
    /// The watcher of each open claim: the receiver of its last grant. Empty where clients do not
    /// watch.
    pub(crate) watched: BTreeMap<ClaimId, Caller>,
}

/// A notice of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Notice(pub(crate) record::Notice);

/// The server of a world.
#[derive(Clone, Debug)]
pub(crate) struct ServerNode(pub(crate) ClaimSystem);

impl Core for ServerNode {
    type State = ServerState;
    type Peer = Caller;
    type Message = Envelope;
    type Timer = record::Timer;
    type Command = ServerCommand;
    type Notice = Notice;
    type Saved = record::Saved;

    fn start(&self) -> ServerState {
        ServerState::default()
    }

    fn step(&self, server_state: &mut ServerState, input: InputOf<Self>, out: &mut OutOf<Self>) {
        CoreNode::step(self, self, server_state, input, out, &mut Breaches::default());
    }

    fn merge_saved(saved: &mut Option<record::Saved>, new: record::Saved) {
        ServerCore::merge_saved(saved, new);
    }
}

impl ServerNode {
    /// A term of a cluster begins: its server restarts in place.
    fn begin_term(
        &self,
        core: &ServerCore,
        server_state: &mut ServerState,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let saved = SavedBefore::of(&server_state.core, true);
        let before = server_state.core.clone();
        let inner = out.of_part(|inner| core.restart_in_place(&mut server_state.core, inner));
        let (state, effects) = (&server_state.core, &inner);
        out.rows.extend((!state.is_queued_by_state()).then_some(MISPLACED));
        let step = ServerStep::new(&self.0, before, Cause::Restarted, state, effects);
        breaches.require(rule::STATUS, step.has_promised_statuses());
        breaches.require(rule::SAVE, saved.is_right(state, effects));
        server_state.post(inner, self.0.watches, out);
    }
}

impl CoreNode for ServerNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self(self.0.choosing(choice))
    }

    fn step(
        &self,
        node: &Self,
        server_state: &mut ServerState,
        input: InputOf<Self>,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let core = Records { rules: node.0.record.clone(), limits: node.0.limits };
        if input == Input::Command(ServerCommand::BeginTerm) {
            return node.begin_term(&core, server_state, out, breaches);
        }
        let Some(input) = opened(&server_state.core, input) else { return };
        let queue = QueueSnapshot::before(&server_state.core, &input);
        let saved = SavedBefore::before(&server_state.core, &input);
        let asked = asked(&input);
        let (before, cause) = (server_state.core.clone(), Cause::of(&input));
        let inner = out.of_part(|inner| core.step(&mut server_state.core, input, inner));
        let (state, effects) = (&server_state.core, &inner);
        let is_heard = |to: (Caller, CallId)| {
            effects.iter().any(|effect| answers(effect, to)) || state.is_open(to.0, to.1)
        };
        out.rows.extend(asked.filter(|to| !is_heard(*to)).map(|_| UNANSWERED));
        out.rows.extend((!state.is_queued_by_state()).then_some(MISPLACED));
        let step = ServerStep::new(&node.0, before, cause, state, effects);
        // A step that leaves its request unanswered is the violation; it changes nothing else.
        if !out.rows.contains(&UNANSWERED) {
            breaches.require(rule::STATUS, step.has_promised_statuses());
            breaches.require(rule::TIMER, step.counts_as_promised());
            breaches.require(rule::ANNOUNCEMENT, step.announces_ends());
        }
        breaches.require(rule::ANSWER, step.answers_as_promised());
        breaches.require(rule::SAVE, saved.is_right(state, effects));
        breaches.require(rule::FIFO, queue.keeps_order(state, effects));
        breaches.require(rule::OLDEST_DELETED, queue.deletes_oldest(state));
        breaches.require(rule::FREE_LOCK, !queue.waits_for_free_lock(state, effects));
        server_state.post(inner, node.0.watches, out);
    }

    fn choices(&self) -> u8 {
        self.0.record.choices()
    }

    fn node(&self, peer: Caller) -> NodeId {
        envelope::node(peer)
    }

    fn peer(&self, node: NodeId) -> Caller {
        envelope::caller(node)
    }

    fn commands(&self, server_state: &ServerState) -> Vec<ServerCommand> {
        let mut commands = ServerCommand::revocations(&server_state.core);
        commands.push(ServerCommand::BeginTerm);
        if self.0.has_stranger {
            commands.extend(ServerCommand::of_stranger(&self.0, &server_state.core));
        }
        commands
    }

    fn timer_name(&self, timer: &record::Timer) -> &'static str {
        match timer {
            record::Timer::Ttl(_) => "ttl timer",
            record::Timer::Wait(_) => "wait timer",
            record::Timer::Idle(_) => "idle timer",
            record::Timer::Lapse(_) => "lapse timer",
        }
    }

    fn timer_words(&self, timer: &record::Timer) -> String {
        CoreNode::timer_name(self, timer).to_owned()
    }

    fn fired_words(&self, timer: &record::Timer) -> String {
        format!("{} triggers", CoreNode::timer_name(self, timer))
    }

    fn shows_saves(&self) -> bool {
        false
    }
}

impl ServerState {
    /// Emits the server's effects. A grant that restarts the ttl is backed. The receiver of a grant
    /// watches the claim, if clients watch, and is notified when the claim ends, unless it gave it
    /// up.
    fn post(
        &mut self,
        effects: Vec<EffectOf<ServerCore>>,
        watches: bool,
        out: &mut OutOf<ServerNode>,
    ) {
        let counted: Vec<ClaimId> = effects.iter().filter_map(counted_anew).collect();
        out.effects.extend(effects.into_iter().filter_map(|effect| match effect {
            // The operator and the stranger are no nodes, and a stray request has no receiver.
            Effect::Send { to: OPERATOR | STRANGER | STRAY, message: _ } => None,
            Effect::Send { to, message } => {
                let granted = granted(&message);
                self.watched.extend(granted.filter(|_| watches).map(|claim| (claim, to)));
                let is_backed = granted.is_some_and(|claim| counted.contains(&claim));
                Some(Effect::Send {
                    to,
                    message: Envelope { is_backed, ..Envelope::plain(message) },
                })
            }
            Effect::Arm(timer) => Some(Effect::Arm(timer)),
            Effect::Disarm(timer) => Some(Effect::Disarm(timer)),
            Effect::Save(saved) => Some(Effect::Save(saved)),
            Effect::Notify(record::Notice::Over { claim }) if self.watched.contains_key(&claim) => {
                let to = self.watched.remove(&claim)?;
                Some(Effect::Send { to, message: Envelope::plain(Message::Over { claim }) })
            }
            Effect::Notify(notice) => Some(Effect::Notify(Notice(notice))),
        }));
        self.watched.retain(|id, _| {
            let status = self.core.claim(*id).and_then(record::Record::status);
            !matches!(status, Some(Status::Released | Status::Aborted | Status::Withdrawn))
        });
    }

    /// Renames the nodes of all callers.
    pub(crate) fn rename(&mut self, to: &[NodeId]) {
        let rename = |from: &mut Caller| *from = envelope::caller(to[envelope::node(*from)]);
        self.core.visit_callers(&mut |from| {
            if ![STRAY, STRANGER].contains(from) {
                rename(from);
            }
        });
        self.watched.values_mut().for_each(rename);
    }
}

/// The input as the server's driver passes it on, if it does.
fn opened(state: &record::State, input: InputOf<ServerNode>) -> Option<InputOf<ServerCore>> {
    Some(match input {
        Input::Message { from, message: Envelope { message, route: Route::HungUp, .. } } => {
            Input::Command(hung_up(state, from, message)?)
        }
        Input::Message { from, message: Envelope { message, route, .. } } => {
            Input::Message { from: if route == Route::Stray { STRAY } else { from }, message }
        }
        Input::Fired(timer) => Input::Fired(timer),
        Input::Command(command) => command.input(state)?,
        Input::Restart(saved) => Input::Restart(saved),
    })
}

/// The driver's input for a disconnect; the driver knows the claim of the request.
fn hung_up(state: &record::State, from: Caller, message: Message) -> Option<record::Command> {
    let Message::Request(Request { call, kind: ask }) = message else { return None };
    let claim = match ask {
        RequestKind::Post { resource: _, key, wait: _ } => key.and_then(|key| state.keyed(key))?,
        RequestKind::Ttl { claim } | RequestKind::Status { claim, to: _ } => claim,
    };
    Some(record::Command::HungUp { claim, from, call })
}

/// The claim that a message grants.
fn granted(message: &Message) -> Option<ClaimId> {
    let Message::Response(response) = message else { return None };
    response.claim.filter(|_| response.grants())
}

/// The claim whose ttl is restarted.
const fn counted_anew(effect: &EffectOf<ServerCore>) -> Option<ClaimId> {
    if let Effect::Arm(record::Timer::Ttl(claim)) = effect { Some(*claim) } else { None }
}

/// The violation where the server neither answers a request nor keeps it open.
const UNANSWERED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim-record",
    action: "answer",
    reason: "a request that is received is answered, now or later",
};

/// The violation where a claim is not in the queue of its state.
const MISPLACED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim-record",
    action: "queue",
    reason: "each claim has the place in the queues that its state names",
};

/// The sender of a request, and its call.
fn asked(input: &InputOf<ServerCore>) -> Option<(Caller, CallId)> {
    let Input::Message { from, message: Message::Request(request) } = input else { return None };
    Some((*from, request.call))
}

/// Whether an effect is the answer to a call.
fn answers(effect: &EffectOf<ServerCore>, (from, call): (Caller, CallId)) -> bool {
    matches!(effect, Effect::Send { to, message: Message::Response(response) }
        if *to == from && response.call == call)
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            record::Notice::Became { claim, status, .. } => {
                write!(f, "claim {claim} is {}", status.name())
            }
            record::Notice::Over { claim } => write!(f, "nobody watches claim {claim}"),
        }
    }
}
