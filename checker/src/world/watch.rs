//! What is seen of a step, for the properties to remember. It never reads a core's state.

use turnstile_core::step::Taken;
use turnstile_core::{Class, Numbers};

use crate::world::system::{NodeId, System, Types, WatchOf};

/// Something that happened at a node and that a property may want to remember.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Seen<T: Types> {
    /// The node's user asked.
    Asked(NodeId, T::Command),
    /// The node's user was told.
    Told(NodeId, T::Notice),
    /// The node stopped and forgot.
    Crashed(NodeId),
    /// The node started again.
    Restarted(NodeId),
    /// An event came for which its table has no row.
    Unexpected(Unexpected),
}

/// An event without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unexpected {
    /// Where.
    pub node: NodeId,
    /// Which machine's table.
    pub machine: &'static str,
    /// In which state.
    pub state: &'static str,
    /// Which event.
    pub event: &'static str,
    /// Its payload's number.
    pub number: u16,
}

impl Unexpected {
    /// What a core reported, if that was it.
    #[must_use]
    pub fn of(node: NodeId, taken: &Taken) -> Option<Self> {
        match *taken {
            Taken::Unexpected { machine, state, event, number } => {
                Some(Self { node, machine, state, event, number })
            }
            Taken::Row { .. } | Taken::Ignored { .. } | Taken::Undone { .. } => None,
        }
    }
}

/// The part of a state that remembers: the system's own, and what the last step ran into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchPart<W> {
    /// What the properties remember.
    pub system: W,
    /// The event without a row that the last step met; forgotten with the next one.
    pub unexpected: Option<Unexpected>,
}

impl<W: Numbers> Numbers for WatchPart<W> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.system.visit(each);
    }
}

/// What the watch is after a step in which these things were seen.
#[must_use]
pub fn observe<S: System>(
    system: &S,
    watch: &WatchPart<WatchOf<S>>,
    seen: &[Seen<S::Types>],
) -> WatchPart<WatchOf<S>> {
    let mut next = WatchPart { system: watch.system.clone(), unexpected: None };
    for one in seen {
        if let Seen::Unexpected(unexpected) = one {
            next.unexpected.get_or_insert(*unexpected);
        }
        system.observe(&mut next.system, one);
    }
    next
}
