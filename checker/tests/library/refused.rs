//! Invalid worlds are rejected before the search; a world may have many properties; a core that
//! panics is a violation.

use std::sync::Arc;

use crate::toy::{By, ENGINES, PANICS, Row, Toy, is, is_not, property, verdicts, world};
use stateright::{Checker as _, Model as _};
use turnstile_reference::Model;
use turnstile_search::judgement::Verdict;
use turnstile_world::{
    Budget, ChannelOptions, Link, LinkKind, Node, Occurrence, Property, TemporalFormula, WhenFull,
    World, WorldError,
};

const ROWS: &[Row] = &[(0, By::Budget("outage"), 1), (1, By::Command, 2)];

/// The errors of a world with this number of nodes, a link to each of these and these budgets.
fn errors(nodes: usize, links: &[usize], budgets: &[(&str, Option<u8>)]) -> Vec<WorldError> {
    let node = |number: usize| Node { name: format!("toy {number}"), role: "toy".to_owned() };
    let mail = ChannelOptions {
        is_ordered: true,
        loss: Occurrence::Never,
        duplication: Occurrence::Never,
        capacity: 1,
    };
    let link = |&to: &usize| Link {
        from: 0,
        to,
        kind: LinkKind::Messages(mail),
        when_full: WhenFull::Fail,
    };
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
fn an_unknown_budget_is_rejected() {
    assert_eq!(errors(1, &[], &[("outage", Some(1)), ("toy crash", None)]), []);
    let [error] = &errors(1, &[], &[("outrage", Some(1))])[..] else { panic!("one error") };
    let text = error.to_string();
    assert!(text.starts_with("no kind of fault is called `outrage`: there are "), "{text}");
    assert!(text.contains("toy crash") && text.ends_with(", outage, other outage"), "{text}");
}

#[test]
fn all_errors_are_reported_at_once() {
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
fn an_invalid_waiver_is_rejected() {
    let mut world = world(ROWS, &[("outage", None), ("other outage", Some(1))]);
    let mut said = |formula, without| {
        let refused = world.add_property(property("one", formula, &[without]));
        refused.err().map(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let always = || TemporalFormula::Always { holds: is(0), antecedent: is(0) };
    let text = "`one` waives `outage`, whose budget has no limit: whether it has occurred is \
                unknown";
    assert_eq!(said(always(), "outage"), Some(vec![text.to_owned()]));
    let text = "`one` is a `sometimes`, which cannot waive a fault";
    assert_eq!(
        said(TemporalFormula::Sometimes(is(0)), "other outage"),
        Some(vec![text.to_owned()])
    );
    let unknown = said(always(), "other outrage").expect("misspelt");
    assert!(unknown[0].starts_with("no kind of fault is called `other outrage`"), "{unknown:?}");
    assert_eq!(said(always(), "other outage"), None);
}

/// A world with `count` properties that hold, each with its antecedent, and then one that fails.
fn many(count: usize) -> World {
    let mut world = world(ROWS, &[("outage", Some(1))]);
    for number in 0..count {
        let name = String::leak(format!("holds {number}"));
        let formula = match number % 3 {
            0 => TemporalFormula::Always { holds: is_not(3), antecedent: is(2) },
            1 => TemporalFormula::CanReach { antecedent: is(1), goal: is(2) },
            _ => TemporalFormula::Sometimes(is(1)),
        };
        world.add_property(property(name, formula, &[])).expect("it waives no fault");
    }
    let formula = TemporalFormula::Always { holds: is_not(2), antecedent: is(1) };
    world.add_property(property("fails", formula, &[])).expect("it waives no fault");
    world
}

#[test]
fn any_number_of_properties_is_checked() {
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
fn explorer_shows_every_property_or_is_rejected() {
    for count in [15, 16, 17, 63] {
        let model = Model::new(Arc::new(many(count))).expect("so many are asked about");
        let checker = model.checker().spawn_bfs().join();
        assert!(checker.discovery("fails").is_some(), "after {count}");
    }
    let error = Model::new(Arc::new(many(64))).expect_err("too many");
    assert_eq!(error.to_string(), "65 properties are too many for Explorer: at most 64");
}

#[test]
fn a_core_that_panics_is_a_violation_with_its_trace() {
    let rows = &[(0, By::Command, 1), (1, By::Timer, PANICS), (1, By::Command, 2)];
    let mut world = world(rows, &[]);
    world.add_property(Property::no_core_panics()).expect("it waives nothing");
    let sometimes = |name, state| property(name, TemporalFormula::Sometimes(is(state)), &[]);
    world.add_property(sometimes("others go on", 2)).expect("it waives nothing");
    let world = Arc::new(world);
    for engine in ENGINES {
        let [panics, goes_on] = &verdicts(&world, engine)[..] else { panic!("two properties") };
        assert_eq!((panics.verdict, goes_on.verdict), (Verdict::Fails, Verdict::Holds));
        assert_eq!(panics.counterexample.len(), 2);
        let finding = panics.finding.as_deref().expect("it is said what failed");
        assert!(
            finding.starts_with("the core panicked: ") && finding.contains("breaks"),
            "{finding}"
        );
        assert!(finding.contains("toy/mod.rs:"), "{finding}");
    }
}
