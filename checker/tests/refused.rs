//! A world of the library that cannot be searched is refused before the search, and one with many
//! properties is searched.

mod toy;

use std::sync::Arc;

use stateright::{Checker as _, Model as _};
use toy::{By, ENGINES, Row, Toy, is, is_not, property, verdicts, world};
use turnstile_reference::Model;
use turnstile_search::judged::Verdict;
use turnstile_world::{Budget, Chance, Claim, Link, LinkKind, Mail, Node, World, WorldError};

const ROWS: &[Row] = &[(0, By::Budget("outage"), 1), (1, By::Command, 2)];

/// What is said of a world of so many nodes, with a link to each of these and with these budgets.
fn errors(nodes: usize, links: &[usize], budgets: &[(&str, Option<u8>)]) -> Vec<WorldError> {
    let node = |number: usize| Node { name: format!("toy {number}"), role: "toy".to_owned() };
    let mail =
        Mail { is_ordered: true, loss: Chance::Never, duplication: Chance::Never, capacity: 1 };
    let link = |&to: &usize| Link { from: 0, to, kind: LinkKind::Messages(mail) };
    let budget = |&(name, limit): &(&str, _)| Budget { name: str::to_owned(name), limit };
    let world = World::new(
        Arc::new(Toy(ROWS)),
        (0..nodes).map(node).collect(),
        links.iter().map(link).collect(),
        budgets.iter().map(budget).collect(),
    );
    world.err().unwrap_or_default()
}

#[test]
fn a_budget_that_nothing_takes_from_is_refused() {
    assert_eq!(errors(1, &[], &[("outage", Some(1)), ("toy crash", None)]), []);
    let [error] = &errors(1, &[], &[("outrage", Some(1))])[..] else { panic!("one error") };
    let text = error.to_string();
    assert!(text.starts_with("no kind of fault is called `outrage`: there are "), "{text}");
    assert!(text.contains("toy crash") && text.ends_with(", outage, other outage"), "{text}");
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let budgets = [("outage", Some(15)), ("outage", Some(14)), ("drift", None)];
    let said: Vec<String> =
        errors(65, &[64, 65], &budgets).iter().map(ToString::to_string).collect();
    let expected = [
        "65 nodes are too many: at most 64",
        "link 1 ends at node 65: there is none",
        "the budget of `outage` is 15: at most 14, or no limit",
        "`outage` has two budgets",
    ];
    assert_eq!(said, expected);
    let many = [("outage", Some(1)); 17];
    let said = errors(1, &[], &many);
    assert_eq!(said[0].to_string(), "17 budgets are too many: at most 16");
}

#[test]
fn a_property_that_cannot_excuse_is_refused() {
    let mut world = world(ROWS, &[("outage", None), ("other outage", Some(1))]);
    let mut said = |claim, without| {
        let refused = world.claim(property("one", claim, &[without]));
        refused.err().map(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let always = || Claim::Always { holds: is(0), premise: is(0) };
    let text = "`one` excuses `outage`, whose budget has no limit: whether it has happened cannot \
                be told";
    assert_eq!(said(always(), "outage"), Some(vec![text.to_owned()]));
    let text = "`one` is a `sometimes`, which excuses no fault";
    assert_eq!(said(Claim::Sometimes(is(0)), "other outage"), Some(vec![text.to_owned()]));
    let unknown = said(always(), "other outrage").expect("misspelt");
    assert!(unknown[0].starts_with("no kind of fault is called `other outrage`"), "{unknown:?}");
    assert_eq!(said(always(), "other outage"), None);
}

/// A world with so many properties that hold, each with its premise, and then one that fails.
fn many(count: usize) -> World {
    let mut world = world(ROWS, &[("outage", Some(1))]);
    for number in 0..count {
        let name = String::leak(format!("holds {number}"));
        let claim = match number % 3 {
            0 => Claim::Always { holds: is_not(3), premise: is(2) },
            1 => Claim::CanReach { premise: is(1), goal: is(2) },
            _ => Claim::Sometimes(is(1)),
        };
        world.claim(property(name, claim, &[])).expect("it excuses nothing");
    }
    let claim = Claim::Always { holds: is_not(2), premise: is(1) };
    world.claim(property("fails", claim, &[])).expect("it excuses nothing");
    world
}

#[test]
fn any_number_of_properties_is_decided() {
    for count in [31, 32, 33, 63, 64, 100] {
        let world = Arc::new(many(count));
        for (engine, is_reference) in ENGINES.into_iter().zip([false, true]) {
            let said = verdicts(&world, engine);
            let (last, before) = said.split_last().expect("one property at least");
            assert_eq!((last.name.as_str(), last.verdict), ("fails", Verdict::Fails));
            assert_eq!(last.counterexample.len(), 2);
            assert_eq!(before.len(), count);
            assert!(
                before.iter().all(|one| one.verdict == Verdict::Holds),
                "{count}, reference: {is_reference}"
            );
        }
    }
}

#[test]
fn explorer_is_asked_about_every_property_or_refuses() {
    for count in [15, 16, 17, 63] {
        let model = Model::new(Arc::new(many(count))).expect("so many are asked about");
        let checker = model.checker().spawn_bfs().join();
        assert!(checker.discovery("fails").is_some(), "after {count}");
    }
    let error = Model::new(Arc::new(many(64))).expect_err("too many");
    assert_eq!(error.to_string(), "65 properties are too many for Explorer: at most 64");
}
