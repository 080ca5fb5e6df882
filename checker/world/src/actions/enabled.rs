//! The operations enabled in a World, and the fairness of each.
//!
//! Strongly fair are the firing of timers, the delivery of messages and the commands that the
//! system says are fair; weakly fair is resuming from a pause. An event that takes from a budget is
//! a fault or rationed and has no fairness, a restart included.

use turnstile_search::transition_system::{EnabledOp, Fairness, InFlight};

use crate::budget::BudgetId;
use crate::links::link::Occurrence;
use crate::links::link::{LinkKind, LinkOp};
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::nodes::node::{CUTS_MAX, Event, NodePart, cuts, takes};
use crate::parts::{Op, TimeConstraint};
use crate::system::Input;
use crate::world::World;

/// A delivery or a fault on a link, and the budget it takes from.
struct LinkAction {
    op: LinkOp,
    delivers: Option<(NodeId, Event)>,
    budget: Option<BudgetId>,
}

impl World {
    pub(crate) fn enabled_on_node(&self, node: NodeId, part: &NodePart) -> Vec<EnabledOp<Op>> {
        let mut enabled = Vec::new();
        let events = part.events(self.system.node(node));
        let torn: Vec<_> =
            events.iter().flat_map(|event| self.torn_here(node, part, event)).collect();
        for event in events.into_iter().chain(torn) {
            let Some(budget) = self.faults.of_node(&*self.system, node, part, &event) else {
                continue;
            };
            let is_after_own = self.is_bound((node, part), (node, part), &event);
            let others = self.earlier(node, &event);
            let for_messages = self.waits_for_messages(node, &event);
            let constraint = match (others, for_messages) {
                (0, false) => TimeConstraint::Free,
                (others, false) => TimeConstraint::After(others),
                (others, true) => TimeConstraint::AfterMessages(others),
            };
            let fairness = match budget {
                Some(budget) if self.budgets[usize::from(budget.0)].limit.is_some() => {
                    Fairness::None
                }
                Some(_) if !self.is_fair(&event) => Fairness::None,
                Some(_) | None => self.fairness(node, &event),
            };
            if !is_after_own {
                let op = Op::NodeEvent { event: event.clone(), budget, constraint };
                enabled.push(EnabledOp { op, fairness, is_loss: false });
            }
            if self.faults.drift.is_some() {
                let others = if is_after_own { 1 << node } else { others };
                let passed = (0..self.nodes.len()).filter(move |other| others >> other & 1 == 1);
                let links = 0..if for_messages && !is_after_own { self.links.len() } else { 0 };
                let waits = passed
                    .map(TimeConstraint::Before)
                    .chain(links.map(TimeConstraint::BeforeMessages));
                enabled.extend(waits.map(|constraint| EnabledOp {
                    op: Op::NodeEvent { event: event.clone(), budget, constraint },
                    fairness: Fairness::None,
                    is_loss: false,
                }));
            }
        }
        enabled
    }

    /// The torn variants of a step, one for each position that makes a difference.
    fn torn_here(&self, node: NodeId, part: &NodePart, event: &Event) -> Vec<Event> {
        if !self.faults.may_tear(node) {
            return Vec::new();
        }
        let effects = part.step((node, self.system.node(node)), event).effects;
        let cuts = cuts(&effects).filter_map(|cut| u8::try_from(cut).ok());
        self.torn(node, event, cuts.filter(|cut| *cut <= CUTS_MAX))
    }

    /// The torn variants of the delivery of a message; the node refuses those that make no
    /// difference.
    fn torn_on_its_way(&self, node: NodeId, event: &Event) -> Vec<Event> {
        self.torn(node, event, 1..=CUTS_MAX)
    }

    fn torn(&self, node: NodeId, event: &Event, cuts: impl Iterator<Item = u8>) -> Vec<Event> {
        let restarts = (0..self.system.node(node).choices()).map(Event::Restarts);
        let ends = [Event::Crashes].into_iter().chain(restarts);
        let ends: Vec<Event> = ends.filter(|end| self.faults.torn(node, end).is_some()).collect();
        let torn = |done| {
            let torn = move |end: &Event| {
                let (step, end) = (Box::new(event.clone()), Box::new(end.clone()));
                Event::Torn { step, done, end }
            };
            ends.iter().map(torn)
        };
        cuts.flat_map(torn).collect()
    }

    fn is_fair(&self, event: &Event) -> bool {
        matches!(event, Event::Takes(Input::Command(command), _) if self.system.is_fair(command))
    }

    /// The other nodes that may have a timer that must fire before this one, as bits.
    fn earlier(&self, node: NodeId, event: &Event) -> u64 {
        assert!(self.nodes.len() <= 64, "nodes are told apart by bits");
        let Some(timer) = event.expires() else { return 0 };
        let name = self.system.node(node).timer_name(timer);
        let is_earlier = |other: usize| {
            other != node
                && self.relations.iter().any(|relation| {
                    let earlier = relation.earlier.as_ref();
                    earlier.is_some_and(|(role, _)| *role == self.nodes[other].role)
                        && relation.later.0 == self.nodes[node].role
                        && relation.later.1 == name
                })
        };
        (0..self.nodes.len())
            .filter(|&other| is_earlier(other))
            .fold(0, |bits, other| bits | 1 << other)
    }

    fn fairness(&self, node: NodeId, event: &Event) -> Fairness {
        let name = &self.nodes[node].name;
        match event {
            Event::Takes(Input::Fired(timer), _) => self.fires(node, timer),
            Event::FiresLate(timer, _) => self.fires_late(node, timer),
            Event::Takes(input, _) if self.is_fair(event) => {
                Fairness::Strong(format!("{name}: {}", self.system.node(node).input_words(input)))
            }
            Event::Resumes => Fairness::Weak(format!("{name} goes on")),
            Event::Takes(Input::Command(_) | Input::Message { .. } | Input::Restart(_), _)
            | Event::Restarts(_)
            | Event::Crashes
            | Event::IsDue(_)
            | Event::Torn { .. }
            | Event::Pauses => Fairness::None,
        }
    }

    /// The deliveries and faults on a link, one for each row that may match.
    fn link_actions(&self, link: usize, part: &LinkPart) -> Vec<LinkAction> {
        let mut actions = Vec::new();
        for enabled in part.enabled(&*self.system, &self.links[link]) {
            let budget = enabled.fault.and_then(|fault| self.faults.on_link(fault));
            if enabled.fault.is_some() && budget.is_none() {
                continue;
            }
            let op = enabled.op;
            match enabled.delivers {
                None => actions.push(LinkAction { op, delivers: None, budget }),
                Some((from, to, message)) => {
                    let input = Input::Message { from, message };
                    let events: Vec<_> = takes(self.system.node(to), input).collect();
                    let torn = events.iter().flat_map(|event| self.torn_on_its_way(to, event));
                    let torn: Vec<_> = torn.collect();
                    actions.extend(events.into_iter().chain(torn).map(|event| LinkAction {
                        op: op.clone(),
                        delivers: Some((to, event)),
                        budget,
                    }));
                }
            }
        }
        actions
    }

    pub(crate) fn enabled_on_link(&self, link: usize, part: &LinkPart) -> Vec<EnabledOp<Op>> {
        let enabled = self.link_actions(link, part).into_iter().map(|action| {
            let fairness = match (&action.delivers, action.budget) {
                (Some((to, Event::Takes(Input::Message { from, message }, _))), None) => {
                    Fairness::Strong(format!(
                        "{} to {}: {}",
                        self.nodes[*from].name,
                        self.nodes[*to].name,
                        self.system.node(*from).message_words(message)
                    ))
                }
                _ => Fairness::None,
            };
            let is_loss = action.delivers.is_none() && action.budget.is_none();
            let op =
                Op::LinkEvent { op: action.op, delivers: action.delivers, budget: action.budget };
            EnabledOp { op, fairness, is_loss }
        });
        enabled.collect()
    }

    /// The messages in flight on a link that can be discarded independently of each other, each
    /// once for every row that may match.
    pub(crate) fn in_flight_on_link(&self, link: usize, part: &LinkPart) -> Vec<InFlight<Op>> {
        let in_flight = self.link_actions(link, part).into_iter().filter_map(|action| {
            let (LinkOp::Take(place), Some((to, event))) = (action.op, action.delivers) else {
                return None;
            };
            // The step as a whole has an effect if it can be torn.
            if let Event::Torn { .. } = event {
                return None;
            }
            Some(InFlight {
                to: self.place_of_node(to),
                input: Op::Deliver(event, false),
                discard: Op::LinkEvent { op: LinkOp::Lose(place), delivers: None, budget: None },
            })
        });
        in_flight.collect()
    }

    /// Whether the link is an unordered set of messages: then a message may stay in flight forever
    /// without blocking another, unless the capacity is exceeded, which makes the search
    /// incomplete.
    pub(crate) fn is_unordered_set(&self, link: usize) -> bool {
        match self.links[link].kind {
            LinkKind::Calls { .. } => false,
            LinkKind::Messages(options) => {
                !options.is_ordered && options.duplication == Occurrence::Unbounded
            }
        }
    }
}
