//! A system as data: its roles, links, worlds and properties.

use crate::diagnostic::Span;
use crate::raw::Formula;
use crate::source::Source;
use crate::table::Lines;
use crate::versions::Document;
use crate::yaml::Word;

/// A valid system file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The name: `claim`.
    pub name: String,
    /// One sentence, or empty.
    pub about: String,
    /// The document whose sentences the properties check.
    pub document: Option<Document>,
    /// The roles.
    pub roles: Vec<Role>,
    /// The links.
    pub links: Vec<LinkSpec>,
    /// The receivers of messages that are not clear from the links.
    pub routes: Vec<Route>,
    /// Assumptions on the order in which timers expire.
    pub time: Vec<TimeRelation>,
    /// The worlds: configurations, each searched separately.
    pub worlds: Vec<World>,
    /// The settings that `--set` may change, with their defaults.
    pub set: Vec<Setting>,
    /// The properties.
    pub properties: Vec<Property>,
    /// The position of its name in the file.
    pub span: Span,
    /// The file.
    pub source: Source,
    /// FNV-1a, 64 bits, of the file's text.
    pub hash: u64,
}

/// A group of nodes that run one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// The name: `client`.
    pub name: String,
    /// The machine that they run: `claim`; empty if they run a table.
    pub machine: String,
    /// The file of the table that they run, from the system file's folder.
    pub table: Option<String>,
    /// The number of nodes.
    pub count: Count,
    /// Whether the nodes are interchangeable (symmetry reduction).
    pub symmetric: bool,
    /// One sentence, or empty.
    pub about: String,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// Its position in the file.
    pub span: Span,
}

/// The number of nodes of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// A number.
    Number(u32),
    /// The value of a setting, by its key.
    Setting(String),
}

/// A link that carries messages from one role to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// The name: `client to server`.
    pub name: String,
    /// The sending role.
    pub from: String,
    /// The receiving role.
    pub to: String,
    /// How messages are delivered.
    pub kind: LinkKind,
    /// The maximum number of messages in flight, or of outstanding requests.
    pub capacity: u32,
    /// What happens to a message that is sent while it is full.
    pub when_full: WhenFull,
    /// The event that the sender of a request gets where the request or its answer is lost.
    pub failure: Option<Failure>,
    /// One sentence, or empty.
    pub about: String,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// Its position in the file.
    pub span: Span,
}

/// The receivers of an event that actions send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The event.
    pub event: String,
    /// The sending role; `None`: every role that sends the event.
    pub from: Option<String>,
    /// The receivers.
    pub to: Receiver,
    /// Its position in the file.
    pub span: Span,
}

/// The receivers of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The only node of a role.
    Role(String),
    /// Every node of a role.
    Every(String),
    /// The other nodes of the sender's role.
    Others,
    /// The node whose message the sender handles.
    Sender,
}

/// How a link delivers messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Each request occupies a slot until it is answered or has failed.
    RequestResponse,
    /// In the order sent.
    Fifo,
    /// In any order.
    Unordered,
}

/// An event in place of an answer: `response (503)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The event.
    pub event: String,
    /// The value of its payload, in words.
    pub payload: Option<String>,
    /// Its position in the file.
    pub span: Span,
}

/// What happens to a message that is sent on a full link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// It is dropped, and the search reports it.
    #[default]
    Fail,
    /// It is dropped.
    Drop,
    /// It is not sent: the sender cannot take the step.
    Block,
}

/// An assumption on the order of expiry: `client.lease before server.ttl`, `messages before
/// a.retry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRelation {
    /// The timer that expires first; `None`: every message that can arrive comes first.
    pub earlier: Option<Timer>,
    /// The timer that expires later.
    pub later: Timer,
    /// The event from which both are counted, in words, or empty.
    pub counted: String,
    /// One sentence, or empty.
    pub because: String,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// Its position in the file.
    pub span: Span,
}

/// A timer of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// The role: `client`.
    pub role: String,
    /// The resource: `lease`.
    pub name: String,
}

/// A world: one configuration to search, with its fault budgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// The name: `loss`.
    pub name: String,
    /// One sentence, or empty.
    pub about: String,
    /// The budgets of faults and limited commands.
    pub budgets: Vec<Budget>,
    /// What survives a restart, in a system of tables.
    pub saved: Vec<Saved>,
    /// The settings of this world.
    pub set: Vec<Setting>,
    /// Whether it is searched by default.
    pub default: bool,
    /// The properties checked in this world; empty: all.
    pub properties: Vec<String>,
    /// Its position in the file.
    pub span: Span,
}

/// What survives a restart of a role's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The role.
    pub role: String,
    /// `all`, `state`, or the name of a variable.
    pub parts: Vec<String>,
    /// Its position in the file.
    pub span: Span,
}

/// How often a fault, or a limited command, may happen in a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The fault or command: `lost answer`.
    pub name: String,
    /// The limit; `None`: unlimited.
    pub limit: Option<u32>,
    /// Its position in the file.
    pub span: Span,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key: `clients`.
    pub name: String,
    /// The value: `2`.
    pub value: String,
    /// Its position in the file.
    pub span: Span,
}

impl World {
    /// Whether it has a budget.
    #[must_use]
    pub fn has(&self, budget: &str) -> bool {
        self.budgets.iter().any(|known| known.name == budget)
    }

    /// Whether a property is checked in this world, for its version of the table.
    #[must_use]
    pub fn checks(&self, property: &Property) -> bool {
        let is_chosen = self.properties.is_empty() || self.properties.contains(&property.name);
        let is_spent = |need: &String| {
            let mut budgets = self.budgets.iter();
            budgets.any(|known| known.name == *need && known.limit != Some(0))
        };
        is_chosen && property.needs.iter().all(is_spent)
    }
}

/// A property to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name: `mutual exclusion at the store`.
    pub name: String,
    /// The kind.
    pub kind: PropertyKind,
    /// The sentence that it checks.
    pub sentence: String,
    /// Its formulas, in a system of tables.
    pub(crate) claim: Option<Formulas>,
    /// The antecedent, by its name, or empty; the verdict is vacuous if it never holds.
    pub premise: String,
    /// The budgets that a world must have for it to be checked there (`where`).
    pub needs: Vec<String>,
    /// The faults after which it claims nothing.
    pub without: Vec<String>,
    /// The only version of the tables that it is checked on; `None`: both.
    pub only: Option<TableVersion>,
    /// The reason for `only`, or empty.
    pub because: String,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// Its position in the file.
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// It holds in every reachable state.
    Always,
    /// It holds in some reachable state.
    Sometimes,
    /// On every fair trace, it eventually holds after each state in which the premise holds.
    LeadsTo,
    /// From every state in which the premise holds, a state in which it holds is reachable.
    CanReach,
}

/// The versions of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableVersion {
    /// The table as written.
    AsWritten,
    /// The amended table.
    Amended,
}

/// The formulas of a property, names not yet looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formulas {
    /// `VARIABLE in ROLE`: it is claimed of each node of the role.
    pub(crate) each: Option<Word>,
    /// The antecedent; `None`: always true.
    pub(crate) antecedent: Option<Formula>,
    /// The consequent or the goal.
    pub(crate) holds: Formula,
}

impl System {
    /// Whether its nodes run tables, without cores that are compiled in.
    #[must_use]
    pub fn is_of_tables(&self) -> bool {
        self.roles.iter().any(|role| role.table.is_some())
    }

    /// A role by its name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.name == name)
    }

    /// A world by its name.
    #[must_use]
    pub fn world(&self, name: &str) -> Option<&World> {
        self.worlds.iter().find(|world| world.name == name)
    }

    /// The value of a setting in a world: its own, else the default.
    #[must_use]
    pub fn setting<'s>(&'s self, world: &'s World, key: &str) -> Option<&'s Setting> {
        world.set.iter().chain(&self.set).find(|setting| setting.name == key)
    }
}
