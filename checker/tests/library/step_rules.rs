//! Rules about single steps: a step that breaks one is found, shown, and forgotten by the next.

use std::sync::Arc;

use turnstile_harness::check::SearchFn;
use turnstile_harness::results::result::ResultReport;
use turnstile_search::judgement::Verdict;
use turnstile_world::{Predicate, Property, Reads, TemporalFormula};

use crate::toy::{self, By, ENGINES, NEVER_FALLS, Row};

/// Goes up and down again.
const RETURNS: &[Row] = &[(0, By::Command, 1), (1, By::Command, 0)];

/// Goes up only.
const RISES: &[Row] = &[(0, By::Command, 1), (1, By::Command, 2)];

/// The result of a toy that is never to fall.
fn searched(rows: &'static [Row], engine: SearchFn) -> ResultReport {
    let formula = TemporalFormula::Always {
        holds: Predicate::new(|view| !view.breaks(NEVER_FALLS)),
        antecedent: Predicate::new(|_| true),
    };
    let property = toy::property("never falls", formula, &[]);
    let mut world = toy::world(rows, &[]);
    world.add_property(Property { reads: Reads::Monitor, ..property }).expect("it waives nothing");
    toy::searched(&Arc::new(world), engine)
}

#[test]
fn the_step_that_breaks_a_rule_is_the_last_of_the_run() {
    for engine in ENGINES {
        let result = searched(RETURNS, engine);
        let [property] = &result.properties[..] else { panic!("there is one property") };
        assert_eq!(property.verdict, Verdict::Fails);
        let last = property.counterexample.last().expect("it takes steps");
        let shown = last.effects.last().map(ToString::to_string);
        assert_eq!(shown.as_deref(), Some("breaks the rule: the number never falls"));
        assert_eq!(property.counterexample.len(), 2);
        assert_eq!(result.states, 3, "the state after the broken step leads to one of before");
    }
}

#[test]
fn a_rule_that_no_step_breaks_holds() {
    for engine in ENGINES {
        let result = searched(RISES, engine);
        assert_eq!(result.properties[0].verdict, Verdict::Holds);
        assert_eq!(result.states, 3);
    }
}
