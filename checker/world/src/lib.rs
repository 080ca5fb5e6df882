//! The World: nodes that run shipped cores, links, timers, crashes, pauses, and budgets for each
//! kind of fault. It holds no rule of any protocol.
//!
//! A state is made of parts (one a node, one a link, one that remembers for the properties). What
//! a part does is a pure function of that part ([`node`], [`link`], [`watch`]); how parts act on
//! each other is written once ([`parts`]), and every search, stateright's too, runs through it.

mod apply;
pub mod budget;
pub mod calls;
mod core_node;
pub mod erased;
pub mod error;
pub mod fault;
pub mod link;
pub mod mail;
pub mod node;
mod offers;
pub mod parts;
pub mod property;
mod relief;
mod search;
pub mod state;
mod symmetry;
pub mod system;
pub mod trace;
pub mod turn;
mod typed;
pub mod value;
pub mod watch;
mod words;

pub use budget::{Budget, BudgetId, Left};
pub use core_node::CoreNode;
pub use error::WorldError;
pub use fault::Faults;
pub use link::{Link, LinkKind, LinkPart};
pub use mail::{Chance, Mail};
pub use node::{Event, NodePart};
pub use parts::Part;
pub use property::{Claim, Predicate, Property, View};
pub use state::{Action, State};
pub use system::{NodeId, SeenOf, System, Types};
pub use typed::erased;
pub use value::{Content, Ordered, Value};
pub use watch::{Misfit, Seen, Trouble, WatchPart};

use std::sync::Arc;

/// A system in one named world.
#[derive(Clone, Debug)]
pub struct World {
    /// The cores and their wiring.
    pub(crate) system: Arc<dyn erased::System>,
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
        system: Arc<dyn erased::System>,
        nodes: Vec<Node>,
        links: Vec<Link>,
        budgets: Vec<Budget>,
    ) -> Result<Self, Vec<WorldError>> {
        let known = known_budgets(&*system, &nodes);
        let errors = error::of_parts(&nodes, &links, &budgets, &known);
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
        let errors = error::of_property(&property, &self.budgets, &known);
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
        let watch = WatchPart { system: self.system.watch(), trouble: None };
        let end = [Part::Watch(watch), Part::Left(Left::full(&self.budgets))];
        State(nodes.map(Part::Node).chain(links.map(Part::Link)).chain(end).collect())
    }
}

/// The budgets that something in a world of these nodes takes from.
fn known_budgets(system: &dyn erased::System, nodes: &[Node]) -> Vec<String> {
    let mut known = Faults::known(nodes);
    known.extend(system.budgets().iter().map(|&name| name.to_owned()));
    known
}
