//! The values that the guards of a table can have together. Guards that compare variables or the
//! payload exclude and imply each other: `tries = 0`, `tries = 1`, `tries > 1`.

use crate::limit;
use crate::table::{Comparison, GuardId, Operand, Pattern, Table, Vocabulary};
use crate::variable::Variable;
use crate::vec_map::VecSet;

/// What relates the values of a table's guards.
#[derive(Clone, Copy, Debug)]
pub struct GuardValues<'t> {
    variables: &'t [Variable],
    comparisons: &'t [Option<Comparison>],
}

impl<'t> GuardValues<'t> {
    /// The guards of a table.
    #[must_use]
    pub fn new(words: &'t Vocabulary, table: &'t Table) -> Self {
        Self::of(&words.variables, &table.comparisons)
    }

    pub(crate) fn of(variables: &'t [Variable], comparisons: &'t [Option<Comparison>]) -> Self {
        Self { variables, comparisons }
    }

    /// The guard's comparison, if it has one.
    fn comparison(&self, guard: GuardId) -> Option<&'t Comparison> {
        self.comparisons.get(guard.index())?.as_ref()
    }

    /// Which combinations of values some values of the variables and some payload of a pattern
    /// give, as a function of the combination: bit n of it is the value of the nth guard. A guard
    /// without a comparison has either value in each. All combinations are possible if more than
    /// [`limit::COMPARED`] comparisons would have to be evaluated.
    pub fn possible(
        &self,
        guards: &[GuardId],
        payload: &Pattern,
    ) -> impl Fn(usize) -> bool + use<> {
        let compared = (0..)
            .zip(guards)
            .filter_map(|(bit, guard)| Some((1_usize << bit, self.comparison(*guard)?)));
        let compared: Vec<(usize, &Comparison)> = compared.collect();
        let mask = compared.iter().fold(0, |mask, (bit, _)| mask | bit);
        let given = self.given(&compared, payload);
        move |answers| given.as_ref().is_none_or(|given| given.has(&(answers & mask)))
    }

    /// The combinations that occur; `None`: all, since no guard compares or since there are too
    /// many values.
    fn given(&self, compared: &[(usize, &Comparison)], payload: &Pattern) -> Option<VecSet<usize>> {
        if compared.is_empty() {
            return None;
        }
        let mut read = Read::default();
        let nodes = compared.iter().map(|(_, comparison)| read.note(comparison)).sum::<usize>();
        let values = self.values(&read, payload);
        let valuations = values.iter().fold(1_usize, |all, own| all.saturating_mul(own.len()));
        if valuations.saturating_mul(nodes) > limit::COMPARED {
            return None;
        }
        let mut given = VecSet::default();
        for number in 0..valuations {
            let value = |operand| match operand {
                Operand::Number(number) => number,
                Operand::Variable(_) | Operand::Payload => {
                    let mut rest = number;
                    let mut operands = read.operands.iter().zip(&values);
                    operands
                        .find_map(|(read, own)| {
                            let at = rest % own.len();
                            rest /= own.len();
                            (*read == operand).then(|| own[at])
                        })
                        .unwrap_or(0)
                }
            };
            let holds = compared.iter().filter(|(_, comparison)| comparison.holds(&value));
            given.add(holds.fold(0, |answers, (bit, _)| answers | bit));
        }
        Some(given)
    }

    /// For each operand enough of its values to have every order of the operands and the numbers
    /// that they are compared with: between two such numbers, as many values as there are operands.
    fn values(&self, read: &Read, payload: &Pattern) -> Vec<Vec<u16>> {
        let domain = |operand: &Operand| match operand {
            Operand::Variable(id) => {
                let variable = self.variables.get(id.index());
                let (least, most) = variable.map_or((0, 0), |one| one.domain.bounds());
                Pattern(vec![least..=most])
            }
            Operand::Number(_) | Operand::Payload => payload.clone(),
        };
        let domains: Vec<Pattern> = read.operands.iter().map(domain).collect();
        let mut starts = read.numbers.clone();
        for range in domains.iter().flat_map(|domain| &domain.0) {
            starts.add(*range.start());
            starts.add(*range.end());
        }
        let mut near = VecSet::default();
        for start in starts.into_keys() {
            let count = u16::try_from(read.operands.len()).unwrap_or(u16::MAX);
            near.add_all(start..=start.saturating_add(count));
        }
        let near = near.into_keys();
        let own = |domain: &Pattern| near.iter().copied().filter(|n| domain.matches(*n)).collect();
        domains.iter().map(own).collect()
    }
}

/// What some comparisons read.
#[derive(Default)]
struct Read {
    /// The variables, and the payload if it is read.
    operands: Vec<Operand>,
    numbers: VecSet<u16>,
}

impl Read {
    /// Adds what a comparison reads; returns how many comparisons it is made of.
    fn note(&mut self, comparison: &Comparison) -> usize {
        match comparison {
            Comparison::Is(one, _, other) => {
                for operand in [*one, *other] {
                    match operand {
                        Operand::Number(number) => {
                            self.numbers.add(number);
                        }
                        Operand::Variable(_) | Operand::Payload => {
                            if !self.operands.contains(&operand) {
                                self.operands.push(operand);
                            }
                        }
                    }
                }
                1
            }
            Comparison::All(parts) | Comparison::Any(parts) => {
                parts.iter().map(|part| self.note(part)).sum::<usize>().max(1)
            }
            Comparison::Not(part) => self.note(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GuardValues;
    use crate::event::PayloadDomain;
    use crate::table::{Comparison, GuardId, Name, Operand, Pattern, Relation};
    use crate::variable::{Variable, VariableId};
    use crate::vec_map::VecSet;

    fn variable(most: u16) -> Variable {
        let name = Name {
            name: String::new(),
            ident: String::new(),
            about: String::new(),
            cite: Vec::new(),
            declared: true,
            span: crate::diagnostic::Span::default(),
        };
        Variable { name, domain: PayloadDomain::Number(0..=most), initial: 0 }
    }

    /// The next of some numbers that look random.
    fn next(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(*seed >> 40).expect("24 bits")
    }

    fn operand(seed: &mut u64) -> Operand {
        match next(seed) % 4 {
            0 => Operand::Number((next(seed) % 12) as u16),
            1 => Operand::Payload,
            id => Operand::Variable(VariableId(id as u16 - 2)),
        }
    }

    fn comparison(seed: &mut u64, depth: usize) -> Comparison {
        let kind = next(seed) % 6;
        let mut part = |depth: usize| comparison(seed, depth - 1);
        match (depth, kind) {
            (1.., 0) => Comparison::Not(Box::new(part(depth))),
            (1.., 1) => Comparison::All(vec![part(depth), part(depth)]),
            (1.., 2) => Comparison::Any(vec![part(depth), part(depth)]),
            _ => {
                let relation = Relation::SIGNS[next(seed) % 6].1;
                Comparison::Is(operand(seed), relation, operand(seed))
            }
        }
    }

    /// The combinations that occur, by all values of the variables and the payload.
    fn by_all_values(guards: &[Option<Comparison>], payload: &Pattern) -> VecSet<usize> {
        let mut given = VecSet::default();
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
                given.add((0..).zip(guards).map(holds).sum());
            }
        }
        given
    }

    #[test]
    fn the_values_that_are_tried_give_every_combination() {
        let variables = [variable(9), variable(4)];
        let ids = [GuardId(0), GuardId(1), GuardId(2)];
        let payloads = [vec![0..=0], vec![0..=15], vec![2..=3, 7..=7, 12..=14]].map(Pattern);
        let mut seed = 20_261_125;
        let mut excluded = 0;
        for _ in 0..3_000 {
            let guards = ids.map(|_| Some(comparison(&mut seed, 2)));
            for payload in &payloads {
                let possible = GuardValues::of(&variables, &guards).possible(&ids, payload);
                let given = by_all_values(&guards, payload);
                for answers in 0..8 {
                    let what = format!("{guards:?} {payload:?} {answers:b}");
                    assert_eq!(possible(answers), given.has(&answers), "{what}");
                    excluded += usize::from(!given.has(&answers));
                }
            }
        }
        assert!(excluded > 10_000, "{excluded}");
    }

    #[test]
    fn a_guard_without_a_comparison_has_either_value() {
        let never = Comparison::Is(Operand::Number(1), Relation::Equal, Operand::Number(2));
        let guards = [None, Some(never)];
        let values = GuardValues::of(&[], &guards);
        let possible = values.possible(&[GuardId(0), GuardId(1)], &Pattern(vec![0..=0]));
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
        let possible = GuardValues::of(&variables, &guards).possible(&ids, &Pattern(vec![0..=0]));
        assert!((0..4).all(possible));
    }
}
