//! The claim server as a node: who watches its claims, and what is judged of its steps.

use std::collections::BTreeMap;
use std::fmt;

use turnstile_core::claim::message::{Ask, Asked, Caller, Message, Request};
use turnstile_core::claim::record::{self, Records, Status};
use turnstile_core::number::{CallId, ClaimId};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf, RowOutcome, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::letter::{self, Letter, Way};
use crate::queue::Queue;
use crate::system::{Claim, RecordRules};

/// A claim server, and who watches its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Office {
    /// The core's state.
    pub(crate) core: record::State,
    /// Who watches a claim that is not over: whom its last grant was answered to. Empty where
    /// nobody watches.
    pub(crate) watched: BTreeMap<ClaimId, Caller>,
}

/// An operator takes a claim from its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Revoke(ClaimId);

/// What is told of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {
    /// To whom keeps its histories.
    Kept(record::Notice),
    /// To whom looks at its queue: a claim became active before an older one whose turn it was.
    PassedOver(ClaimId),
    /// The same: somebody asked for a lock and has to wait, though no claim is active.
    Idle,
    /// To whom looks at what it keeps: a claim was forgotten before an older one.
    Forgotten(ClaimId),
}

/// The server of a world.
#[derive(Clone, Debug)]
pub(crate) struct ServerNode(pub(crate) Claim);

pub(crate) type Of = Records<RecordRules>;

/// Whoever revokes a claim at the server.
const OPERATOR: Caller = Caller(u64::MAX);

/// Whoever sent a request that nobody waits for.
const STRAY: Caller = Caller(u64::MAX - 1);

impl Core for ServerNode {
    type State = Office;
    type Peer = Caller;
    type Message = Letter;
    type Timer = record::Timer;
    type Command = Revoke;
    type Notice = Notice;
    type Saved = record::Saved;

    fn start(&self) -> Office {
        Office::default()
    }

    fn step(&self, office: &mut Office, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let Some(input) = opened(&office.core, input) else { return };
        let queue = Queue::before(&office.core, &input);
        let asked = asked(&input);
        let mut inner: OutOf<Of> = Out::default();
        let core = Records { rules: self.0.record.clone(), limits: self.0.limits };
        core.step(&mut office.core, input, &mut inner);
        let state = &office.core;
        out.rows.append(&mut inner.rows);
        let is_heard = |to: (Caller, CallId)| {
            inner.effects.iter().any(|effect| answers(effect, to)) || state.is_open(to.0, to.1)
        };
        out.rows.extend(asked.filter(|to| !is_heard(*to)).map(|_| UNANSWERED));
        let passed_over = queue.passed_over(state, &inner.effects).map(Notice::PassedOver);
        let forgotten = queue.forgotten(state).map(Notice::Forgotten);
        let idle = queue.is_idle(state, &inner.effects).then_some(Notice::Idle);
        office.post(inner.effects, self.0.watches, out);
        let untoward = [passed_over, forgotten, idle].into_iter().flatten();
        out.effects.extend(untoward.map(Effect::Notify));
    }

    fn keep(saved: &mut Option<record::Saved>, new: record::Saved) {
        Of::keep(saved, new);
    }
}

impl CoreNode for ServerNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self(self.0.choosing(choice))
    }

    fn choices(&self) -> u8 {
        self.0.record.choices()
    }

    fn node(&self, peer: Caller) -> NodeId {
        letter::node(peer)
    }

    fn peer(&self, node: NodeId) -> Caller {
        letter::caller(node)
    }

    /// An operator may revoke any claim.
    fn commands(&self, office: &Office) -> Vec<Revoke> {
        office.core.claims().map(|(claim, _)| Revoke(claim)).collect()
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

impl Office {
    /// Writes what the server does. What it grants with the ttl counted anew is backed. Who is
    /// granted a claim may watch it from then on, until it gives the claim up, and hears that it is
    /// over.
    fn post(&mut self, effects: Vec<EffectOf<Of>>, watches: bool, out: &mut OutOf<ServerNode>) {
        let counted: Vec<ClaimId> = effects.iter().filter_map(counted_anew).collect();
        out.effects.extend(effects.into_iter().filter_map(|effect| match effect {
            // An operator hears it, who is no node, or nobody.
            Effect::Send { to: OPERATOR | STRAY, message: _ } => None,
            Effect::Send { to, message } => {
                let granted = granted(&message);
                self.watched.extend(granted.filter(|_| watches).map(|claim| (claim, to)));
                let is_backed = granted.is_some_and(|claim| counted.contains(&claim));
                Some(Effect::Send { to, message: Letter { is_backed, ..Letter::plain(message) } })
            }
            Effect::Arm(timer) => Some(Effect::Arm(timer)),
            Effect::Disarm(timer) => Some(Effect::Disarm(timer)),
            Effect::Save(saved) => Some(Effect::Save(saved)),
            Effect::Notify(record::Notice::Over { claim }) if self.watched.contains_key(&claim) => {
                let to = self.watched.remove(&claim)?;
                Some(Effect::Send { to, message: Letter::plain(Message::Over { claim }) })
            }
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Kept(notice))),
        }));
        self.watched.retain(|id, _| {
            let status = self.core.claim(*id).and_then(record::Record::status);
            !matches!(status, Some(Status::Released | Status::Aborted | Status::Withdrawn))
        });
    }

    /// Gives each caller the number of another node.
    pub(crate) fn rename(&mut self, to: &[NodeId]) {
        let rename = |from: &mut Caller| *from = letter::caller(to[letter::node(*from)]);
        self.core.visit_callers(&mut |from| {
            if *from != STRAY {
                rename(from);
            }
        });
        self.watched.values_mut().for_each(rename);
    }
}

/// What the server's driver says of an input, if anything.
fn opened(state: &record::State, input: InputOf<ServerNode>) -> Option<InputOf<Of>> {
    Some(match input {
        Input::Message { from, message: Letter { message, way: Way::HungUp, .. } } => {
            Input::Command(hung_up(state, from, message)?)
        }
        Input::Message { from, message: Letter { message, way, .. } } => {
            Input::Message { from: if way == Way::Stray { STRAY } else { from }, message }
        }
        Input::Fired(timer) => Input::Fired(timer),
        Input::Command(Revoke(claim)) => {
            let ask = Ask::Status { claim, to: Asked::Revoked };
            let message = Message::Request(Request { call: CallId::default(), ask });
            Input::Message { from: OPERATOR, message }
        }
        Input::Restart(saved) => Input::Restart(saved),
    })
}

/// What the server's driver says when the connection of a request is gone; it knows the claim that
/// the request is about.
fn hung_up(state: &record::State, from: Caller, message: Message) -> Option<record::Command> {
    let Message::Request(Request { call, ask }) = message else { return None };
    let claim = match ask {
        Ask::Post { resource: _, key, wait: _ } => key.and_then(|key| state.keyed(key))?,
        Ask::Ttl { claim } | Ask::Status { claim, to: _ } => claim,
    };
    Some(record::Command::HungUp { claim, from, call })
}

/// The claim that a message grants.
fn granted(message: &Message) -> Option<ClaimId> {
    let Message::Response(response) = message else { return None };
    response.claim.filter(|_| response.grants())
}

/// The claim whose ttl is counted anew.
const fn counted_anew(effect: &EffectOf<Of>) -> Option<ClaimId> {
    if let Effect::Arm(record::Timer::Ttl(claim)) = effect { Some(*claim) } else { None }
}

/// What is wrong where the server neither answers a request nor holds it open.
const UNANSWERED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim-record",
    action: "answer",
    because: "a request that is heard is answered, now or later",
};

/// Who asks the server something, and by which call.
fn asked(input: &InputOf<Of>) -> Option<(Caller, CallId)> {
    let Input::Message { from, message: Message::Request(request) } = input else { return None };
    Some((*from, request.call))
}

/// Whether an effect is the answer to a call.
fn answers(effect: &EffectOf<Of>, (from, call): (Caller, CallId)) -> bool {
    matches!(effect, Effect::Send { to, message: Message::Response(response) }
        if *to == from && response.call == call)
}

impl fmt::Display for Revoke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an operator revokes claim {}", self.0)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept(record::Notice::Became { claim, status, .. }) => {
                write!(f, "claim {claim} is {}", status.name())
            }
            Self::Kept(record::Notice::Over { claim }) => {
                write!(f, "nobody watches claim {claim}")
            }
            Self::Idle => f.write_str("who asks waits, and no claim is active"),
            Self::Forgotten(claim) => {
                write!(f, "claim {claim} is forgotten before an older one, or not by its key")
            }
            Self::PassedOver(claim) => write!(f, "claim {claim} comes before an older one"),
        }
    }
}
