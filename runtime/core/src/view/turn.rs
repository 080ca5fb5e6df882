//! One step of a member: the events that it has for its machine, in order, and what comes of them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::view_handler::{Action, Event, Guard, Machine, Resource};
use turnstile_step::{Effect, OutOf, RowOutcome, take};

use super::handler::{Handler, MACHINE, Notice};
use super::message::{Message, Request};
use super::state::State;
use super::types::{MemberId, Suspension, View};

/// What comes with an event, beside what the table knows of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cause {
    /// What is asked.
    pub(super) request: Option<Request>,
    /// The other coord.
    pub(super) with: Option<MemberId>,
    /// The merge that is spoken of.
    pub(super) merge: Option<Suspension>,
    /// The view that is to be installed.
    pub(super) view: Option<View>,
    /// It is to be passed on to the members of the present view.
    pub(super) spreads: bool,
    /// What was processed in vain.
    pub(super) events: Vec<Request>,
    /// The suspension in which that began which comes to its end.
    pub(super) during: Option<Suspension>,
}

/// One step on its way.
pub(super) struct Turn<'a, R: Rules<Machine>> {
    pub(super) handler: &'a Handler<R>,
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut OutOf<Handler<R>>,
    /// Events that follow from this step, to be taken before it ends.
    pub(super) then: VecDeque<(Event, Cause)>,
    /// The row that is carried out suspends the handler.
    pub(super) suspends: bool,
    /// The suspension that it finds, whose Resumer is armed.
    pub(super) found: Option<Suspension>,
}

impl<'a, R: Rules<Machine>> Turn<'a, R> {
    pub(super) fn new(
        handler: &'a Handler<R>,
        state: &'a mut State,
        out: &'a mut OutOf<Handler<R>>,
    ) -> Self {
        Self { handler, state, out, then: VecDeque::new(), suspends: false, found: None }
    }

    /// Takes what follows, to an end: a table whose events follow from each other has none.
    pub(super) fn finish(&mut self) {
        for _ in 0..FOLLOW_MAX {
            let Some((event, cause)) = self.then.pop_front() else { return };
            self.take(event, cause);
        }
        if !self.then.is_empty() {
            self.then.clear();
            let because = "too many events follow from each other";
            self.out.rows.push(RowOutcome::ActionFailed {
                machine: MACHINE,
                action: "follow",
                because,
            });
        }
    }

    pub(super) fn send(&mut self, to: MemberId, message: Message) {
        self.out.effects.push(Effect::Send { to, message });
    }

    pub(super) fn notify(&mut self, notice: Notice) {
        self.out.effects.push(Effect::Notify(notice));
    }

    fn is(&self, guard: Guard, cause: &Cause) -> bool {
        let State { queue, leader, suspension, .. } = &*self.state;
        let me = self.handler.me;
        match guard {
            Guard::EventsInTheQueue => !queue.is_empty(),
            Guard::LeadersAddressNonNull => leader.is_some(),
            Guard::ViewExcludesTheLeader => leader.is_some_and(|leader| {
                cause.view.as_ref().is_some_and(|view| !view.contains(leader.merge.of))
            }),
            Guard::OfThisSuspension => cause.during == Some(*suspension),
            Guard::AnotherCoordinates => self.state.coordinator() != Some(me),
            Guard::WaitsForItsOwnView => self.state.work.is_some(),
            Guard::LeadsTheMerge => cause.with.is_some_and(|with| me < with),
        }
    }

    /// The machine takes one event.
    pub(super) fn take(&mut self, event: Event, cause: Cause) {
        let handler = self.handler;
        let at = self.state.at;
        let (taken, step) = take(&handler.rules, at, event, &|guard| self.is(guard, &cause));
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        self.state.at = step.to;
        let is_armed = handler.rules.holds(at).contains(&Resource::Resumer);
        self.found = is_armed.then_some(self.state.suspension);
        let mut actions = step.actions.iter().map(|entry| entry.action);
        self.suspends = actions.any(|action| action == Action::SuspendTheViewHandler);
        for entry in step.actions {
            self.carry(entry, &cause);
        }
    }
}

/// The most events that follow from one input.
const FOLLOW_MAX: usize = 64;
