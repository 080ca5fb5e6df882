//! Rules, invariants, loops and what instances tell each other, as code and as data, beside answers
//! worked out by hand.

use std::cell::Cell;
use std::collections::BTreeSet;

turnstile_machine::machine!("tests/tables/hall.yaml");

use std::sync::LazyLock;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_machine::{Facts, GuardFacts, Interpreted, Rules};
use turnstile_spec::{Source, WrittenTable};

use hall::{
    Action, Collection, Event, EventKind, Guard, Invariant, Loop, Machine, OpenGuard, Predicate,
    Rule, State, Subject, Term, Whole, WholeCollection, WholeInvariant, WholePredicate,
};

/// The same table as data.
static DATA: LazyLock<Interpreted<Machine>> = LazyLock::new(|| {
    let source = Source::new("hall.yaml", include_str!("tables/hall.yaml"));
    let literal = WrittenTable::read(source).expect("it can be read");
    let sound = literal.amended().expect("it is sound");
    let plain = turnstile_machine::read(&sound.vocabulary, &sound.table);
    Interpreted::new(plain.expect("its names are compiled in"))
});

/// Guests by number: where each is, who shares, who sits together, who has which seats.
#[derive(Clone, Debug, Default)]
struct Hall {
    guests: Vec<State>,
    shared: u64,
    tables: Vec<(u64, u64)>,
    seats: Vec<u64>,
    is_late: bool,
    /// How often things under things were listed at once.
    at_once: Cell<u32>,
}

impl Facts<Machine> for Hall {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsShared { guest } => self.shared >> guest.0 & 1 == 1,
            Predicate::SameTable { guest, other } => self.tables.contains(&(guest.0, other.0)),
            Predicate::IsLate => self.is_late,
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {
            Collection::Seats { guest } => {
                self.seats.iter().filter(|seat| **seat >= guest.0).all(|seat| is(Term(*seat)))
            }
            Collection::Friends => true,
        }
    }

    fn every_under(
        &self,
        outer: Collection,
        inner: &dyn Fn(Term) -> Collection,
        is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        self.at_once.set(self.at_once.get() + 1);
        let mut things = BTreeSet::new();
        self.every(outer, &mut |thing| {
            self.every(inner(thing), &mut |thing| {
                things.insert(thing);
                true
            })
        });
        things.into_iter().all(is)
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        (0..).zip(&self.guests).all(|(guest, at)| is(Term(guest), *at))
    }

    fn state(&self, thing: Term) -> Option<State> {
        self.guests.get(usize::try_from(thing.0).ok()?).copied()
    }
}

/// The guest of guards is 1, the host 2.
impl GuardFacts<Machine> for Hall {
    fn guard(&self, guard: OpenGuard) -> bool {
        match guard {
            OpenGuard::IsAnnounced => self.shared & 1 == 1,
        }
    }

    fn subject(&self, subject: Subject) -> Term {
        match subject {
            Subject::Guest => Term(1),
            Subject::Host => Term(2),
        }
    }
}

/// Who sees the whole town.
struct Town<'a>(&'a Hall);

impl Facts<Whole> for Town<'_> {
    fn is(&self, predicate: WholePredicate) -> bool {
        match predicate {
            WholePredicate::IsAtHome { guest } => self.0.shared >> guest.0 & 1 == 1,
        }
    }

    fn every(&self, collection: WholeCollection, _: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {}
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        self.0.instances(is)
    }

    fn state(&self, thing: Term) -> Option<State> {
        self.0.state(thing)
    }
}

/// What both forms say of a guard, which must be the same.
#[track_caller]
fn guard(hall: &Hall, guard: Guard) -> bool {
    let said = Machine.guard(guard, hall);
    assert_eq!(said, DATA.guard(guard, hall), "{guard:?} of {hall:?}");
    said
}

#[test]
fn guards_are_their_formulas_and_else_the_cores() {
    let guest = Term(1);
    let mut hall = Hall { guests: vec![State::Waiting; 3], ..Hall::default() };
    assert!(!guard(&hall, Guard::IsAnnounced), "the core says so");
    assert!(guard(&hall, Guard::MayEnter) && rule(&hall, Rule::Enter { guest }));
    hall.tables = vec![(1, 0)];
    assert!(!guard(&hall, Guard::MayEnter) && !rule(&hall, Rule::Enter { guest }));
    assert!(!guard(&hall, Guard::HasASeatBesideTheHost), "the guest has none");
    (hall.seats, hall.shared) = (vec![3], 1);
    hall.tables.push((3, 1));
    assert!(!guard(&hall, Guard::HasASeatBesideTheHost), "it is beside the guest");
    hall.tables.push((3, 2));
    assert!(guard(&hall, Guard::HasASeatBesideTheHost));
    let step = Machine.step(State::NotExist, Event::GuestComes, &|one| guard(&hall, one));
    assert_eq!(step.expect("a row").to, State::Inside);
    hall.shared = 0;
    let step = Machine.step(State::NotExist, Event::GuestComes, &|one| guard(&hall, one));
    assert_eq!(step.expect("a row").to, State::Waiting, "nobody announced the guest");
}

#[test]
fn what_the_whole_is_asked_is_no_question_to_a_core() {
    assert!(!Invariant::ALL.iter().any(|one| one.to_string() == "one place"));
    let mut hall = Hall { guests: vec![State::NotExist, State::Inside], ..Hall::default() };
    for (shared, holds) in [(0b01, true), (0b10, false)] {
        hall.shared = shared;
        let town = Town(&hall);
        assert_eq!(Machine.whole_invariant(WholeInvariant::OnePlace, &town), holds);
        assert_eq!(DATA.whole_invariant(WholeInvariant::OnePlace, &town), holds);
    }
}

/// What both forms say, which must be the same.
#[track_caller]
fn rule(hall: &Hall, rule: Rule) -> bool {
    let said = Machine.rule(rule, hall);
    assert_eq!(said, DATA.rule(rule, hall), "{rule:?} of {hall:?}");
    said
}

#[track_caller]
fn invariant(hall: &Hall, invariant: Invariant) -> bool {
    let said = Machine.invariant(invariant, hall);
    assert_eq!(said, DATA.invariant(invariant, hall), "{invariant:?} of {hall:?}");
    said
}

#[test]
fn rules_say_what_was_worked_out_by_hand() {
    let guest = Term(0);
    let empty = Hall::default();
    assert!(rule(&empty, Rule::Alone { guest }));
    let mut hall = Hall { guests: vec![State::Inside, State::Waiting], ..Hall::default() };
    assert!(rule(&hall, Rule::Enter { guest }), "nobody present sits with the guest");
    hall.tables = vec![(0, 1)];
    assert!(!rule(&hall, Rule::Alone { guest }));
    assert!(!rule(&hall, Rule::Enter { guest }));
    hall.shared = 1;
    assert!(!rule(&hall, Rule::Enter { guest }), "there is no seat");
    hall.seats = vec![3];
    hall.tables.push((3, 0));
    assert!(rule(&hall, Rule::Enter { guest }));
    hall.is_late = true;
    assert!(!rule(&hall, Rule::Enter { guest }));
    hall.guests[1] = State::ThrownOut;
    assert!(rule(&hall, Rule::Enter { guest }), "who was thrown out is not present");
}

#[test]
fn invariants_say_what_was_worked_out_by_hand() {
    let mut hall = Hall { guests: vec![State::Inside, State::Inside], ..Hall::default() };
    assert!(invariant(&hall, Invariant::OneParty));
    hall.tables = vec![(0, 1)];
    assert!(invariant(&hall, Invariant::OneParty), "neither shares");
    hall.shared = 2;
    assert!(!invariant(&hall, Invariant::OneParty), "one of two at a table shares");
    hall.is_late = true;
    assert!(!invariant(&hall, Invariant::NobodyTwice));
    hall.guests = vec![State::Waiting, State::ThrownOut];
    assert!(invariant(&hall, Invariant::NobodyTwice), "a final state is not `any`");
}

#[test]
fn code_and_data_agree_on_many_halls() {
    let seed = 0x5eed;
    println!("seed {seed:#x}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut yes, mut said, mut at_once) = (0, [0, 0], 0);
    for _ in 0..2_000 {
        let bits: u64 = rng.random();
        let guests = (0..bits % 4).map(|guest| State::ALL[(bits >> (8 + 2 * guest)) as usize % 4]);
        let pairs = (0..16).filter(|_| rng.random_ratio(1, 4));
        let hall = Hall {
            guests: guests.collect(),
            tables: pairs.map(|pair| (pair / 4, pair % 4)).collect(),
            shared: rng.random(),
            seats: (0..4).filter(|seat| bits >> (40 + seat) & 1 == 1).collect(),
            is_late: bits >> 63 == 1,
            at_once: Cell::new(0),
        };
        for guest in (0..4).map(Term) {
            yes += u32::from(rule(&hall, Rule::Enter { guest }));
            let under = [Rule::Settled { guest }, Rule::Crowded { guest }];
            under.into_iter().for_each(|it| said[usize::from(rule(&hall, it))] += 1);
            at_once += hall.at_once.take();
            rule(&hall, Rule::Paired { guest });
            assert_eq!(hall.at_once.get(), 0, "a seat is asked with the one whose seat it is");
        }
        Guard::ALL.iter().for_each(|it| said[usize::from(guard(&hall, *it))] += 1);
        Invariant::ALL.iter().for_each(|it| yes += u32::from(invariant(&hall, *it)));
    }
    assert!((1_000..11_000).contains(&yes), "the halls say only one thing: {yes}");
    assert!(said.iter().all(|times| *times > 1_000), "the halls say only one thing: {said:?}");
    assert!(at_once > 8_000, "seats of seats are listed at once: {at_once}");
}

#[test]
fn entries_of_a_loop_stand_together() {
    let step = hall::step(State::Inside, Event::GuestLeaves, &|_| true).expect("a row");
    let runs: Vec<_> = step.blocks().map(|run| (run.each, run.actions.len())).collect();
    assert_eq!(runs, [(Some(Loop::Friends), 2), (None, 1)]);
    let step = hall::step(State::Waiting, Event::HallCloses, &|_| true).expect("a row");
    assert_eq!(step.blocks().count(), 2, "two loops over one collection stay two");
    let told: Vec<_> = Action::ALL.iter().filter_map(|action| action.tells()).collect();
    assert_eq!(told, [EventKind::DoorOpens]);
    let refused = hall::step(State::NotExist, Event::GuestComes, &|_| false);
    assert_eq!(refused.expect("a row").to, State::Waiting);
    assert_eq!(DATA.initial(), State::NotExist);
}
