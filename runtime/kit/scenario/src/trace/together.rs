//! Several traces of one run: each message that a node receives was sent to it before, in one order
//! of all their steps.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::io::BufRead;

use super::line::short;
use super::play::{PlayedStep, Player};
use super::replay_node::{Envelope, ReplayNode};
use crate::error::{InputError, LineError};
use crate::protocol::{LinkKind, Protocol, traced};
use crate::replay::Replay;

/// The result of a replay of several traces.
#[derive(Debug)]
pub struct Together {
    /// The result of each trace alone, in their order.
    pub replays: Vec<Result<Replay, LineError>>,
    /// Whether they are of one run. `None`: one of them cannot be replayed, or differs from the
    /// cores.
    pub run: Option<Run>,
}

/// What several traces say of the messages between their nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of messages that were received.
    pub received: usize,
    /// The number of messages that were sent and not received: they were lost, or in transit.
    pub lost: usize,
    /// The first message that cannot have been received, if there is one.
    pub impossible: Option<Impossible>,
}

/// A message that is received in one trace and cannot have been by the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The index of the receiver's trace.
    pub trace: usize,
    /// The line of the step, counted from 1.
    pub line: usize,
    /// The receiver.
    pub node: String,
    /// The sender.
    pub from: String,
    /// The message, as JSON; shortened.
    pub message: String,
    /// Why it cannot have been received.
    pub reason: Reason,
}

/// Why a message cannot have been received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its sender has not sent it, or not so often, or not in this order.
    NotSent,
    /// Its sender has not sent it up to the end of its trace, which is cut off: its process was
    /// killed, or could not write the trace any more.
    CutOff,
    /// No trace has its sender.
    UnknownSender,
    /// Its sender has sent it only after it had received what follows from it.
    SentLater,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CutOff => "the trace of its sender is cut off before it has sent it",
            Self::UnknownSender => "none of the traces is that of its sender",
            Self::NotSent => "its sender has not sent it, or not so often, or in another order",
            Self::SentLater => "its sender has sent it later, after what follows from it",
        })
    }
}

/// Replays the traces of all nodes of one run; each node's `is` chooses its protocol. A node has
/// the name by which the others know it as a peer.
///
/// That each trace was recorded up to its end is not needed: a message is in its sender's trace
/// before it is in its receiver's.
pub fn replay_together<R: BufRead>(
    traces: impl IntoIterator<Item = R>,
    protocols: &[Protocol],
) -> Together {
    let traces = traces.into_iter().map(OneTrace::new).collect();
    let run = Run { received: 0, lost: 0, impossible: None };
    let nodes = BTreeMap::new();
    let (sent, waited_for) = (BTreeMap::new(), Vec::new());
    let mut all = Traces { protocols, traces, nodes, sent, run, waited_for, is_judged: true };
    all.play();
    all.end()
}

/// The traces, while they are replayed.
struct Traces<'p, R> {
    protocols: &'p [Protocol],
    traces: Vec<OneTrace<R>>,
    nodes: BTreeMap<String, TraceNode>,
    /// The messages that are not received yet, in the order in which they were sent, by sender and
    /// receiver.
    sent: BTreeMap<(String, String), VecDeque<String>>,
    run: Run,
    /// Where no trace could go on: the messages for which they wait.
    waited_for: Vec<Waiting>,
    /// Whether a step waits until its message is sent: until one is wrong.
    is_judged: bool,
}

/// A message that was not sent before.
struct Waiting {
    trace: usize,
    line: usize,
    node: String,
    received: Envelope,
}

/// Where a node is, and how it receives.
#[derive(Clone, Copy)]
struct TraceNode {
    trace: usize,
    kind: LinkKind,
}

struct OneTrace<R> {
    player: Player<R>,
    /// The step that comes next, if it is replayed.
    next: Option<PlayedStep>,
    /// How it has ended.
    ended: Option<Result<(), LineError>>,
}

impl<R> OneTrace<R> {
    fn new(trace: R) -> Self
    where
        R: BufRead,
    {
        Self { player: Player::new(trace), next: None, ended: None }
    }
}

impl<R: BufRead> Traces<'_, R> {
    fn play(&mut self) {
        loop {
            let mut is_stuck = true;
            for trace in 0..self.traces.len() {
                while self.advance(trace) {
                    is_stuck = false;
                }
            }
            if is_stuck {
                let waiting = self.waiting();
                if waiting.is_empty() {
                    return;
                }
                // The rest shows whether they are sent later.
                (self.waited_for, self.is_judged) = (waiting, false);
            }
        }
    }

    fn end(self) -> Together {
        let waited_for = self.waited_for.iter().map(|waiting| (self.reason(waiting), waiting));
        // What is sent later may wait for one that never is.
        let impossible = waited_for.min_by_key(|(reason, _)| *reason).map(|(reason, waiting)| {
            let Waiting { trace, line, node, received: Envelope { peer, message } } = waiting;
            let (trace, line, node) = (*trace, *line, node.clone());
            Impossible { trace, line, node, from: peer.clone(), message: short(message), reason }
        });
        let unread: usize = self.sent.values().map(VecDeque::len).sum();
        let run = Run { lost: self.run.lost + unread, impossible, ..self.run };
        let replays = self.traces.into_iter().map(|trace| match trace.ended {
            Some(Err(error)) => trace.player.stop(error),
            Some(Ok(())) | None => Ok(trace.player.end()),
        });
        let replays: Vec<_> = replays.collect();
        let is_whole = replays.iter().all(|replay| replay.as_ref().is_ok_and(Replay::matches));
        Together { replays, run: is_whole.then_some(run) }
    }

    /// Does the next step of a trace; `false` if there is none, or if it waits for a message.
    fn advance(&mut self, trace: usize) -> bool {
        let Some(next) = self.load(trace) else { return false };
        if self.is_judged
            && let Some(received) = &next.step.received
            && !self.receive(&next.node, received)
        {
            self.traces[trace].next = Some(next);
            return false;
        }
        for Envelope { peer, message } in next.step.sent {
            self.sent.entry((next.node.clone(), peer)).or_default().push_back(message);
        }
        true
    }

    /// The next step of a trace, replayed.
    fn load(&mut self, index: usize) -> Option<PlayedStep> {
        let Self { protocols, traces, nodes, .. } = self;
        let trace = &mut traces[index];
        if trace.next.is_some() || trace.ended.is_some() {
            return trace.next.take();
        }
        let step = trace.player.step(&mut |name, is| make(protocols, nodes, index, (name, is)));
        // The traces are judged together only if each is right alone.
        self.is_judged &= step.is_ok() && trace.player.matches();
        match step {
            Ok(Some(step)) => return Some(step),
            Ok(None) => trace.ended = Some(Ok(())),
            Err(error) => trace.ended = Some(Err(error)),
        }
        None
    }

    /// Takes a message from those that are sent; `false` if it is not among them.
    fn receive(&mut self, node: &str, received: &Envelope) -> bool {
        let kind = self.nodes.get(node).map_or(LinkKind::Unordered, |place| place.kind);
        let link = (received.peer.clone(), node.to_owned());
        let Some(sent) = self.sent.get_mut(&link) else { return false };
        let Some(place) = sent.iter().position(|message| *message == received.message) else {
            return false;
        };
        match kind {
            LinkKind::Fifo => {
                self.run.lost += place;
                sent.drain(..=place);
            }
            LinkKind::Unordered => {
                sent.remove(place);
            }
        }
        self.run.received += 1;
        true
    }

    fn waiting(&self) -> Vec<Waiting> {
        let traces = self.traces.iter().enumerate().filter_map(|(trace, one)| {
            let PlayedStep { line, node, step } = one.next.as_ref()?;
            let received = step.received.clone()?;
            Some(Waiting { trace, line: *line, node: node.clone(), received })
        });
        traces.collect()
    }

    /// Why a message could not be received, at the end of all traces.
    fn reason(&self, waiting: &Waiting) -> Reason {
        let Envelope { peer, message } = &waiting.received;
        let sent = self.sent.get(&(peer.clone(), waiting.node.clone()));
        if sent.is_some_and(|sent| sent.contains(message)) {
            return Reason::SentLater;
        }
        match self.nodes.get(peer) {
            None => Reason::UnknownSender,
            Some(sender) if self.traces[sender.trace].player.is_cut_off() => Reason::CutOff,
            Some(_) => Reason::NotSent,
        }
    }
}

/// Makes the node of a declaration.
fn make(
    protocols: &[Protocol],
    nodes: &mut BTreeMap<String, TraceNode>,
    trace: usize,
    (name, is): (&str, &str),
) -> Result<Box<dyn ReplayNode>, InputError> {
    let (node, kind) = traced(protocols, name, is)?;
    let place = nodes.entry(name.to_owned()).or_insert(TraceNode { trace, kind });
    if place.trace != trace {
        let help = "name each trace once, and only traces of one run";
        return Err(InputError::new("another one of the traces has a node of this name", help));
    }
    Ok(node)
}
