//! Mutants of small random programs: recordings and searches from nothing judge them alike.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use turnstile_harness::mutate::code::{CodeWorld, Fate, Switches};
use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::CheckRequest;
use turnstile_search::judgement::Verdict;
use turnstile_world::system::{Effect, Input, NodeCore, Out, System};
use turnstile_world::{
    Node, NodeId, Ordered, Predicate, Property, Reads, TemporalFormula, Value, World,
};

const STATES: u8 = 6;
const ROWS: usize = 8;
/// The kinds of mutants, each with a number for each row.
const KINDS: [fn(&mut Row); 4] = [
    |row| row.to = (row.to + 1) % STATES,
    |row| row.is_enabled = false,
    |row| row.arms = !row.arms,
    |row| row.panics = true,
];
const OF_START: u32 = 100;
const OF_PREDICATE: u32 = 101;
/// It changes what is the same in each state.
const OF_NOTHING: u32 = 102;

thread_local! {
    static ON: Cell<Option<u32>> = const { Cell::new(None) };
    static REACHED: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

/// Whether a mutant runs on this thread.
fn is(mutant: u32) -> bool {
    if ON.get().is_none() {
        REACHED.with_borrow_mut(|reached| reached.insert(mutant));
    }
    ON.get() == Some(mutant)
}

struct OnThread;

impl Switches for OnThread {
    fn switch_to(&self, mutant: Option<u32>) {
        ON.set(mutant);
    }

    fn begin_step(&self) {}

    fn reached(&self) -> Vec<u32> {
        REACHED.take().into_iter().collect()
    }
}

/// A step from one state to another, by a command or by a timer.
#[derive(Clone, Copy, Debug)]
struct Row {
    from: u8,
    to: u8,
    is_timer: bool,
    arms: bool,
    is_enabled: bool,
    panics: bool,
}

/// Two nodes that run these steps, and tell each other nothing.
#[derive(Clone, Debug)]
struct Program(Vec<Row>);

impl Program {
    fn row(&self, nth: usize) -> Row {
        let mut row = self.0[nth];
        for (kind, change) in (0_u32..).zip(KINDS) {
            let number = kind * 10 + u32::try_from(nth).expect("few rows") + 1;
            if is(number) {
                change(&mut row);
            }
        }
        row
    }

    /// The steps of a kind from a state. Those of other states are not looked at.
    fn of(&self, state: u8, is_timer: bool) -> Vec<u8> {
        let places = (0..self.0.len()).filter(|place| self.0[*place].from == state);
        let enabled = places.filter(|place| {
            let row = self.row(*place);
            row.is_timer == is_timer && row.is_enabled
        });
        enabled.map(|place| u8::try_from(place).expect("few rows")).collect()
    }
}

impl NodeCore for Program {
    fn start(&self) -> Value {
        Value::new(u8::from(is(OF_START)))
    }

    fn armed(&self) -> Vec<Ordered> {
        self.of(0, true).into_iter().map(Ordered::new).collect()
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let (Input::Command(place) | Input::Fired(place)) = input else { return };
        let state = state.of_mut::<u8>();
        let row = self.row(usize::from(*place.of::<u8>()));
        assert!(!row.panics, "a mutant");
        out.effects.extend(self.of(*state, true).into_iter().map(Ordered::new).map(Effect::Disarm));
        *state = row.to;
        let _ = is(OF_NOTHING);
        if row.arms {
            out.effects
                .extend(self.of(*state, true).into_iter().map(Ordered::new).map(Effect::Arm));
        }
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        self.of(*state.of(), false).into_iter().map(Ordered::new).collect()
    }
}

impl System for Program {
    fn node(&self, _node: NodeId) -> &dyn NodeCore {
        self
    }
}

fn property(name: &str, formula: TemporalFormula) -> Property {
    let name = name.to_owned();
    Property { name, sentence: String::new(), formula, reads: Reads::Nodes, without: Vec::new() }
}

fn at(state: u8) -> Predicate {
    Predicate::new(move |view| {
        let state = if is(OF_PREDICATE) { (state + 1) % STATES } else { state };
        *view.state::<u8>(0) == state
    })
}

fn world(rows: &[Row], state: u8) -> Result<World, String> {
    let node = |name: &str| Node { name: name.to_owned(), role: "node".to_owned() };
    let nodes = vec![node("one"), node("other")];
    let mut world = World::new(Arc::new(Program(rows.to_vec())), nodes, Vec::new(), Vec::new())
        .expect("it names no fault");
    let not_at = Predicate::new(move |view| {
        let state = if is(OF_PREDICATE) { (state + 1) % STATES } else { state };
        *view.state::<u8>(0) != state
    });
    let always = TemporalFormula::Always { holds: not_at, antecedent: at(0) };
    let formulas = [
        ("never", always),
        ("sometimes", TemporalFormula::Sometimes(at(1))),
        ("can reach", TemporalFormula::CanReach { antecedent: at(1), goal: at(2) }),
        ("leads to", TemporalFormula::LeadsTo { antecedent: at(3), goal: at(4) }),
    ];
    for (name, formula) in formulas {
        world.add_property(property(name, formula)).expect("it waives nothing");
    }
    Ok(world)
}

/// What becomes of the program with a mutant in a search from nothing; `None`: a property fails.
fn searched(rows: &[Row], state: u8, kept: &[&str], mutant: Option<u32>) -> Option<usize> {
    ON.set(mutant);
    let states = catch_unwind(AssertUnwindSafe(|| {
        let mut world = world(rows, state).expect("it can be built");
        world.retain_properties(|property| kept.contains(&property.name.as_str()));
        let found = turnstile_world::search(&world, CheckRequest::new(&NoProgress));
        let holds = |verdict| matches!(verdict, Verdict::Holds | Verdict::HoldsUnderFairness);
        found.judgements.iter().all(|one| holds(one.verdict)).then_some(found.states)
    }));
    ON.set(None);
    states.ok().flatten()
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u8) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u8::try_from((self.0 >> 33) % u64::from(bound)).expect("below the bound")
    }
}

#[test]
fn mutants_of_random_programs_are_judged_as_from_nothing() {
    let seed = 18;
    eprintln!("seed {seed}");
    let (mut random, mut fates) = (Random(seed), BTreeMap::<&str, usize>::new());
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..150 {
        let rows: Vec<Row> = (0..ROWS)
            .map(|_| Row {
                from: random.below(STATES),
                to: random.below(STATES),
                is_timer: random.below(3) == 0,
                arms: random.below(4) > 0,
                is_enabled: random.below(8) > 0,
                panics: false,
            })
            .collect();
        let state = random.below(STATES);
        // The properties that hold without a mutant.
        let all = ["never", "sometimes", "can reach", "leads to"];
        let kept: Vec<&str> =
            all.into_iter().filter(|one| searched(&rows, state, &[one], None).is_some()).collect();
        let build = || {
            let mut world = world(&rows, state)?;
            world.retain_properties(|property| kept.contains(&property.name.as_str()));
            Ok(world)
        };
        let recorded = CodeWorld::new("small".to_owned(), Box::new(build), &OnThread);
        let recorded = recorded.unwrap_or_else(|what| panic!("{rows:?}: {what}"));
        let states = searched(&rows, state, &kept, None);
        for mutant in 1..=OF_NOTHING {
            let expected = searched(&rows, state, &kept, Some(mutant));
            let fate = match recorded.reaches(mutant) {
                true => recorded.judge(mutant),
                false => Some(Fate::Unreached),
            };
            let is_right = match &fate {
                Some(Fate::Killed { .. }) => expected.is_none(),
                Some(Fate::Survived { .. }) => expected.is_some(),
                Some(Fate::Unreached) | None => expected == states,
                Some(Fate::Undecided { .. }) => false,
            };
            assert!(is_right, "{mutant} in {rows:?}, {state}, {kept:?}: {fate:?}, {expected:?}");
            let word = match fate {
                Some(Fate::Killed { .. }) => "killed",
                Some(Fate::Survived { .. }) => "survived",
                Some(Fate::Unreached | Fate::Undecided { .. }) => "unreached",
                None => "the same",
            };
            *fates.entry(word).or_default() += 1;
        }
    }
    let _ = std::panic::take_hook();
    assert!(fates.values().all(|count| *count > 200) && fates.len() == 4, "{fates:?}");
}
