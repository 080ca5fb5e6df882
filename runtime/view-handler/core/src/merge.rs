//! A merge of two groups: the leader sends MERGE-REQ to the other coord, which responds with its
//! view or rejects; the leader makes the merged view, and each coord sends it to its own members.

use turnstile_machine::Rules;
use turnstile_view_handler_machines::view_handler::{Event, Machine, MergeCompletesMerge};

use super::context::{EventContext, StepContext};
use super::message::Message;
use super::state::{Merge, MergeProgress, MissedMerge, State};
use super::types::{MemberId, Members, Suspension, View};

impl<R: Rules<Machine>> StepContext<'_, R> {
    /// Whether this member is the first of its installed view.
    pub(super) fn coordinates(&self) -> bool {
        let view = self.state.view.as_ref();
        view.is_some_and(|view| view.coordinator() == Some(self.handler.me))
    }

    /// Another coord is found. A member may learn of it that members of its own view have another
    /// one by now, without it.
    pub(super) fn on_coordinator_found(&mut self, with: MemberId, view: View) {
        let is_in_own = |member: MemberId| self.state.is_member(member);
        if !view.contains(self.handler.me) && view.members.iter().any(is_in_own) {
            self.on_excluding_view(with, view);
        }
        if self.coordinates() {
            self.step_machine(
                Event::Merge,
                EventContext { with: Some(with), ..EventContext::default() },
            );
        }
    }

    /// A MERGE-REQ arrives; a member that does not coordinate rejects it.
    pub(super) fn merge_req(&mut self, from: MemberId, merge: Suspension) {
        if self.coordinates() {
            let ctx =
                EventContext { merge: Some(merge), with: Some(from), ..EventContext::default() };
            self.step_machine(Event::MergeReq, ctx);
        } else {
            self.answer(Some(merge), None);
        }
    }

    pub(super) fn answer(&mut self, merge: Option<Suspension>, group: Option<View>) {
        if let Some(merge) = merge {
            self.send(merge.of, Message::MergeRsp { merge, group });
        }
    }

    /// A MERGE-RSP arrives; one of another merge changes nothing. A leader that no longer
    /// coordinates has no group to merge.
    pub(super) fn merge_rsp(&mut self, from: MemberId, merge: Suspension, group: Option<View>) {
        let is_expected = |own: &mut Merge| (own.name, own.with) == (merge, from);
        let Some(Merge { during, .. }) = self.state.merge.take_if(is_expected) else { return };
        let own = self.state.view.clone().filter(|_| self.coordinates());
        let how = match (group, own) {
            (Some(group), Some(own)) => {
                let view = self.merged_view(own, &group);
                self.send_view_to(&view, &view.subgroups[0]);
                self.send(from, Message::MergeView { merge, view: view.clone() });
                let (view, during) = (Some(view), Some(during));
                self.then.push_back((
                    Event::View,
                    EventContext { view, during, ..EventContext::default() },
                ));
                MergeCompletesMerge::Successful
            }
            _ => MergeCompletesMerge::Failed,
        };
        if self.state.processing == MergeProgress::Nothing {
            self.complete_merge(how, during);
        } else {
            self.state.processing = MergeProgress::Completed(how);
        }
    }

    /// The merge of a suspension completes.
    pub(super) fn complete_merge(&mut self, merge: MergeCompletesMerge, during: Suspension) {
        let ctx = EventContext { during: Some(during), ..EventContext::default() };
        self.then.push_back((Event::MergeCompletes { merge }, ctx));
    }

    /// The merged view. A member of both views belongs to the group of the coord that responded.
    fn merged_view(&mut self, own: View, other: &View) -> View {
        let me = self.handler.me;
        let is_other = |member: &MemberId| *member != me && other.contains(*member);
        let own = Members::new(own.members.iter().filter(|member| !is_other(member)));
        let theirs = Members::new(other.members.iter().filter(|member| *member != me));
        self.state.last_view = self.state.last_view.max(other.id);
        View::merge(self.mint(), [own, theirs].into())
    }

    /// The merged view arrives from the merge leader. A member that no longer coordinates does not
    /// take part.
    pub(super) fn merge_view(&mut self, merge: Suspension, view: View) {
        if !self.state.has_group() {
            self.on_view_in_no_group(view.clone());
        }
        let is_coord = self.coordinates();
        let merge_leader =
            self.state.merge_leader.filter(|merge_leader| is_coord && merge_leader.merge == merge);
        let during = merge_leader.map(|merge_leader| merge_leader.during);
        self.step_machine(
            Event::MergeView,
            EventContext {
                view: Some(view),
                is_forwarded: true,
                during,
                ..EventContext::default()
            },
        );
    }

    /// Remembers the leader of a merge whose MergeView this member does not install.
    pub(super) fn miss_merge(&mut self, view: &View) {
        let first_other = view.members.iter().find(|who| *who != self.handler.me);
        let Some(leader) = first_other.filter(|_| self.state.has_group()) else { return };
        let missed = &mut self.state.missed_merges;
        match missed.iter_mut().find(|one| one.leader == leader) {
            Some(one) => one.id = one.id.max(view.id),
            None => missed.push(MissedMerge { leader, id: view.id }),
        }
        missed.sort_unstable();
        self.forget_merges();
    }

    /// Forgets the missed merges that its view is as new as, if their leaders are in it.
    pub(super) fn forget_merges(&mut self) {
        let State { view: Some(own), missed_merges, .. } = &mut *self.state else { return };
        missed_merges.retain(|one| own.id < one.id || !own.contains(one.leader));
    }
}
