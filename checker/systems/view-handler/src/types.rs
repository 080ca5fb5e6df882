//! The types of the view handling system: those of its core, and what its properties remember.

use turnstile_core::number::ViewId;
use turnstile_core::view::{self, MemberId, Members, Message, View};
use turnstile_step::{IdClass, Symbolic};
use turnstile_world::system::Types;

use super::network::Network;

/// The types of the view handling system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewTypes;

impl Types for ViewTypes {
    type State = State;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();
    type Monitor = Monitor;
    type Mark = ();
}

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A member's.
    Member(Box<view::State>),
    /// The network's.
    Network(Network),
}

impl State {
    /// A member's.
    #[must_use]
    pub fn member(&self) -> Option<&view::State> {
        match self {
            Self::Member(state) => Some(state),
            Self::Network(_) => None,
        }
    }
}

impl Symbolic for State {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Member(state) => state.visit_ids(each),
            Self::Network(network) => network.visit_ids(each),
        }
    }
}

/// A node's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A member's.
    Member(view::Timer),
    /// The network's: it is found that there are two partitions.
    Detect,
    /// The network's: there are two partitions no longer.
    Heal,
}

impl Symbolic for Timer {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Member(timer) => timer.visit_ids(each),
            Self::Detect | Self::Heal => {}
        }
    }
}

/// What a node is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Command {
    /// A member, by its user or by the layers below.
    Member(view::Command),
    /// The network falls into two partitions.
    Part,
}

/// What is noticed of a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notice {
    /// What its user is told.
    Member(view::Notice),
    /// A coord has sent it this view.
    Hears(View),
    /// It has not answered a MERGE-REQ.
    OwesAnAnswer,
}

impl Symbolic for Notice {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Member(notice) => notice.visit_ids(each),
            Self::Hears(view) => view.visit_ids(each),
            Self::OwesAnAnswer => {}
        }
    }
}

/// What the properties remember of the members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monitor {
    /// By member.
    pub members: Vec<Past>,
    /// A suspension was ended by what began in another one.
    pub other_owner: bool,
    /// A coord installed a merge view that was made from another view than its present one.
    pub merged_across: bool,
    /// A merge view was installed.
    pub has_merged: bool,
    /// A MERGE-REQ was not answered.
    pub owes_an_answer: bool,
    /// A member installed a view whose number was no greater than that of the one before.
    pub went_back: bool,
}

/// What the properties remember of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Past {
    /// The members of its view.
    pub view: Members,
    /// The number of the last view that it installed.
    pub last: Option<ViewId>,
    /// Those that it was told to suspect since they came into its view.
    pub suspects: Vec<MemberId>,
    /// The greatest number of a view that it was sent, if that is greater than that of its view.
    pub sent: Option<ViewId>,
    /// While it is suspended: whether it has installed a view since.
    pub is_overtaken: Option<bool>,
}

impl Monitor {
    /// Nothing has happened.
    pub(super) fn new(views: impl Iterator<Item = Option<View>>) -> Self {
        let past = |view: Option<View>| Past {
            last: view.as_ref().map(|view| view.id),
            view: view.map(|view| view.members).unwrap_or_default(),
            ..Past::default()
        };
        Self { members: views.map(past).collect(), ..Self::default() }
    }
}

impl Symbolic for Monitor {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        for past in &mut self.members {
            past.last.visit_ids(each);
            past.sent.visit_ids(each);
        }
    }
}
