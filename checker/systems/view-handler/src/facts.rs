//! Facts for the invariants of the view handler's table: over the running members.

use turnstile_machine::Facts;
use turnstile_view_handler_core::{MemberId, State, Timer};
use turnstile_view_handler_machines::view_handler::{
    State as At, Term, Whole, WholeCollection as Collection, WholePredicate as Predicate,
};
use turnstile_world::NodePart;

/// A running member.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningMember<'a> {
    pub(super) member: MemberId,
    pub(super) state: &'a State,
    /// Its node, with its timers.
    pub(super) part: &'a NodePart,
}

impl RunningMember<'_> {
    fn resumer(&self) -> Timer {
        Timer::Resumer(self.state.suspension)
    }
}

/// The running members.
#[derive(Clone, Debug)]
pub(super) struct RunningMembers<'a>(pub(super) Vec<RunningMember<'a>>);

impl<'a> RunningMembers<'a> {
    fn is(&self, one: Term, is_so: impl Fn(&RunningMember<'a>) -> bool) -> bool {
        self.0.iter().any(|member| one == member.member.into() && is_so(member))
    }
}

impl Facts<Whole> for RunningMembers<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::HasAViewInstalled { one } => {
                self.is(one, |member| member.state.installation.is_some())
            }
            Predicate::LeadsAMerge { one } => self.is(one, |member| member.state.merge.is_some()),
            Predicate::WaitsForALeader { one } => {
                self.is(one, |member| member.state.merge_leader.is_some())
            }
            Predicate::CoordinatesIt { one } => self.is(one, |member| {
                let work = member.state.installation.as_ref();
                work.is_some_and(|work| work.view.coordinator() == Some(member.member))
            }),
            Predicate::LeavesByIt { one } => self.is(one, |member| {
                let work = member.state.installation.as_ref();
                work.is_some_and(|work| !work.view.contains(member.member))
            }),
            Predicate::ItsResumerIsArmed { one } => {
                self.is(one, |member| member.part.is_armed(&member.resumer()))
            }
            Predicate::ItsResumerHasBegun { one } => self.is(one, |member| {
                member.part.late().any(|timer: &Timer| *timer == member.resumer())
            }),
            Predicate::AnotherResumerIsArmed { one } => self.is(one, |member| {
                let is_a_resumer = |timer: &_| matches!(timer, Timer::Resumer(_));
                let mut timers = member.part.armed().filter(|timer| is_a_resumer(*timer));
                timers.any(|timer| *timer != member.resumer())
            }),
        }
    }

    fn every(&self, collection: Collection, _: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {}
    }

    fn instances(&self, is: &mut dyn FnMut(Term, At) -> bool) -> bool {
        self.0.iter().all(|member| is(member.member.into(), member.state.at))
    }

    fn state(&self, one: Term) -> Option<At> {
        let mut members = self.0.iter();
        members.find(|member| one == member.member.into()).map(|member| member.state.at)
    }
}
