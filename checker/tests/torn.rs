//! A crash in the middle of a step: what is saved and what others see of it are on different sides
//! of the cut, however the step began.

use std::sync::Arc;

use turnstile_harness::check::{Search, check};
use turnstile_harness::options::Options;
use turnstile_harness::result::ResultReport;
use turnstile_search::bounds::{Reductions, Silent};
use turnstile_search::judged::Verdict;
use turnstile_step::{Effect, Input};
use turnstile_world::link::Mail;
use turnstile_world::system::{InputOf, ObservationOf, OutOf, System, Types};
use turnstile_world::{
    Budget, Chance, Claim, Link, LinkKind, Node, NodeId, Observation, Predicate, Property, View,
    World, erased,
};

/// What makes the writer write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Command,
    Timer,
    Message,
}

/// A writer, that may be asked by another node to write; it saves that it has, and tells it.
#[derive(Clone, Copy, Debug)]
struct Writing {
    by: By,
    saves_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct WritingTypes;

impl Types for WritingTypes {
    type State = bool;
    type Message = ();
    type Timer = ();
    type Command = ();
    type Notice = ();
    type Saved = bool;
    /// Whether it was told that it is written.
    type Monitor = bool;
    type Mark = ();
}

const WRITER: NodeId = 0;
const ASKER: NodeId = 1;

impl System for Writing {
    type Types = WritingTypes;

    fn start(&self, _node: NodeId) -> bool {
        false
    }

    fn armed(&self, node: NodeId) -> Vec<()> {
        if node == WRITER && self.by == By::Timer { vec![()] } else { Vec::new() }
    }

    fn step(
        &self,
        node: NodeId,
        _choice: u8,
        state: &mut bool,
        input: InputOf<WritingTypes>,
        out: &mut OutOf<WritingTypes>,
    ) {
        match input {
            Input::Restart(saved) => *state = saved.unwrap_or_default(),
            Input::Command(()) if node == ASKER => {
                // It asks once.
                *state = true;
                out.effects.push(Effect::Send { to: WRITER, message: () });
            }
            Input::Command(()) | Input::Fired(()) | Input::Message { .. } => {
                *state = true;
                let (saves, tells) = (Effect::Save(true), Effect::Notify(()));
                out.effects.push(Effect::Disarm(()));
                out.effects.extend(if self.saves_first { [saves, tells] } else { [tells, saves] });
            }
        }
    }

    fn commands(&self, node: NodeId, state: &bool) -> Vec<()> {
        let by = if node == WRITER { By::Command } else { By::Message };
        if self.by == by && !state { vec![()] } else { Vec::new() }
    }

    fn monitor(&self) -> bool {
        false
    }

    fn observe(&self, monitor: &mut bool, seen: &ObservationOf<WritingTypes>) {
        *monitor |= matches!(seen, Observation::Told(WRITER, ()));
    }
}

fn world(system: Writing, torn: bool) -> World {
    let node = |role: &str| Node { name: role.to_owned(), role: role.to_owned() };
    let mail =
        Mail { is_ordered: true, loss: Chance::Never, duplication: Chance::Never, capacity: 2 };
    let link = Link { from: ASKER, to: WRITER, kind: LinkKind::Messages(mail) };
    let mut budgets = vec!["writer restart"];
    budgets.extend(torn.then_some("torn step"));
    let budget = |name: &str| Budget { name: name.to_owned(), limit: Some(1) };
    let budgets = budgets.into_iter().map(budget).collect();
    let nodes = vec![node("writer"), node("asker")];
    let mut world =
        World::new(erased(system, 2), nodes, vec![link], budgets).expect("it can be searched");
    let claim = Claim::Always {
        holds: Predicate::new(|view: &View<'_>| {
            !*view.monitor::<bool>() || *view.state::<bool>(WRITER)
        }),
        premise: Predicate::new(|view| *view.monitor::<bool>()),
    };
    let sentence = "What was told is written.".to_owned();
    let told = Property { name: "told is written", sentence, claim, without: Vec::new() };
    world.claim(told).expect("it excuses nothing");
    world
}

fn searched(system: Writing, torn: bool, engine: Search) -> ResultReport {
    let world = Arc::new(world(system, torn));
    let options = Options { reduce: Reductions::NONE, ..Options::new(&Silent) };
    let title = ("writing", "torn");
    let checked = engine(&world, title, &options);
    assert!(checked.result.complete, "{:?}", checked.result.notes.cut);
    checked.result
}

#[track_caller]
fn told_too_early_is_seen(by: By) {
    let mut states = Vec::new();
    for engine in [check as Search, turnstile_reference::check] {
        let verdict = |saves_first, torn| {
            let result = searched(Writing { by, saves_first }, torn, engine);
            (result.properties[0].verdict, result)
        };
        assert_eq!(verdict(true, true).0, Verdict::Holds);
        assert_eq!(verdict(true, false).0, Verdict::Holds);
        assert_eq!(verdict(false, false).0, Verdict::Holds, "only a torn step shows it");
        let (failed, result) = verdict(false, true);
        assert_eq!(failed, Verdict::Fails);
        assert_eq!(result.properties[0].faults_exercised, ["torn step", "writer restart"]);
        let run = &result.properties[0].counterexample;
        let last = run.last().expect("it takes a step");
        assert!(last.event.ends_with(", torn after 2 of 3 effects"), "{last:?}");
        assert_eq!(last.node, "writer");
        assert_eq!(last.from.as_deref(), (by == By::Message).then_some("asker"));
        states.push((result.states, result.transitions, run.len()));
    }
    assert_eq!(states[0], states[1], "both engines");
}

#[test]
fn after_a_command() {
    told_too_early_is_seen(By::Command);
}

#[test]
fn after_a_timer() {
    told_too_early_is_seen(By::Timer);
}

#[test]
fn after_a_message() {
    told_too_early_is_seen(By::Message);
}
