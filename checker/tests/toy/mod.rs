//! A system of one node whose state is a small number, by a list of steps: worlds for the tests of
//! the World itself.

use turnstile_harness::check::Search;
use turnstile_harness::options::Options;
use turnstile_harness::result::PropertyReport;
use turnstile_search::bounds::{Reductions, Silent};
use turnstile_step::{Effect, Input};
use turnstile_world::system::{InputOf, OutOf, System, Types};
use turnstile_world::{Budget, Claim, Node, NodeId, Predicate, Property, World, erased};

use std::sync::Arc;

/// What lets a step happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The node's user, who need not.
    Command,
    /// The node's user, as often as the budget says.
    Budget(&'static str),
    /// A timer, that is armed as long as the step is possible.
    Timer,
}

/// From a state, by what, to a state.
pub(crate) type Row = (u8, By, u8);

/// The system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toy(pub(crate) &'static [Row]);

/// Its types: a state is a number, a command the place of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToyTypes;

impl Types for ToyTypes {
    type State = u8;
    type Message = ();
    type Timer = u8;
    type Command = u8;
    type Notice = ();
    type Saved = ();
    type Monitor = ();
    type Mark = ();
}

impl Toy {
    fn rows(&self, state: u8) -> impl Iterator<Item = (u8, By)> {
        (0..).zip(self.0).filter(move |(_, row)| row.0 == state).map(|(place, row)| (place, row.1))
    }
}

impl System for Toy {
    type Types = ToyTypes;

    const BUDGETS: &'static [&'static str] = &["outage", "other outage"];

    fn start(&self, _node: NodeId) -> u8 {
        0
    }

    fn armed(&self, _node: NodeId) -> Vec<u8> {
        let timers = self.rows(0).filter(|(_, by)| *by == By::Timer);
        timers.map(|(place, _)| place).collect()
    }

    fn step(
        &self,
        _node: NodeId,
        _choice: u8,
        state: &mut u8,
        input: InputOf<ToyTypes>,
        out: &mut OutOf<ToyTypes>,
    ) {
        let (Input::Command(place) | Input::Fired(place)) = input else { return };
        let timers = |state| self.rows(state).filter(|(_, by)| *by == By::Timer);
        out.effects.extend(timers(*state).map(|(place, _)| Effect::Disarm(place)));
        *state = self.0[usize::from(place)].2;
        out.effects.extend(timers(*state).map(|(place, _)| Effect::Arm(place)));
    }

    fn commands(&self, _node: NodeId, state: &u8) -> Vec<u8> {
        let asked = self.rows(*state).filter(|(_, by)| *by != By::Timer);
        asked.map(|(place, _)| place).collect()
    }

    fn command_budget(&self, command: &u8) -> Option<&'static str> {
        match self.0[usize::from(*command)].1 {
            By::Budget(name) => Some(name),
            By::Command | By::Timer => None,
        }
    }

    fn monitor(&self) {}
}

/// A world of the system, with these budgets.
pub(crate) fn world(rows: &'static [Row], budgets: &[(&str, Option<u8>)]) -> World {
    let node = Node { name: "toy".to_owned(), role: "toy".to_owned() };
    let budget = |&(name, limit): &(&str, _)| Budget { name: str::to_owned(name), limit };
    let budgets = budgets.iter().map(budget).collect();
    World::new(erased(Toy(rows), 1), vec![node], Vec::new(), budgets)
        .expect("its budgets are known")
}

/// The node's state is this one.
pub(crate) fn is(state: u8) -> Predicate {
    Predicate::new(move |view| *view.state::<u8>(0) == state)
}

/// The node's state is another one.
pub(crate) fn is_not(state: u8) -> Predicate {
    Predicate::new(move |view| *view.state::<u8>(0) != state)
}

/// A property that claims nothing after these faults.
pub(crate) fn property(name: &'static str, claim: Claim, without: &[&str]) -> Property {
    let without = without.iter().map(|&fault| fault.to_owned()).collect();
    Property { name, sentence: String::new(), claim, without }
}

/// What an engine says of each property.
pub(crate) fn verdicts(world: &Arc<World>, engine: Search) -> Vec<PropertyReport> {
    let options = Options { reduce: Reductions::NONE, ..Options::new(&Silent) };
    let title = ("toy", "toy");
    let checked = engine(world, title, &options);
    assert!(checked.result.complete, "{:?}", checked.result.notes.cut);
    checked.result.properties
}

/// The engines that are held beside each other.
pub(crate) const ENGINES: [Search; 2] =
    [turnstile_harness::check::check, turnstile_reference::check];
