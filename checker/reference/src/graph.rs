//! The whole graph of a world, recorded while stateright's breadth-first search builds it.
//!
//! Stateright keeps no edges and reports a violation by the last state that shows it, not by the
//! nearest. So each expansion is noted here, and what is asked of the finished graph, shortest
//! runs and backward passes, is asked of the notes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use stateright::{Model, Property as Stateright};

use turnstile_world::World;
use turnstile_world::monitor::Violation;
use turnstile_world::parts::Mark;
use turnstile_world::property::Answer;
use turnstile_world::state::State;

/// A state among those expanded, in the order of expansion.
pub(crate) type Index = u32;

/// What one action led to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    number: u16,
    to: State,
}

/// What a search noted.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    index: HashMap<u64, Index>,
    /// For each state and property: whether the premise is met, whether what is claimed is so.
    answers: Vec<Answer>,
    /// For each state, where its edges begin.
    begin: Vec<usize>,
    edges: Vec<(u16, u64)>,
    /// Whether there was another state than those that may be expanded.
    pub(crate) is_full: bool,
    /// What was noted on the way: rows, faults, messages without room.
    pub(crate) marks: BTreeSet<Mark>,
    /// Each violation, with a state that shows it.
    pub(crate) violations: BTreeMap<Violation, Index>,
}

/// A world whose search is noted.
pub(crate) struct Noted {
    pub(crate) world: Arc<World>,
    pub(crate) notes: Arc<Mutex<Notes>>,
    pub(crate) stop: Arc<AtomicBool>,
    /// States that may be expanded; one more stops the search.
    pub(crate) states_max: usize,
}

pub(crate) fn fingerprint(state: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

impl Noted {
    /// Notes a state and everything that may happen in it.
    fn expand(&self, state: &State) -> Vec<Step> {
        let mut marks = BTreeSet::new();
        let mut steps = Vec::new();
        for (number, action) in (0..).zip(self.world.actions_of(state)) {
            let Some(reached) = self.world.reached(state, &action) else { continue };
            marks.extend(reached.marks);
            let to = State(reached.state);
            if to != *state {
                steps.push(Step { number, to });
            }
        }
        let answers: Vec<Answer> = self.world.view(&state.0, |view| {
            self.world.claims().iter().map(|property| property.ask(view)).collect()
        });
        let fingerprint_of = fingerprint(state);
        let edges: Vec<_> = steps.iter().map(|step| (step.number, fingerprint(&step.to))).collect();
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.begin.len() == self.states_max {
            notes.is_full = true;
            self.stop.store(true, Ordering::Relaxed);
            return Vec::new();
        }
        let index = Index::try_from(notes.begin.len()).expect("fewer states than fit in u32");
        notes.index.insert(fingerprint_of, index);
        notes.answers.extend(answers);
        let begin = notes.edges.len();
        notes.begin.push(begin);
        notes.edges.extend(edges);
        notes.marks.append(&mut marks);
        if let Some(violation) = &state.monitor().violation {
            notes.violations.entry(violation.clone()).or_insert(index);
        }
        steps
    }
}

impl Model for Noted {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![self.world.first()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Step>) {
        if !self.stop.load(Ordering::Relaxed) {
            actions.extend(self.expand(state));
        }
    }

    fn next_state(&self, _state: &State, step: Step) -> Option<State> {
        Some(step.to)
    }

    fn properties(&self) -> Vec<Stateright<Self>> {
        vec![Stateright::always("searched to the end", |_, _| true)]
    }
}

/// A finished graph.
#[derive(Debug)]
pub(crate) struct Graph {
    /// What the search noted.
    pub(crate) notes: Notes,
    /// Successors of each state: the action's number and the state.
    next: Vec<Vec<(u16, Index)>>,
    /// States by distance from the first; nearer ones first.
    pub(crate) order: Vec<Index>,
    /// How each state is reached first.
    parent: Vec<Option<(u16, Index)>>,
    /// The greatest distance.
    pub(crate) depth: u64,
}

impl Graph {
    /// The graph of what was noted, with the shortest way to each state.
    #[must_use]
    pub(crate) fn of(notes: Notes, first: u64) -> Self {
        let count = notes.begin.len();
        let mut next = Vec::with_capacity(count);
        for state in 0..count {
            let end = notes.begin.get(state + 1).copied().unwrap_or(notes.edges.len());
            let edges = &notes.edges[notes.begin[state]..end];
            let known = |(number, to): &(u16, u64)| Some((*number, *notes.index.get(to)?));
            next.push(edges.iter().filter_map(known).collect::<Vec<_>>());
        }
        let mut graph =
            Self { notes, next, order: Vec::new(), parent: vec![None; count], depth: 0 };
        if let Some(first) = graph.notes.index.get(&first).copied() {
            graph.walk(first);
        }
        graph
    }

    fn walk(&mut self, first: Index) {
        let mut level = vec![first];
        let mut met = vec![false; self.next.len()];
        met[first as usize] = true;
        loop {
            let mut deeper = Vec::new();
            for state in &level {
                for (number, to) in &self.next[*state as usize] {
                    if !std::mem::replace(&mut met[*to as usize], true) {
                        self.parent[*to as usize] = Some((*number, *state));
                        deeper.push(*to);
                    }
                }
            }
            self.order.append(&mut level);
            if deeper.is_empty() {
                return;
            }
            self.depth += 1;
            level = deeper;
        }
    }

    /// What a property says of a state.
    #[must_use]
    pub(crate) fn answer(&self, property: usize, state: Index) -> Answer {
        // Every state has as many answers as there are properties.
        let properties = self.notes.answers.len() / self.notes.begin.len();
        self.notes.answers[state as usize * properties + property]
    }

    /// How many edges there are.
    #[must_use]
    pub(crate) fn edges(&self) -> u64 {
        self.next.iter().map(|edges| edges.len() as u64).sum()
    }

    /// The numbers of the actions that lead to a state, on a shortest way.
    #[must_use]
    pub(crate) fn path(&self, mut state: Index) -> Vec<u16> {
        let mut path = Vec::new();
        while let Some((number, before)) = self.parent[state as usize] {
            path.push(number);
            state = before;
        }
        path.reverse();
        path
    }

    /// The states from which one can be reached that `is_goal` is true of: a backward pass.
    #[must_use]
    pub(crate) fn reaching(&self, is_goal: impl Fn(Index) -> bool) -> Vec<bool> {
        let mut back: Vec<Vec<Index>> = vec![Vec::new(); self.next.len()];
        for (from, edges) in (0..).zip(&self.next) {
            edges.iter().for_each(|(_, to)| back[*to as usize].push(from));
        }
        let mut open: Vec<Index> = self.order.iter().copied().filter(|s| is_goal(*s)).collect();
        let mut reaches = vec![false; self.next.len()];
        open.iter().for_each(|state| reaches[*state as usize] = true);
        while let Some(state) = open.pop() {
            for from in &back[state as usize] {
                if !std::mem::replace(&mut reaches[*from as usize], true) {
                    open.push(*from);
                }
            }
        }
        reaches
    }
}
