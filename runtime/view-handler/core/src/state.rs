//! The state of a member: its view, its queue, and its operations in progress.

use alloc::vec::Vec;

use turnstile_step::Symbolic;
use turnstile_view_handler_machines::view_handler as machine;

use super::message::MembershipRequest;
use super::types::{MemberId, Members, Suspension, View};
use crate::number::ViewId;

/// The most requests in a queue; further ones are discarded.
pub const QUEUE_MAX: usize = 64;

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    /// The machine's state.
    #[symbolic(skip)]
    pub at: machine::State,
    /// The installed view; `None` before it joined and after it left.
    pub view: Option<View>,
    /// The greatest number of a view that it has installed, made or learned of: from a JOIN, a
    /// MERGE-RSP or a view without it.
    pub last_view: ViewId,
    /// The number of the last view that it made, until it installs a view that is at least as new.
    pub made: Option<ViewId>,
    /// Members that it suspects while another member coordinates.
    pub suspects: Members,
    /// Members with a view that excludes this member and is at least as new as its own.
    pub exclusions: Vec<Exclusion>,
    /// MergeViews that it is in and did not install, until it has a view with their leaders that
    /// is as new.
    pub missed_merges: Vec<MissedMerge>,
    /// Requests that it will process as coord.
    pub queue: Vec<MembershipRequest>,
    /// The last suspension of its handler; it may have ended.
    pub suspension: Suspension,
    /// The installation of a view in progress.
    pub installation: Option<Installation>,
    /// The merge that it leads.
    pub merge: Option<Merge>,
    /// The progress of a MERGE event, until the handler is suspended.
    pub processing: MergeProgress,
    /// The merge leader's address.
    pub merge_leader: Option<MergeLeader>,
    /// What it intends in a group.
    pub intent: Intent,
}

/// The installation of a view, at the coord that made it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Installation {
    /// The suspension in which it began.
    pub during: Suspension,
    /// The events that led to the view.
    pub events: Vec<MembershipRequest>,
    /// The view.
    pub view: View,
    /// Members that have not confirmed the installation.
    pub missing: Members,
}

/// A member with a view that excludes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Exclusion {
    /// The member with the view.
    pub by: MemberId,
    /// The number of its newest such view.
    pub id: ViewId,
}

/// A MergeView that a member did not install: it no longer took part in the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct MissedMerge {
    /// The merge leader, with this member in its view.
    pub leader: MemberId,
    /// The number of the view.
    pub id: ViewId,
}

/// The progress of a MERGE event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum MergeProgress {
    /// No MERGE event is processed.
    #[default]
    Nothing,
    /// The merge is in progress.
    Merge,
    /// The merge completed, with its result.
    Completed(#[symbolic(skip)] machine::MergeCompletesMerge),
}

/// A merge, at its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Merge {
    /// Its name: its suspension, or the one before if its suspension starts later.
    pub name: Suspension,
    /// Its suspension.
    pub during: Suspension,
    /// The other coord.
    pub with: MemberId,
}

/// A merge, at the other coord.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct MergeLeader {
    /// The merge, and thereby the leader's address.
    pub merge: Suspension,
    /// The suspension in which it was recorded.
    pub during: Suspension,
}

/// What a member intends in a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Intent {
    /// Nothing.
    #[default]
    Nothing,
    /// To join, and then to request the state if `with_state`.
    Join {
        /// Whether it will request the state.
        with_state: bool,
    },
    /// To receive the state, which it has requested.
    State,
    /// To leave.
    Leave,
}

impl State {
    /// A member with an installed view, or of no group.
    #[must_use]
    pub fn new(me: MemberId, at: machine::State, view: Option<View>) -> Self {
        Self {
            at,
            last_view: view.as_ref().map_or_else(ViewId::default, |view| view.id),
            view,
            made: None,
            suspects: Members::default(),
            exclusions: Vec::new(),
            missed_merges: Vec::new(),
            queue: Vec::new(),
            suspension: Suspension::first(me),
            installation: None,
            merge: None,
            processing: MergeProgress::Nothing,
            merge_leader: None,
            intent: Intent::Nothing,
        }
    }

    /// Whether this one belongs to the installed view.
    pub(super) fn is_member(&self, member: MemberId) -> bool {
        self.view.as_ref().is_some_and(|view| view.contains(member))
    }

    /// Whether this one joins, by the queue or by the view that is installed.
    pub(super) fn joins(&self, member: MemberId) -> bool {
        let is_its_join = |request: &MembershipRequest| match request {
            MembershipRequest::Join { member: who, .. } => *who == member,
            MembershipRequest::Leave { .. }
            | MembershipRequest::Suspect { .. }
            | MembershipRequest::GetState { .. } => false,
        };
        let made = self.installation.as_ref();
        made.is_some_and(|made| made.view.contains(member)) || self.queue.iter().any(is_its_join)
    }

    /// Whether this member is the first of its installed view.
    pub(super) fn coordinates(&self, me: MemberId) -> bool {
        self.view.as_ref().is_some_and(|view| view.coordinator() == Some(me))
    }

    /// Whether it is in a group, or has asked to be.
    pub(super) fn has_group(&self) -> bool {
        self.view.is_some() || matches!(self.intent, Intent::Join { .. })
    }

    /// Whether this one is suspected: remembered, queued or being processed.
    fn is_suspected(&self, member: MemberId) -> bool {
        if self.suspects.contains(member) {
            return true;
        }
        let events = self.installation.iter().flat_map(|installation| &installation.events);
        let mut all = self.queue.iter().chain(events);
        all.any(
            |event| matches!(event, MembershipRequest::Suspect { member: who } if *who == member),
        )
    }

    /// The coordinator: the first member that is not suspected.
    #[must_use]
    pub fn coordinator(&self) -> Option<MemberId> {
        self.view.as_ref().and_then(|view| self.coordinator_of(view))
    }

    /// The first member of a view that is not suspected.
    pub(super) fn coordinator_of(&self, view: &View) -> Option<MemberId> {
        view.members.iter().find(|who| !self.is_suspected(*who))
    }
}
