//! The types of the view handling system: those of its core, and what its properties remember.

use turnstile_core::view::{Command, MemberId, Members, Message, Notice, State, Timer, View};
use turnstile_core::without_numbers;

use crate::world::system::Types;

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
    type Watch = Watch;
    type Mark = ();
}

/// What the properties remember of the members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// By member.
    pub members: Vec<Past>,
    /// A suspension was ended by what began in another one.
    pub other_owner: bool,
    /// A coord installed a merge view that was made from another view than its present one.
    pub merged_across: bool,
    /// A merge view was installed.
    pub has_merged: bool,
}

/// What the properties remember of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Past {
    /// The members of its view.
    pub view: Members,
    /// Those that it was told to suspect since they came into its view.
    pub suspects: Vec<MemberId>,
}

impl Watch {
    /// Nothing has happened.
    pub(super) fn new(views: impl Iterator<Item = Option<View>>) -> Self {
        let past = |view: Option<View>| Past {
            view: view.map(|view| view.members).unwrap_or_default(),
            suspects: Vec::new(),
        };
        Self { members: views.map(past).collect(), ..Self::default() }
    }
}

without_numbers!(Watch);
