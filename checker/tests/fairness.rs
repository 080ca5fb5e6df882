//! Fairness to timers. One that can fire again and again fires in the end, or its clock is started
//! anew or stopped again and again: on graphs of a few states, and with edited tables in a World.

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::result::PropertyReport;
use turnstile_search::bounds::{Limits, Reductions, Silent, Until};
use turnstile_search::engine::{Question, run};
use turnstile_search::fingerprint::{of_part, of_sum};
use turnstile_search::judged::{Judged, Verdict};
use turnstile_search::parts::{
    Claim, Done, Fairness, Offer, Parts, Place, Predicate, Property, cascade,
};
use turnstile_search::replay::replay;
use turnstile_spec::{Literal, Source, System};
use turnstile_world::trace::StepReport;

/// A graph of states by number. Runs begin in 0 and ought to come to [`GOAL`].
struct Drawn(&'static [Edge]);

/// A transition.
struct Edge {
    from: u8,
    to: u8,
    /// The timer that fires; none: a message that may as well never come.
    fires: Option<&'static str>,
    /// The timers whose clocks it starts anew or stops.
    relieves: &'static [&'static str],
}

const GOAL: u8 = 9;

fn timer(name: &&str) -> Fairness {
    Fairness::Strong((*name).to_owned())
}

const fn fires(from: u8, name: &'static str, to: u8) -> Edge {
    Edge { from, to, fires: Some(name), relieves: &[] }
}

const fn comes(from: u8, to: u8, relieves: &'static [&'static str]) -> Edge {
    Edge { from, to, fires: None, relieves }
}

impl Parts for Drawn {
    type Part = u8;
    type Op = usize;
    type Mark = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn offers(&self, _: Place, part: &u8) -> Vec<Offer<usize>> {
        let edges = self.0.iter().enumerate().filter(|(_, edge)| edge.from == *part);
        let offer = |(op, edge): (usize, &Edge)| Offer {
            op,
            fairness: edge.fires.as_ref().map_or(Fairness::Never, timer),
            is_loss: false,
        };
        edges.map(offer).collect()
    }

    fn apply(&self, _: Place, _: &u8, op: &usize) -> Vec<Done<u8, usize, ()>> {
        let Edge { to, relieves, .. } = self.0[*op];
        vec![Done { relieves: relieves.iter().map(timer).collect(), ..Done::plain(to) }]
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "there".to_owned(), reads: None, reads_messages: false }]
    }

    fn test(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] == GOAL));
    }

    fn properties(&self) -> Vec<Property> {
        vec![Property { name: "ends".to_owned(), claim: Claim::Eventually(0), premise: None }]
    }
}

fn judged(edges: &'static [Edge]) -> Judged {
    let question = Question {
        threads: 1,
        limits: Limits::default(),
        reduce: Reductions::NONE,
        until: &Until::End,
        progress: &Silent,
    };
    let outcome = run(&Drawn(edges), question);
    assert_eq!(outcome.impure, None);
    outcome.judged.into_iter().next().expect("it has a property")
}

/// The states on the loop of the run shown, as the graph itself takes it.
fn round(edges: &'static [Edge], judged: &Judged) -> Vec<u8> {
    let system = Drawn(edges);
    let trail = judged.trail.as_ref().expect("a run shows it");
    let successors = |state: &Vec<u8>| -> Vec<(Vec<Fairness>, Vec<u8>)> {
        let offers = system.offers(Place(0), &state[0]).into_iter();
        let ends = offers.flat_map(|Offer { op, fairness, .. }| {
            cascade(&system, state, Place(0), &op).into_iter().map(move |mut end| {
                end.relieves.push(fairness.clone());
                (end.relieves, end.state)
            })
        });
        ends.collect()
    };
    let fingerprint = |state: &Vec<u8>| of_sum(of_part(0, &state[0]));
    let run = replay(trail, system.initial(), successors, Vec::as_slice, fingerprint);
    let states = [run.first[0]].into_iter().chain(run.steps.iter().map(|(_, state)| state[0]));
    states.skip(trail.loop_from.expect("it goes on for ever")).collect()
}

/// It fires, although it cannot in every state of the loop: a pause does not stop its clock.
#[test]
fn a_timer_that_is_blocked_now_and_then_fires() {
    const EDGES: &[Edge] = &[comes(0, 1, &[]), fires(1, "pause", 0), fires(0, "timer", GOAL)];
    let judged = judged(EDGES);
    assert_eq!(judged.verdict, Verdict::FailsOnlyUnfairly);
    assert_eq!(judged.assumptions, ["strongly fair: timer"]);
    assert_eq!(round(EDGES, &judged), [0, 1, 0]);
}

#[test]
fn a_timer_that_is_started_anew_in_each_round_never_fires() {
    const EDGES: &[Edge] = &[
        comes(0, 1, &[]),
        comes(1, 0, &["timer"]),
        fires(0, "timer", GOAL),
        fires(1, "timer", GOAL),
    ];
    let judged = judged(EDGES);
    assert_eq!(judged.verdict, Verdict::Fails);
    assert_eq!(round(EDGES, &judged), [0, 1, 0]);
}

/// Stopped in one state of the loop and started again in another.
#[test]
fn a_timer_that_is_stopped_and_started_in_turn_never_fires() {
    const EDGES: &[Edge] =
        &[comes(0, 1, &["timer"]), fires(1, "pause", 0), fires(0, "timer", GOAL)];
    assert_eq!(judged(EDGES).verdict, Verdict::Fails);
}

/// That its clock is started anew shows in no state: a run may stay in one.
#[test]
fn a_timer_that_is_started_anew_where_nothing_else_changes_never_fires() {
    const EDGES: &[Edge] = &[comes(0, 0, &["timer"]), fires(0, "timer", GOAL)];
    const IDLE: &[Edge] = &[comes(0, 0, &[]), fires(0, "timer", GOAL)];
    let judged = judged(EDGES);
    assert_eq!(judged.verdict, Verdict::Fails);
    assert_eq!(round(EDGES, &judged), [0, 0], "the step that leads to where it began is shown");
    assert_eq!(self::judged(IDLE).verdict, Verdict::Holds, "what changes nothing is no step");
}

/// It fires where nothing changes, and its clock starts anew: that may be all that it ever does.
#[test]
fn a_timer_that_fires_to_no_effect_has_fired() {
    const EDGES: &[Edge] = &[
        Edge { relieves: &["timer"], ..fires(0, "timer", 0) },
        comes(0, 1, &[]),
        fires(1, "timer", GOAL),
        fires(1, "pause", 0),
        fires(0, "other", 1),
    ];
    const ALONE: &[Edge] =
        &[Edge { relieves: &["timer"], ..fires(0, "timer", 0) }, fires(0, "other", GOAL)];
    assert_eq!(judged(EDGES).verdict, Verdict::Fails);
    assert_eq!(judged(ALONE).verdict, Verdict::Holds, "it is as good as to stop");
}

/// Of two clocks only one is started anew: the other timer fires.
#[test]
fn to_start_one_clock_anew_does_not_put_off_another() {
    const EDGES: &[Edge] =
        &[comes(0, 0, &["this"]), fires(0, "this", GOAL), fires(0, "that", GOAL)];
    let judged = judged(EDGES);
    assert_eq!(judged.verdict, Verdict::FailsOnlyUnfairly);
    assert_eq!(judged.assumptions, ["strongly fair: that"]);
    assert_eq!(judged.not_needed, ["strongly fair: this"]);
}

/// A run keeps away from where a timer could fire that nothing relieves, and keeps the others.
#[test]
fn a_run_avoids_what_it_would_have_to_do() {
    const EDGES: &[Edge] = &[
        comes(0, 1, &[]),
        comes(1, 0, &[]),
        fires(0, "this", GOAL),
        fires(1, "walk", 2),
        comes(2, 1, &["that"]),
        fires(2, "that", GOAL),
    ];
    let judged = judged(EDGES);
    assert_eq!(judged.verdict, Verdict::Fails);
    let round = round(EDGES, &judged);
    assert!(!round.contains(&0) && round.contains(&2), "{round:?}");
}

/// The claim table with other rows for what happens while a client waits, and what comes of the
/// claim of the first client in the end.
fn first_claim(rows: &str) -> PropertyReport {
    const LAST: &str =
        "- { row: { cite: 50 }, set: { do: [delete timeout timer, terminate client] } }\n";
    let table = turnstile_bundled::table("claim").expect("it is bundled");
    assert!(table.text.contains(LAST), "the row is no longer there");
    let text = table.text.replacen(LAST, &format!("{LAST}{rows}"), 1);
    let source = Source::new("claim.yaml", text);
    let literal = Literal::read(source.clone()).expect("it can be read");
    let table = literal.amended().expect("it is sound").table;
    let options = Options {
        tables: vec![Replacement { vocabulary: literal.vocabulary, table, source }],
        ..Options::new(&Silent)
    };
    let text = turnstile_bundled::system("claim").expect("it is bundled");
    let file = System::read(Source::new(text.file, text.text)).expect("it can be read");
    let entry = SYSTEMS.entry("claim").expect("it is compiled in");
    let world = file.world("hurry").expect("it has the world");
    let result = entry.run(&file, world, &options).expect("its names are known");
    let mut properties = result.properties.into_iter();
    let first = properties.find(|property| property.name == "the first claim is answered");
    first.expect("it is asked")
}

/// Whether a loop goes through an answer that says no.
#[track_caller]
fn is_refused_for_ever(property: &PropertyReport) {
    assert_eq!(property.verdict, Verdict::Fails);
    let loop_from = property.loop_from.expect("it goes on for ever");
    let round = &property.counterexample[loop_from..];
    let is_refusal = |step: &StepReport| step.node == "client 1" && step.event == "response (409)";
    assert!(round.iter().any(is_refusal), "{round:?}");
}

#[test]
fn a_table_that_restarts_its_time_out_at_each_refusal_never_times_out() {
    let restarts = "set: { do: [restart timeout timer, create activate timer] }";
    is_refused_for_ever(&first_claim(&format!(
        "        - {{ row: {{ cite: 47 }}, {restarts} }}\n"
    )));
}

#[test]
fn the_table_as_it_is_times_out() {
    let property = first_claim("");
    assert_eq!(property.verdict, Verdict::FailsOnlyUnfairly);
    let timeout = "strongly fair: client 1: timeout timer triggers".to_owned();
    assert!(property.assumptions.contains(&timeout), "{:?}", property.assumptions);
}
