//! The lock protocol as stateright actors, written as its examples are.

use std::borrow::Cow;
use std::time::Duration;

use stateright::actor::{Actor, ActorModel, ActorModelState, Id, LossyNetwork, Network, Out};
use stateright::{Model, Property};

/// A message, with its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message {
    Request(u8),
    Grant(u8),
    Release(u8),
    Acknowledge(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    Idle,
    Waits,
    Holds,
    Releases,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum State {
    Client { phase: Phase, round: u8 },
    Server { holder: Option<u8>, done: Vec<u8> },
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Client { server: Id, rounds: u8 },
    Server { clients: usize },
}

const SOON: std::ops::Range<Duration> = Duration::ZERO..Duration::ZERO;

impl Actor for Node {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _id: Id, _storage: &Option<()>, out: &mut Out<Self>) -> State {
        match self {
            Self::Client { .. } => {
                out.set_timer((), SOON);
                State::Client { phase: Phase::Idle, round: 0 }
            }
            Self::Server { clients } => State::Server { holder: None, done: vec![0; *clients] },
        }
    }

    fn on_msg(
        &self,
        _id: Id,
        state: &mut Cow<'_, State>,
        from: Id,
        message: Message,
        out: &mut Out<Self>,
    ) {
        match (self, &**state) {
            (Self::Client { rounds, .. }, State::Client { phase, round }) => {
                let round = *round;
                match message {
                    Message::Grant(of) if *phase == Phase::Waits && of == round => {
                        *state.to_mut() = State::Client { phase: Phase::Holds, round };
                    }
                    Message::Acknowledge(of) if *phase == Phase::Releases && of == round => {
                        *state.to_mut() = State::Client { phase: Phase::Idle, round: round + 1 };
                        if round + 1 == *rounds {
                            out.cancel_timer(());
                        }
                    }
                    Message::Request(_)
                    | Message::Grant(_)
                    | Message::Release(_)
                    | Message::Acknowledge(_) => {}
                }
            }
            (Self::Server { .. }, State::Server { holder, done }) => {
                let client = usize::from(from);
                let name = u8::try_from(client).expect("few clients");
                let (at, holder) = (done[client], *holder);
                match message {
                    Message::Request(of)
                        if of == at && holder.is_none_or(|holder| holder == name) =>
                    {
                        if holder.is_none()
                            && let State::Server { holder, .. } = state.to_mut()
                        {
                            *holder = Some(name);
                        }
                        out.send(from, Message::Grant(of));
                    }
                    Message::Release(of) if of == at && holder == Some(name) => {
                        if let State::Server { holder, done } = state.to_mut() {
                            *holder = None;
                            done[client] += 1;
                        }
                        out.send(from, Message::Acknowledge(of));
                    }
                    Message::Release(of) if of < at => out.send(from, Message::Acknowledge(of)),
                    Message::Request(_)
                    | Message::Grant(_)
                    | Message::Release(_)
                    | Message::Acknowledge(_) => {}
                }
            }
            _ => unreachable!("a node keeps its role"),
        }
    }

    fn on_timeout(&self, _id: Id, state: &mut Cow<'_, State>, _timer: &(), out: &mut Out<Self>) {
        let (Self::Client { server, .. }, State::Client { phase, round }) = (self, &**state) else {
            return;
        };
        let (phase, round) = (*phase, *round);
        out.set_timer((), SOON);
        let (next, message) = match phase {
            Phase::Idle | Phase::Waits => (Phase::Waits, Message::Request(round)),
            Phase::Holds | Phase::Releases => (Phase::Releases, Message::Release(round)),
        };
        if next != phase {
            *state.to_mut() = State::Client { phase: next, round };
        }
        out.send(*server, message);
    }
}

type Actors = ActorModel<Node, (), ()>;
type Whole = ActorModelState<Node, ()>;

/// The actors, with the network's note of the message delivered last taken out of each state: it
/// would tell states apart in which nothing else differs.
#[derive(Clone)]
pub(crate) struct Protocol(Actors);

impl Model for Protocol {
    type State = Whole;
    type Action = <Actors as Model>::Action;

    fn init_states(&self) -> Vec<Whole> {
        self.0.init_states()
    }

    fn actions(&self, state: &Whole, actions: &mut Vec<Self::Action>) {
        self.0.actions(state, actions);
    }

    fn next_state(&self, state: &Whole, action: Self::Action) -> Option<Whole> {
        let mut next = self.0.next_state(state, action)?;
        if let Network::UnorderedDuplicating(_, last) = &mut next.network {
            *last = None;
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("mutual exclusion", |_, state: &Whole| excludes(state))]
    }
}

fn excludes(state: &Whole) -> bool {
    let is_holding = |state: &&std::sync::Arc<State>| {
        matches!(***state, State::Client { phase: Phase::Holds, .. })
    };
    state.actor_states.iter().filter(is_holding).count() <= 1
}

/// The protocol as a model.
pub(crate) fn model(clients: usize, rounds: u8) -> Protocol {
    let model = ActorModel::new((), ())
        .init_network(Network::new_unordered_duplicating([]))
        .lossy_network(LossyNetwork::Yes);
    let node = |_| Node::Client { server: Id::from(clients), rounds };
    Protocol(model.actors((0..clients).map(node)).actor(Node::Server { clients }))
}
