//! The plain core over a compiled table takes the steps that it takes over the same table read at
//! run time: random walks through every bundled table and every table of the examples.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use turnstile_harness::plain::node::TableCore;
use turnstile_harness::plain::rules::TableRules;
use turnstile_machine::{
    Dynamic, DynamicEvent, DynamicName, EventInfo, Machine, Name, PlainMachine,
};
use turnstile_plain::{
    Command, Compiled, Message, Outgoing, Peer, Plain, PlainRules, Receivers, SavedParts,
    SentValue, State, Timer,
};
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_spec::{Source, WrittenTable};
use turnstile_step::{Core as _, Effect, Input, OutOf};

/// The steps of a walk.
const STEPS: usize = 5000;
/// The most guards of which every combination is tried; of more, as many random ones.
const GUARDS_MAX: usize = 6;

/// A reproducible source of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).expect("it is below a usize")
    }
}

/// An input by positions and words, which both cores understand.
#[derive(Clone, Debug)]
enum Given {
    Command { event: usize, number: u16, answers: Option<usize> },
    Message(Message),
    Fired(usize),
    Restart,
}

/// A random input: an event with any payload, a message that may be none of the table's, an armed
/// timer, a restart from what was saved.
fn given<M: PlainMachine>(state: &State<M>, armed: &[usize], random: &mut Random) -> Given {
    let place = random.below(M::EventKind::ALL.len());
    let info: &EventInfo<M> = &M::PLAIN.events[place];
    let (least, greatest) = info.payload.map_or((0, 0), |values| values.bounds());
    let more = random.below(usize::from(greatest - least) + 1);
    let number = least + u16::try_from(more).expect("it is within bounds");
    match random.below(8) {
        0 => Given::Restart,
        1..4 if !armed.is_empty() => Given::Fired(armed[random.below(armed.len())]),
        1..6 => {
            let mut outstanding = info.consumes.iter().map(|one| one.index());
            let outstanding = outstanding.find(|one| state.held[*one] > 0);
            Given::Command { event: place, number, answers: outstanding }
        }
        _ => {
            let event =
                if random.below(20) == 0 { "no event" } else { M::EventKind::ALL[place].name() };
            let words = info.payload.map(|values| {
                let word = values.words().get(usize::from(number)).copied();
                word.map_or_else(|| number.to_string(), str::to_owned).into()
            });
            Given::Message(Message { event: event.into(), payload: words })
        }
    }
}

/// A state in words that both machines share.
fn state_words<M: Machine>(state: &State<M>) -> String {
    format!("{} {:?} {:?}", state.at, state.held, state.variables)
}

/// A step in words that both machines share.
fn step_words<M: Machine, R: PlainRules<M>>(state: &State<M>, out: &OutOf<Plain<M, R>>) -> String {
    let effects = out.effects.iter().map(|effect| match effect {
        Effect::Send { to, message } => format!("send {message} to {}", to.0),
        Effect::Arm(timer) => format!("arm {timer}"),
        Effect::Disarm(timer) => format!("disarm {timer}"),
        Effect::Save(saved) => format!("save {}", state_words(saved)),
        Effect::Notify(notice) => format!("notify {notice}"),
    });
    let effects: Vec<String> = effects.collect();
    format!("{}; {effects:?}; {:?}", state_words(state), out.rows)
}

/// The messages of a table's actions: to one node, or to the sender of what is handled.
fn outgoing(vocabulary: &Vocabulary, table: &Table) -> Arc<[Option<Outgoing>]> {
    let mut outgoing = vec![None; vocabulary.actions.len()];
    for (number, sends) in table.sends.iter().enumerate() {
        let variables = &vocabulary.variables;
        let payload = match sends.payload.as_deref() {
            None => SentValue::Nothing,
            Some("payload") => SentValue::Payload,
            Some(value) => match variables.iter().position(|one| one.name.name == value) {
                Some(place) => SentValue::Variable(place),
                None => SentValue::Value(value.into()),
            },
        };
        let to = match number % 2 {
            0 => Receivers::Nodes(vec![Peer(7)]),
            _ => Receivers::Sender,
        };
        let event = sends.event.as_str().into();
        outgoing[sends.action.index()] = Some(Outgoing { event, payload, to });
    }
    outgoing.into()
}

/// Both cores, and the values of the guards that the compiled one asks for.
struct Pair<M: PlainMachine> {
    compiled: Plain<M, Compiled<M>>,
    dynamic: TableCore,
    vocabulary: Vocabulary,
    guards: Arc<AtomicU64>,
}

impl<M: PlainMachine> Pair<M> {
    fn new(file: &str, text: &str) -> Self {
        let written = WrittenTable::read(Source::new(file, text)).expect("it can be read");
        let amended = written.amended().expect("it has no findings");
        assert_eq!(amended.hash, M::TABLE.hash, "{file} is compiled");
        let (vocabulary, table) = (amended.vocabulary, amended.table);
        let rules = TableRules::new(&vocabulary, &table).expect("it runs");
        let sends = outgoing(&vocabulary, &table);
        let variables = vec![true; vocabulary.variables.len()].into();
        let saved = Some(SavedParts { state: true, variables });
        let guards = Arc::new(AtomicU64::new(0));
        let bits = Arc::clone(&guards);
        let answer =
            move |guard: M::Guard, _| bits.load(Ordering::Relaxed) >> guard.index() & 1 == 1;
        let compiled = Plain {
            rules: Compiled::new(answer),
            sends: Arc::clone(&sends),
            saved: saved.clone(),
            machine: PhantomData,
        };
        let dynamic = Plain { rules, sends, saved, machine: PhantomData };
        Self { compiled, dynamic, vocabulary, guards }
    }

    fn name(&self, place: usize, of: &str) -> DynamicName {
        DynamicName::new(u16::try_from(place).expect("a table is small"), of)
    }

    /// The states and steps that the compiled core can take, over the values of the guards.
    fn compiled(
        &self,
        at: &State<M>,
        given: &Given,
        random: &mut Random,
    ) -> Vec<(State<M>, String)> {
        let count = M::Guard::ALL.len();
        let all = 1u64 << count.min(GUARDS_MAX);
        let mut steps = Vec::new();
        for bits in 0..all {
            self.guards
                .store(if count > GUARDS_MAX { random.next() } else { bits }, Ordering::Relaxed);
            let input = match given.clone() {
                Given::Command { event, number, answers } => Input::Command(Command {
                    event: M::event(M::EventKind::ALL[event], number),
                    answers: answers.map(|place| M::Resource::ALL[place]),
                }),
                Given::Message(message) => Input::Message { from: Peer(3), message },
                Given::Fired(place) => Input::Fired(Timer(M::Resource::ALL[place])),
                Given::Restart => Input::Restart(Some(at.clone())),
            };
            let (mut state, mut out) = (at.clone(), OutOf::<Plain<M, Compiled<M>>>::default());
            self.compiled.step(&mut state, input, &mut out);
            let words = step_words::<M, Compiled<M>>(&state, &out);
            steps.push((state, words));
        }
        steps
    }

    /// The same over the table that was read: every outcome that the checker tries.
    fn dynamic(&self, at: &State<Dynamic>, given: &Given) -> Vec<(State<Dynamic>, String)> {
        let words = &self.vocabulary;
        let resource = |place: usize| self.name(place, &words.resources[place].name.name);
        let input = match given.clone() {
            Given::Command { event, number, answers } => Input::Command(Command {
                event: DynamicEvent {
                    kind: self.name(event, &words.events[event].name.name),
                    number,
                },
                answers: answers.map(resource),
            }),
            Given::Message(message) => Input::Message { from: Peer(3), message },
            Given::Fired(place) => Input::Fired(Timer(resource(place))),
            Given::Restart => Input::Restart(Some(at.clone())),
        };
        let choices = match &input {
            Input::Restart(_) => self.dynamic.rules.restarts(true),
            Input::Message { .. } | Input::Fired(_) | Input::Command(_) => {
                self.dynamic.rules.choices(at, &self.dynamic.events(&input)).max(1)
            }
        };
        let step = |choice| {
            let rules = self.dynamic.rules.choosing(choice);
            let core = Plain { rules, ..self.dynamic.clone() };
            let (mut state, mut out) = (at.clone(), OutOf::<TableCore>::default());
            core.step(&mut state, input.clone(), &mut out);
            let words = step_words::<Dynamic, TableRules>(&state, &out);
            (state, words)
        };
        (0..choices).map(step).collect()
    }

    /// Both cores in a state, with what it holds.
    fn anywhere(&self, place: usize) -> (State<M>, State<Dynamic>) {
        let at = M::State::ALL[place];
        let holds =
            |one: &M::Resource| u8::from(self.compiled.rules.rows().holds(at).contains(one));
        let held: Vec<u8> = M::Resource::ALL.iter().map(holds).collect();
        let variables = self.compiled.start().variables;
        let other = self.name(place, &self.vocabulary.states[place].name);
        let one = State { at, held: held.clone(), variables: variables.clone() };
        (one, State { at: other, held, variables })
    }

    /// Walks both cores and returns how many rows were taken.
    fn walk(&self, seed: u64) -> usize {
        let mut random = Random(seed);
        let (mut one, mut other) = (self.compiled.start(), self.dynamic.start());
        let mut rows = BTreeSet::new();
        for number in 0..STEPS {
            assert_eq!(state_words(&one), state_words(&other), "step {number}, seed {seed}");
            let armed: Vec<usize> =
                self.compiled.armed(&one).map(|timer| timer.0.index()).collect();
            let given = given::<M>(&one, &armed, &mut random);
            let (ours, theirs) =
                (self.compiled(&one, &given, &mut random), self.dynamic(&other, &given));
            let words = |steps: Vec<&String>| steps.into_iter().cloned().collect::<BTreeSet<_>>();
            let our_words = words(ours.iter().map(|(_, words)| words).collect());
            let their_words = words(theirs.iter().map(|(_, words)| words).collect());
            let place = format!("step {number}, seed {seed}: {given:?} in {one:?}");
            assert!(our_words.is_subset(&their_words), "{place}: {our_words:?} {their_words:?}");
            let is_one_event = !matches!(given, Given::Fired(_));
            if M::Guard::ALL.len() <= GUARDS_MAX && is_one_event {
                assert_eq!(our_words, their_words, "{place}");
            }
            let (state, taken) = &ours[random.below(ours.len())];
            let same = theirs.into_iter().find(|(_, words)| words == taken);
            (one, other) = (state.clone(), same.expect("it is among them").0);
            rows.extend(taken.split("Row {").nth(1).map(str::to_owned));
            if random.below(20) == 0 {
                (one, other) = self.anywhere(random.below(M::State::ALL.len()));
            }
        }
        rows.len()
    }
}

#[track_caller]
fn check<M: PlainMachine>(file: &str, text: &str) {
    let pair = Pair::<M>::new(file, text);
    let rows: usize = (1..=3).map(|seed| pair.walk(seed)).max().unwrap_or(0);
    assert!(rows * 4 > M::RowId::ALL.len(), "{file}: {rows} rows of {}", M::RowId::ALL.len());
}

macro_rules! bundled {
    ($($module:ident, $name:literal, $file:literal;)*) => {
        mod bundled {
            $(
                #[test]
                fn $module() {
                    let table = turnstile_bundled::table($name).expect("it is bundled");
                    super::check::<turnstile_machines::$module::Machine>(table.file, table.text);
                }
            )*
        }
    };
}

turnstile_bundled::for_each_table!(bundled);

macro_rules! examples {
    ($($test:ident $machine:ident $file:literal)*) => {$(
        #[test]
        fn $test() {
            turnstile_machine::machine!($file);
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/", $file);
            let text = std::fs::read_to_string(path).expect("it is there");
            check::<$machine::Machine>($file, &text);
        }
    )*};
}

examples! {
    an_abp_sender abp_sender "../../spec/examples/alternating-bit/sender.yaml"
    an_abp_receiver abp_receiver "../../spec/examples/alternating-bit/receiver.yaml"
    a_lift_car lift_car "../../spec/examples/lift/car.yaml"
    a_lift_door lift_door "../../spec/examples/lift/door.yaml"
    a_lift_panel lift_panel "../../spec/examples/lift/panel.yaml"
    an_mqtt_publisher mqtt_qos2_publisher "../../spec/examples/mqtt-qos2/publisher.yaml"
    an_mqtt_receiver mqtt_qos2_receiver "../../spec/examples/mqtt-qos2/receiver.yaml"
    a_commit_coordinator commit_coordinator "../../spec/examples/two-phase-commit/coordinator.yaml"
    a_clerk clerk "../tests/tables/post/clerk.yaml"
    a_commit_participant commit_participant "../../spec/examples/two-phase-commit/participant.yaml"
}
