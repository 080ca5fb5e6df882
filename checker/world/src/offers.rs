//! What may begin in a World, and how long it may be put off.
//!
//! Fair are the firing of timers, each message, and what is insisted on (strongly), and going on
//! (weakly). Whatever takes from a budget is a fault or rationed, and may as well never happen, a
//! restart too.

use turnstile_search::parts::{Cargo, Fairness, Offer};

use crate::World;
use crate::budget::BudgetId;
use crate::link::Chance;
use crate::link::{LinkKind, LinkOp};
use crate::link_part::LinkPart;
use crate::node::{CUTS_MAX, Event, NodePart, cuts, takes};
use crate::parts::{Op, TimeConstraint};
use crate::system::Input;
use crate::wiring::NodeId;

/// What may happen on a link, with what it costs.
struct Moving {
    op: LinkOp,
    delivers: Option<(NodeId, Event)>,
    budget: Option<BudgetId>,
}

impl World {
    pub(super) fn offers_of_node(&self, node: NodeId, part: &NodePart) -> Vec<Offer<Op>> {
        let mut offers = Vec::new();
        let events = part.events(self.system.node(node));
        let torn: Vec<_> =
            events.iter().flat_map(|event| self.torn_here(node, part, event)).collect();
        for event in events.into_iter().chain(torn) {
            let Some(budget) = self.faults.of_node(&*self.system, node, part, &event) else {
                continue;
            };
            let others = self.earlier(node, &event);
            let for_messages = self.waits_for_messages(node, &event);
            let wait = match (others, for_messages) {
                (0, false) => TimeConstraint::Free,
                (others, false) => TimeConstraint::For(others),
                (others, true) => TimeConstraint::ForMessages(others),
            };
            let fairness = match budget {
                Some(budget) if self.budgets[usize::from(budget.0)].limit.is_some() => {
                    Fairness::Never
                }
                Some(_) if !self.insists(&event) => Fairness::Never,
                Some(_) | None => self.fairness(node, &event),
            };
            let op = Op::Happens { event: event.clone(), budget, wait };
            offers.push(Offer { op, fairness, is_loss: false });
            if self.faults.drift.is_some() {
                let passed = (0..self.nodes.len()).filter(|other| others >> other & 1 == 1);
                let links = 0..if for_messages { self.links.len() } else { 0 };
                let waits = passed
                    .map(TimeConstraint::Passes)
                    .chain(links.map(TimeConstraint::BeforeMessages));
                offers.extend(waits.map(|wait| Offer {
                    op: Op::Happens { event: event.clone(), budget, wait },
                    fairness: Fairness::Never,
                    is_loss: false,
                }));
            }
        }
        offers
    }

    /// A step of a node torn wherever that makes a difference.
    fn torn_here(&self, node: NodeId, part: &NodePart, event: &Event) -> Vec<Event> {
        if self.faults.torn(node).is_none() {
            return Vec::new();
        }
        let effects = part.step((node, self.system.node(node)), event).effects;
        let cuts = cuts(&effects).filter_map(|cut| u8::try_from(cut).ok());
        self.torn(node, event, cuts.filter(|cut| *cut <= CUTS_MAX))
    }

    /// The step with which a node will take a message, torn wherever that may make a difference:
    /// the node refuses what makes none.
    fn torn_on_its_way(&self, node: NodeId, event: &Event) -> Vec<Event> {
        match self.faults.torn(node) {
            Some(_) => self.torn(node, event, 1..=CUTS_MAX),
            None => Vec::new(),
        }
    }

    fn torn(&self, node: NodeId, event: &Event, cuts: impl Iterator<Item = u8>) -> Vec<Event> {
        let choices = 0..self.system.node(node).choices();
        let torn = |done| {
            let step = Box::new(event.clone());
            choices.clone().map(move |choice| Event::Torn { step: step.clone(), done, choice })
        };
        cuts.flat_map(torn).collect()
    }

    fn insists(&self, event: &Event) -> bool {
        matches!(event, Event::Takes(Input::Command(command), _) if self.system.insists(command))
    }

    /// The nodes whose timers may have to fire before this one, as bits.
    fn earlier(&self, node: NodeId, event: &Event) -> u64 {
        assert!(self.nodes.len() <= 64, "nodes are told apart by bits");
        let Event::Takes(Input::Fired(timer), _) = event.step() else { return 0 };
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
            Event::Takes(input, _) if self.insists(event) => {
                Fairness::Strong(format!("{name}: {}", self.system.node(node).input_words(input)))
            }
            Event::Resumes => Fairness::Weak(format!("{name} goes on")),
            Event::Takes(Input::Command(_) | Input::Message { .. } | Input::Restart(_), _)
            | Event::Restarts(_)
            | Event::Crashes
            | Event::IsDue(_)
            | Event::Torn { .. }
            | Event::Pauses => Fairness::Never,
        }
    }

    /// What may happen on a link, once for each row that may have to be tried.
    fn link_offers(&self, link: usize, part: &LinkPart) -> Vec<Moving> {
        let mut offers = Vec::new();
        for offer in part.offers(&*self.system, &self.links[link]) {
            let budget = offer.fault.and_then(|fault| self.faults.on_link(fault));
            if offer.fault.is_some() && budget.is_none() {
                continue;
            }
            let op = offer.op;
            match offer.delivers {
                None => offers.push(Moving { op, delivers: None, budget }),
                Some((from, to, message)) => {
                    let input = Input::Message { from, message };
                    let events: Vec<_> = takes(self.system.node(to), input).collect();
                    let torn = events.iter().flat_map(|event| self.torn_on_its_way(to, event));
                    let torn: Vec<_> = torn.collect();
                    offers.extend(events.into_iter().chain(torn).map(|event| Moving {
                        op: op.clone(),
                        delivers: Some((to, event)),
                        budget,
                    }));
                }
            }
        }
        offers
    }

    pub(super) fn offers_of_link(&self, link: usize, part: &LinkPart) -> Vec<Offer<Op>> {
        let offers = self.link_offers(link, part).into_iter().map(|offer| {
            let fairness = match (&offer.delivers, offer.budget) {
                (Some((to, Event::Takes(Input::Message { from, message }, _))), None) => {
                    Fairness::Strong(format!(
                        "{} to {}: {}",
                        self.nodes[*from].name,
                        self.nodes[*to].name,
                        self.system.node(*from).message_words(message)
                    ))
                }
                _ => Fairness::Never,
            };
            let is_loss = offer.delivers.is_none() && offer.budget.is_none();
            let op = Op::Moves { op: offer.op, delivers: offer.delivers, budget: offer.budget };
            Offer { op, fairness, is_loss }
        });
        offers.collect()
    }

    /// The messages in flight on a link of which each may be taken away without another feeling
    /// it. Where several rows match what one brings, each is listed.
    pub(super) fn cargo_of_link(&self, link: usize, part: &LinkPart) -> Vec<Cargo<Op>> {
        let cargo = self.link_offers(link, part).into_iter().filter_map(|offer| {
            let (LinkOp::Take(place), Some((to, event))) = (offer.op, offer.delivers) else {
                return None;
            };
            // Where a step can be torn, it does something as a whole.
            if let Event::Torn { .. } = event {
                return None;
            }
            Some(Cargo {
                to: self.place_of_node(to),
                input: Op::Comes(event, false),
                discard: Op::Moves { op: LinkOp::Lose(place), delivers: None, budget: None },
            })
        });
        cargo.collect()
    }

    /// Whether what is in flight is a set without order: then a message may stay there for ever,
    /// and no other feels it, as long as there is room. That there was, the search says: a message
    /// without room ends it as incomplete.
    pub(super) fn is_roomy(&self, link: usize) -> bool {
        match self.links[link].kind {
            LinkKind::Calls { .. } => false,
            LinkKind::Messages(mail) => !mail.is_ordered && mail.duplication == Chance::Free,
        }
    }
}
