//! Parts as values: the form that stateright's searches, counterexamples and Explorer use.
//!
//! Nothing is remembered: every question is put to the pure functions of the parts.

use crate::world::World;
use turnstile_core::step::Taken;

use crate::world::budget::Left;
use crate::world::link::{LinkOp, LinkPart};
use crate::world::node::{Event, NodePart, Stepped, takes};
use crate::world::number::{Renaming, collect};
use crate::world::parts::{LinkOffer, NodeOffer, Parts, Row};
use crate::world::system::{NodeId, System, Types};
use crate::world::turn::Candidate;
use crate::world::watch::{self, WatchPart};

/// A whole state as a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<T: Types> {
    /// One part a node.
    pub nodes: Vec<NodePart<T>>,
    /// One part a link.
    pub links: Vec<LinkPart<T>>,
    /// What the properties remember.
    pub watch: WatchPart<T::Watch>,
    /// What is left of the budgets.
    pub left: Left,
}

/// What may happen on a link, as a value.
pub type LinkOfferOf<S> = LinkOffer<LinkOp<<S as System>::Types>, Event<<S as System>::Types>>;

/// Something that may happen, as a value.
pub type Action<T> = Candidate<Event<T>, LinkOp<T>>;

impl<T: Types> Row for State<T> {
    type Node = NodePart<T>;
    type Link = LinkPart<T>;
    type Watch = WatchPart<T::Watch>;

    fn node(&self, node: NodeId) -> &NodePart<T> {
        &self.nodes[node]
    }
    fn link(&self, link: usize) -> &LinkPart<T> {
        &self.links[link]
    }
    fn watch(&self) -> &WatchPart<T::Watch> {
        &self.watch
    }
    fn left(&self) -> Left {
        self.left
    }
    fn put_node(&mut self, node: NodeId, part: NodePart<T>) {
        self.nodes[node] = part;
    }
    fn put_link(&mut self, link: usize, part: LinkPart<T>) {
        self.links[link] = part;
    }
    fn put_watch(&mut self, part: WatchPart<T::Watch>) {
        self.watch = part;
    }
    fn put_left(&mut self, left: Left) {
        self.left = left;
    }
}

/// What a step of one node did, as values.
#[derive(Clone, Debug)]
pub struct Turn<T: Types> {
    /// The step.
    pub stepped: Stepped<T>,
    /// What it does to links, in order.
    pub ops: Vec<(usize, LinkOp<T>)>,
}

impl<S: System> World<S> {
    /// What may happen to a node, with the budgets that it takes from. Faults that no budget
    /// names are left out.
    #[must_use]
    pub fn node_offers(
        &self,
        node: NodeId,
        part: &NodePart<S::Types>,
    ) -> Vec<NodeOffer<Event<S::Types>>> {
        let events = part.events(&self.system, node).into_iter();
        events.filter_map(|event| self.faults.offer(&self.system, node, part, event)).collect()
    }

    /// What may happen on a link, once for each row that may have to be tried.
    #[must_use]
    pub fn link_offers(&self, link: usize, part: &LinkPart<S::Types>) -> Vec<LinkOfferOf<S>> {
        let mut offers = Vec::new();
        for offer in part.offers(&self.system, &self.links[link]) {
            let budget = offer.fault.and_then(|fault| self.faults.on_link(fault));
            if offer.fault.is_some() && budget.is_none() {
                continue;
            }
            let op = offer.op;
            match offer.delivers {
                None => offers.push(LinkOffer { op, delivers: None, budget }),
                Some((from, to, message)) => {
                    let input = turnstile_core::Input::Message { from, message };
                    offers.extend(takes(&self.system, to, input).map(|event| LinkOffer {
                        op: op.clone(),
                        delivers: Some((to, event)),
                        budget,
                    }));
                }
            }
        }
        offers
    }

    /// Whether a timer must wait for one of another node, by the time relations.
    #[must_use]
    pub fn is_bound(
        &self,
        earlier: (NodeId, &NodePart<S::Types>),
        later: (NodeId, &NodePart<S::Types>),
        event: &Event<S::Types>,
    ) -> bool {
        let Event::Takes(turnstile_core::Input::Fired(timer), _) = event else { return false };
        let later_name = self.system.timer_name(timer);
        earlier.1.is_up()
            && self.relations.iter().any(|relation| {
                relation.earlier.0 == self.nodes[earlier.0].role
                    && relation.later.0 == self.nodes[later.0].role
                    && relation.later.1 == later_name
                    && earlier.1.timers.iter().any(|armed| {
                        relation.earlier.1 == self.system.timer_name(armed)
                            && self.system.is_same_grant(
                                (earlier.0, &earlier.1.state, armed),
                                (later.0, &later.1.state, timer),
                            )
                    })
            })
    }

    /// Steps one node, and says what that does to links.
    #[must_use]
    pub fn step(
        &self,
        node: NodeId,
        part: &NodePart<S::Types>,
        event: &Event<S::Types>,
    ) -> Turn<S::Types> {
        let mut ops = Vec::new();
        let calls = || self.links.iter().enumerate().filter(move |(_, link)| link.is_calls());
        let own = || calls().filter(move |(_, link)| link.from == node);
        match event {
            Event::Takes(turnstile_core::Input::Fired(timer), _) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::Overtake)));
                if let Some(mark) = self.system.mark(node, &part.state, timer) {
                    ops.extend(calls().map(|(link, _)| (link, LinkOp::Lapse(mark.clone()))));
                }
            }
            Event::Takes(turnstile_core::Input::Command(_), _) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::Overtake)));
            }
            Event::Crashes | Event::Restarts(_) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::CallerGone)));
            }
            Event::Takes(
                turnstile_core::Input::Message { .. } | turnstile_core::Input::Restart(_),
                _,
            )
            | Event::Pauses
            | Event::Resumes => {}
        }
        let mut stepped = part.step(&self.system, node, event);
        if !self.faults.may_restart(node) {
            // Nobody will ever read it.
            stepped.node.saved = None;
        }
        ops.extend(stepped.sends.iter().map(|(to, message)| self.sent(node, *to, message)));
        Turn { stepped, ops }
    }

    fn sent(
        &self,
        from: NodeId,
        to: NodeId,
        message: &<S::Types as Types>::Message,
    ) -> (usize, LinkOp<S::Types>) {
        let joins = |a, b| self.links.iter().position(|link| link.from == a && link.to == b);
        if let Some(link) = joins(from, to) {
            return (link, LinkOp::Push(message.clone()));
        }
        let link = joins(to, from).filter(|link| self.links[*link].is_calls());
        (
            link.expect("a node sends only along a link of its world"),
            LinkOp::Answer(message.clone()),
        )
    }
}

/// The form of values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// What tables said in the steps so far.
    pub taken: Vec<Taken>,
}

impl<S: System> Parts<S> for Values {
    type Row = State<S::Types>;
    type Event = Event<S::Types>;
    type Op = LinkOp<S::Types>;
    type Turn = Turn<S::Types>;

    fn node_offers(
        &mut self,
        world: &World<S>,
        node: NodeId,
        part: &NodePart<S::Types>,
        offers: &mut Vec<NodeOffer<Event<S::Types>>>,
    ) {
        offers.extend(world.node_offers(node, part));
    }

    fn link_offers(
        &mut self,
        world: &World<S>,
        link: usize,
        part: &LinkPart<S::Types>,
        offers: &mut Vec<LinkOfferOf<S>>,
    ) {
        offers.extend(world.link_offers(link, part));
    }

    fn is_up(&mut self, part: &NodePart<S::Types>) -> bool {
        part.is_up()
    }

    fn is_bound(
        &mut self,
        world: &World<S>,
        earlier: (NodeId, &NodePart<S::Types>),
        later: (NodeId, &NodePart<S::Types>),
        event: &Event<S::Types>,
    ) -> bool {
        world.is_bound(earlier, later, event)
    }

    fn step(
        &mut self,
        world: &World<S>,
        node: NodeId,
        part: &NodePart<S::Types>,
        event: &Event<S::Types>,
    ) -> Turn<S::Types> {
        let turn = world.step(node, part, event);
        self.taken.extend(&turn.stepped.taken);
        turn
    }

    fn turned(&self, turn: &Turn<S::Types>) -> NodePart<S::Types> {
        turn.stepped.node.clone()
    }

    fn op(&self, turn: &Turn<S::Types>, number: usize) -> Option<(usize, LinkOp<S::Types>)> {
        turn.ops.get(number).cloned()
    }

    fn operate(
        &mut self,
        world: &World<S>,
        link: usize,
        part: &LinkPart<S::Types>,
        op: &LinkOp<S::Types>,
    ) -> (LinkPart<S::Types>, bool) {
        part.operate(&world.system, &world.links[link], op)
    }

    fn observe(
        &mut self,
        world: &World<S>,
        watch: &WatchPart<<S::Types as Types>::Watch>,
        turn: Option<&Turn<S::Types>>,
    ) -> WatchPart<<S::Types as Types>::Watch> {
        let seen = turn.map_or(&[][..], |turn| &turn.stepped.seen);
        watch::observe(&world.system, watch, seen)
    }

    fn renumber(&mut self, _world: &World<S>, row: &mut State<S::Types>) {
        let mut numbers = Vec::new();
        row.nodes.iter_mut().for_each(|part| collect(part, &mut numbers));
        row.links.iter_mut().for_each(|part| collect(part, &mut numbers));
        collect(&mut row.watch, &mut numbers);
        let renaming = Renaming::of(numbers);
        if renaming.is_identity() {
            return;
        }
        row.nodes.iter_mut().for_each(|part| renaming.rename(part));
        row.links.iter_mut().for_each(|part| renaming.rename(part));
        renaming.rename(&mut row.watch);
    }
}
