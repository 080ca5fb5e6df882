//! The World: nodes that run shipped cores, links, timers, crashes, pauses, and budgets for each
//! kind of fault, as a [`stateright::Model`]. It holds no rule of any protocol.
//!
//! A state is made of parts (one a node, one a link, one that remembers for the properties). What
//! a part does is a pure function of that part ([`node`], [`link`], [`watch`]); how parts act on
//! each other is written once ([`parts`]), and every search, stateright's too, runs through it.

mod apply;
pub mod budget;
pub mod calls;
pub mod check;
pub mod fault;
pub mod graph;
pub mod link;
pub mod mail;
mod model;
pub mod node;
mod offers;
pub mod parts;
pub mod property;
mod relief;
pub mod state;
mod symmetry;
pub mod system;
pub mod turn;
pub mod watch;
mod words;

pub use budget::{Budget, BudgetId, Left};
pub use fault::Faults;
pub use link::{Link, LinkKind, LinkPart};
pub use mail::{Chance, Mail};
pub use node::{Event, NodePart};
pub use parts::Part;
pub use property::{Claim, Predicate, Property, View};
pub use state::{Action, State};
pub use system::{NodeId, System, Types};
pub use watch::{Seen, Trouble, WatchPart};

/// A system in one named world.
#[derive(Clone, Debug)]
pub struct World<S: System> {
    /// The cores and their wiring.
    pub system: S,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links.
    pub links: Vec<Link>,
    /// Which timer may fire only after which.
    pub relations: Vec<Relation>,
    /// How often each kind of fault and each rationed command may happen.
    pub budgets: Vec<Budget>,
    /// The kinds of fault, resolved to budgets.
    pub faults: Faults,
    /// The roles whose nodes are exchangeable, as far as the file says so.
    pub symmetric: Vec<String>,
    /// What is checked.
    pub properties: Vec<Property<S::Types>>,
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

impl<S: System> World<S> {
    /// A world without time relations and properties.
    #[must_use]
    pub fn new(system: S, nodes: Vec<Node>, links: Vec<Link>, budgets: Vec<Budget>) -> Self {
        let faults = Faults::resolve(&nodes, &budgets);
        let (relations, symmetric, properties) = (Vec::new(), Vec::new(), Vec::new());
        Self { system, nodes, links, relations, budgets, faults, symmetric, properties }
    }

    /// The state before anything has happened.
    #[must_use]
    pub fn first(&self) -> State<S::Types> {
        let nodes = (0..self.nodes.len()).map(|node| NodePart::start(&self.system, node));
        let links = self.links.iter().map(LinkPart::empty);
        let watch = WatchPart { system: self.system.watch(), trouble: None };
        let end = [Part::Watch(watch), Part::Left(Left::full(&self.budgets))];
        State(nodes.map(Part::Node).chain(links.map(Part::Link)).chain(end).collect())
    }
}
