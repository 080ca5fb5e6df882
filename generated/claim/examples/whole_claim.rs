//! One claim from the first request to the release, each state a type.
//!
//! An event that a state does not accept is no method of it: `waiting.response(200)` does not
//! compile. What a status decides is an enum, and a forgotten one is a warning.

use turnstile_claim_machines::claim::typestate::{
    ActivatingResponse, Active, Confirming, ConfirmingResponse, Machine, Marker,
    RegisteringResponse, ReleasingResponse, RenewingResponse, Waiting, begin,
};
use turnstile_claim_machines::claim::{Action, Guard, State, Unexpected};

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() {
    let statuses =
        Statuses { register: 202, activate: &[409, 200], confirm: 200, renew: 200, release: 204 };
    match claim(statuses) {
        Ok(run) => run.iter().for_each(|(state, does)| println!("{state}: {does:?}")),
        Err(refusal) => println!("{refusal}"),
    }
}

/// What the server answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statuses {
    /// To the POST.
    pub(crate) register: u16,
    /// To each PATCH (status=active).
    pub(crate) activate: &'static [u16],
    /// To the first PATCH (ttl=...).
    pub(crate) confirm: u16,
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
/// A status that the table says nothing of.
pub(crate) fn claim(statuses: Statuses) -> Result<Run, Unexpected> {
    let mut run = Run::new();
    let registering = entered(&mut run, begin().start());
    match registering.response(statuses.register, &in_time) {
        RegisteringResponse::Waiting(machine) => {
            let waiting = entered(&mut run, machine);
            wait(run, waiting, statuses)
        }
        RegisteringResponse::Active(machine) => {
            let active = entered(&mut run, machine);
            hold(run, active, statuses)
        }
        RegisteringResponse::Confirming(machine) => Ok(ended(run, machine)),
        RegisteringResponse::RetryingRegister(machine) => Ok(ended(run, machine)),
        RegisteringResponse::StartingOver(machine) => Ok(ended(run, machine)),
        RegisteringResponse::Fail(machine) => Ok(ended(run, machine)),
        RegisteringResponse::Unexpected(_, refusal) => Err(refusal),
    }
}

/// Asks for the lock until the statuses run out; then the user has had enough.
fn wait(
    mut run: Run,
    mut waiting: Machine<Waiting>,
    statuses: Statuses,
) -> Result<Run, Unexpected> {
    for &status in statuses.activate {
        let activating = entered(&mut run, waiting.activate_timer_triggers());
        waiting = match activating.response(status, &in_time) {
            ActivatingResponse::Waiting(machine) => entered(&mut run, machine),
            ActivatingResponse::Confirming(machine) => {
                let confirming = entered(&mut run, machine);
                return confirm(run, confirming, statuses);
            }
            ActivatingResponse::RetryingActivate(machine) => return Ok(ended(run, machine)),
            ActivatingResponse::StartingOver(machine) => return Ok(ended(run, machine)),
            ActivatingResponse::Fail(machine) => return Ok(ended(run, machine)),
            ActivatingResponse::Unexpected(_, refusal) => return Err(refusal),
        };
    }
    Ok(ended(run, waiting.signal_received()))
}

fn confirm(
    mut run: Run,
    confirming: Machine<Confirming>,
    statuses: Statuses,
) -> Result<Run, Unexpected> {
    match confirming.response(statuses.confirm, &in_time) {
        ConfirmingResponse::Active(machine) => {
            let active = entered(&mut run, machine);
            hold(run, active, statuses)
        }
        ConfirmingResponse::RetryingConfirm(machine) => Ok(ended(run, machine)),
        ConfirmingResponse::StartingOver(machine) => Ok(ended(run, machine)),
        ConfirmingResponse::Fail(machine) => Ok(ended(run, machine)),
        ConfirmingResponse::Unexpected(_, refusal) => Err(refusal),
    }
}

fn hold(mut run: Run, active: Machine<Active>, statuses: Statuses) -> Result<Run, Unexpected> {
    let renewing = entered(&mut run, active.renew_timer_triggers());
    let active = match renewing.response(statuses.renew, &in_time) {
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

/// Every answer comes before its lease is over, and no claim expires.
fn in_time(guard: Guard) -> bool {
    match guard {
        Guard::LeaseIsLive | Guard::LeaseLeavesTime => true,
        Guard::MayBeRegistered | Guard::HasExpired => false,
    }
}

/// Notes how the machine came to its state.
fn entered<S: Marker>(run: &mut Run, machine: Machine<S>) -> Machine<S> {
    run.push((S::STATE, machine.step.actions.iter().map(|act| act.action).collect()));
    machine
}

/// This is as far as the run follows the claim.
fn ended<S: Marker>(mut run: Run, machine: Machine<S>) -> Run {
    drop(entered(&mut run, machine));
    run
}
