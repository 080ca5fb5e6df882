//! The delivery of a new view, by the table's rule, and its reception by a member that it excludes.

use turnstile_machine::{Facts, Never, Rules};
use turnstile_view_handler_machines::view_handler::{Collection, Machine, Predicate, Rule, Term};

use super::message::MembershipRequest;
use super::state::{Exclusion, State};
use super::types::{MemberId, Members, View};

/// A new view, with the view and the events that it follows from.
pub(super) struct NewViewFacts<'a> {
    pub(super) before: &'a View,
    pub(super) view: &'a View,
    pub(super) events: &'a [MembershipRequest],
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

impl NewViewFacts<'_> {
    /// The members that are sent the view by the table's rule: first those that it excludes.
    pub(super) fn receivers(&self, rules: &impl Rules<Machine>) -> Members {
        let gone = self.before.members.iter().filter(|member| !self.view.contains(*member));
        let all = Members::new(gone.chain(self.view.members.iter()));
        let is_told =
            |one: &MemberId| rules.rule(Rule::IsSentTheView { member: (*one).into() }, self);
        Members::new(all.iter().filter(is_told))
    }
}

impl State {
    /// Records the members of a view that excludes this member. Returns whether the view is as new
    /// as its own: an older one is ignored.
    pub(super) fn record_exclusions(&mut self, from: MemberId, view: &View) -> bool {
        if self.view.as_ref().is_none_or(|own| view.id < own.id) {
            return false;
        }
        self.last_view = self.last_view.max(view.id);
        for by in Members::new([from].into_iter().chain(view.members.iter())).iter() {
            let known = self.exclusions.iter_mut().find(|one| one.by == by);
            match known {
                Some(one) => one.id = one.id.max(view.id),
                None => self.exclusions.push(Exclusion { by, id: view.id }),
            }
        }
        self.exclusions.sort_unstable();
        true
    }
}
