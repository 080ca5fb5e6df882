//! A crash in the middle of a step, between its saves and its visible effects, for every kind of
//! input that starts the step.

use std::sync::Arc;

use turnstile_harness::check::{SearchFn, check};
use turnstile_harness::options::Options;
use turnstile_harness::results::result::ResultReport;
use turnstile_search::bounds::{NoProgress, Reductions};
use turnstile_search::judgement::Verdict;
use turnstile_world::links::link::ChannelOptions;
use turnstile_world::system::{Effect, Input, NodeCore, Out, System};
use turnstile_world::{
    Breaches, Budget, Link, LinkKind, Node, NodeId, Observation, Occurrence, Ordered, Predicate,
    Property, Reads, TemporalFormula, Value, View, WhenFull, World,
};

/// The kind of input that makes the writer write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Command,
    Timer,
    Message,
}

const WRITER: NodeId = 0;
const ASKER: NodeId = 1;

/// Saves that it has written, and notifies its user.
#[derive(Clone, Copy, Debug)]
struct Writer {
    by: By,
    saves_first: bool,
}

impl NodeCore for Writer {
    fn start(&self) -> Value {
        Value::new(false)
    }

    fn armed(&self) -> Vec<Ordered> {
        if self.by == By::Timer { vec![Ordered::new(())] } else { Vec::new() }
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        if let Input::Restart(saved) = input {
            *state = saved.unwrap_or_else(|| self.start());
            return;
        }
        *state = Value::new(true);
        let (saves, tells) = (Effect::Save(Value::new(true)), Effect::Notify(Value::new(())));
        out.effects.push(Effect::Disarm(Ordered::new(())));
        out.effects.extend(if self.saves_first { [saves, tells] } else { [tells, saves] });
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        once(self.by == By::Command, state)
    }
}

/// Sends the writer a message, if that makes it write.
#[derive(Clone, Copy, Debug)]
struct Asker(By);

impl NodeCore for Asker {
    fn start(&self) -> Value {
        Value::new(false)
    }

    fn step(&self, _choice: u8, state: &mut Value, _input: Input, out: &mut Out) {
        *state = Value::new(true);
        out.effects.push(Effect::Send { to: WRITER, message: Ordered::new(()) });
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        once(self.0 == By::Message, state)
    }
}

/// The command of a node that has one, until it has been given.
fn once(has_one: bool, state: &Value) -> Vec<Ordered> {
    if has_one && !state.of::<bool>() { vec![Ordered::new(())] } else { Vec::new() }
}

/// The system of both nodes.
#[derive(Clone, Copy, Debug)]
struct Writing {
    writer: Writer,
    asker: Asker,
}

impl System for Writing {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == WRITER { &self.writer } else { &self.asker }
    }

    /// Whether a user was notified that the value is written.
    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        Value::new(false)
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation, _breaches: &mut Breaches) {
        *monitor.of_mut::<bool>() |= matches!(seen, Observation::Told(WRITER, _));
    }
}

fn world(system: Writing, torn: bool) -> World {
    let node = |role: &str| Node { name: role.to_owned(), role: role.to_owned() };
    let mail = ChannelOptions {
        is_ordered: true,
        loss: Occurrence::Never,
        duplication: Occurrence::Never,
        capacity: 2,
    };
    let link =
        Link { from: ASKER, to: WRITER, kind: LinkKind::Messages(mail), when_full: WhenFull::Fail };
    let mut budgets = vec!["writer restart"];
    budgets.extend(torn.then_some("torn step"));
    let budget = |name: &str| Budget { name: name.to_owned(), limit: Some(1) };
    let budgets = budgets.into_iter().map(budget).collect();
    let nodes = vec![node("writer"), node("asker")];
    let mut world =
        World::new(Arc::new(system), nodes, vec![link], budgets).expect("it can be searched");
    let formula = TemporalFormula::Always {
        holds: Predicate::new(|view: &View<'_>| {
            !*view.monitor::<bool>() || *view.state::<bool>(WRITER)
        }),
        antecedent: Predicate::new(|view| *view.monitor::<bool>()),
    };
    let sentence = "What was told is written.".to_owned();
    let told = Property {
        name: "told is written".to_owned(),
        sentence,
        formula,
        reads: Reads::Nodes,
        without: Vec::new(),
    };
    world.add_property(told).expect("it excuses nothing");
    world
}

fn searched(system: Writing, torn: bool, engine: SearchFn) -> ResultReport {
    let world = Arc::new(world(system, torn));
    let options = Options { reduce: Reductions::NONE, ..Options::new(&NoProgress) };
    let title = ("writing", "torn");
    let checked = engine(&world, title, &options);
    assert!(checked.result.complete, "{:?}", checked.result.notes.cut);
    checked.result
}

#[track_caller]
fn notice_before_save_is_detected(by: By) {
    let mut states = Vec::new();
    for engine in [check as SearchFn, turnstile_reference::check] {
        let verdict = |saves_first, torn| {
            let system = Writing { writer: Writer { by, saves_first }, asker: Asker(by) };
            let result = searched(system, torn, engine);
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
        assert!(last.event.ends_with(", torn after 2 of 3 effects: it starts again"), "{last:?}");
        assert_eq!(last.node, "writer");
        assert_eq!(last.from.as_deref(), (by == By::Message).then_some("asker"));
        states.push((result.states, result.transitions, run.len()));
    }
    assert_eq!(states[0], states[1], "both engines");
}

#[test]
fn after_a_command() {
    notice_before_save_is_detected(By::Command);
}

#[test]
fn after_a_timer() {
    notice_before_save_is_detected(By::Timer);
}

#[test]
fn after_a_message() {
    notice_before_save_is_detected(By::Message);
}
