//! What a member knows of the merges of its group with others: the leader makes the merged view,
//! and each coord sends it to its own members. One that does not install it remembers its leader.

use super::state::{MissedMerge, State};
use super::types::{MemberId, Members, View};
use crate::number::ViewId;

impl State {
    /// Mints the number of a new view.
    pub(super) fn mint(&mut self) -> ViewId {
        self.last_view = ViewId::after([self.last_view]);
        self.last_view
    }

    /// The merged view. A member of both views belongs to the group of the coord that responded.
    pub(super) fn merged_view(&mut self, me: MemberId, own: View, other: &View) -> View {
        let is_other = |member: &MemberId| *member != me && other.contains(*member);
        let own = Members::new(own.members.iter().filter(|member| !is_other(member)));
        let theirs = Members::new(other.members.iter().filter(|member| *member != me));
        self.last_view = self.last_view.max(other.id);
        View::merge(self.mint(), [own, theirs].into())
    }

    /// Remembers the leader of a merge whose MergeView this member does not install.
    pub(super) fn miss_merge(&mut self, me: MemberId, view: &View) {
        let first_other = view.members.iter().find(|who| *who != me);
        let Some(leader) = first_other.filter(|_| self.has_group()) else { return };
        let missed = &mut self.missed_merges;
        match missed.iter_mut().find(|one| one.leader == leader) {
            Some(one) => one.id = one.id.max(view.id),
            None => missed.push(MissedMerge { leader, id: view.id }),
        }
        missed.sort_unstable();
        self.forget_merges();
    }

    /// Forgets the missed merges that its view is as new as, if their leaders are in it.
    pub(super) fn forget_merges(&mut self) {
        let Self { view: Some(own), missed_merges, .. } = self else { return };
        missed_merges.retain(|one| own.id < one.id || !own.contains(one.leader));
    }
}
