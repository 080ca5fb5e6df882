//! Strong fairness of timers: one that can fire infinitely often fires, is restarted or is disarmed
//! infinitely often; on graphs of a few states, and with edited tables in a World.

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::results::result::PropertyReport;
use turnstile_models::{Edge, EdgeGraph};
use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::fingerprint::{from_sum, hash_term};
use turnstile_search::judgement::{Judgement, Verdict};
use turnstile_search::replay::replay;
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Place, TransitionSystem as _, cascade,
};
use turnstile_spec::{Source, WrittenTable};
use turnstile_world::trace::StepReport;

/// A transition of an [`EdgeGraph`].
struct TimerEdge {
    from: u8,
    to: u8,
    /// The timer that fires; `None`: a message without fairness.
    fires: Option<&'static str>,
    /// The timers that it restarts or disarms.
    discharges: &'static [&'static str],
}

const GOAL: u8 = 9;

fn timer(name: &&str) -> Fairness {
    Fairness::Strong((*name).to_owned())
}

const fn fires(from: u8, name: &'static str, to: u8) -> TimerEdge {
    TimerEdge { from, to, fires: Some(name), discharges: &[] }
}

const fn comes(from: u8, to: u8, discharges: &'static [&'static str]) -> TimerEdge {
    TimerEdge { from, to, fires: None, discharges }
}

fn graph(edges: &[TimerEdge]) -> EdgeGraph {
    let edge = |one: &TimerEdge| Edge {
        from: one.from,
        to: one.to,
        fairness: one.fires.as_ref().map_or(Fairness::None, timer),
        discharges: one.discharges.iter().map(timer).collect(),
    };
    EdgeGraph { edges: edges.iter().map(edge).collect(), goal: GOAL }
}

fn judge(edges: &'static [TimerEdge]) -> Judgement {
    let outcome = run(&graph(edges), CheckRequest::new(&NoProgress));
    assert_eq!(outcome.impure, None);
    outcome.judgements.into_iter().next().expect("it has a property")
}

/// The states of the cycle of the counterexample, as the graph itself replays it.
fn cycle(edges: &'static [TimerEdge], judgement: &Judgement) -> Vec<u8> {
    let system = graph(edges);
    let trail = judgement.trail.as_ref().expect("a run shows it");
    let successors = |state: &Vec<u8>| -> Vec<(Vec<Fairness>, Vec<u8>)> {
        let enabled = system.enabled(Place(0), &state[0]).into_iter();
        let ends = enabled.flat_map(|EnabledOp { op, fairness, .. }| {
            cascade(&system, state, Place(0), &op).into_iter().map(move |mut end| {
                end.discharges.push(fairness.clone());
                (end.discharges, end.state)
            })
        });
        ends.collect()
    };
    let fingerprint = |state: &Vec<u8>| from_sum(hash_term(0, &state[0]));
    let trace = replay(trail, system.initial(), successors, Vec::as_slice, fingerprint);
    let states = [trace.first[0]].into_iter().chain(trace.steps.iter().map(|(_, state)| state[0]));
    states.skip(trail.loop_from.expect("it goes on for ever")).collect()
}

/// It fires, although it is disabled in some states of the cycle: a pause does not stop its clock.
#[test]
fn a_timer_that_is_disabled_at_times_fires() {
    const EDGES: &[TimerEdge] = &[comes(0, 1, &[]), fires(1, "pause", 0), fires(0, "timer", GOAL)];
    let judgement = judge(EDGES);
    assert_eq!(judgement.verdict, Verdict::HoldsUnderFairness);
    assert_eq!(judgement.assumptions, ["strongly fair: timer"]);
    assert_eq!(cycle(EDGES, &judgement), [0, 1, 0]);
}

#[test]
fn a_timer_that_is_restarted_in_each_cycle_never_fires() {
    const EDGES: &[TimerEdge] = &[
        comes(0, 1, &[]),
        comes(1, 0, &["timer"]),
        fires(0, "timer", GOAL),
        fires(1, "timer", GOAL),
    ];
    let judgement = judge(EDGES);
    assert_eq!(judgement.verdict, Verdict::Fails);
    assert_eq!(cycle(EDGES, &judgement), [0, 1, 0]);
}

/// It is disarmed in one state of the cycle and armed again in another.
#[test]
fn a_timer_that_is_disarmed_and_armed_in_turn_never_fires() {
    const EDGES: &[TimerEdge] =
        &[comes(0, 1, &["timer"]), fires(1, "pause", 0), fires(0, "timer", GOAL)];
    assert_eq!(judge(EDGES).verdict, Verdict::Fails);
}

/// A restart of a timer is not visible in the state: the cycle may be a self-loop.
#[test]
fn a_timer_that_is_restarted_by_a_self_loop_never_fires() {
    const EDGES: &[TimerEdge] = &[comes(0, 0, &["timer"]), fires(0, "timer", GOAL)];
    const IDLE: &[TimerEdge] = &[comes(0, 0, &[]), fires(0, "timer", GOAL)];
    let judgement = judge(EDGES);
    assert_eq!(judgement.verdict, Verdict::Fails);
    assert_eq!(cycle(EDGES, &judgement), [0, 0], "the step that leads to where it began is shown");
    assert_eq!(judge(IDLE).verdict, Verdict::Holds, "what changes nothing is no step");
}

/// It fires without changing the state, and is armed again: the cycle may consist of that.
#[test]
fn a_timer_that_fires_without_effect_is_discharged() {
    const EDGES: &[TimerEdge] = &[
        TimerEdge { discharges: &["timer"], ..fires(0, "timer", 0) },
        comes(0, 1, &[]),
        fires(1, "timer", GOAL),
        fires(1, "pause", 0),
        fires(0, "other", 1),
    ];
    const ALONE: &[TimerEdge] =
        &[TimerEdge { discharges: &["timer"], ..fires(0, "timer", 0) }, fires(0, "other", GOAL)];
    assert_eq!(judge(EDGES).verdict, Verdict::Fails);
    let alone = judge(ALONE);
    assert_eq!(alone.verdict, Verdict::HoldsUnderFairness, "it may go on for ever");
    assert_eq!(alone.assumptions, ["strongly fair: other"]);
}

/// Of two timers only one is restarted: the other one fires.
#[test]
fn restarting_one_timer_does_not_discharge_another() {
    const EDGES: &[TimerEdge] =
        &[comes(0, 0, &["this"]), fires(0, "this", GOAL), fires(0, "that", GOAL)];
    let judgement = judge(EDGES);
    assert_eq!(judgement.verdict, Verdict::HoldsUnderFairness);
    assert_eq!(judgement.assumptions, ["strongly fair: that"]);
    assert_eq!(judgement.not_needed, ["strongly fair: this"]);
}

/// A fair path avoids the states that enable a timer that is never discharged.
#[test]
fn a_fair_path_avoids_an_undischarged_action() {
    const EDGES: &[TimerEdge] = &[
        comes(0, 1, &[]),
        comes(1, 0, &[]),
        fires(0, "this", GOAL),
        fires(1, "walk", 2),
        comes(2, 1, &["that"]),
        fires(2, "that", GOAL),
    ];
    let judgement = judge(EDGES);
    assert_eq!(judgement.verdict, Verdict::Fails);
    let cycle = cycle(EDGES, &judgement);
    assert!(!cycle.contains(&0) && cycle.contains(&2), "{cycle:?}");
}

/// The claim table with other rows for a waiting client, and the liveness of the claim of the first
/// client.
fn first_claim(rows: &str) -> PropertyReport {
    const LAST: &str =
        "- { row: { cite: 50 }, set: { do: [delete timeout timer, terminate client] } }\n";
    let table = turnstile_bundled::table("claim").expect("it is bundled");
    assert!(table.text.contains(LAST), "the row is no longer there");
    let text = table.text.replacen(LAST, &format!("{LAST}{rows}"), 1);
    let source = Source::new("claim.yaml", text);
    let literal = WrittenTable::read(source.clone()).expect("it can be read");
    let table = literal.amended().expect("it is sound").table;
    let options = Options {
        tables: vec![Replacement::new(literal.vocabulary, table, source)],
        ..Options::new(&NoProgress)
    };
    let entry = SYSTEMS.entry("claim").expect("it is compiled in");
    let file = entry.file.system().expect("it can be read");
    let world = file.world("lost-request+signal+release").expect("it has the world");
    let result = entry.run(file, world, &options).expect("its names are known");
    let mut properties = result.properties.into_iter();
    let first = properties.find(|property| property.name == "claim() eventually returns");
    first.expect("it is asked")
}

/// Asserts that the cycle contains a refusal.
#[track_caller]
fn assert_refused_forever(property: &PropertyReport) {
    assert_eq!(property.verdict, Verdict::Fails);
    let loop_from = property.loop_from.expect("it goes on for ever");
    let cycle = &property.counterexample[loop_from..];
    let is_refusal = |step: &StepReport| step.node == "client 1" && step.event == "response (409)";
    assert!(cycle.iter().any(is_refusal), "{cycle:?}");
}

#[test]
fn a_table_that_restarts_its_timeout_at_each_refusal_never_times_out() {
    let restarts = "set: { do: [restart timeout timer, create activate timer] }";
    assert_refused_forever(&first_claim(&format!(
        "        - {{ row: {{ cite: 47 }}, {restarts} }}\n"
    )));
}

#[test]
fn the_bundled_table_times_out() {
    let property = first_claim("");
    assert_eq!(property.verdict, Verdict::HoldsUnderFairness);
    let timeout = "strongly fair: client 1: timeout timer triggers".to_owned();
    assert!(property.assumptions.contains(&timeout), "{:?}", property.assumptions);
}
