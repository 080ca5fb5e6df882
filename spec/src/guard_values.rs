//! The values that the guards of a table can have together. Guards that compare variables or the
//! payload exclude and imply each other: `tries = 0`, `tries = 1`, `tries > 1`.

use crate::limit;
use crate::read::pattern;
use crate::table::{Comparison, Event, GuardId, Operand, Pattern, Table, Vocabulary};
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

    /// Which combinations of values some values of the variables and some payload of a pattern
    /// give, as a function of the combination: bit n of it is the value of the nth guard. A guard
    /// without a comparison has either value in each. All combinations are possible if more than
    /// [`limit::COMPARED`] comparisons would have to be evaluated.
    pub fn possible(
        &self,
        guards: &[GuardId],
        payload: &Pattern,
    ) -> impl Fn(usize) -> bool + use<> {
        let compared = self.compared(guards);
        let mask = mask(&compared);
        let mut given = VecSet::default();
        let is_related = self.compares(guards)
            && self.each(&compared, payload, |answers, _| {
                given.add(answers);
            });
        let given = is_related.then_some(given);
        move |answers| given.as_ref().is_none_or(|given| given.has(&(answers & mask)))
    }

    /// Whether one of the guards has a comparison: without one, each combination is possible.
    pub(crate) fn compares(&self, guards: &[GuardId]) -> bool {
        !self.compared(guards).is_empty()
    }

    /// Values of the variables and the payload that give a wanted combination.
    pub(crate) fn example(
        &self,
        guards: &[GuardId],
        payload: &Pattern,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Example {
        if !self.compares(guards) {
            return Example::None;
        }
        let compared = self.compared(guards);
        let all = (0..1 << guards.len()).filter(|answers| is_wanted(*answers));
        let wanted = VecSet::of(all.map(|answers| answers & mask(&compared)));
        let mut found = None;
        let is_related = self.each(&compared, payload, |answers, valuation| {
            if found.is_none() && wanted.has(&answers) {
                found = Some(valuation.to_vec());
            }
        });
        match found {
            _ if !is_related => Example::Unrelated,
            Some(valuation) => Example::Values(valuation),
            None => Example::None,
        }
    }

    /// The guards that compare, each with its bit in a combination.
    fn compared(&self, guards: &[GuardId]) -> Vec<(usize, &'t Comparison)> {
        let comparison = |guard: &GuardId| self.comparisons.get(guard.index())?.as_ref();
        let bits = (0..).zip(guards);
        bits.filter_map(|(bit, guard)| Some((1 << bit, comparison(guard)?))).collect()
    }

    /// Calls a function with each combination that occurs and values that give it. False, and no
    /// call, if there are too many.
    fn each(
        &self,
        compared: &[(usize, &Comparison)],
        payload: &Pattern,
        mut with: impl FnMut(usize, &[(Operand, u16)]),
    ) -> bool {
        let mut read = Read::default();
        let nodes = compared.iter().map(|(_, comparison)| read.note(comparison)).sum::<usize>();
        let values = self.values(&read, payload);
        let valuations = values.iter().fold(1_usize, |all, own| all.saturating_mul(own.len()));
        if valuations.saturating_mul(nodes) > limit::COMPARED {
            return false;
        }
        for mut number in 0..valuations {
            let operands = read.operands.iter().zip(&values);
            let chosen = operands.map(|(operand, own)| {
                let at = number % own.len();
                number /= own.len();
                (*operand, own[at])
            });
            let valuation: Vec<(Operand, u16)> = chosen.collect();
            let value = |operand| match operand {
                Operand::Number(number) => number,
                Operand::Variable(_) | Operand::Payload => {
                    let known = valuation.iter().find(|(known, _)| *known == operand);
                    known.map_or(0, |(_, number)| *number)
                }
            };
            let holds = compared.iter().filter(|(_, comparison)| comparison.holds(&value));
            with(holds.fold(0, |answers, (bit, _)| answers | bit), &valuation);
        }
        true
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

/// The bits of the guards that compare.
fn mask(compared: &[(usize, &Comparison)]) -> usize {
    compared.iter().fold(0, |mask, (bit, _)| mask | bit)
}

/// Values for which rows are as a diagnostic says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Example {
    /// No guard compares anything.
    None,
    /// A value of each operand that the guards compare.
    Values(Vec<(Operand, u16)>),
    /// The guards compare too many values: each was taken as true or false by itself.
    Unrelated,
}

impl Example {
    /// The example, to be added to a sentence: `, for example where tries = 2`.
    pub(crate) fn words(&self, words: &Vocabulary, event: &Event) -> String {
        let text = |(operand, number): &(Operand, u16)| {
            let one = Pattern(vec![*number..=*number]);
            match operand {
                Operand::Variable(id) => {
                    let variable = &words.variables[id.index()];
                    let value = pattern::text(&one, &variable.domain);
                    format!("{} = {value}", variable.name.name)
                }
                Operand::Payload | Operand::Number(_) => {
                    let payload = event.payload.as_ref();
                    let value = payload.map(|payload| pattern::text(&one, &payload.domain));
                    format!("payload = {}", value.unwrap_or_default())
                }
            }
        };
        match self {
            Self::None => String::new(),
            Self::Values(values) => {
                let values: Vec<String> = values.iter().map(text).collect();
                format!(", for example where {}", values.join(" and "))
            }
            Self::Unrelated => {
                ", if guards that compare too many values to be related may be true together".into()
            }
        }
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
