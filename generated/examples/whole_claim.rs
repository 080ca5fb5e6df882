//! One claim from the first request to the release, each state a type.
//!
//! An event that a state does not accept is no method of it: `waiting.response(200)` does not
//! compile. What a status decides is an enum, and a forgotten one is a warning.

use turnstile_machines::claim::typestate::{
    Activating, ActivatingResponse, Active, Machine, Marker, RegisteringResponse,
    ReleasingResponse, RenewingResponse, begin,
};
use turnstile_machines::claim::{Action, State, Unexpected};

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() {
    match claim(Statuses { register: 202, activate: 200, renew: 200, release: 204 }) {
        Ok(run) => run.iter().for_each(|(state, does)| println!("{state}: {does:?}")),
        Err(refusal) => println!("{refusal}"),
    }
}

/// What the server answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statuses {
    /// To the POST.
    pub(crate) register: u16,
    /// To the PATCH (status=active).
    pub(crate) activate: u16,
    /// To the heartbeat.
    pub(crate) renew: u16,
    /// To the PATCH (status=released).
    pub(crate) release: u16,
}

/// The states that were entered, each with what was to be done on the way.
pub(crate) type Run = Vec<(State, Vec<Action>)>;

/// Claims a lock that another holds, waits for it, renews it once and gives it back.
///
/// # Errors
///
/// A status that the document says nothing of.
pub(crate) fn claim(statuses: Statuses) -> Result<Run, Unexpected> {
    let mut run = Run::new();
    let registering = entered(&mut run, begin().start());
    match registering.response(statuses.register) {
        RegisteringResponse::Waiting(machine) => {
            let waiting = entered(&mut run, machine);
            let activating = entered(&mut run, waiting.activate_timer_triggers());
            activate(run, activating, statuses)
        }
        RegisteringResponse::RetryingRegister(machine) => Ok(ended(run, machine)),
        RegisteringResponse::Fail(machine) => Ok(ended(run, machine)),
        RegisteringResponse::Unexpected(_, refusal) => Err(refusal),
    }
}

fn activate(
    mut run: Run,
    activating: Machine<Activating>,
    statuses: Statuses,
) -> Result<Run, Unexpected> {
    match activating.response(statuses.activate) {
        ActivatingResponse::Active(machine) => {
            let active = entered(&mut run, machine);
            hold(run, active, statuses)
        }
        ActivatingResponse::RetryingActivate(machine) => Ok(ended(run, machine)),
        ActivatingResponse::Fail(machine) => Ok(ended(run, machine)),
        ActivatingResponse::Unexpected(_, refusal) => Err(refusal),
    }
}

fn hold(mut run: Run, active: Machine<Active>, statuses: Statuses) -> Result<Run, Unexpected> {
    let renewing = entered(&mut run, active.renew_timer_triggers());
    let active = match renewing.response(statuses.renew) {
        RenewingResponse::Active(machine) => entered(&mut run, machine),
        RenewingResponse::RetryingRenew(machine) => return Ok(ended(run, machine)),
        RenewingResponse::Fail(machine) => return Ok(ended(run, machine)),
        RenewingResponse::Unexpected(_, refusal) => return Err(refusal),
    };
    let releasing = entered(&mut run, active.client_requests_release());
    match releasing.response(statuses.release) {
        ReleasingResponse::Released(machine) => Ok(ended(run, machine)),
        ReleasingResponse::RetryingRelease(machine) => Ok(ended(run, machine)),
        ReleasingResponse::Fail(machine) => Ok(ended(run, machine)),
        ReleasingResponse::Unexpected(_, refusal) => Err(refusal),
    }
}

/// Notes how the machine came to its state.
fn entered<S: Marker>(run: &mut Run, machine: Machine<S>) -> Machine<S> {
    run.push((S::STATE, machine.step.does.iter().map(|act| act.action).collect()));
    machine
}

/// This is as far as the run follows the claim.
fn ended<S: Marker>(mut run: Run, machine: Machine<S>) -> Run {
    drop(entered(&mut run, machine));
    run
}
