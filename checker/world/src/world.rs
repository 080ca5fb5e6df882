//! A system in one named world: its nodes, links, budgets and properties.

use std::sync::Arc;

use turnstile_search::transition_system::Place;

use crate::budget::{Budget, BudgetId, RemainingBudgets};
use crate::error::{INITIAL_STATES_MAX, WorldError, check_parts, check_property};
use crate::fault::Faults;
use crate::links::link::Link;
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::monitor::MonitorPart;
use crate::nodes::node::NodePart;
use crate::nodes::roles::{Node, TimeRelation};
use crate::parts::{Op, Part, place};
use crate::property::Property;
use crate::state::State;
use crate::step_rules::Breaches;
use crate::system::System;

/// A system in one named world.
#[derive(Clone, Debug)]
pub struct World {
    /// The cores and their wiring.
    pub(crate) system: Arc<dyn System>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links.
    pub links: Vec<Link>,
    /// The time relations.
    pub relations: Vec<TimeRelation>,
    /// The budgets of faults and rationed commands.
    pub budgets: Vec<Budget>,
    /// The kinds of fault, resolved to budgets.
    pub(crate) faults: Faults,
    /// The roles that the file declares symmetric.
    pub symmetric: Vec<String>,
    /// The properties to check.
    pub(crate) properties: Vec<Property>,
}

impl World {
    /// A world without time relations and properties.
    ///
    /// # Errors
    ///
    /// Everything for which it cannot be searched: a budget that is unknown, duplicate or too
    /// large; too many nodes, budgets or initial states; a link to a node that does not exist.
    pub fn new(
        system: Arc<dyn System>,
        nodes: Vec<Node>,
        links: Vec<Link>,
        budgets: Vec<Budget>,
    ) -> Result<Self, Vec<WorldError>> {
        let known = known_budgets(&*system, &nodes);
        let mut errors = check_parts(&nodes, &links, &budgets, &known);
        let starts = (0..nodes.len()).map(|node| system.node(node).start_count());
        let count = starts.fold(1, usize::saturating_mul);
        if count > INITIAL_STATES_MAX {
            errors.push(WorldError::InitialStates { count });
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let faults = Faults::resolve(&nodes, &budgets);
        let (relations, symmetric, properties) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { system, nodes, links, relations, budgets, faults, symmetric, properties })
    }

    /// Adds a property to check.
    ///
    /// # Errors
    ///
    /// Its `without` is on a `sometimes`, or names an unknown kind of fault, or one whose budget
    /// has no limit.
    pub fn add_property(&mut self, property: Property) -> Result<(), Vec<WorldError>> {
        let known = known_budgets(&*self.system, &self.nodes);
        let errors = check_property(&property, &self.budgets, &known);
        if !errors.is_empty() {
            return Err(errors);
        }
        self.properties.push(property);
        Ok(())
    }

    /// Retains only the properties for which the function returns true.
    pub fn retain_properties(&mut self, is_kept: impl FnMut(&Property) -> bool) {
        self.properties.retain(is_kept);
    }

    /// The properties to check.
    #[must_use]
    pub fn named_properties(&self) -> &[Property] {
        &self.properties
    }

    /// Whether another world has the same frame: nodes, links, budgets and properties by name, so
    /// that the two may differ in nothing but what their cores and predicates compute.
    #[must_use]
    pub fn has_frame_of(&self, other: &Self) -> bool {
        let frame = |of: &Property| {
            let kind = std::mem::discriminant(&of.formula);
            (of.name.clone(), kind, of.reads, of.without.clone())
        };
        let choices = |of: &Self| -> Vec<u8> {
            (0..of.nodes.len()).map(|node| of.system.node(node).choices()).collect()
        };
        self.nodes == other.nodes
            && self.links == other.links
            && self.relations == other.relations
            && self.budgets == other.budgets
            && self.symmetric == other.symmetric
            && self.properties.iter().map(frame).eq(other.properties.iter().map(frame))
            && choices(self) == choices(other)
    }

    /// The initial states, in a fixed order: one for each combination of the states in which its
    /// nodes may begin.
    #[must_use]
    pub fn initial_states(&self) -> Vec<State> {
        let mut nodes: Vec<Vec<Part>> = vec![Vec::new()];
        for node in 0..self.nodes.len() {
            let starts = NodePart::starts(self.system.node(node));
            let with = |before: &Vec<Part>| {
                let before = before.clone();
                starts
                    .iter()
                    .map(move |start| {
                        before.iter().cloned().chain([Part::Node(start.clone())]).collect()
                    })
                    .collect::<Vec<Vec<Part>>>()
            };
            nodes = nodes.iter().flat_map(with).collect();
        }
        let links = self.links.iter().map(LinkPart::empty).map(Part::Link);
        let mut breaches = Breaches::default();
        let system = self.system.monitor(&mut breaches);
        let monitor = MonitorPart { system, violation: None, breaches };
        let end = [Part::Monitor(monitor), Part::Budgets(RemainingBudgets::full(&self.budgets))];
        let rest: Vec<Part> = links.chain(end).collect();
        nodes.into_iter().map(|nodes| State([nodes, rest.clone()].concat())).collect()
    }

    /// The place of a node.
    pub(crate) fn place_of_node(&self, node: NodeId) -> Place {
        place(node)
    }

    pub(crate) fn place_of_link(&self, link: usize) -> Place {
        place(self.nodes.len() + link)
    }

    pub(crate) fn place_of_monitor(&self) -> Place {
        place(self.nodes.len() + self.links.len())
    }

    pub(crate) fn place_of_budgets(&self) -> Place {
        place(self.nodes.len() + self.links.len() + 1)
    }

    /// What takes one from a budget.
    pub(crate) fn spend(&self, budget: Option<BudgetId>) -> Option<(Place, Op)> {
        budget.map(|budget| (self.place_of_budgets(), Op::Spend(budget)))
    }

    /// A node's name, or a text for one that does not exist.
    pub(crate) fn name_of(&self, node: NodeId) -> String {
        let known = self.nodes.get(node).map(|node| node.name.clone());
        known.unwrap_or_else(|| format!("node {node}, which does not exist"))
    }
}

/// The budgets that a fault or a rationed command of a world of these nodes takes from.
fn known_budgets(system: &dyn System, nodes: &[Node]) -> Vec<String> {
    let mut known = Faults::known(nodes);
    known.extend(system.budgets().into_iter().map(str::to_owned));
    known
}
