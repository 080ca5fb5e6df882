//! The delivery of a new view, by the table's rule, and its reception by a member that it excludes.

use turnstile_machine::{Facts, Never, Rules};
use turnstile_view_handler_machines::view_handler::{
    Collection, Event, Machine, Predicate, Rule, Term,
};

use super::context::{EventContext, StepContext};
use super::message::MembershipRequest;
use super::state::Exclusion;
use super::types::{MemberId, Members, View};

/// A new view, with the view and the events that it follows from.
struct NewViewFacts<'a> {
    before: &'a View,
    view: &'a View,
    events: &'a [MembershipRequest],
}

impl Facts<Machine> for NewViewFacts<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        let has = |view: &View, member: Term| view.members.iter().any(|one| member == one.into());
        match predicate {
            Predicate::IsInTheView { member } => has(self.view, member),
            Predicate::WasInTheView { member } => has(self.before, member),
            Predicate::Leaves { member } => self.events.iter().any(|event| {
                matches!(event, MembershipRequest::Leave { member: who } if member == (*who).into())
            }),
        }
    }

    fn every(&self, collection: Collection, _: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {}
    }

    fn instances(&self, _: &mut dyn FnMut(Term, Never) -> bool) -> bool {
        true
    }

    fn state(&self, _: Term) -> Option<Never> {
        None
    }
}

impl<R: Rules<Machine>> StepContext<'_, R> {
    /// Sends a new view by the table's rule: first to the members that it excludes.
    pub(super) fn send_view(&mut self, before: &View, view: &View, events: &[MembershipRequest]) {
        let gone = before.members.iter().filter(|member| !view.contains(*member));
        let all = Members::new(gone.chain(view.members.iter()));
        let facts = NewViewFacts { before, view, events };
        let rules = &self.handler.rules;
        let is_told =
            |one: &MemberId| rules.rule(Rule::IsSentTheView { member: (*one).into() }, &facts);
        self.send_view_to(view, &Members::new(all.iter().filter(is_told)));
    }

    /// A view that excludes this member, which did not leave.
    pub(super) fn on_excluding_view(&mut self, from: MemberId, view: View) {
        self.step_machine(
            Event::ViewWithoutIt,
            EventContext { with: Some(from), view: Some(view), ..EventContext::default() },
        );
    }

    /// A view arrives at a member of no group that has not asked to join one.
    pub(super) fn on_view_in_no_group(&mut self, view: View) {
        let ctx = EventContext { view: Some(view), ..EventContext::default() };
        self.step_machine(Event::ViewInNoGroup, ctx);
    }

    /// Records the members of a view that excludes this member. An older view is ignored.
    pub(super) fn record_exclusions(&mut self, ctx: &EventContext) {
        let (Some(from), Some(view)) = (ctx.with, &ctx.view) else { return };
        let state = &mut *self.state;
        if state.view.as_ref().is_none_or(|own| view.id < own.id) {
            return;
        }
        state.last_view = state.last_view.max(view.id);
        for by in Members::new([from].into_iter().chain(view.members.iter())).iter() {
            let known = state.exclusions.iter_mut().find(|one| one.by == by);
            match known {
                Some(one) => one.id = one.id.max(view.id),
                None => state.exclusions.push(Exclusion { by, id: view.id }),
            }
        }
        state.exclusions.sort_unstable();
        self.suspect_excluding_members();
    }

    /// Suspects the members of its view that have a view without it which is at least as new.
    pub(super) fn suspect_excluding_members(&mut self) {
        let Some(own) = self.state.view.clone() else { return };
        self.state.exclusions.retain(|one| one.id >= own.id);
        let all = self.state.exclusions.iter().map(|one| one.by);
        all.filter(|by| own.contains(*by)).for_each(|by| self.state.suspects.add(by));
        self.process_suspects();
    }
}
