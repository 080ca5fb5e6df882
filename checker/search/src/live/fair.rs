//! Which components can hold a fair run.
//!
//! A component in which nothing relieves a weakly fair action that is enabled in all its states
//! holds none, nor does any part of it. Where a strongly fair action is enabled in some states and
//! nothing in the component relieves it, a fair run avoids those states: the rest is looked at
//! again. What relieves an action are its own transitions and those that stop or start anew the
//! clock of its timer, also where they lead to where they began: a state by itself may hold a fair
//! run.
//!
//! What is assumed does not change the components, only what is said of them. So they are found
//! once, with what each owes, and so is the rest of each for what is avoided in it.

use std::collections::BTreeMap;

use crate::live::components::Components;
use crate::live::graph::Graph;
use crate::parts::Fairness;

/// The assumptions that are made: for each pair of a graph, whether it is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assumed(Vec<bool>);

impl Assumed {
    /// No fairness.
    pub(super) fn none(graph: &Graph) -> Self {
        Self(vec![false; graph.labels().pairs().len()])
    }

    /// All there is.
    pub(super) fn all(graph: &Graph) -> Self {
        Self(vec![true; graph.labels().pairs().len()])
    }

    /// The names of what is assumed, sorted.
    pub(super) fn names(&self, graph: &Graph) -> Vec<String> {
        let assumed = graph.labels().pairs().iter().zip(&self.0).filter(|(_, assumed)| **assumed);
        let mut names: Vec<String> = assumed.filter_map(|(fairness, _)| name(fairness)).collect();
        names.sort();
        names
    }

    /// Whether a pair is assumed.
    pub(super) fn has(&self, pair: u16) -> bool {
        self.0[usize::from(pair)]
    }

    /// Gives up one assumption after the other, by name, as long as no run becomes fair. There
    /// is a bound to what is looked at for it.
    pub(super) fn minimise(&mut self, knots: &mut Knots<'_>) {
        for pair in 0..self.0.len() {
            if knots.looked_at > LOOKED_AT_MAX * knots.graph.len() {
                return;
            }
            self.0[pair] = false;
            if knots.fair(self).is_some() {
                self.0[pair] = true;
            }
        }
    }
}

/// States that are looked at for the fewest assumptions, for each state of the graph. Beyond it,
/// all that were not given up count as needed.
const LOOKED_AT_MAX: usize = 16;

/// Components that owe the same.
#[derive(Debug)]
struct Knot {
    /// The component nearest to the beginning.
    first: Vec<u32>,
    /// The states of all.
    states: Vec<u32>,
    owed: Owed,
    /// By what is avoided: the knots of the rest.
    rests: BTreeMap<Vec<u16>, Vec<usize>>,
}

/// The pairs whose actions are enabled in a component and that nothing inside relieves, and whether
/// they are enabled in all its states.
type Owed = Vec<(u16, bool)>;

/// What the transitions of a component say of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// States where its action is enabled, wherever that leads; not counted once it is relieved.
    enabled: usize,
    /// The last state counted, plus one.
    counted: usize,
    /// Whether something inside relieves it.
    is_relieved: bool,
}

/// Of a label that has nothing to do with fairness, in place of a component.
const IDLE: u32 = u32::MAX;

/// The components of a part of a graph, and of parts of them, as far as they were asked for.
#[derive(Debug)]
pub(super) struct Knots<'g> {
    graph: &'g Graph,
    components: Components,
    all: Vec<Knot>,
    /// The knots of the whole part.
    first: Vec<usize>,
    /// The first state where a run may stop: nothing fair could go on, whether that is assumed or
    /// not.
    stop: Option<u32>,
    tallies: Vec<Tally>,
    /// Of each label, the component in which it was met last, or [`IDLE`].
    met: Vec<u32>,
    /// States looked at for the rests of knots.
    looked_at: usize,
}

impl<'g> Knots<'g> {
    /// Those of what can be reached from these states, sorted, through states that are `is_open`.
    pub(super) fn of(graph: &'g Graph, sources: &[u32], is_open: impl Fn(u32) -> bool) -> Self {
        let labels = graph.labels();
        let is_fair = |label: u16| labels.begins(label).is_some();
        let stops = |state: &u32| !graph.out(*state).any(|(_, label)| is_fair(label));
        let is_idle = |label: u16| labels.relieves(label).is_empty();
        let met = |label: usize| {
            if is_idle(u16::try_from(label).expect("labels are few")) { IDLE } else { 0 }
        };
        let mut knots = Self {
            graph,
            components: Components::new(graph.len()),
            all: Vec::new(),
            first: Vec::new(),
            stop: None,
            tallies: vec![Tally::default(); labels.pairs().len()],
            met: (0..labels.len()).map(met).collect(),
            looked_at: 0,
        };
        let open = graph.states().filter(|&state| is_open(state));
        let found = knots.components.of(graph, sources.iter().copied(), open);
        knots.stop = found.0.iter().copied().filter(stops).min();
        knots.first = knots.tie(&found);
        knots
    }

    /// A component, or a part of one, that holds a fair run; the first in a fixed order.
    pub(super) fn fair(&mut self, assumed: &Assumed) -> Option<Vec<u32>> {
        let mut found = self.stop.map(|state| vec![state]);
        let mut work = vec![self.first.clone()];
        while let Some(knots) = work.pop() {
            let mut rest = Vec::new();
            for knot in knots {
                let Knot { first, owed, .. } = &self.all[knot];
                let is_near = found.as_ref().is_none_or(|other: &Vec<u32>| first[0] < other[0]);
                match self.judge(assumed, owed) {
                    Fate::Fair if is_near => found = Some(first.clone()),
                    Fate::Fair | Fate::Unfair => {}
                    Fate::Avoid(bad) => rest.push((knot, bad)),
                }
            }
            if found.is_some() {
                return found;
            }
            work.extend(rest.into_iter().map(|(knot, bad)| self.rest(knot, bad)));
        }
        None
    }

    /// Keeps the components in which a run can go on for ever: those of more than one state, and
    /// states that lead to themselves by what relieves another action. What relieves itself alone
    /// and changes nothing is as good as to stop, and where a run may stop is known. Those that owe
    /// the same are judged as one; no run goes from one to another and back.
    fn tie(&mut self, (states, ends): &(Vec<u32>, Vec<usize>)) -> Vec<usize> {
        let begins = [0].into_iter().chain(ends.iter().copied());
        let components = begins.zip(ends.iter().copied()).map(|(begin, end)| &states[begin..end]);
        let mut same: BTreeMap<Owed, Vec<&[u32]>> = BTreeMap::new();
        let graph = self.graph;
        let relieves_another = |&label: &u16| graph.labels().relieves_another(label);
        let goes_on = |component: &&[u32]| {
            component.len() > 1 || graph.stays(component[0]).iter().any(relieves_another)
        };
        for component in components.filter(goes_on) {
            same.entry(self.owed(component)).or_default().push(component);
        }
        let first = self.all.len();
        self.all.extend(same.into_iter().map(|(owed, components)| Knot {
            first: components.iter().min().expect("at least one").to_vec(),
            states: components.concat(),
            owed,
            rests: BTreeMap::new(),
        }));
        (first..self.all.len()).collect()
    }

    /// The knots that are left of one where these are avoided.
    fn rest(&mut self, knot: usize, bad: Vec<u16>) -> Vec<usize> {
        if let Some(rest) = self.all[knot].rests.get(&bad) {
            return rest.clone();
        }
        let graph = self.graph;
        let is_bad =
            |label: u16| graph.labels().begins(label).is_some_and(|one| bad.contains(&one));
        let has_bad = |state: u32| graph.out(state).any(|(_, label)| is_bad(label));
        let states = self.all[knot].states.iter().copied();
        let kept: Vec<u32> = states.filter(|&state| !has_bad(state)).collect();
        self.looked_at += kept.len();
        let kept = kept.iter().copied();
        let found = self.components.of(graph, kept.clone(), kept);
        let rest = self.tie(&found);
        self.all[knot].rests.insert(bad, rest.clone());
        rest
    }

    fn judge(&self, assumed: &Assumed, owed: &Owed) -> Fate {
        let mut avoid = Vec::new();
        for &(pair, is_everywhere) in owed.iter().filter(|(pair, _)| assumed.has(*pair)) {
            match self.graph.labels().pairs()[usize::from(pair)] {
                Fairness::Weak(_) if is_everywhere => return Fate::Unfair,
                Fairness::Strong(_) => avoid.push(pair),
                Fairness::Weak(_) | Fairness::Never => {}
            }
        }
        if avoid.is_empty() { Fate::Fair } else { Fate::Avoid(avoid) }
    }

    /// What a component owes that was just found.
    fn owed(&mut self, states: &[u32]) -> Owed {
        let Self { graph, components, tallies, met, .. } = self;
        let labels = graph.labels();
        let part = components.part(states[0]);
        tallies.fill(Tally::default());
        let relieve = |label: u16, tallies: &mut Vec<Tally>| {
            let relieved = labels.relieves(label).iter();
            relieved.for_each(|&pair| tallies[usize::from(pair)].is_relieved = true);
        };
        for &label in states.iter().flat_map(|&state| graph.stays(state)) {
            if std::mem::replace(&mut met[usize::from(label)], part) != part {
                relieve(label, tallies);
            }
        }
        for &state in states {
            for (to, label) in graph.out(state) {
                let met = &mut met[usize::from(label)];
                // Most are, before long; where they lead is then not looked up.
                if *met == part || *met == IDLE {
                    continue;
                }
                if let Some(pair) = labels.begins(label) {
                    let tally = &mut tallies[usize::from(pair)];
                    if tally.counted != state as usize + 1 {
                        tally.counted = state as usize + 1;
                        tally.enabled += 1;
                    }
                }
                if components.part(to) == part {
                    *met = part;
                    relieve(label, tallies);
                }
            }
        }
        (0u16..)
            .zip(tallies.iter())
            .filter(|(_, tally)| tally.enabled > 0 && !tally.is_relieved)
            .map(|(pair, tally)| (pair, tally.enabled == states.len()))
            .collect()
    }
}

/// What becomes of a component.
enum Fate {
    /// It holds a fair run.
    Fair,
    /// It holds none.
    Unfair,
    /// A fair run in it avoids the states where one of these is enabled.
    Avoid(Vec<u16>),
}

/// How an assumption is named in a verdict.
fn name(fairness: &Fairness) -> Option<String> {
    match fairness {
        Fairness::Never => None,
        Fairness::Weak(what) => Some(format!("weakly fair: {what}")),
        Fairness::Strong(what) => Some(format!("strongly fair: {what}")),
    }
}
