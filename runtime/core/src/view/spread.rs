//! To whom a coord sends a view that it made, as the table's rule says, and what comes of it at
//! whom the view leaves out. Knows no states.

use turnstile_machine::{Facts, Never, Rules};
use turnstile_machines::view_handler::{Collection, Event, Machine, Predicate, Rule, Term};

use super::message::Request;
use super::state::{LeftOut, Wants};
use super::turn::{Cause, Turn};
use super::types::{MemberId, Members, View};

/// A view that is about to be sent, and those that it comes of.
struct Made<'a> {
    before: &'a View,
    view: &'a View,
    events: &'a [Request],
}

impl Facts<Machine> for Made<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        let has = |view: &View, member: Term| view.members.iter().any(|one| member == one.into());
        match predicate {
            Predicate::IsInTheView { member } => has(self.view, member),
            Predicate::WasInTheView { member } => has(self.before, member),
            Predicate::Leaves { member } => self.events.iter().any(
                |event| matches!(event, Request::Leave { member: who } if member == (*who).into()),
            ),
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

impl<R: Rules<Machine>> Turn<'_, R> {
    /// Sends a view that it made: first to those that it leaves out, if they are told.
    pub(super) fn send_view(&mut self, before: &View, view: &View, events: &[Request]) {
        let gone = before.members.iter().filter(|member| !view.contains(*member));
        let all = Members::new(gone.chain(view.members.iter()));
        let made = Made { before, view, events };
        let rules = &self.handler.rules;
        let is_told =
            |one: &MemberId| rules.rule(Rule::IsSentTheView { member: (*one).into() }, &made);
        self.spread(view, &Members::new(all.iter().filter(is_told)));
    }

    /// Whether a view without it from this one is what it asked for: from its coord, or from the
    /// coord of a group that it is about to hear of.
    pub(super) fn leaves_by(&self, from: MemberId) -> bool {
        let state = &*self.state;
        let first = state.view.as_ref().and_then(View::coordinator);
        let is_coord = [first, state.coordinator()].contains(&Some(from));
        state.wants == Wants::Leave && (is_coord || !state.is_member(from))
    }

    /// A view that leaves this member out, which did not ask for it. If it was made before its own,
    /// it is over.
    pub(super) fn left_out(&mut self, from: MemberId, view: View) {
        self.take(
            Event::ViewWithoutIt,
            Cause { with: Some(from), view: Some(view), ..Cause::default() },
        );
    }

    /// Keeps in mind who has a view that leaves this member out.
    pub(super) fn note_left_out(&mut self, cause: &Cause) {
        let (Some(from), Some(view)) = (cause.with, &cause.view) else { return };
        let state = &mut *self.state;
        if state.view.as_ref().is_none_or(|own| view.id < own.id) {
            return;
        }
        state.last_view = state.last_view.max(view.id);
        for by in Members::new([from].into_iter().chain(view.members.iter())).iter() {
            let known = state.left_out.iter_mut().find(|one| one.by == by);
            match known {
                Some(one) => one.id = one.id.max(view.id),
                None => state.left_out.push(LeftOut { by, id: view.id }),
            }
        }
        state.left_out.sort_unstable();
        self.doubt();
    }

    /// Suspects the members of its view that have a view without it, which is no older.
    pub(super) fn doubt(&mut self) {
        let Some(own) = self.state.view.clone() else { return };
        self.state.left_out.retain(|one| one.id >= own.id);
        let all = self.state.left_out.iter().map(|one| one.by);
        all.filter(|by| own.contains(*by)).for_each(|by| self.state.suspects.add(by));
        self.suspects();
    }
}
