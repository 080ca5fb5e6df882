//! A lock protocol as parts: clients that each want the lock a few times, one server, and messages
//! that may be lost, come twice and overtake each other.
//!
//! Its numbers of states are known from four other checkers and a packed encoding. It is small
//! enough to be read in one go, and stands here for any World in tests and benchmarks.

use turnstile_search::transition_system::{
    EnabledOp, Fairness, InFlight, Outcome, PartKind, Place, Predicate, Property, PropertyKind,
    SymmetricRole, TransitionSystem,
};

/// The protocol. Places: the clients, the server, one link for each client.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// Clients.
    pub clients: u8,
    /// How often each wants the lock.
    pub rounds: u8,
    /// Whether a client sends again what was not answered.
    pub does_retry: bool,
    /// Whether the server acknowledges a release again.
    pub does_acknowledge_again: bool,
    /// Whether the server lets one client hold the lock at a time.
    pub does_exclude: bool,
}

/// A message, with the round it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// To the server: may I?
    Request(u8),
    /// To the client: you may.
    Grant(u8),
    /// To the server: I am done.
    Release(u8),
    /// To the client: I know.
    Acknowledge(u8),
}

/// What a client is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It has not asked.
    Idle,
    /// It has asked.
    Waits,
    /// It has the lock.
    Holds,
    /// It gives the lock back.
    Releases,
}

/// A part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A client with its timer.
    Client {
        /// What it is at.
        phase: Phase,
        /// The round that it is in.
        round: u8,
        /// Whether its timer runs.
        is_armed: bool,
    },
    /// The server: who has the lock, and the rounds that each client has finished.
    Server {
        /// The client that has the lock.
        holder: Option<u8>,
        /// The rounds that each client has finished.
        done: Vec<u8>,
    },
    /// The messages between a client and the server, sorted.
    Link(Vec<Message>),
}

/// What is done to a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A client's timer fires.
    Fire,
    /// A message is delivered; it may come again.
    Deliver(Message),
    /// A message is lost.
    Lose(Message),
    /// A message is put on the link.
    Push(Message),
    /// A message comes from or for this client.
    Take(u8, Message),
}

impl Lock {
    /// The correct protocol.
    pub fn new(clients: u8, rounds: u8) -> Self {
        Self { clients, rounds, does_retry: true, does_acknowledge_again: true, does_exclude: true }
    }

    fn server(&self) -> Place {
        Place(u16::from(self.clients))
    }

    fn link(&self, client: u8) -> Place {
        Place(u16::from(self.clients + 1 + client))
    }

    /// The client at this place or at the near end of the link at this place.
    fn client(&self, at: Place) -> u8 {
        let place = u8::try_from(at.0).expect("few places");
        if place < self.clients { place } else { place - self.clients - 1 }
    }

    fn fire(&self, client: u8, phase: Phase, round: u8) -> Vec<Outcome<Part, Op, ()>> {
        let (phase, message) = match phase {
            Phase::Idle | Phase::Waits => (Phase::Waits, Message::Request(round)),
            Phase::Holds | Phase::Releases => (Phase::Releases, Message::Release(round)),
        };
        let part = Part::Client { phase, round, is_armed: self.does_retry };
        vec![outcome(part, vec![(self.link(client), Op::Push(message))])]
    }

    fn answer(&self, phase: Phase, round: u8, message: Message) -> Option<Part> {
        match message {
            Message::Grant(of) if phase == Phase::Waits && of == round => {
                Some(Part::Client { phase: Phase::Holds, round, is_armed: true })
            }
            Message::Acknowledge(of) if phase == Phase::Releases && of == round => {
                let round = round + 1;
                Some(Part::Client { phase: Phase::Idle, round, is_armed: round < self.rounds })
            }
            Message::Grant(_) | Message::Acknowledge(_) => None,
            Message::Request(_) | Message::Release(_) => unreachable!("sent by clients alone"),
        }
    }

    fn serve(
        &self,
        holder: Option<u8>,
        done: &[u8],
        client: u8,
        message: Message,
    ) -> Option<(Part, Message)> {
        let at = done[usize::from(client)];
        let is_free = !self.does_exclude || holder.is_none_or(|holder| holder == client);
        match message {
            Message::Request(round) if round == at && is_free => Some((
                Part::Server { holder: Some(client), done: done.to_vec() },
                Message::Grant(round),
            )),
            Message::Release(round) if round == at && holder == Some(client) => {
                let mut done = done.to_vec();
                done[usize::from(client)] += 1;
                Some((Part::Server { holder: None, done }, Message::Acknowledge(round)))
            }
            Message::Release(round) if round < at && self.does_acknowledge_again => {
                Some((Part::Server { holder, done: done.to_vec() }, Message::Acknowledge(round)))
            }
            Message::Request(_) | Message::Release(_) => None,
            Message::Grant(_) | Message::Acknowledge(_) => unreachable!("sent by the server alone"),
        }
    }

    fn receiver(&self, client: u8, message: Message) -> Place {
        match message {
            Message::Request(_) | Message::Release(_) => self.server(),
            Message::Grant(_) | Message::Acknowledge(_) => Place(u16::from(client)),
        }
    }
}

fn outcome(part: Part, triggers: Vec<(Place, Op)>) -> Outcome<Part, Op, ()> {
    Outcome { triggers, ..Outcome::plain(part) }
}

impl TransitionSystem for Lock {
    type Part = Part;
    type Op = Op;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<Part>> {
        let count = usize::from(self.clients);
        let client = Part::Client { phase: Phase::Idle, round: 0, is_armed: true };
        let mut state = vec![client; count];
        state.push(Part::Server { holder: None, done: vec![0; count] });
        state.extend(vec![Part::Link(Vec::new()); count]);
        vec![state]
    }

    fn enabled(&self, at: Place, part: &Part) -> Vec<EnabledOp<Op>> {
        let name = |client| format!("client {}", client + 1);
        match part {
            Part::Client { is_armed: true, .. } => {
                let fairness = Fairness::Weak(format!("{}: timer", name(self.client(at))));
                vec![EnabledOp { op: Op::Fire, fairness, is_loss: false }]
            }
            Part::Client { .. } | Part::Server { .. } => Vec::new(),
            Part::Link(messages) => messages
                .iter()
                .flat_map(|&message| {
                    let name = format!("{}: {message:?} is delivered", name(self.client(at)));
                    let op = Op::Deliver(message);
                    let deliver =
                        EnabledOp { op, fairness: Fairness::Strong(name), is_loss: false };
                    let op = Op::Lose(message);
                    [deliver, EnabledOp { op, fairness: Fairness::None, is_loss: true }]
                })
                .collect(),
        }
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<Outcome<Part, Op, ()>> {
        match (part, op) {
            (Part::Client { phase, round, .. }, Op::Fire) => {
                self.fire(self.client(at), *phase, *round)
            }
            (Part::Client { phase, round, .. }, Op::Take(_, message)) => {
                let answered = self.answer(*phase, *round, *message);
                vec![outcome(answered.unwrap_or_else(|| part.clone()), Vec::new())]
            }
            (Part::Server { holder, done: rounds }, Op::Take(client, message)) => {
                match self.serve(*holder, rounds, *client, *message) {
                    None => vec![outcome(part.clone(), Vec::new())],
                    Some((part, answer)) => {
                        vec![outcome(part, vec![(self.link(*client), Op::Push(answer))])]
                    }
                }
            }
            (Part::Link(messages), Op::Push(message)) => {
                let mut messages = messages.clone();
                if let Err(place) = messages.binary_search(message) {
                    messages.insert(place, *message);
                }
                vec![outcome(Part::Link(messages), Vec::new())]
            }
            (Part::Link(messages), Op::Lose(message)) => {
                let kept = messages.iter().copied().filter(|kept| kept != message).collect();
                vec![outcome(Part::Link(kept), Vec::new())]
            }
            (Part::Link(_), Op::Deliver(message)) => {
                let client = self.client(at);
                let to = self.receiver(client, *message);
                vec![outcome(part.clone(), vec![(to, Op::Take(client, *message))])]
            }
            (part, op) => unreachable!("{op:?} is not for {part:?}"),
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        let clients: Vec<Place> = (0..u16::from(self.clients)).map(Place).collect();
        ["at most one holds", "somebody holds", "all are done", "anything"]
            .map(|name| Predicate {
                name: name.to_owned(),
                reads: Some(clients.clone()),
                reads_messages: false,
            })
            .to_vec()
    }

    fn evaluate(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        let clients = &state[..usize::from(self.clients)];
        let is_holding = |part: &&&Part| matches!(part, Part::Client { phase: Phase::Holds, .. });
        let is_done =
            |part: &&Part| matches!(part, Part::Client { round, .. } if *round == self.rounds);
        for &predicate in predicates {
            let is_so = match predicate {
                0 => clients.iter().filter(is_holding).count() <= 1,
                1 => clients.iter().filter(is_holding).count() > 0,
                2 => clients.iter().all(is_done),
                _ => true,
            };
            answer(predicate, is_so);
        }
    }

    fn properties(&self) -> Vec<Property> {
        vec![
            Property {
                name: "mutual exclusion".to_owned(),
                kind: PropertyKind::Always(0),
                antecedent: Some(1),
            },
            Property {
                name: "can end".to_owned(),
                kind: PropertyKind::CanReach(3, 2),
                antecedent: None,
            },
            Property {
                name: "ends".to_owned(),
                kind: PropertyKind::Eventually(2),
                antecedent: None,
            },
        ]
    }

    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        let members = (0..self.clients).map(|client| vec![Place(client.into()), self.link(client)]);
        vec![SymmetricRole { role: "client".to_owned(), members: members.collect() }]
    }

    fn permuted(&self, _at: Place, part: &Part, _role: usize, to: &[usize]) -> Part {
        match part {
            Part::Server { holder, done } => {
                let holder = holder
                    .map(|holder| u8::try_from(to[usize::from(holder)]).expect("clients are few"));
                let mut moved = done.clone();
                to.iter().zip(done).for_each(|(&to, &rounds)| moved[to] = rounds);
                Part::Server { holder, done: moved }
            }
            Part::Client { .. } | Part::Link(_) => part.clone(),
        }
    }

    fn part_kind(&self, at: Place) -> PartKind {
        if at > self.server() { PartKind::Link } else { PartKind::Node }
    }

    fn in_flight(&self, at: Place, part: &Part) -> Vec<InFlight<Op>> {
        let Part::Link(messages) = part else { return Vec::new() };
        let client = self.client(at);
        let in_flight = messages.iter().map(|&message| InFlight {
            to: self.receiver(client, message),
            input: Op::Take(client, message),
            discard: Op::Lose(message),
        });
        in_flight.collect()
    }

    fn may_delay_forever(&self, at: Place) -> bool {
        at > self.server()
    }
}
