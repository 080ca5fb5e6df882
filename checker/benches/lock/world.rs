//! A lock protocol whose count of states is known from other checkers: the World's yardstick.
//!
//! Clients ask one coordinator for a lock, so many rounds each: request, grant, release,
//! acknowledge, with repeats by a tick, over links that lose, repeat and reorder. It is no
//! protocol of any document; benchmarks and the World's own tests use it.

use turnstile_step::{Effect, Input, not_symbolic};

use turnstile_world::NodeId;
use turnstile_world::link::{Chance, Mail};
use turnstile_world::property::{Claim, Predicate, Property, View};
use turnstile_world::system::{InputOf, OutOf, System, Types};
use turnstile_world::{Link, LinkKind, Node, World, erased};

/// The types of the lock protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LockTypes;

/// A message, with the round it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message {
    /// A client asks for the lock.
    Request(u8),
    /// The coordinator gives it.
    Grant(u8),
    /// The client gives it back.
    Release(u8),
    /// The coordinator has it back.
    Acknowledge(u8),
}

/// Where a client is in its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    /// It wants nothing yet.
    Idle,
    /// It has asked.
    Waiting,
    /// It has the lock.
    Holding,
    /// It has given the lock back and waits to be told that this was heard.
    Releasing,
}

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
    /// A client.
    Client {
        /// Where it is.
        phase: Phase,
        /// Rounds finished.
        round: u8,
    },
    /// The coordinator.
    Coordinator {
        /// Who has the lock.
        holder: Option<u8>,
        /// Rounds finished, by client.
        done: Vec<u8>,
    },
}

/// The only timer: a client does its next thing, or does the last one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Tick;

not_symbolic!(Message, State, Tick);

impl Types for LockTypes {
    type State = State;
    type Message = Message;
    type Timer = Tick;
    type Command = ();
    type Notice = ();
    type Saved = ();
    type Monitor = ();
    type Mark = ();
}

/// The lock protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    /// How many clients.
    pub(crate) clients: usize,
    /// How many rounds each.
    pub(crate) rounds: u8,
}

impl System for Lock {
    type Types = LockTypes;

    fn start(&self, node: NodeId) -> State {
        if node < self.clients {
            State::Client { phase: Phase::Idle, round: 0 }
        } else {
            State::Coordinator { holder: None, done: vec![0; self.clients] }
        }
    }

    fn armed(&self, node: NodeId) -> Vec<Tick> {
        if node < self.clients { vec![Tick] } else { Vec::new() }
    }

    fn step(
        &self,
        _node: NodeId,
        _choice: u8,
        state: &mut State,
        input: InputOf<LockTypes>,
        out: &mut OutOf<LockTypes>,
    ) {
        match (state, input) {
            (State::Client { phase, round }, Input::Fired(Tick)) => {
                let (next, message) = match phase {
                    Phase::Idle | Phase::Waiting => (Phase::Waiting, Message::Request(*round)),
                    Phase::Holding | Phase::Releasing => {
                        (Phase::Releasing, Message::Release(*round))
                    }
                };
                *phase = next;
                out.effects.push(Effect::Arm(Tick));
                out.effects.push(Effect::Send { to: self.clients, message });
            }
            (State::Client { phase, round }, Input::Message { message, .. }) => match message {
                Message::Grant(of) if *phase == Phase::Waiting && of == *round => {
                    *phase = Phase::Holding;
                }
                Message::Acknowledge(of) if *phase == Phase::Releasing && of == *round => {
                    (*phase, *round) = (Phase::Idle, *round + 1);
                    if *round == self.rounds {
                        out.effects.push(Effect::Disarm(Tick));
                    }
                }
                Message::Request(_)
                | Message::Release(_)
                | Message::Grant(_)
                | Message::Acknowledge(_) => {}
            },
            (State::Coordinator { holder, done }, Input::Message { from, message }) => {
                let answer = coordinate(holder, done, from, message);
                out.effects.extend(answer.map(|message| Effect::Send { to: from, message }));
            }
            (State::Client { .. } | State::Coordinator { .. }, _) => {}
        }
    }

    fn commands(&self, _node: NodeId, _state: &State) -> Vec<()> {
        Vec::new()
    }

    fn monitor(&self) {}
}

/// What the coordinator answers.
fn coordinate(
    holder: &mut Option<u8>,
    done: &mut [u8],
    from: NodeId,
    message: Message,
) -> Option<Message> {
    let client = u8::try_from(from).expect("few clients");
    match message {
        Message::Request(of) if of == done[from] && holder.is_none_or(|held| held == client) => {
            *holder = Some(client);
            Some(Message::Grant(of))
        }
        Message::Release(of) if of == done[from] && *holder == Some(client) => {
            *holder = None;
            done[from] += 1;
            Some(Message::Acknowledge(of))
        }
        Message::Release(of) if of < done[from] => Some(Message::Acknowledge(of)),
        Message::Request(_) | Message::Release(_) | Message::Grant(_) | Message::Acknowledge(_) => {
            None
        }
    }
}

/// The lock protocol in its world: so many clients, so many rounds each.
#[must_use]
pub(crate) fn world(clients: usize, rounds: u8) -> World {
    let mail =
        Mail { is_ordered: false, loss: Chance::Free, duplication: Chance::Free, capacity: 16 };
    let kind = LinkKind::Messages(mail);
    let mut nodes: Vec<Node> = (1..=clients)
        .map(|number| Node { name: format!("client {number}"), role: "client".to_owned() })
        .collect();
    nodes.push(Node { name: "coordinator".to_owned(), role: "coordinator".to_owned() });
    let links = (0..clients).flat_map(|client| {
        [Link { from: client, to: clients, kind }, Link { from: clients, to: client, kind }]
    });
    let mut world = World::new(
        erased(Lock { clients, rounds }, nodes.len()),
        nodes,
        links.collect(),
        Vec::new(),
    )
    .expect("its links join its nodes, and it has no budgets");
    let holders = |view: &View<'_>| {
        view.nodes
            .iter()
            .filter(|node| matches!(node.state.of(), State::Client { phase: Phase::Holding, .. }))
            .count()
    };
    let one_holds = Property {
        name: "one holds",
        sentence: "At most one client holds the lock.".to_owned(),
        claim: Claim::Always {
            holds: Predicate::new(move |view| holders(view) <= 1),
            premise: Predicate::new(move |view| holders(view) == 1),
        },
        without: Vec::new(),
    };
    world.claim(one_holds).expect("it excuses nothing");
    world
}
