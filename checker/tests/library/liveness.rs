//! Liveness on models with known verdicts: a lock protocol with retransmission, one whose server
//! does not repeat acknowledgements, one whose clients do not retransmit.

use turnstile_models::parts::{Lock, Part, Phase};
use turnstile_search::bounds::{Limits, NoProgress};
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::fingerprint::{from_sum, hash_term};
use turnstile_search::judgement::{Judgement, Verdict};
use turnstile_search::replay::replay;
use turnstile_search::transition_system::{TransitionSystem, cascade};

const MUTUAL_EXCLUSION: usize = 0;
const CAN_END: usize = 1;
const ENDS: usize = 2;

fn judge(system: &Lock, limits: Limits) -> Vec<Judgement> {
    let request = CheckRequest { limits, ..CheckRequest::new(&NoProgress) };
    let outcome = run(system, request);
    assert_eq!(outcome.impure, None);
    outcome.judgements
}

/// The states of a lasso, and the index where its cycle begins.
fn replay_lasso(system: &Lock, judgement: &Judgement) -> (Vec<Vec<Part>>, usize) {
    let trail = judgement.trail.as_ref().expect("a run shows it");
    let successors = |state: &Vec<Part>| {
        let mut next = Vec::new();
        for (at, part) in (0..).map(turnstile_search::transition_system::Place).zip(state) {
            for enabled in system.enabled(at, part) {
                let ends = cascade(system, state, at, &enabled.op);
                next.extend(ends.into_iter().map(|mut end| {
                    end.discharges.push(enabled.fairness.clone());
                    (end.discharges, end.state)
                }));
            }
        }
        next
    };
    let fingerprint = |state: &Vec<Part>| {
        let terms = state.iter().enumerate().map(|(place, part)| hash_term(place, part));
        from_sum(terms.fold(0, u64::wrapping_add))
    };
    let trace = replay(trail, system.initial(), successors, Vec::as_slice, fingerprint);
    let states = [trace.first].into_iter().chain(trace.steps.into_iter().map(|(_, state)| state));
    (states.collect(), trail.loop_from.expect("it goes on for ever"))
}

#[test]
fn with_retransmission_every_fair_path_ends() {
    let system = Lock::new(2, 1);
    let judgements = judge(&system, Limits::default());
    assert_eq!(judgements[MUTUAL_EXCLUSION].verdict, Verdict::Holds);
    assert_eq!(judgements[CAN_END].verdict, Verdict::Holds);
    let ends = &judgements[ENDS];
    assert_eq!(ends.verdict, Verdict::HoldsUnderFairness);
    assert!(ends.assumptions.contains(&"weakly fair: client 1: timer".to_owned()));
    assert!(
        ends.assumptions.contains(&"strongly fair: client 2: Request(0) is delivered".to_owned()),
        "{:?}",
        ends.assumptions
    );
    let (states, loop_from) = replay_lasso(&system, ends);
    assert_eq!(states.last(), states.get(loop_from), "the loop closes");
    assert!(states.len() > loop_from + 1, "without fairness a run goes round, it does not stop");
}

#[test]
fn without_repeated_acknowledgements_a_client_waits_forever() {
    let system = Lock { does_acknowledge_again: false, ..Lock::new(2, 1) };
    let judgements = judge(&system, Limits::default());
    assert_eq!(judgements[MUTUAL_EXCLUSION].verdict, Verdict::Holds);
    assert_eq!(judgements[CAN_END].verdict, Verdict::Fails);
    assert_eq!(judgements[CAN_END].trail.as_ref().expect("a run shows it").loop_from, None);
    let ends = &judgements[ENDS];
    assert_eq!(ends.verdict, Verdict::Fails);
    let (states, loop_from) = replay_lasso(&system, ends);
    assert_eq!(states.last(), states.get(loop_from), "the loop closes");
    let releasing = |state: &Vec<Part>| {
        state
            .iter()
            .any(|part| matches!(part, Part::Client { phase: Phase::Releases, round: 0, .. }))
    };
    assert!(states[loop_from..].iter().all(releasing), "somebody releases for ever");
}

#[test]
fn without_retransmission_one_loss_is_a_deadlock() {
    let system = Lock { does_retry: false, ..Lock::new(2, 1) };
    let judgements = judge(&system, Limits::default());
    assert_eq!(judgements[CAN_END].verdict, Verdict::Fails);
    let ends = &judgements[ENDS];
    assert_eq!(ends.verdict, Verdict::Fails);
    let (states, loop_from) = replay_lasso(&system, ends);
    assert_eq!(states.len(), loop_from + 1, "nothing is left to happen");
}

#[test]
fn a_truncated_search_leaves_liveness_incomplete() {
    let limits = Limits { max_states: Some(1_000), ..Limits::default() };
    let judgements = judge(&Lock::new(2, 1), limits);
    assert!(
        judgements.iter().all(|judgement| judgement.verdict == Verdict::Incomplete),
        "{judgements:?}"
    );
}
