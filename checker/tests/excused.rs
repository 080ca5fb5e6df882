//! What a property says of states after a fault that its `without` names.

mod toy;

use std::sync::Arc;

use toy::{By, ENGINES, Row, is, property, verdicts, world};
use turnstile_search::judged::Verdict;
use turnstile_world::{Claim, World};

const WAITING: u8 = 0;
const FREE: u8 = 1;
const BROKEN: u8 = 2;

/// The only way on is the fault.
const STUCK: &[Row] = &[(WAITING, By::Budget("outage"), FREE)];
/// There is a way on without it, too.
const OPEN: &[Row] = &[
    (WAITING, By::Budget("outage"), BROKEN),
    (WAITING, By::Timer, FREE),
    (FREE, By::Command, WAITING),
];

fn can_go_on() -> Claim {
    Claim::CanReach { premise: is(WAITING), goal: is(FREE) }
}

#[test]
fn a_goal_behind_the_excused_fault_is_none() {
    let mut stuck = world(STUCK, &[("outage", Some(1))]);
    stuck.claim(property("excused", can_go_on(), &["outage"])).expect("it may excuse that");
    stuck.claim(property("not excused", can_go_on(), &[])).expect("it may excuse that");
    check(stuck, &[("excused", Verdict::Fails), ("not excused", Verdict::Holds)]);
}

#[test]
fn where_the_excused_fault_has_happened_nothing_is_claimed() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let broken = || Claim::CanReach { premise: is(BROKEN), goal: is(FREE) };
    open.claim(property("excused", can_go_on(), &["outage"])).expect("it may excuse that");
    open.claim(property("after it", broken(), &["outage"])).expect("it may excuse that");
    open.claim(property("not excused", broken(), &[])).expect("it may excuse that");
    let expected = [
        ("excused", Verdict::Holds),
        ("after it", Verdict::Vacuous),
        ("not excused", Verdict::Fails),
    ];
    check(open, &expected);
}

#[test]
fn a_run_with_the_excused_fault_need_not_come_to_its_goal() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let freed = || Claim::LeadsTo { premise: is(WAITING), goal: is(FREE) };
    open.claim(property("excused", freed(), &["outage"])).expect("it may excuse that");
    open.claim(property("not excused", freed(), &[])).expect("it may excuse that");
    let expected = [("excused", Verdict::Holds), ("not excused", Verdict::Fails)];
    check(open, &expected);
}

#[test]
fn an_invariant_may_be_broken_after_the_excused_fault() {
    let mut open = world(OPEN, &[("outage", Some(1))]);
    let whole = || Claim::Always { holds: toy::is_not(BROKEN), premise: is(FREE) };
    open.claim(property("excused", whole(), &["outage"])).expect("it may excuse that");
    open.claim(property("not excused", whole(), &[])).expect("it may excuse that");
    check(open, &[("excused", Verdict::Holds), ("not excused", Verdict::Fails)]);
}

/// Both engines say the same; but stateright does not speak of whole runs.
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
