//! What a member keeps: its view, its queue, and what it is about.

use alloc::vec::Vec;

use turnstile_machines::view_handler as machine;
use turnstile_step::Symbolic;

use super::message::Request;
use super::types::{MemberId, Members, Suspension, View};
use crate::number::ViewId;

/// Requests in a queue at most; what comes then is discarded.
pub const QUEUE_MAX: usize = 64;

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    /// Where its machine is.
    #[symbolic(skip)]
    pub at: machine::State,
    /// The view that it has installed; none before it joined and after it left.
    pub view: Option<View>,
    /// The greatest number of a view that it has installed or made.
    pub last_view: ViewId,
    /// The number of the last view that it made, until it installs one of that number or a greater.
    pub made: Option<ViewId>,
    /// Whom it suspects while another coordinates.
    pub suspects: Members,
    /// Those that are known to have had views which leave it out, and are no older than its own.
    pub left_out: Vec<LeftOut>,
    /// What its coord's handler is still to process.
    pub queue: Vec<Request>,
    /// The last suspension of its handler, whether or not it is over.
    pub suspension: Suspension,
    /// The installation of a view that it waits for.
    pub work: Option<Work>,
    /// The merge that it leads.
    pub merge: Option<Merge>,
    /// The MERGE event that it processes, and is not suspended for yet.
    pub processing: Processing,
    /// The merge leader's address.
    pub leader: Option<Leader>,
    /// What it still wants of a group.
    pub wants: Wants,
}

/// Events that are being processed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Work {
    /// The suspension in which it began.
    pub during: Suspension,
    /// What is processed.
    pub events: Vec<Request>,
    /// The view that comes of it.
    pub view: View,
    /// Who has not said that it is installed.
    pub missing: Members,
}

/// One that had a view which leaves a member out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct LeftOut {
    /// Who.
    pub by: MemberId,
    /// The number of the last such view.
    pub id: ViewId,
}

/// How far one has processed a MERGE event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Processing {
    /// It processes none.
    #[default]
    Nothing,
    /// The merge is on.
    Merge,
    /// The merge is over, and how it ended.
    Completed(#[symbolic(skip)] machine::MergeCompletesMerge),
}

/// A merge that one leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Merge {
    /// Its name: that of the suspension in which it began, unless that began later.
    pub name: Suspension,
    /// The suspension that it is for.
    pub during: Suspension,
    /// The other coord.
    pub with: MemberId,
}

/// A merge that another leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Leader {
    /// The merge, and thereby the leader's address.
    pub merge: Suspension,
    /// The suspension in which it was recorded.
    pub during: Suspension,
}

/// What a member still wants of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Wants {
    /// Nothing.
    #[default]
    Nothing,
    /// To join; and then the state, if so.
    Join {
        /// It is going to ask for the state.
        with_state: bool,
    },
    /// The state, which it has asked for.
    State,
    /// To leave.
    Leave,
}

impl State {
    /// A member that has installed a view; of no group without one.
    #[must_use]
    pub fn new(me: MemberId, at: machine::State, view: Option<View>) -> Self {
        Self {
            at,
            last_view: view.as_ref().map_or_else(ViewId::default, |view| view.id),
            view,
            made: None,
            suspects: Members::default(),
            left_out: Vec::new(),
            queue: Vec::new(),
            suspension: Suspension::first(me),
            work: None,
            merge: None,
            processing: Processing::Nothing,
            leader: None,
            wants: Wants::Nothing,
        }
    }

    /// Whether this one belongs to the view that is installed.
    pub(super) fn is_member(&self, member: MemberId) -> bool {
        self.view.as_ref().is_some_and(|view| view.contains(member))
    }

    /// Whether this one is suspected, as far as is known here.
    fn is_suspected(&self, member: MemberId) -> bool {
        if self.suspects.contains(member) {
            return true;
        }
        let events = self.work.iter().flat_map(|work| &work.events);
        let mut all = self.queue.iter().chain(events);
        all.any(|event| matches!(event, Request::Suspect { member: who } if *who == member))
    }

    /// Who coordinates: the first member that is not suspected.
    #[must_use]
    pub fn coordinator(&self) -> Option<MemberId> {
        self.coordinator_without(None)
    }

    /// Who coordinates if this one is gone, too.
    #[must_use]
    pub fn coordinator_without(&self, gone: Option<MemberId>) -> Option<MemberId> {
        let members = self.view.iter().flat_map(|view| view.members.iter());
        members.into_iter().find(|who| Some(*who) != gone && !self.is_suspected(*who))
    }
}
