//! Waived faults: a property in states after a fault that its `without` names.

use std::sync::Arc;

use crate::toy::{By, ENGINES, Row, is, property, verdicts, world};
use turnstile_search::judgement::Verdict;
use turnstile_world::{TemporalFormula, World};

const WAITING: u8 = 0;
const FREE: u8 = 1;
const BROKEN: u8 = 2;

/// Only the fault leads to the goal.
const STUCK: &[Row] = &[(WAITING, By::Budget("outage"), FREE)];
/// The goal is reachable without the fault, too.
const OPEN: &[Row] = &[
    (WAITING, By::Budget("outage"), BROKEN),
    (WAITING, By::Timer, FREE),
    (FREE, By::Command, WAITING),
];

fn goal_is_reachable() -> TemporalFormula {
    TemporalFormula::CanReach { antecedent: is(WAITING), goal: is(FREE) }
}

#[test]
fn a_goal_after_a_waived_fault_does_not_count() {
    let mut stuck = world(STUCK, &[("outage", Some(1))]);
    stuck
        .add_property(property("excused", goal_is_reachable(), &["outage"]))
        .expect("it may excuse that");
    stuck
        .add_property(property("not excused", goal_is_reachable(), &[]))
        .expect("it may excuse that");
    check(stuck, &[("excused", Verdict::Fails), ("not excused", Verdict::Holds)]);
}

#[test]
fn can_reach_is_waived_after_the_fault() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let broken = || TemporalFormula::CanReach { antecedent: is(BROKEN), goal: is(FREE) };
    open.add_property(property("excused", goal_is_reachable(), &["outage"]))
        .expect("it may excuse that");
    open.add_property(property("after it", broken(), &["outage"])).expect("it may excuse that");
    open.add_property(property("not excused", broken(), &[])).expect("it may excuse that");
    let expected = [
        ("excused", Verdict::Holds),
        ("after it", Verdict::Vacuous),
        ("not excused", Verdict::Fails),
    ];
    check(open, &expected);
}

#[test]
fn a_path_with_a_waived_fault_need_not_reach_its_goal() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let freed = || TemporalFormula::LeadsTo { antecedent: is(WAITING), goal: is(FREE) };
    open.add_property(property("excused", freed(), &["outage"])).expect("it may excuse that");
    open.add_property(property("not excused", freed(), &[])).expect("it may excuse that");
    let expected = [("excused", Verdict::Holds), ("not excused", Verdict::Fails)];
    check(open, &expected);
}

#[test]
fn an_invariant_is_waived_after_the_fault() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let whole =
        || TemporalFormula::Always { holds: crate::toy::is_not(BROKEN), antecedent: is(FREE) };
    open.add_property(property("excused", whole(), &["outage"])).expect("it may excuse that");
    open.add_property(property("not excused", whole(), &[])).expect("it may excuse that");
    check(open, &[("excused", Verdict::Holds), ("not excused", Verdict::Fails)]);
}

/// Both engines agree, except that stateright does not check liveness.
#[track_caller]
fn check(world: World, expected: &[(&str, Verdict)]) {
    let world = Arc::new(world);
    for (engine, is_reference) in ENGINES.into_iter().zip([false, true]) {
        let said = verdicts(&world, engine);
        let said: Vec<_> = said.iter().map(|one| (one.name.as_str(), one.verdict)).collect();
        let is_open = |verdict| is_reference && verdict == Verdict::Incomplete;
        for (said, expected) in said.iter().zip(expected) {
            assert!(said == expected || is_open(said.1), "{said:?}: {expected:?} by {engine:?}");
        }
        assert_eq!(said.len(), expected.len());
    }
}
