//! A merge of two groups: its leader asks the other coord, which answers with its view or rejects;
//! then the leader makes the view of both, and each coord has its own members install it.

use turnstile_machine::Rules;
use turnstile_machines::view_handler::{Event, Machine, MergeCompletesMerge};

use super::message::Message;
use super::state::{Merge, Processing};
use super::turn::{Cause, Turn};
use super::types::{MemberId, Members, Suspension, View};

impl<R: Rules<Machine>> Turn<'_, R> {
    /// Whether it is the first member of the view that it has installed.
    pub(super) fn coordinates(&self) -> bool {
        let view = self.state.view.as_ref();
        view.is_some_and(|view| view.coordinator() == Some(self.handler.me))
    }

    /// There is another coord.
    pub(super) fn found(&mut self, with: MemberId) {
        if self.coordinates() {
            self.take(Event::Merge, Cause { with: Some(with), ..Cause::default() });
        }
    }

    /// Who coordinates nothing has nothing to merge, and rejects.
    pub(super) fn merge_req(&mut self, from: MemberId, merge: Suspension) {
        if self.coordinates() {
            let cause = Cause { merge: Some(merge), with: Some(from), ..Cause::default() };
            self.take(Event::MergeReq, cause);
        } else {
            self.answer(Some(merge), None);
        }
    }

    pub(super) fn answer(&mut self, merge: Option<Suspension>, group: Option<View>) {
        if let Some(merge) = merge {
            self.send(merge.of, Message::MergeRsp { merge, group });
        }
    }

    /// An answer to a MERGE-REQ of a merge that is over changes nothing. Who has come into the view
    /// of another coord since it asked has no group that it could merge.
    pub(super) fn merge_rsp(&mut self, from: MemberId, merge: Suspension, group: Option<View>) {
        let is_asked = |own: &mut Merge| (own.name, own.with) == (merge, from);
        let Some(Merge { during, .. }) = self.state.merge.take_if(is_asked) else { return };
        let own = self.state.view.clone().filter(|_| self.coordinates());
        let how = match (group, own) {
            (Some(group), Some(own)) => {
                let view = self.united(own, &group);
                self.spread(&view, &view.subgroups[0]);
                self.send(from, Message::MergeView { merge, view: view.clone() });
                let (view, during) = (Some(view), Some(during));
                self.then.push_back((Event::View, Cause { view, during, ..Cause::default() }));
                MergeCompletesMerge::Successful
            }
            _ => MergeCompletesMerge::Failed,
        };
        if self.state.processing == Processing::Nothing {
            self.complete_merge(how, during);
        } else {
            self.state.processing = Processing::Completed(how);
        }
    }

    /// The merge is over, which a suspension was for.
    pub(super) fn complete_merge(&mut self, merge: MergeCompletesMerge, during: Suspension) {
        let cause = Cause { during: Some(during), ..Cause::default() };
        self.then.push_back((Event::MergeCompletes { merge }, cause));
    }

    /// The view of both. Who is in both views belongs to the one that it answered for.
    fn united(&mut self, own: View, other: &View) -> View {
        let me = self.handler.me;
        let is_other = |member: &MemberId| *member != me && other.contains(*member);
        let own = Members::new(own.members.iter().filter(|member| !is_other(member)));
        let theirs = Members::new(other.members.iter().filter(|member| *member != me));
        self.state.last_view = self.state.last_view.max(other.id);
        View::merge(self.mint(), [own, theirs].into())
    }

    /// The view of both groups, from the merge leader. Who has left, or has come into the view of
    /// another coord, brings no group into it.
    pub(super) fn merge_view(&mut self, merge: Suspension, view: View) {
        let is_coord = self.coordinates();
        let leader = self.state.leader.filter(|leader| is_coord && leader.merge == merge);
        let during = leader.map(|leader| leader.during);
        self.take(
            Event::MergeView,
            Cause { view: Some(view), spreads: true, during, ..Cause::default() },
        );
    }
}
