//! Protocols: the kinds of nodes that exchange messages of one type, by the text that describes
//! them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "trace")]
use super::error::InputError;
use super::error::LineError;
use super::node::{Deliverable, Node};
use super::script::{Script, StepObserver};
#[cfg(feature = "trace")]
use super::trace::replay_node::ReplayNode;

/// Makes the nodes of one protocol.
pub trait NodeFactory {
    /// The type of the messages between them.
    type Message: Deliverable;

    /// The kinds of nodes, for the help of an error.
    const NODE_KINDS: &'static str;

    /// How messages arrive between two of them, where the traces of both are replayed together.
    const LINKS: LinkKind = LinkKind::Unordered;

    /// Makes the node that a name and the text after `is a` describe: a [`CoreNode`], or, if traces
    /// can have it as well, a `TraceableNode`.
    ///
    /// [`CoreNode`]: super::CoreNode
    fn node(name: &str, kind: &str) -> Option<Box<dyn Node<Self::Message>>>;
}

/// How the messages from one node to another arrive: each at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// In the order in which they were sent.
    Fifo,
    /// In any order.
    Unordered,
}

/// A [`NodeFactory`] whose message type is erased.
#[derive(Clone, Copy)]
pub struct Protocol {
    node_kinds: &'static str,
    has: fn(&str, &str) -> bool,
    play: fn(&Script, &str, &mut StepObserver<'_>) -> Result<(), LineError>,
    #[cfg(feature = "trace")]
    traced: fn(&str, &str) -> Option<Box<dyn ReplayNode>>,
    #[cfg(feature = "trace")]
    links: LinkKind,
}

impl Protocol {
    /// The protocol of these nodes.
    #[must_use]
    pub const fn of<N: NodeFactory>() -> Self {
        Self {
            node_kinds: N::NODE_KINDS,
            has: |name, kind| N::node(name, kind).is_some(),
            play: |script, node_kinds, observe| script.play(N::node, node_kinds, observe),
            #[cfg(feature = "trace")]
            traced: |name, kind| N::node(name, kind)?.into_replay_node(),
            #[cfg(feature = "trace")]
            links: N::LINKS,
        }
    }

    /// The node that a name and the `is` of a trace describe, and how it receives.
    #[cfg(feature = "trace")]
    fn traced(&self, name: &str, is: &str) -> Option<(Box<dyn ReplayNode>, LinkKind)> {
        Some(((self.traced)(name, is)?, self.links))
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protocol").field("node_kinds", &self.node_kinds).finish_non_exhaustive()
    }
}

/// The help where there is no protocol.
const NO_NODES: &str = "this program knows no protocol: use one that was built with the cores";

/// The kinds of nodes of all these protocols.
pub(super) fn node_kinds(protocols: &[Protocol]) -> String {
    let node_kinds: Vec<&str> = protocols.iter().map(|protocol| protocol.node_kinds).collect();
    if node_kinds.is_empty() { NO_NODES.into() } else { node_kinds.join("; or ") }
}

/// The node that a name and its `is` describe, and how it receives.
#[cfg(feature = "trace")]
pub(super) fn traced(
    protocols: &[Protocol],
    name: &str,
    is: &str,
) -> Result<(Box<dyn ReplayNode>, LinkKind), InputError> {
    let node = protocols.iter().find_map(|protocol| protocol.traced(name, is));
    node.ok_or_else(|| InputError::new("unknown node kind", node_kinds(protocols)))
}

/// Plays a script by the protocol of the first node that it declares.
pub(super) fn play_script(
    script: &Script,
    protocols: &[Protocol],
    observe: &mut StepObserver<'_>,
) -> Result<(), LineError> {
    let node_kinds = node_kinds(protocols);
    let first =
        script.steps.iter().find(|step| step.is_declaration && !step.allows_unknown_senders());
    let knows = |protocol: &&Protocol| {
        first.is_some_and(|step| (protocol.has)(&step.line.name, &step.line.text))
    };
    match protocols.iter().find(knows).or(protocols.first()) {
        Some(protocol) => (protocol.play)(script, &node_kinds, observe),
        None => Err(LineError {
            line: 1,
            text: String::new(),
            reason: "no protocol is known".into(),
            help: node_kinds,
        }),
    }
}
