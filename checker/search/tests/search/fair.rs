//! Verdicts of liveness under fairness on random graphs of a few states, beside the definition:
//! every set of states that a fair path could stay in is tried. With few and with many conditions.

use std::collections::BTreeSet;

use turnstile_models::{Edge, EdgeGraph};
use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::judgement::Verdict;
use turnstile_search::transition_system::Fairness;

use super::random::Random;

/// States, of which 0 is initial and the last is the goal.
const STATES: u8 = 7;

/// A graph, and the definition of what it is asked.
struct Graph(EdgeGraph);

impl Graph {
    /// The states reached from one through others of a set.
    fn reach(&self, from: u8, within: &dyn Fn(u8) -> bool) -> BTreeSet<u8> {
        let mut reached = BTreeSet::from([from]);
        while let Some(edge) = self.0.edges.iter().find(|edge| {
            reached.contains(&edge.from) && within(edge.to) && !reached.contains(&edge.to)
        }) {
            reached.insert(edge.to);
        }
        reached
    }

    /// Whether a path that is fair, if that is assumed, avoids the goal for ever.
    fn avoids(&self, is_assumed: bool) -> bool {
        let is_open = |state: u8| state != STATES - 1;
        let reached = self.reach(0, &is_open);
        let ends = |&state: &u8| !self.moves(state).any(|edge| edge.fairness != Fairness::None);
        let mut sets = 1_u32..1 << (STATES - 1);
        let has = |set: u32, state: u8| set >> state & 1 == 1;
        reached.iter().any(ends)
            || sets.any(|set| {
                let states: Vec<u8> = (0..STATES - 1).filter(|&state| has(set, state)).collect();
                states.iter().all(|state| reached.contains(state))
                    && self.is_cycle(&states)
                    && (!is_assumed || self.is_fair(&states))
            })
    }

    /// The transitions of a state to others.
    fn moves(&self, state: u8) -> impl Iterator<Item = &Edge> {
        self.0.edges.iter().filter(move |edge| edge.from == state && edge.to != state)
    }

    /// The transitions between states of a set. One that stays in a state and discharges nothing is
    /// none: nothing has changed, no clock either.
    fn inside(&self, states: &[u8]) -> impl Iterator<Item = &Edge> {
        let is_step = |edge: &Edge| {
            let mut discharged = [&edge.fairness].into_iter().chain(&edge.discharges);
            edge.from != edge.to || discharged.any(|one| *one != Fairness::None)
        };
        self.0.edges.iter().filter(move |edge| {
            states.contains(&edge.from) && states.contains(&edge.to) && is_step(edge)
        })
    }

    /// Whether a path can visit these states, and no others, again and again.
    fn is_cycle(&self, states: &[u8]) -> bool {
        let within = |state: u8| states.contains(&state);
        match states.len() {
            1 => self.inside(states).next().is_some(),
            _ => states.iter().all(|&state| self.reach(state, &within).len() == states.len()),
        }
    }

    /// Whether the path that takes all transitions between these states again and again is fair.
    fn is_fair(&self, states: &[u8]) -> bool {
        let discharged: BTreeSet<&Fairness> = self
            .inside(states)
            .flat_map(|edge| [&edge.fairness].into_iter().chain(&edge.discharges))
            .collect();
        let enables =
            |state: u8, pair: &Fairness| self.moves(state).any(|edge| edge.fairness == *pair);
        self.0.edges.iter().map(|edge| &edge.fairness).all(|pair| {
            let mut enabled = states.iter().map(|&state| enables(state, pair));
            let is_demanded = match pair {
                Fairness::None => false,
                Fairness::Weak(_) => enabled.all(|is_enabled| is_enabled),
                Fairness::Strong(_) => enabled.any(|is_enabled| is_enabled),
            };
            !is_demanded || discharged.contains(pair)
        })
    }
}

impl Random {
    fn state(&mut self) -> u8 {
        u8::try_from(self.below(STATES.into())).expect("it is below a small number")
    }

    fn condition(&mut self, conditions: u64) -> Fairness {
        match self.below(9) {
            0 => Fairness::None,
            1..=4 => Fairness::Weak(format!("action {}", self.below(conditions))),
            _ => Fairness::Strong(format!("timer {}", self.below(conditions))),
        }
    }

    fn graph(&mut self, conditions: u64) -> Graph {
        let edges = 8 + self.below(16);
        let edge = |_| {
            let fairness = self.condition(conditions);
            let others = (0..self.below(conditions)).map(|_| self.condition(conditions));
            let discharges = others.filter(|other| *other != fairness).collect();
            let to = if self.below(3) == 0 { STATES - 1 } else { self.state() };
            Edge { from: self.state(), to, fairness, discharges }
        };
        Graph(EdgeGraph { edges: (0..edges).map(edge).collect(), goal: STATES - 1 })
    }
}

#[test]
fn a_verdict_is_that_of_the_definition() {
    let mut random = Random(7);
    for conditions in [2, 6, 150] {
        let mut verdicts = [0; 3];
        for number in 0..1_000 {
            let graph = random.graph(conditions);
            let expected = match (graph.avoids(false), graph.avoids(true)) {
                (false, _) => Verdict::Holds,
                (true, false) => Verdict::HoldsUnderFairness,
                (true, true) => Verdict::Fails,
            };
            let found = run(&graph.0, CheckRequest::new(&NoProgress));
            assert_eq!(
                found.judgements[0].verdict, expected,
                "{conditions}, {number}: {:#?}",
                graph.0
            );
            let kinds = [Verdict::Holds, Verdict::HoldsUnderFairness, Verdict::Fails];
            let kind = kinds.iter().position(|kind| *kind == expected);
            verdicts[kind.expect("one of the three")] += 1;
        }
        println!("{conditions} conditions: {verdicts:?} hold, hold under fairness, fail");
        assert!(verdicts.iter().all(|&count| count > 20), "{verdicts:?}");
    }
}
