//! Liveness on models whose answers are known by hand: a lock protocol that sends again what was
//! lost, one whose server never acknowledges again, one whose clients never send again.

#[path = "../benches/lock/parts.rs"]
mod parts;

use parts::Lock;
use turnstile_search::bounds::{Limits, Reductions, Silent, Until};
use turnstile_search::engine::{Question, run};
use turnstile_search::fingerprint::{of_part, of_sum};
use turnstile_search::judged::{Judged, Verdict};
use turnstile_search::parts::{Parts, cascade};
use turnstile_search::replay::replay;

const MUTUAL_EXCLUSION: usize = 0;
const CAN_END: usize = 1;
const ENDS: usize = 2;

fn judged(system: &Lock, limits: Limits) -> Vec<Judged> {
    let question = Question {
        threads: 1,
        limits,
        reduce: Reductions::NONE,
        until: &Until::End,
        progress: &Silent,
    };
    let outcome = run(system, question);
    assert_eq!(outcome.impure, None);
    outcome.judged
}

/// The states of a run, and where its loop begins.
fn replayed(system: &Lock, judged: &Judged) -> (Vec<Vec<parts::Part>>, usize) {
    let trail = judged.trail.as_ref().expect("a run shows it");
    let successors = |state: &Vec<parts::Part>| {
        let mut next = Vec::new();
        for (at, part) in (0..).map(turnstile_search::parts::Place).zip(state) {
            for offer in system.offers(at, part) {
                let ends = cascade(system, state, at, &offer.op);
                next.extend(ends.into_iter().map(|mut end| {
                    end.relieves.push(offer.fairness.clone());
                    (end.relieves, end.state)
                }));
            }
        }
        next
    };
    let fingerprint = |state: &Vec<parts::Part>| {
        let sums = state.iter().enumerate().map(|(place, part)| of_part(place, part));
        of_sum(sums.fold(0, u64::wrapping_add))
    };
    let run = replay(trail, system.initial(), successors, Vec::as_slice, fingerprint);
    let states = [run.first].into_iter().chain(run.steps.into_iter().map(|(_, state)| state));
    (states.collect(), trail.loop_from.expect("it goes on for ever"))
}

#[test]
fn who_sends_again_ends_on_every_fair_run() {
    let system = Lock::new(2, 1);
    let judged = judged(&system, Limits::default());
    assert_eq!(judged[MUTUAL_EXCLUSION].verdict, Verdict::Holds);
    assert_eq!(judged[CAN_END].verdict, Verdict::Holds);
    let ends = &judged[ENDS];
    assert_eq!(ends.verdict, Verdict::FailsOnlyUnfairly);
    assert!(ends.assumptions.contains(&"weakly fair: client 1: timer".to_owned()));
    assert!(
        ends.assumptions.contains(&"strongly fair: client 2: Request(0) is delivered".to_owned()),
        "{:?}",
        ends.assumptions
    );
    let (states, loop_from) = replayed(&system, ends);
    assert_eq!(states.last(), states.get(loop_from), "the loop closes");
    assert!(states.len() > loop_from + 1, "without fairness a run goes round, it does not stop");
}

#[test]
fn a_server_that_does_not_acknowledge_again_keeps_a_client_for_ever() {
    let system = Lock { does_acknowledge_again: false, ..Lock::new(2, 1) };
    let judged = judged(&system, Limits::default());
    assert_eq!(judged[MUTUAL_EXCLUSION].verdict, Verdict::Holds);
    assert_eq!(judged[CAN_END].verdict, Verdict::Fails);
    assert_eq!(judged[CAN_END].trail.as_ref().expect("a run shows it").loop_from, None);
    let ends = &judged[ENDS];
    assert_eq!(ends.verdict, Verdict::Fails);
    let (states, loop_from) = replayed(&system, ends);
    assert_eq!(states.last(), states.get(loop_from), "the loop closes");
    let releasing = |state: &Vec<parts::Part>| {
        state.iter().any(|part| {
            matches!(part, parts::Part::Client { phase: parts::Phase::Releases, round: 0, .. })
        })
    };
    assert!(states[loop_from..].iter().all(releasing), "somebody releases for ever");
}

#[test]
fn who_does_not_send_again_stops_after_one_loss() {
    let system = Lock { does_retry: false, ..Lock::new(2, 1) };
    let judged = judged(&system, Limits::default());
    assert_eq!(judged[CAN_END].verdict, Verdict::Fails);
    let ends = &judged[ENDS];
    assert_eq!(ends.verdict, Verdict::Fails);
    let (states, loop_from) = replayed(&system, ends);
    assert_eq!(states.len(), loop_from + 1, "nothing is left to happen");
}

#[test]
fn a_graph_that_was_cut_says_nothing_of_runs() {
    let limits = Limits { max_states: Some(1_000), ..Limits::default() };
    let judged = judged(&Lock::new(2, 1), limits);
    assert!(judged.iter().all(|judged| judged.verdict == Verdict::Incomplete), "{judged:?}");
}
