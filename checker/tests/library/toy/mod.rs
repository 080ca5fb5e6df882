//! A system of one node whose state is a small number, defined by a list of steps, for tests of the
//! World itself.

use turnstile_harness::check::SearchFn;
use turnstile_harness::options::Options;
use turnstile_harness::results::result::{PropertyReport, ResultReport};
use turnstile_search::bounds::{NoProgress, Reductions};
use turnstile_world::system::{Effect, Input, NodeCore, Out, System};
use turnstile_world::{
    Budget, Node, NodeId, Ordered, Predicate, Property, Reads, StepRule, TemporalFormula, Value,
    World,
};

use std::sync::Arc;

/// The trigger of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A command, without fairness.
    Command,
    /// A command, rationed by a budget.
    Budget(&'static str),
    /// A timer, which is armed as long as the step is enabled.
    Timer,
}

/// A state that the core cannot enter: its step panics.
pub(crate) const PANICS: u8 = 99;

/// A rule that each step down breaks.
pub(crate) const NEVER_FALLS: StepRule = StepRule("the number never falls");

/// A step: source, trigger, target.
pub(crate) type Row = (u8, By, u8);

/// The system, and each of its nodes: a state is a number, a command or a timer the index of a
/// step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toy(pub(crate) &'static [Row]);

impl Toy {
    /// The indices of the steps enabled in a state.
    fn rows(self, state: u8, is_meant: fn(By) -> bool) -> impl Iterator<Item = Ordered> {
        let rows = (0_u8..).zip(self.0);
        rows.filter(move |(_, row)| row.0 == state && is_meant(row.1))
            .map(|(place, _)| Ordered::new(place))
    }

    fn timers(self, state: u8) -> impl Iterator<Item = Ordered> {
        self.rows(state, |by| by == By::Timer)
    }

    fn row(self, place: &Ordered) -> Row {
        self.0[usize::from(*place.of::<u8>())]
    }
}

impl NodeCore for Toy {
    fn start(&self) -> Value {
        Value::new(0_u8)
    }

    fn armed(&self) -> Vec<Ordered> {
        self.timers(0).collect()
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let (Input::Command(place) | Input::Fired(place)) = input else { return };
        let state = state.of_mut::<u8>();
        out.effects.extend(self.timers(*state).map(Effect::Disarm));
        let before = *state;
        *state = self.row(&place).2;
        out.breaches.require(NEVER_FALLS, before <= *state);
        assert_ne!(*state, PANICS, "the toy breaks");
        out.effects.extend(self.timers(*state).map(Effect::Arm));
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        self.rows(*state.of(), |by| by != By::Timer).collect()
    }
}

impl System for Toy {
    fn node(&self, _node: NodeId) -> &dyn NodeCore {
        self
    }

    fn budgets(&self) -> Vec<&str> {
        vec!["outage", "other outage"]
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        match self.row(command).1 {
            By::Budget(name) => Some(name),
            By::Command | By::Timer => None,
        }
    }
}

/// A world of the system, with these budgets.
pub(crate) fn world(rows: &'static [Row], budgets: &[(&str, Option<u8>)]) -> World {
    let node = Node { name: "toy".to_owned(), role: "toy".to_owned() };
    let budget = |&(name, limit): &(&str, _)| Budget { name: str::to_owned(name), limit };
    let budgets = budgets.iter().map(budget).collect();
    World::new(Arc::new(Toy(rows)), vec![node], Vec::new(), budgets).expect("its budgets are known")
}

/// The node's state is this one.
pub(crate) fn is(state: u8) -> Predicate {
    Predicate::new(move |view| *view.state::<u8>(0) == state)
}

/// The node's state is not this one.
pub(crate) fn is_not(state: u8) -> Predicate {
    Predicate::new(move |view| *view.state::<u8>(0) != state)
}

/// A property that waives these faults.
pub(crate) fn property(name: &str, formula: TemporalFormula, without: &[&str]) -> Property {
    let without = without.iter().map(|&fault| fault.to_owned()).collect();
    let name = name.to_owned();
    Property { name, sentence: String::new(), formula, reads: Reads::Nodes, without }
}

/// The report of each property by an engine.
pub(crate) fn verdicts(world: &Arc<World>, engine: SearchFn) -> Vec<PropertyReport> {
    searched(world, engine).properties
}

/// The result of an engine.
pub(crate) fn searched(world: &Arc<World>, engine: SearchFn) -> ResultReport {
    let options = Options { reduce: Reductions::NONE, ..Options::new(&NoProgress) };
    let title = ("toy", "toy");
    let checked = engine(world, title, &options);
    assert!(checked.result.complete, "{:?}", checked.result.notes.cut);
    checked.result
}

/// The engines that are compared.
pub(crate) const ENGINES: [SearchFn; 2] =
    [turnstile_harness::check::check, turnstile_reference::check];
