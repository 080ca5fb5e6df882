//! A whole check on the interned engine: one search, a verdict for each property, and the trails
//! that show them.
//!
//! A search that was cut says so, and no property that needs the whole graph holds then.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::bounds::{Limits, Progress, Reductions, Until};
use crate::breadth::{Ask, Cut, Walk, search};
use crate::interned::Interned;
use crate::judged::{Judged, Verdict};
use crate::live::{self, Graph};
use crate::parts::{Claim, Parts, Property};
use crate::replay::{Trail, trail};

/// What is asked of the engine.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// Where to stop although there is more.
    pub limits: Limits,
    /// The reductions to be made where they are sound.
    pub reduce: Reductions,
    /// End at the first `always` that fails, any or a certain one, with the rest `incomplete`.
    pub until: &'a Until,
    /// Who listens and may stop the search.
    pub progress: &'a dyn Progress,
}

/// What the engine says.
#[derive(Debug)]
pub struct Outcome<M> {
    /// Unique states.
    pub states: usize,
    /// Transitions followed; those that change nothing are none.
    pub transitions: usize,
    /// The longest of the shortest paths, in steps.
    pub depth: usize,
    /// Why it ended before the end.
    pub cut: Option<Cut>,
    /// Bytes at the peak, by the engine's own account.
    pub peak_bytes: usize,
    /// Operations that were really run.
    pub runs: usize,
    /// What reports want to know of the operations that were part of an action.
    pub marks: BTreeSet<M>,
    /// The reductions that were made, each with why it is sound.
    pub reductions: Vec<(&'static str, &'static str)>,
    /// What was asked for and not done, each with why not: reductions, the graph of all runs.
    pub refused: Vec<String>,
    /// Those that were made, as flags.
    pub reduced: Reductions,
    /// For each property, in order.
    pub judged: Vec<Judged>,
    /// How long the search took.
    pub explored: Duration,
    /// How long the verdicts took, those on whole runs included.
    pub judging: Duration,
    /// An operation that did not do the same when it was run again: no verdict counts.
    pub impure: Option<String>,
}

/// The things that a search looks for, by their bits.
#[derive(Debug, Default)]
struct Wanted {
    things: Vec<(usize, bool)>,
}

impl Wanted {
    fn bit(&mut self, predicate: usize, answer: bool) -> usize {
        let thing = (predicate, answer);
        self.things.iter().position(|&other| other == thing).unwrap_or_else(|| {
            self.things.push(thing);
            self.things.len() - 1
        })
    }

    /// From where a property claims something about runs, and what: bits of what is noteworthy.
    fn goal(&mut self, claim: Claim) -> Option<(Option<u64>, u64)> {
        match claim {
            Claim::Always(_) | Claim::Sometimes(_) => None,
            Claim::Eventually(goal) => Some((None, 1 << self.bit(goal, true))),
            Claim::CanReach(from, goal) | Claim::LeadsTo(from, goal) => {
                Some((Some(1 << self.bit(from, true)), 1 << self.bit(goal, true)))
            }
        }
    }

    /// What a property looks for in single states: what breaks or meets it.
    fn claimed(&mut self, claim: Claim) -> Option<usize> {
        match claim {
            Claim::Always(predicate) => Some(self.bit(predicate, false)),
            Claim::Sometimes(predicate) => Some(self.bit(predicate, true)),
            Claim::CanReach(..) | Claim::Eventually(_) | Claim::LeadsTo(..) => None,
        }
    }
}

const NO_ROOM: &str = "what runs come to is not known: their graph is more than --max-memory";

/// Properties that one search decides at most: each looks for two things, and what is noteworthy
/// about a state is a set of 64.
const PROPERTIES_MAX: usize = 32;

/// What a search looks for, for some of the properties.
struct Asked<'p> {
    properties: &'p [Property],
    wanted: Wanted,
    /// By property: the bit of what breaks or meets it.
    claimed: Vec<Option<usize>>,
    /// By property: the bit of its premise.
    premises: Vec<Option<usize>>,
    goals: Vec<Option<(Option<u64>, u64)>>,
}

impl<'p> Asked<'p> {
    fn of(properties: &'p [Property]) -> Self {
        let mut wanted = Wanted::default();
        let claimed = properties.iter().map(|property| wanted.claimed(property.claim)).collect();
        let premise = |property: &Property| Some(wanted.bit(property.premise?, true));
        let premises = properties.iter().map(premise).collect();
        let goals = properties.iter().map(|property| wanted.goal(property.claim)).collect();
        Self { properties, wanted, claimed, premises, goals }
    }
}

/// Checks a system: in one search, or in several of the same graph where one cannot look for all
/// that the properties ask.
#[must_use]
pub fn run<W: Parts>(system: &W, question: Question<'_>) -> Outcome<W::Mark> {
    let properties = system.properties();
    let (first, more) = properties.split_at(properties.len().min(PROPERTIES_MAX));
    let first = Asked::of(first);
    let more: Vec<Asked<'_>> = more.chunks(PROPERTIES_MAX).map(Asked::of).collect();
    let things = [&first].into_iter().chain(&more).flat_map(|asked| &asked.wanted.things);
    let (reduce, refused) = sound(system, things, question.reduce);
    let question = Question { reduce, ..question };
    let mut outcome = search_for(system, first, question);
    outcome.refused.splice(..0, refused);
    for asked in more {
        if outcome.cut.is_some() {
            let open = asked.properties.iter().map(|_| Judged::plain(Verdict::Incomplete));
            outcome.judged.extend(open);
        } else {
            outcome.add(search_for(system, asked, question));
        }
    }
    outcome
}

impl<M: Ord> Outcome<M> {
    /// Adds what another search of the same graph says of other properties.
    fn add(&mut self, other: Self) {
        self.cut = other.cut;
        self.judged.extend(other.judged);
        self.marks.extend(other.marks);
        self.refused.extend(other.refused);
        self.impure = self.impure.take().or(other.impure);
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.runs += other.runs;
        self.explored += other.explored;
        self.judging += other.judging;
    }
}

/// One search, for properties that are few enough. The reductions are sound.
fn search_for<W: Parts>(system: &W, asked: Asked<'_>, question: Question<'_>) -> Outcome<W::Mark> {
    let Asked { properties, wanted, claimed, premises, goals } = asked;
    let space = Interned::new(system, wanted.things, question.reduce);
    let began = Instant::now();
    let mut walk = search(
        &space,
        Ask {
            threads: question.threads,
            limits: question.limits,
            stop_at: failures(properties, &claimed, question.until),
            records: goals.iter().any(Option::is_some),
            progress: question.progress,
        },
    );
    let explored = began.elapsed();
    let record = walk.record.take();
    let refused = no_room(record.is_some(), &walk, &goals).into_iter().collect();
    let graph = record.map(|record| Graph::of(record, &walk.log, space.labels()));
    let judge = |(number, property): (usize, &Property)| {
        if let Some((from, goal)) = goals[number] {
            return match &graph {
                Some(graph) => judge_runs(property.claim, graph, from, goal),
                None => Judged::plain(Verdict::Incomplete),
            };
        }
        let met = |bit: Option<usize>| bit.and_then(|bit| walk.first[bit]);
        let premise = premises[number].is_none() || met(premises[number]).is_some();
        let shown = met(claimed[number]).map(|state| trail(&space, &walk.log, state));
        judge(property.claim, &walk, premise, shown)
    };
    let began = Instant::now();
    let judged = properties.iter().enumerate().map(judge).collect();
    let runs = space.runs();
    Outcome {
        judged,
        explored,
        judging: began.elapsed(),
        reductions: reductions(space.reductions()),
        refused,
        reduced: space.reductions(),
        impure: space.impure(),
        marks: space.marks(),
        runs,
        states: walk.states,
        transitions: walk.transitions,
        depth: walk.depth,
        cut: walk.cut,
        peak_bytes: walk.peak_bytes.max(graph.as_ref().map_or(0, Graph::bytes)),
    }
}

/// What is said where a search came to its end and could not keep the graph that is asked for.
fn no_room(is_kept: bool, walk: &Walk, goals: &[Option<(Option<u64>, u64)>]) -> Option<String> {
    let is_missed = !is_kept && walk.cut.is_none() && goals.iter().any(Option::is_some);
    is_missed.then(|| NO_ROOM.to_owned())
}

/// What breaks an `always` with which a search may end, as bits.
fn failures(properties: &[Property], claimed: &[Option<usize>], until: &Until) -> u64 {
    let claimed = properties.iter().zip(claimed);
    let failures = claimed.filter(|(property, _)| {
        matches!(property.claim, Claim::Always(_)) && until.ends_with(&property.name)
    });
    failures.filter_map(|(_, bit)| *bit).fold(0, |bits, bit| bits | 1 << bit)
}

/// Those of the reductions that the properties allow, and why not the others.
///
/// One search answers for all properties of a system. What fair runs do in the end allows none: a
/// message left out is one that fairness would have had delivered, and members that change places
/// change whose turn it is. What can still be reached from a state allows the first two, which
/// merge states that can do the same; without losses there would be more that can be reached. Who
/// reads messages must see them all.
fn sound<'w, W: Parts>(
    system: &W,
    mut wanted: impl Iterator<Item = &'w (usize, bool)>,
    asked: Reductions,
) -> (Reductions, Vec<String>) {
    let mut refusals = Vec::new();
    let mut refuse = |what: &[(&str, bool)], why: String| {
        let asked: Vec<&str> =
            what.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
        if !asked.is_empty() {
            refusals.push(format!("not reduced by {}: {why}", asked.join(", ")));
        }
    };
    let Reductions { dead, symmetry, loss } = asked;
    let properties = system.properties();
    let is_of_fair_runs =
        |property: &&Property| matches!(property.claim, Claim::Eventually(_) | Claim::LeadsTo(..));
    if let Some(property) = properties.iter().find(is_of_fair_runs) {
        let all = [("dead", dead), ("symmetry", symmetry), ("loss", loss)];
        refuse(
            &all,
            format!("{:?} speaks of fair runs, which need the whole graph", property.name),
        );
        return (Reductions::NONE, refusals);
    }
    let predicates = system.predicates();
    let reader = wanted.find(|(predicate, _)| predicates[*predicate].reads_messages);
    if let Some(&(predicate, _)) = reader {
        let name = &predicates[predicate].name;
        refuse(&[("dead", dead), ("loss", loss)], format!("{name:?} reads messages in flight"));
        return (Reductions { symmetry, ..Reductions::NONE }, refusals);
    }
    let reaches = |property: &&Property| matches!(property.claim, Claim::CanReach(..));
    if let Some(property) = properties.iter().find(reaches) {
        let why = format!("{:?} asks what can be reached after one", property.name);
        refuse(&[("loss", loss)], why);
        return (Reductions { loss: false, ..asked }, refusals);
    }
    (asked, refusals)
}

/// The reductions by name, each with why it is sound.
fn reductions(made: Reductions) -> Vec<(&'static str, &'static str)> {
    let all = [
        (
            made.dead,
            "dead",
            "a message that no state of its receiver can still react to changes nothing, and no \
             property reads messages",
        ),
        (
            made.symmetry,
            "symmetry",
            "the members of the role change places with their links, their timers and every \
             reference to them",
        ),
        (
            made.loss,
            "loss",
            "a message may stay in flight for ever without hindering another, and no property \
             reads messages: to the nodes a lost one is a late one",
        ),
    ];
    all.into_iter().filter(|(is_made, ..)| *is_made).map(|(_, name, why)| (name, why)).collect()
}

/// The verdict on a property that whole runs decide.
fn judge_runs(claim: Claim, graph: &Graph, from: Option<u64>, goal: u64) -> Judged {
    match (claim, from) {
        (Claim::CanReach(..), Some(from)) => live::can_reach(graph, from, goal),
        _ => live::leads_to(graph, from, goal),
    }
}

/// The verdict on a property that single states decide.
fn judge(claim: Claim, walk: &Walk, premise: bool, shown: Option<Trail>) -> Judged {
    let is_cut = walk.cut.is_some();
    match (claim, shown) {
        (Claim::Always(_), Some(trail)) => Judged::shown(Verdict::Fails, trail),
        (Claim::Sometimes(_), Some(trail)) => Judged::shown(Verdict::Holds, trail),
        (_, None) if is_cut => Judged::plain(Verdict::Incomplete),
        (Claim::Always(_), None) if premise => Judged::plain(Verdict::Holds),
        (Claim::Always(_), None) => Judged::plain(Verdict::Vacuous),
        (Claim::Sometimes(_), None) => Judged::plain(Verdict::Fails),
        (Claim::CanReach(..) | Claim::Eventually(_) | Claim::LeadsTo(..), _) => {
            unreachable!("whole runs decide it")
        }
    }
}
