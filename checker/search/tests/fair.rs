//! Verdicts of liveness under fairness on random graphs of a few states, beside the definition:
//! every set of states that a fair path could stay in is tried. With few and with many conditions.

use std::collections::BTreeSet;

use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::judgement::Verdict;
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, PropertyKind, TransitionSystem,
};

/// States, of which 0 is initial and the last is the goal.
const STATES: u8 = 7;

/// A transition.
#[derive(Debug)]
struct Edge {
    from: u8,
    to: u8,
    fairness: Fairness,
    discharges: Vec<Fairness>,
}

#[derive(Debug)]
struct Graph(Vec<Edge>);

impl TransitionSystem for Graph {
    type Part = u8;
    type Op = usize;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn enabled(&self, _: Place, part: &u8) -> Vec<EnabledOp<usize>> {
        let edges = self.0.iter().enumerate().filter(|(_, edge)| edge.from == *part);
        let enabled = |(op, edge): (usize, &Edge)| EnabledOp {
            op,
            fairness: edge.fairness.clone(),
            is_loss: false,
        };
        edges.map(enabled).collect()
    }

    fn apply(&self, _: Place, _: &u8, op: &usize) -> Vec<Outcome<u8, usize, ()>> {
        let Edge { to, discharges, .. } = &self.0[*op];
        vec![Outcome { discharges: discharges.clone(), ..Outcome::plain(*to) }]
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "there".to_owned(), reads: None, reads_messages: false }]
    }

    fn evaluate(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] == STATES - 1));
    }

    fn properties(&self) -> Vec<Property> {
        let kind = PropertyKind::Eventually(0);
        vec![Property { name: "ends".to_owned(), kind, antecedent: None }]
    }
}

impl Graph {
    /// The states reached from one through others of a set.
    fn reach(&self, from: u8, within: &dyn Fn(u8) -> bool) -> BTreeSet<u8> {
        let mut reached = BTreeSet::from([from]);
        while let Some(edge) = self.0.iter().find(|edge| {
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
        let sets = 1_u32..1 << (STATES - 1);
        let has = |set: u32, state: u8| set >> state & 1 == 1;
        reached.iter().any(ends)
            || sets.clone().any(|set| {
                let states: Vec<u8> = (0..STATES - 1).filter(|&state| has(set, state)).collect();
                states.iter().all(|state| reached.contains(state))
                    && self.is_cycle(&states)
                    && (!is_assumed || self.is_fair(&states))
            })
    }

    /// The transitions of a state to others.
    fn moves(&self, state: u8) -> impl Iterator<Item = &Edge> {
        self.0.iter().filter(move |edge| edge.from == state && edge.to != state)
    }

    /// The transitions between states of a set. One that stays in a state and discharges nothing
    /// but its own condition is none: nothing has changed, no clock either.
    fn inside(&self, states: &[u8]) -> impl Iterator<Item = &Edge> {
        let is_step = |edge: &Edge| {
            let restarts = |one: &Fairness| *one != Fairness::None && *one != edge.fairness;
            edge.from != edge.to || edge.discharges.iter().any(restarts)
        };
        self.0.iter().filter(move |edge| {
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
        self.0.iter().map(|edge| &edge.fairness).all(|pair| {
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

/// Numbers that a seed decides.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn state(&mut self) -> u8 {
        u8::try_from(self.below(usize::from(STATES))).expect("it is below a small number")
    }

    fn fairness(&mut self, conditions: usize) -> Fairness {
        match self.below(9) {
            0 => Fairness::None,
            1..=4 => Fairness::Weak(format!("action {}", self.below(conditions))),
            _ => Fairness::Strong(format!("timer {}", self.below(conditions))),
        }
    }

    fn graph(&mut self, conditions: usize) -> Graph {
        let edges = 8 + self.below(16);
        let edge = |_| {
            let fairness = self.fairness(conditions);
            let others = (0..self.below(conditions)).map(|_| self.fairness(conditions));
            let discharges = others.filter(|other| *other != fairness).collect();
            let to = if self.below(3) == 0 { STATES - 1 } else { self.state() };
            Edge { from: self.state(), to, fairness, discharges }
        };
        Graph((0..edges).map(edge).collect())
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
            let found = run(&graph, CheckRequest::new(&NoProgress));
            assert_eq!(found.judgements[0].verdict, expected, "{conditions}, {number}: {graph:#?}");
            let kinds = [Verdict::Holds, Verdict::HoldsUnderFairness, Verdict::Fails];
            let kind = kinds.iter().position(|kind| *kind == expected);
            verdicts[kind.expect("one of the three")] += 1;
        }
        println!("{conditions} conditions: {verdicts:?} hold, hold under fairness, fail");
        assert!(verdicts.iter().all(|&count| count > 20), "{verdicts:?}");
    }
}
