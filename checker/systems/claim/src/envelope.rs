//! Messages between nodes, with what the checks need to know of leases and connections.

use std::fmt;

use turnstile_claim_core::message::{Caller, Lease, Message, Response};
use turnstile_claim_core::number::ClaimId;
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Input, InputOf, OutOf, Symbolic};
use turnstile_world::NodeId;

/// A message, and its relation to the ttl and to the client's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Envelope {
    /// The message.
    pub(crate) message: Message,
    /// It answers a request for which the server restarted the ttl.
    pub(crate) is_backed: bool,
    /// The connection that it takes.
    pub(crate) route: Route,
}

/// The connection that a message between a client and the server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Route {
    /// On the client's connection.
    Own,
    /// On a closed one: its answer has no receiver.
    Stray,
    /// Not the request but the disconnect of its connection.
    HungUp,
}

impl Envelope {
    /// A message that restarts no ttl.
    pub(crate) const fn plain(message: Message) -> Self {
        Self { message, is_backed: false, route: Route::Own }
    }

    /// The same message, over a line on which it takes so long that no lease leaves time for a
    /// renewal.
    pub(crate) fn slowed(self) -> Self {
        match self.message {
            Message::Response(response) if response.grants() && response.lease == Lease::Live => {
                Self { message: Message::Response(response.brief()), ..self }
            }
            Message::Response(_)
            | Message::Request(_)
            | Message::Act { .. }
            | Message::Over { .. } => self,
        }
    }

    /// The call that a request opens or an answer ends.
    pub(crate) const fn call(&self) -> Option<CallId> {
        match self.message {
            Message::Request(request) => Some(request.call),
            Message::Response(response) => Some(response.call),
            Message::Act { token: _ } | Message::Over { claim: _ } => None,
        }
    }

    /// The claim whose end the message reports.
    pub(crate) const fn over(self) -> Option<ClaimId> {
        if let Message::Over { claim } = self.message { Some(claim) } else { None }
    }

    /// The event of the receiver's table, as text.
    pub(crate) fn heard_words(&self) -> String {
        let Message::Response(response) = self.message else { return self.to_string() };
        let why = match response {
            Response { lease: Lease::Lapsed, .. } => ", its lease expired",
            Response { lease: Lease::Brief, .. } => ", its lease leaves no time",
            Response { is_expired: true, .. } => ", the claim has expired",
            Response { .. } => "",
        };
        format!("response ({}){why}", response.status)
    }
}

impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Route::HungUp, Message::Request(request)) = (self.route, self.message) {
            return write!(f, "call {} hung up", request.call);
        }
        self.message.fmt(f)
    }
}

/// The message of an input, if it is one.
pub(crate) fn received<P, T, C, S>(input: &Input<P, Envelope, T, C, S>) -> Option<Envelope> {
    if let Input::Message { message, .. } = input { Some(*message) } else { None }
}

/// A core over plain messages, adapted to envelopes.
pub(crate) struct Enveloped<C>(pub(crate) C);

impl<C: Core<Message = Message>> Core for Enveloped<C> {
    type State = C::State;
    type Peer = C::Peer;
    type Message = Envelope;
    type Timer = C::Timer;
    type Command = C::Command;
    type Notice = C::Notice;
    type Saved = C::Saved;

    fn start(&self) -> C::State {
        self.0.start()
    }

    fn step(&self, state: &mut C::State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let input = match input {
            Input::Message { from, message } => Input::Message { from, message: message.message },
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(command) => Input::Command(command),
            Input::Restart(saved) => Input::Restart(saved),
        };
        let inner = out.of_part(|inner| self.0.step(state, input, inner));
        let effects = inner.into_iter();
        out.effects.extend(
            effects.map(|effect| effect.map(Envelope::plain, |timer| timer, |notice| notice)),
        );
    }

    fn merge_saved(saved: &mut Option<C::Saved>, new: C::Saved) {
        C::merge_saved(saved, new);
    }
}

/// The server's name for a node.
pub(crate) const fn caller(node: NodeId) -> Caller {
    Caller(node as u64)
}

/// The node with this name at the server.
pub(crate) fn node(caller: Caller) -> NodeId {
    NodeId::try_from(caller.0).expect("a caller is a node of the world")
}
