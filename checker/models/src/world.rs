//! A lock protocol whose count of states is known from other checkers: the World's yardstick.
//!
//! Clients ask one coordinator for a lock, so many rounds each: request, grant, release,
//! acknowledge, with repeats by a tick, over links that lose, repeat and reorder. It is no
//! protocol of any document; benchmarks and the World's own tests use it.

use std::sync::Arc;

use turnstile_step::not_symbolic;
use turnstile_world::links::link::{ChannelOptions, Occurrence};
use turnstile_world::property::{Predicate, Property, Reads, TemporalFormula, View};
use turnstile_world::system::{Effect, Input, NodeCore, Out, System};
use turnstile_world::{Link, LinkKind, Node, NodeId, Ordered, Value, WhenFull, World};

/// A message, with the round it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
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
enum Phase {
    /// It wants nothing yet.
    Idle,
    /// It has asked.
    Waiting,
    /// It has the lock.
    Holding,
    /// It has given the lock back and waits to be told that this was heard.
    Releasing,
}

/// Where a client is, and how many rounds it has finished.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct At {
    phase: Phase,
    round: u8,
}

/// Who has the lock, and how many rounds each client has finished.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ServerState {
    holder: Option<u8>,
    done: Vec<u8>,
}

/// The only timer: a client does its next thing, or does the last one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Tick;

not_symbolic!(Message, At, ServerState, Tick);

/// A client.
#[derive(Clone, Copy, Debug)]
struct Client {
    coordinator: NodeId,
    rounds: u8,
}

impl NodeCore for Client {
    fn start(&self) -> Value {
        Value::new(At { phase: Phase::Idle, round: 0 })
    }

    fn armed(&self) -> Vec<Ordered> {
        vec![Ordered::new(Tick)]
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let At { phase, round } = state.of_mut();
        match input {
            Input::Fired(tick) => {
                let (next, message) = match phase {
                    Phase::Idle | Phase::Waiting => (Phase::Waiting, Message::Request(*round)),
                    Phase::Holding | Phase::Releasing => {
                        (Phase::Releasing, Message::Release(*round))
                    }
                };
                *phase = next;
                let message = Ordered::new(message);
                out.effects.push(Effect::Arm(tick));
                out.effects.push(Effect::Send { to: self.coordinator, message });
            }
            Input::Message { message, .. } => match *message.of() {
                Message::Grant(of) if *phase == Phase::Waiting && of == *round => {
                    *phase = Phase::Holding;
                }
                Message::Acknowledge(of) if *phase == Phase::Releasing && of == *round => {
                    (*phase, *round) = (Phase::Idle, *round + 1);
                    if *round == self.rounds {
                        out.effects.push(Effect::Disarm(Ordered::new(Tick)));
                    }
                }
                Message::Request(_)
                | Message::Release(_)
                | Message::Grant(_)
                | Message::Acknowledge(_) => {}
            },
            Input::Command(_) | Input::Restart(_) => {}
        }
    }

    fn commands(&self, _state: &Value) -> Vec<Ordered> {
        Vec::new()
    }
}

/// The coordinator of so many clients.
#[derive(Clone, Copy, Debug)]
struct Coordinator(usize);

impl NodeCore for Coordinator {
    fn start(&self) -> Value {
        Value::new(ServerState { holder: None, done: vec![0; self.0] })
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let Input::Message { from, message } = input else { return };
        let answer = state.of_mut::<ServerState>().answer(from, *message.of());
        let send = |message| Effect::Send { to: from, message: Ordered::new(message) };
        out.effects.extend(answer.map(send));
    }

    fn commands(&self, _state: &Value) -> Vec<Ordered> {
        Vec::new()
    }
}

impl ServerState {
    fn answer(&mut self, from: NodeId, message: Message) -> Option<Message> {
        let Self { holder, done } = self;
        let client = u8::try_from(from).expect("few clients");
        match message {
            Message::Request(of)
                if of == done[from] && holder.is_none_or(|held| held == client) =>
            {
                *holder = Some(client);
                Some(Message::Grant(of))
            }
            Message::Release(of) if of == done[from] && *holder == Some(client) => {
                *holder = None;
                done[from] += 1;
                Some(Message::Acknowledge(of))
            }
            Message::Release(of) if of < done[from] => Some(Message::Acknowledge(of)),
            Message::Request(_)
            | Message::Release(_)
            | Message::Grant(_)
            | Message::Acknowledge(_) => None,
        }
    }
}

/// The lock protocol.
#[derive(Clone, Copy, Debug)]
struct Lock {
    client: Client,
    coordinator: Coordinator,
}

impl System for Lock {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == self.client.coordinator { &self.coordinator } else { &self.client }
    }
}

/// The lock protocol in its world: so many clients, so many rounds each.
#[must_use]
pub fn world(clients: usize, rounds: u8) -> World {
    let mail = ChannelOptions {
        is_ordered: false,
        loss: Occurrence::Unbounded,
        duplication: Occurrence::Unbounded,
        capacity: 16,
    };
    let (kind, when_full) = (LinkKind::Messages(mail), WhenFull::Fail);
    let mut nodes: Vec<Node> = (1..=clients)
        .map(|number| Node { name: format!("client {number}"), role: "client".to_owned() })
        .collect();
    nodes.push(Node { name: "coordinator".to_owned(), role: "coordinator".to_owned() });
    let links = (0..clients).flat_map(|client| {
        [
            Link { from: client, to: clients, kind, when_full },
            Link { from: clients, to: client, kind, when_full },
        ]
    });
    let client = Client { coordinator: clients, rounds };
    let system = Arc::new(Lock { client, coordinator: Coordinator(clients) });
    let mut world = World::new(system, nodes, links.collect(), Vec::new())
        .expect("its links join its nodes, and it has no budgets");
    let holders = |view: &View<'_>| {
        let clients = view.nodes.iter().filter_map(|node| node.state.get::<At>());
        clients.filter(|at| at.phase == Phase::Holding).count()
    };
    let one_holds = Property {
        name: "one holds".to_owned(),
        sentence: "At most one client holds the lock.".to_owned(),
        formula: TemporalFormula::Always {
            holds: Predicate::new(move |view| holders(view) <= 1),
            antecedent: Predicate::new(move |view| holders(view) == 1),
        },
        reads: Reads::Nodes,
        without: Vec::new(),
    };
    world.add_property(one_holds).expect("it excuses nothing");
    world
}
