//! System files: how machines are put together for checking. Which predicate a property has, and
//! what a budget's name means, is the checker's to say.

mod excuse;
mod read;
mod sense;
pub(crate) mod shape;

use crate::fault::{Faults, Span};
use crate::literal::Document;
use crate::source::Source;
use crate::table::Lines;

/// A system file without faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// `claim`.
    pub name: String,
    /// One sentence, or empty.
    pub about: String,
    /// The document whose sentences the properties check.
    pub document: Option<Document>,
    /// Who takes part.
    pub roles: Vec<Role>,
    /// What carries messages.
    pub links: Vec<Link>,
    /// Which timers fire before which.
    pub time: Vec<Before>,
    /// The worlds, each searched by itself.
    pub worlds: Vec<World>,
    /// What `--set` may change, with its usual value.
    pub set: Vec<Setting>,
    /// What must hold.
    pub properties: Vec<Property>,
    /// Where the file says its name.
    pub span: Span,
    /// The file.
    pub source: Source,
    /// FNV-1a, 64 bits, of the file's text.
    pub hash: u64,
}

/// Nodes of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// `client`.
    pub name: String,
    /// The table that it runs: `claim`.
    pub machine: String,
    /// How many there are.
    pub count: Count,
    /// Whether their numbers are exchangeable.
    pub symmetric: bool,
    /// One sentence, or empty.
    pub about: String,
    /// The document's lines.
    pub cite: Vec<Lines>,
    /// Where the file says so.
    pub span: Span,
}

/// How many nodes a role has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Number(u32),
    /// As many as a key of `set` says.
    Set(String),
}

/// What carries messages from one role to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// `client to server`.
    pub name: String,
    /// The role that sends first.
    pub from: String,
    /// The role that it sends to.
    pub to: String,
    /// How messages travel.
    pub kind: LinkKind,
    /// How many may be on their way at once: the slots of a request-response link.
    pub capacity: u32,
    /// One sentence, or empty.
    pub about: String,
    /// The document's lines.
    pub cite: Vec<Lines>,
    /// Where the file says so.
    pub span: Span,
}

/// How messages travel on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Each request has a slot until it is answered or has failed.
    RequestResponse,
    /// In the order sent.
    Fifo,
    /// In any order.
    Unordered,
}

/// What comes before a timer fires: `client.lease before server.ttl`, `messages before a.retry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// What comes first: a timer, or (`None`) every message that can arrive.
    pub earlier: Option<Timer>,
    /// The timer that fires later.
    pub later: Timer,
    /// What the relation is counted from, in words, or empty.
    pub counted: String,
    /// One sentence, or empty.
    pub because: String,
    /// The document's lines.
    pub cite: Vec<Lines>,
    /// Where the file says so.
    pub span: Span,
}

/// A timer of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// `client`.
    pub role: String,
    /// `lease`.
    pub name: String,
}

/// One world: faults and budgets that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// `loss`.
    pub name: String,
    /// One sentence, or empty.
    pub about: String,
    /// How often each kind of fault may happen.
    pub budgets: Vec<Budget>,
    /// Values of `set` that hold here.
    pub set: Vec<Setting>,
    /// Whether it is searched where no world is named.
    pub default: bool,
    /// The properties checked here; empty where all are.
    pub properties: Vec<String>,
    /// Where the file says so.
    pub span: Span,
}

/// How often one kind of fault, or one rationed command, may happen in a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// `lost answer`.
    pub name: String,
    /// How often; `None`: any number of times.
    pub limit: Option<u32>,
    /// Where the file says so.
    pub span: Span,
}

/// What a key of `set` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `clients`.
    pub name: String,
    /// `2`.
    pub value: String,
    /// Where the file says so.
    pub span: Span,
}

impl World {
    /// Whether it has a budget.
    #[must_use]
    pub fn has(&self, budget: &str) -> bool {
        self.budgets.iter().any(|known| known.name == budget)
    }

    /// Whether a property is checked in it, of the table that the property is about.
    #[must_use]
    pub fn checks(&self, property: &Property) -> bool {
        let is_chosen = self.properties.is_empty() || self.properties.contains(&property.name);
        is_chosen && property.needs.iter().all(|need| self.has(need))
    }
}

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// `one holder acts`.
    pub name: String,
    /// Always, sometimes, leads to, or can reach.
    pub kind: PropertyKind,
    /// The sentence that it checks.
    pub sentence: String,
    /// What must be reached for it to say anything, by its name; empty where nothing must.
    pub premise: String,
    /// Budgets that a world must have for it to be checked there (`where`).
    pub needs: Vec<String>,
    /// Kinds of fault after which it says nothing.
    pub without: Vec<String>,
    /// Which table it is checked of.
    pub only: Option<Only>,
    /// Why it stands here, or empty.
    pub because: String,
    /// The document's lines.
    pub cite: Vec<Lines>,
    /// Where the file says so.
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// In every reachable state.
    Always,
    /// In some reachable state.
    Sometimes,
    /// On every fair run, from every state where it has begun.
    LeadsTo,
    /// From every state where the premise is so, it can come to be so.
    CanReach,
}

/// The table that a property is about, where not both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// The literal table.
    AsWritten,
    /// The amended table.
    Amended,
}

impl System {
    /// Reads a system file: the system, or everything that is wrong with it.
    pub fn read(source: Source) -> Result<Self, Faults> {
        read::system(source)
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

    /// What a key of `set` is in a world: its own value there, else the usual one.
    #[must_use]
    pub fn setting<'s>(&'s self, world: &'s World, key: &str) -> Option<&'s Setting> {
        world.set.iter().chain(&self.set).find(|setting| setting.name == key)
    }
}
