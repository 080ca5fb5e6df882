//! One step of a member: the events of its machine, in order.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_step::{Effect, OutOf, RowOutcome, step_machine};
use turnstile_view_handler_machines::view_handler::{Action, Event, Guard, Machine, Resource};

use super::handler::{Handler, MACHINE, Notice};
use super::message::{MembershipRequest, Message};
use super::state::State;
use super::types::{MemberId, Suspension, View};

/// The data of an event that the table does not name.
#[derive(Clone, Debug, Default)]
pub(super) struct EventContext {
    /// The request.
    pub(super) request: Option<MembershipRequest>,
    /// The other coord.
    pub(super) with: Option<MemberId>,
    /// The merge.
    pub(super) merge: Option<Suspension>,
    /// The view to be installed.
    pub(super) view: Option<View>,
    /// Whether it is forwarded to the members of the present view.
    pub(super) is_forwarded: bool,
    /// The events of the failed installation.
    pub(super) events: Vec<MembershipRequest>,
    /// The suspension in which the completed operation began.
    pub(super) during: Option<Suspension>,
}

/// The step in progress.
pub(super) struct StepContext<'a, R: Rules<Machine>> {
    pub(super) handler: &'a Handler<R>,
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut OutOf<Handler<R>>,
    /// Events that follow within this step.
    pub(super) then: VecDeque<(Event, EventContext)>,
    /// Whether the current row suspends the handler.
    pub(super) suspends: bool,
    /// The suspension whose Resumer was armed before the current row, if any.
    pub(super) resumer_armed_for: Option<Suspension>,
}

impl<'a, R: Rules<Machine>> StepContext<'a, R> {
    pub(super) fn new(
        handler: &'a Handler<R>,
        state: &'a mut State,
        out: &'a mut OutOf<Handler<R>>,
    ) -> Self {
        Self {
            handler,
            state,
            out,
            then: VecDeque::new(),
            suspends: false,
            resumer_armed_for: None,
        }
    }

    /// Takes the events that follow, at most [`EVENTS_MAX`]: by some tables they never end.
    pub(super) fn finish(&mut self) {
        for _ in 0..EVENTS_MAX {
            let Some((event, ctx)) = self.then.pop_front() else { return };
            self.step_machine(event, ctx);
        }
        if !self.then.is_empty() {
            self.then.clear();
            let reason = "more events follow than one step takes";
            self.out.rows.push(RowOutcome::ActionFailed {
                machine: MACHINE,
                action: "follow",
                reason,
            });
        }
    }

    pub(super) fn send(&mut self, to: MemberId, message: Message) {
        self.out.effects.push(Effect::Send { to, message });
    }

    pub(super) fn notify(&mut self, notice: Notice) {
        self.out.effects.push(Effect::Notify(notice));
    }

    fn is(&self, guard: Guard, ctx: &EventContext) -> bool {
        let State { queue, merge_leader, suspension, .. } = &*self.state;
        let me = self.handler.me;
        match guard {
            Guard::EventsInTheQueue => !queue.is_empty(),
            Guard::LeadersAddressNonNull => merge_leader.is_some(),
            Guard::ViewExcludesTheLeader => merge_leader.is_some_and(|merge_leader| {
                ctx.view.as_ref().is_some_and(|view| !view.contains(merge_leader.merge.of))
            }),
            Guard::OfThisSuspension => ctx.during == Some(*suspension),
            Guard::AnotherCoordinates => self.state.coordinator() != Some(me),
            Guard::WaitsForItsOwnView => self.state.installation.is_some(),
            Guard::LeadsTheMerge => ctx.with.is_some_and(|with| me < with),
        }
    }

    /// Steps the machine.
    pub(super) fn step_machine(&mut self, event: Event, ctx: EventContext) {
        let handler = self.handler;
        let at = self.state.at;
        let Some(step) = step_machine(&handler.rules, at, event, &|guard| self.is(guard, &ctx))
            .report(&mut self.out.rows)
        else {
            return;
        };
        self.state.at = step.to;
        let is_armed = handler.rules.holds(at).contains(&Resource::Resumer);
        self.resumer_armed_for = is_armed.then_some(self.state.suspension);
        let mut actions = step.actions.iter().map(|entry| entry.action);
        self.suspends = actions.any(|action| action == Action::SuspendTheViewHandler);
        for entry in step.actions {
            self.apply_action(entry, &ctx);
        }
    }
}

/// The most events that follow from one input.
const EVENTS_MAX: usize = 64;
