//! Guards that compare variables or the payload exclude and imply each other.

use std::collections::BTreeSet;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_spec::diagnostic::Span;
use turnstile_spec::guard_values::GuardValues;
use turnstile_spec::table::{
    Comparison, GuardId, Name, Operand, Pattern, PayloadDomain, Relation, Table, Variable,
    VariableId, Vocabulary,
};

fn variable(most: u16) -> Variable {
    let name = Name {
        name: String::new(),
        ident: String::new(),
        about: String::new(),
        cite: Vec::new(),
        declared: true,
        span: Span::default(),
    };
    Variable { name, domain: PayloadDomain::Number(0..=most), initial: 0 }
}

/// The values that guards with these comparisons can have.
fn possible(
    variables: &[Variable],
    comparisons: &[Option<Comparison>],
    guards: &[GuardId],
    payload: &Pattern,
) -> impl Fn(usize) -> bool + use<> {
    let words = Vocabulary { variables: variables.to_vec(), ..Vocabulary::default() };
    let table = Table { comparisons: comparisons.to_vec(), ..Table::default() };
    GuardValues::new(&words, &table).possible(guards, payload)
}

const RELATIONS: [Relation; 6] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::AtMost,
    Relation::Greater,
    Relation::AtLeast,
];

fn operand(rng: &mut SmallRng) -> Operand {
    match rng.random_range(..4_u16) {
        0 => Operand::Number(rng.random_range(..12)),
        1 => Operand::Payload,
        id => Operand::Variable(VariableId(id - 2)),
    }
}

fn comparison(rng: &mut SmallRng, depth: usize) -> Comparison {
    let kind = rng.random_range(0..6);
    let mut part = |depth: usize| comparison(rng, depth - 1);
    match (depth, kind) {
        (1.., 0) => Comparison::Not(Box::new(part(depth))),
        (1.., 1) => Comparison::All(vec![part(depth), part(depth)]),
        (1.., 2) => Comparison::Any(vec![part(depth), part(depth)]),
        _ => {
            let relation = RELATIONS[rng.random_range(..RELATIONS.len())];
            Comparison::Is(operand(rng), relation, operand(rng))
        }
    }
}

/// The combinations that occur, by all values of the variables and the payload.
fn by_all_values(guards: &[Option<Comparison>], payload: &Pattern) -> BTreeSet<usize> {
    let mut given = BTreeSet::new();
    for number in payload.0.iter().flat_map(|range| range.clone()) {
        for (one, other) in (0..=9).flat_map(|one| (0..=4).map(move |other| (one, other))) {
            let value = |operand| match operand {
                Operand::Number(number) => number,
                Operand::Variable(VariableId(0)) => one,
                Operand::Variable(_) => other,
                Operand::Payload => number,
            };
            let holds = |(bit, guard): (usize, &Option<Comparison>)| {
                let is = guard.as_ref().is_some_and(|guard| guard.holds(&value));
                usize::from(is) << bit
            };
            given.insert((0..).zip(guards).map(holds).sum());
        }
    }
    given
}

#[test]
fn the_values_that_are_tried_give_every_combination() {
    let variables = [variable(9), variable(4)];
    let ids = [GuardId(0), GuardId(1), GuardId(2)];
    let payloads = [vec![0..=0], vec![0..=15], vec![2..=3, 7..=7, 12..=14]].map(Pattern);
    let mut rng = SmallRng::seed_from_u64(20_261_125);
    let mut excluded = 0;
    for _ in 0..3_000 {
        let guards = ids.map(|_| Some(comparison(&mut rng, 2)));
        for payload in &payloads {
            let possible = possible(&variables, &guards, &ids, payload);
            let given = by_all_values(&guards, payload);
            for answers in 0..8 {
                let what = format!("{guards:?} {payload:?} {answers:b}");
                assert_eq!(possible(answers), given.contains(&answers), "{what}");
                excluded += usize::from(!given.contains(&answers));
            }
        }
    }
    assert!(excluded > 10_000, "{excluded}");
}

#[test]
fn a_guard_without_a_comparison_has_either_value() {
    let never = Comparison::Is(Operand::Number(1), Relation::Equal, Operand::Number(2));
    let guards = [None, Some(never)];
    let ids = [GuardId(0), GuardId(1)];
    let possible = possible(&[], &guards, &ids, &Pattern(vec![0..=0]));
    assert_eq!([0, 1, 2, 3].map(possible), [true, true, false, false]);
}

#[test]
fn too_many_values_exclude_nothing() {
    let variables: Vec<Variable> = (0..8).map(|_| variable(9)).collect();
    let ids = [GuardId(0), GuardId(1)];
    let all = (0..8).map(|id| {
        let number = Operand::Number(5);
        Comparison::Is(Operand::Variable(VariableId(id)), Relation::Equal, number)
    });
    let all = Comparison::All(all.collect());
    let guards = [Some(all.clone()), Some(Comparison::Not(Box::new(all)))];
    let possible = possible(&variables, &guards, &ids, &Pattern(vec![0..=0]));
    assert!((0..4).all(possible));
}
