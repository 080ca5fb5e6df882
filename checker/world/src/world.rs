//! A system in one named world: its nodes, links, budgets and properties.

use std::sync::Arc;

use crate::budget::{Budget, Left};
use crate::error::{WorldError, of_parts, of_property};
use crate::fault::Faults;
use crate::link::Link;
use crate::link_part::LinkPart;
use crate::monitor::MonitorPart;
use crate::node::NodePart;
use crate::parts::Part;
use crate::property::Property;
use crate::state::State;
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
    /// Which timer may fire only after which.
    pub relations: Vec<Relation>,
    /// How often each kind of fault and each rationed command may happen.
    pub budgets: Vec<Budget>,
    /// The kinds of fault, resolved to budgets.
    pub(crate) faults: Faults,
    /// The roles whose nodes are exchangeable, as far as the file says so.
    pub symmetric: Vec<String>,
    /// What is checked.
    pub(crate) properties: Vec<Property>,
}

/// A node of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name: `client 1`.
    pub name: String,
    /// Its role: `client`.
    pub role: String,
}

/// A time relation: a role's timer fires before another role's timer of the same grant, or every
/// message that can arrive comes before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Role and timer that come first; `None`: the messages.
    pub earlier: Option<(String, String)>,
    /// Role and timer that wait.
    pub later: (String, String),
}

impl World {
    /// A world without time relations and properties.
    ///
    /// # Errors
    ///
    /// Everything for which it could not be searched: a budget that nothing takes from, that is
    /// given twice or is too large; more nodes or budgets than a state has room for; a link
    /// without its end.
    pub fn new(
        system: Arc<dyn System>,
        nodes: Vec<Node>,
        links: Vec<Link>,
        budgets: Vec<Budget>,
    ) -> Result<Self, Vec<WorldError>> {
        let known = known_budgets(&*system, &nodes);
        let errors = of_parts(&nodes, &links, &budgets, &known);
        if !errors.is_empty() {
            return Err(errors);
        }
        let faults = Faults::resolve(&nodes, &budgets);
        let (relations, symmetric, properties) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { system, nodes, links, relations, budgets, faults, symmetric, properties })
    }

    /// Has a property checked.
    ///
    /// # Errors
    ///
    /// Its `without` is on a `sometimes`, or names no kind of fault, or one whose budget has no
    /// limit.
    pub fn claim(&mut self, property: Property) -> Result<(), Vec<WorldError>> {
        let known = known_budgets(&*self.system, &self.nodes);
        let errors = of_property(&property, &self.budgets, &known);
        if !errors.is_empty() {
            return Err(errors);
        }
        self.properties.push(property);
        Ok(())
    }

    /// Has only these properties checked from here on.
    pub fn retain_claims(&mut self, is_kept: impl FnMut(&Property) -> bool) {
        self.properties.retain(is_kept);
    }

    /// What is checked.
    #[must_use]
    pub fn claims(&self) -> &[Property] {
        &self.properties
    }

    /// The state before anything has happened.
    #[must_use]
    pub fn first(&self) -> State {
        let nodes = (0..self.nodes.len()).map(|node| NodePart::start(self.system.node(node)));
        let links = self.links.iter().map(LinkPart::empty);
        let monitor = MonitorPart { system: self.system.monitor(), violation: None };
        let end = [Part::Monitor(monitor), Part::Left(Left::full(&self.budgets))];
        State(nodes.map(Part::Node).chain(links.map(Part::Link)).chain(end).collect())
    }
}

/// The budgets that something in a world of these nodes takes from.
fn known_budgets(system: &dyn System, nodes: &[Node]) -> Vec<String> {
    let mut known = Faults::known(nodes);
    known.extend(system.budgets().iter().map(|&name| name.to_owned()));
    known
}
