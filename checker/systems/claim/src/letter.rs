//! What the nodes send each other: messages, and what they have to do with clocks and connections.

use std::fmt;

use turnstile_core::claim::message::{Caller, Lease, Message, Response};
use turnstile_core::number::{CallId, ClaimId};
use turnstile_step::{Core, Input, InputOf, Out, OutOf, Symbolic};
use turnstile_world::NodeId;

/// A message, and what it has to do with the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Letter {
    /// The message.
    pub(crate) message: Message,
    /// It answers a request with which the server counted the ttl anew.
    pub(crate) is_backed: bool,
    /// Which way it goes.
    pub(crate) way: Way,
}

/// Which way a message goes between a client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Way {
    /// On the client's connection.
    Own,
    /// On another one, whose other end is gone: its answer is heard by nobody.
    Stray,
    /// It is not the request but the end of the connection on which it waits.
    HungUp,
}

impl Letter {
    /// A message that has nothing to do with the clocks.
    pub(crate) const fn plain(message: Message) -> Self {
        Self { message, is_backed: false, way: Way::Own }
    }

    /// The call that a request opens or an answer ends.
    pub(crate) const fn call(&self) -> Option<CallId> {
        match self.message {
            Message::Request(request) => Some(request.call),
            Message::Response(response) => Some(response.call),
            Message::Act { token: _ } | Message::Over { claim: _ } => None,
        }
    }

    /// The claim that is said to be over.
    pub(crate) const fn over(self) -> Option<ClaimId> {
        if let Message::Over { claim } = self.message { Some(claim) } else { None }
    }

    /// How it reads where it arrives.
    pub(crate) fn heard_words(&self) -> String {
        let Message::Response(response) = self.message else { return self.to_string() };
        let why = match response {
            Response { lease: Lease::Lapsed, .. } => ", its lease over",
            Response { is_expired: true, .. } => ", the claim has expired",
            Response { .. } => "",
        };
        format!("response ({}){why}", response.status)
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Way::HungUp, Message::Request(request)) = (self.way, self.message) {
            return write!(f, "call {} hung up", request.call);
        }
        self.message.fmt(f)
    }
}

/// The letter that an input is, if it is one.
pub(crate) fn heard<P, T, C, S>(input: &Input<P, Letter, T, C, S>) -> Option<Letter> {
    if let Input::Message { message, .. } = input { Some(*message) } else { None }
}

/// A core that knows nothing of letters, and sends and gets them.
pub(crate) struct InLetters<C>(pub(crate) C);

impl<C: Core<Message = Message>> Core for InLetters<C> {
    type State = C::State;
    type Peer = C::Peer;
    type Message = Letter;
    type Timer = C::Timer;
    type Command = C::Command;
    type Notice = C::Notice;
    type Saved = C::Saved;

    fn start(&self) -> C::State {
        self.0.start()
    }

    fn step(&self, state: &mut C::State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut inner = Out::default();
        let input = match input {
            Input::Message { from, message } => Input::Message { from, message: message.message },
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(command) => Input::Command(command),
            Input::Restart(saved) => Input::Restart(saved),
        };
        self.0.step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        let effects = inner.effects.into_iter();
        out.effects.extend(
            effects.map(|effect| effect.map(Letter::plain, |timer| timer, |notice| notice)),
        );
    }

    fn keep(saved: &mut Option<C::Saved>, new: C::Saved) {
        C::keep(saved, new);
    }
}

/// A node as the server's side knows it.
pub(crate) const fn caller(node: NodeId) -> Caller {
    Caller(node as u64)
}

/// The node that the server's side knows so.
pub(crate) fn node(caller: Caller) -> NodeId {
    NodeId::try_from(caller.0).expect("a caller is a node of the world")
}
