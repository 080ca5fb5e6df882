//! The parts of a state, in whatever form a search keeps them.
//!
//! A state is one part for each node and each link, one that remembers for the properties, and
//! what is left of the budgets. What happens to one part depends on that part alone, so a search
//! may keep parts as values or as small numbers of interned values with remembered answers.
//! [`crate::world::turn`] puts parts together, once for every form.

use crate::world::World;
use crate::world::budget::{BudgetId, Left};
use crate::world::system::{NodeId, System};

/// A state in some form.
pub trait Row: Clone {
    /// A node's part.
    type Node;
    /// A link's part.
    type Link;
    /// The part that remembers.
    type Watch;
    /// A node's part.
    fn node(&self, node: NodeId) -> &Self::Node;
    /// A link's part.
    fn link(&self, link: usize) -> &Self::Link;
    /// The part that remembers.
    fn watch(&self) -> &Self::Watch;
    /// What is left of the budgets.
    fn left(&self) -> Left;
    /// Replaces a node's part.
    fn put_node(&mut self, node: NodeId, part: Self::Node);
    /// Replaces a link's part.
    fn put_link(&mut self, link: usize, part: Self::Link);
    /// Replaces the part that remembers.
    fn put_watch(&mut self, part: Self::Watch);
    /// Replaces what is left of the budgets.
    fn put_left(&mut self, left: Left);
}

/// What may happen to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeOffer<E> {
    /// The event.
    pub event: E,
    /// The budget it takes from.
    pub budget: Option<BudgetId>,
    /// Whether a timer fires, so that the time relations have a say.
    pub is_timer: bool,
}

/// What may happen on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkOffer<O, E> {
    /// To the link.
    pub op: O,
    /// To the node that something is delivered to.
    pub delivers: Option<(NodeId, E)>,
    /// The budget it takes from.
    pub budget: Option<BudgetId>,
}

/// The form in which a search keeps parts, and what it knows of single ones.
///
/// Each answer is that of the pure function of the same name over values; a form may remember it.
pub trait Parts<S: System> {
    /// A state.
    type Row: Row;
    /// What happens to a node.
    type Event: Clone;
    /// What is done to a link.
    type Op: Clone;
    /// What a step of one node did.
    type Turn: Clone;

    /// What may happen to the node by itself or by its user, in a fixed order.
    fn node_offers(
        &mut self,
        world: &World<S>,
        node: NodeId,
        part: &NodeOf<Self, S>,
        offers: &mut Vec<NodeOffer<Self::Event>>,
    );

    /// What may happen on the link, in a fixed order.
    fn link_offers(
        &mut self,
        world: &World<S>,
        link: usize,
        part: &LinkOf<Self, S>,
        offers: &mut Vec<LinkOffer<Self::Op, Self::Event>>,
    );

    /// Whether the node takes inputs.
    fn is_up(&mut self, part: &NodeOf<Self, S>) -> bool;

    /// Whether the timer that `event` fires at `later` must wait for one that is armed at
    /// `earlier`.
    fn is_bound(
        &mut self,
        world: &World<S>,
        earlier: (NodeId, &NodeOf<Self, S>),
        later: (NodeId, &NodeOf<Self, S>),
        event: &Self::Event,
    ) -> bool;

    /// Steps one node.
    fn step(
        &mut self,
        world: &World<S>,
        node: NodeId,
        part: &NodeOf<Self, S>,
        event: &Self::Event,
    ) -> Self::Turn;

    /// The node after a step.
    fn turned(&self, turn: &Self::Turn) -> NodeOf<Self, S>;

    /// What a step does to links: the operation of this number, in order; none after the last.
    fn op(&self, turn: &Self::Turn, number: usize) -> Option<(usize, Self::Op)>;

    /// Does something to a link. Also says whether an answer became late.
    fn operate(
        &mut self,
        world: &World<S>,
        link: usize,
        part: &LinkOf<Self, S>,
        op: &Self::Op,
    ) -> (LinkOf<Self, S>, bool);

    /// What the watch is after a step, or after something that was no step of any node.
    fn observe(
        &mut self,
        world: &World<S>,
        watch: &WatchOf<Self, S>,
        turn: Option<&Self::Turn>,
    ) -> WatchOf<Self, S>;

    /// Gives the numbers of a whole state their smallest values.
    fn renumber(&mut self, world: &World<S>, row: &mut Self::Row);
}

/// A node's part in a form.
pub type NodeOf<P, S> = <<P as Parts<S>>::Row as Row>::Node;
/// A link's part in a form.
pub type LinkOf<P, S> = <<P as Parts<S>>::Row as Row>::Link;
/// The remembering part in a form.
pub type WatchOf<P, S> = <<P as Parts<S>>::Row as Row>::Watch;
