//! What the invariants of the view handler's table ask of the members that run.

use turnstile_core::view::{MemberId, State, Timer};
use turnstile_machine::Facts;
use turnstile_machines::view_handler::{
    State as At, Term, Whole, WholeCollection as Collection, WholePredicate as Predicate,
};
use turnstile_world::NodePart;

/// A member that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat<'a> {
    pub(super) member: MemberId,
    pub(super) state: &'a State,
    /// With its timers.
    pub(super) part: &'a NodePart,
}

impl Seat<'_> {
    fn resumer(&self) -> Timer {
        Timer::Resumer(self.state.suspension)
    }
}

/// The members that run.
#[derive(Clone, Debug)]
pub(super) struct Group<'a>(pub(super) Vec<Seat<'a>>);

impl<'a> Group<'a> {
    fn is(&self, one: Term, is_so: impl Fn(&Seat<'a>) -> bool) -> bool {
        self.0.iter().any(|seat| one == seat.member.into() && is_so(seat))
    }
}

impl Facts<Whole> for Group<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::HasAViewInstalled { one } => self.is(one, |seat| seat.state.work.is_some()),
            Predicate::LeadsAMerge { one } => self.is(one, |seat| seat.state.merge.is_some()),
            Predicate::WaitsForALeader { one } => self.is(one, |seat| seat.state.leader.is_some()),
            Predicate::CoordinatesIt { one } => self.is(one, |seat| {
                let work = seat.state.work.as_ref();
                work.is_some_and(|work| work.view.coordinator() == Some(seat.member))
            }),
            Predicate::LeavesByIt { one } => self.is(one, |seat| {
                let work = seat.state.work.as_ref();
                work.is_some_and(|work| !work.view.contains(seat.member))
            }),
            Predicate::ItsResumerIsArmed { one } => {
                self.is(one, |seat| seat.part.is_armed(&seat.resumer()))
            }
            Predicate::ItsResumerHasBegun { one } => {
                self.is(one, |seat| seat.part.late().any(|timer: &Timer| *timer == seat.resumer()))
            }
            Predicate::AnotherResumerIsArmed { one } => self.is(one, |seat| {
                let is_a_resumer = |timer: &_| matches!(timer, Timer::Resumer(_));
                let mut timers = seat.part.armed().filter(|timer| is_a_resumer(*timer));
                timers.any(|timer| *timer != seat.resumer())
            }),
        }
    }

    fn every(&self, collection: Collection, _: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {}
    }

    fn instances(&self, is: &mut dyn FnMut(Term, At) -> bool) -> bool {
        self.0.iter().all(|seat| is(seat.member.into(), seat.state.at))
    }

    fn state(&self, one: Term) -> Option<At> {
        let mut seats = self.0.iter();
        seats.find(|seat| one == seat.member.into()).map(|seat| seat.state.at)
    }
}
