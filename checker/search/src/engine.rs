//! Model checking on the interned engine: one search, a verdict for each property, and the
//! counterexamples and witnesses.
//!
//! After a truncated search, no property that needs the complete graph holds.

mod outcome;
mod request;
mod simulation;

use std::time::Instant;

use crate::bounds::Reductions;
use crate::breadth_first::{SearchConfig, SearchOutcome, search};
use crate::interned::{Interned, StateSpace};
use crate::judgement::{Judgement, Verdict};
use crate::liveness::{self, LabelledGraph};
use crate::property_batch::PropertyBatch;
use crate::replay::trail;
use crate::trail::Trail;
use crate::transition_system::{Predicate, Property, PropertyKind, TransitionSystem};

pub use outcome::CheckOutcome;
pub use request::CheckRequest;
pub use simulation::{Walks, simulate};

const NO_ROOM: &str =
    "liveness is not checked: the state graph exceeds --max-memory, or 2^31 transitions";

/// Checks a system in one search, or in several where one search cannot decide all properties.
#[must_use]
pub fn run<W: TransitionSystem + ?Sized>(
    system: &W,
    request: CheckRequest<'_>,
) -> CheckOutcome<W::Tag> {
    let properties = system.properties();
    let batches = PropertyBatch::all(&properties);
    let propositions = batches.iter().flat_map(|batch| &batch.propositions);
    let (reduce, refused) = sound(&properties, &system.predicates(), propositions, request.reduce);
    let request = CheckRequest { reduce, ..request };
    let mut batches = batches.into_iter();
    let first = batches.next().expect("there is a batch even without properties");
    let mut outcome = search_for(system, first, request);
    outcome.refused.splice(..0, refused);
    for batch in batches {
        if outcome.truncation.is_some() {
            let open = batch.properties.iter().map(|_| Judgement::plain(Verdict::Incomplete));
            outcome.judgements.extend(open);
        } else {
            outcome.add(search_for(system, batch, request));
        }
    }
    outcome
}

/// Runs one search for a batch of properties. The reductions must be sound for them.
fn search_for<W: TransitionSystem + ?Sized>(
    system: &W,
    batch: PropertyBatch,
    request: CheckRequest<'_>,
) -> CheckOutcome<W::Tag> {
    let interned = Interned::new(system);
    let space = interned.space(batch.propositions.clone(), request.reduce);
    search_in(&space, batch, request).of(&interned)
}

/// Runs one search in a space for a batch of properties.
fn search_in(
    space: &StateSpace<'_>,
    batch: PropertyBatch,
    request: CheckRequest<'_>,
) -> CheckOutcome<u32> {
    let stop_at = batch.violations(|property| request.until.stops_at(&property.name));
    let PropertyBatch { properties, deciding_bits, antecedents, goals, .. } = batch;
    let properties = &properties;
    let began = Instant::now();
    let mut found = search(
        space,
        SearchConfig {
            threads: request.threads,
            limits: request.limits,
            stop_at,
            records_graph: request.every || goals.iter().any(Option::is_some),
            progress: request.progress,
        },
    );
    let explored = began.elapsed();
    let graph = found.graph.take();
    let refused = no_room(graph.is_some(), &found, &goals).into_iter().collect();
    let graph = graph.map(|graph| LabelledGraph::of(graph, &found.log, space.labels()));
    let judge = |(number, property): (usize, &Property)| {
        if let Some((from, goal)) = goals[number] {
            return match &graph {
                Some(graph) => judge_paths(property.kind, (graph, request.every), from, goal),
                None => Judgement::plain(Verdict::Incomplete),
            };
        }
        let met = |bit: Option<usize>| bit.and_then(|bit| found.first[bit]);
        let antecedent = antecedents[number].is_none() || met(antecedents[number]).is_some();
        let witness = met(deciding_bits[number]).map(|state| trail(space, &found.log, state));
        let mut judgement = judge(property.kind, &found, antecedent, witness);
        let whole = graph.as_ref().filter(|_| request.every && judgement.verdict == Verdict::Fails);
        if let (Some(graph), Some(bit)) = (whole, deciding_bits[number]) {
            let is_violated = |state| graph.holding(state) >> bit & 1 == 1;
            judgement.others.extend(graph.trails(is_violated).skip(1));
        }
        judgement
    };
    let began = Instant::now();
    let judgements = properties.iter().enumerate().map(judge).collect();
    CheckOutcome {
        judgements,
        explored,
        judging: began.elapsed(),
        reductions: reductions(space.reductions()),
        refused,
        reduced: space.reductions(),
        impure: space.impure(),
        tags: space.covered(),
        runs: space.runs(),
        states: found.states,
        transitions: found.transitions,
        depth: found.depth,
        truncation: found.truncation,
        peak_bytes: found.peak_bytes.max(graph.as_ref().map_or(0, LabelledGraph::bytes)),
    }
}

/// The refusal where an exhaustive search had no memory for the graph.
fn no_room(
    is_recorded: bool,
    found: &SearchOutcome,
    goals: &[Option<(Option<u64>, u64)>],
) -> Option<String> {
    let is_missing =
        !is_recorded && found.truncation.is_none() && goals.iter().any(Option::is_some);
    is_missing.then(|| NO_ROOM.to_owned())
}

/// The reductions that are sound for the properties, and why the others are not.
///
/// One search checks all properties of a system. Liveness under fairness allows no reduction: a
/// message left out is one that fairness would have delivered, and a permutation of members changes
/// which fairness condition an action belongs to. `can reach` allows the first two, which merge
/// bisimilar states; without losses it would also be stronger. A predicate that reads messages must
/// see them all.
pub(crate) fn sound<'w>(
    properties: &[Property],
    predicates: &[Predicate],
    mut propositions: impl Iterator<Item = &'w (usize, bool)>,
    batch: Reductions,
) -> (Reductions, Vec<String>) {
    let mut refusals = Vec::new();
    let mut refuse = |what: &[(&str, bool)], why: String| {
        let batch: Vec<&str> =
            what.iter().filter(|(_, batch)| *batch).map(|(name, _)| *name).collect();
        if !batch.is_empty() {
            refusals.push(format!("not reduced by {}: {why}", batch.join(", ")));
        }
    };
    let Reductions { dead, symmetry, loss } = batch;
    let is_liveness = |property: &&Property| {
        matches!(property.kind, PropertyKind::Eventually(_) | PropertyKind::LeadsTo(..))
    };
    if let Some(property) = properties.iter().find(is_liveness) {
        let all = [("dead", dead), ("symmetry", symmetry), ("loss", loss)];
        refuse(
            &all,
            format!("{:?} is a liveness property, which needs the complete graph", property.name),
        );
        return (Reductions::NONE, refusals);
    }
    let reader = propositions.find(|(predicate, _)| predicates[*predicate].reads_messages);
    if let Some(&(predicate, _)) = reader {
        let name = &predicates[predicate].name;
        refuse(&[("dead", dead), ("loss", loss)], format!("{name:?} reads messages in flight"));
        return (Reductions { symmetry, ..Reductions::NONE }, refusals);
    }
    let reaches = |property: &&Property| matches!(property.kind, PropertyKind::CanReach(..));
    if let Some(property) = properties.iter().find(reaches) {
        let why = format!("{:?} quantifies over paths after a loss", property.name);
        refuse(&[("loss", loss)], why);
        return (Reductions { loss: false, ..batch }, refusals);
    }
    (batch, refusals)
}

/// The reductions by name, each with the reason why it is sound.
fn reductions(made: Reductions) -> Vec<(&'static str, &'static str)> {
    let all = [
        (
            made.dead,
            "dead",
            "a message to which its receiver cannot react in any reachable state changes nothing, \
             and no property reads messages",
        ),
        (
            made.symmetry,
            "symmetry",
            "a permutation of the members of the role moves their links, their timers and every \
             reference to them",
        ),
        (
            made.loss,
            "loss",
            "a message may stay in flight forever without blocking another, and no property reads \
             messages: a node cannot distinguish a lost message from a late one",
        ),
    ];
    all.into_iter().filter(|(is_made, ..)| *is_made).map(|(_, name, why)| (name, why)).collect()
}

/// The verdict on a property of paths.
fn judge_paths(
    kind: PropertyKind,
    (graph, every): (&LabelledGraph, bool),
    from: Option<u64>,
    goal: u64,
) -> Judgement {
    match (kind, from) {
        (PropertyKind::CanReach(..), Some(from)) => liveness::can_reach(graph, from, goal, every),
        _ => liveness::leads_to(graph, from, goal),
    }
}

/// The verdict on a property of single states.
fn judge(
    kind: PropertyKind,
    found: &SearchOutcome,
    antecedent: bool,
    witness: Option<Trail>,
) -> Judgement {
    let is_truncated = found.truncation.is_some();
    match (kind, witness) {
        (PropertyKind::Always(_), Some(trail)) => Judgement::with_trail(Verdict::Fails, trail),
        (PropertyKind::Sometimes(_), Some(trail)) => Judgement::with_trail(Verdict::Holds, trail),
        (_, None) if is_truncated => Judgement::plain(Verdict::Incomplete),
        (PropertyKind::Always(_), None) if antecedent => Judgement::plain(Verdict::Holds),
        (PropertyKind::Always(_), None) => Judgement::plain(Verdict::Vacuous),
        (PropertyKind::Sometimes(_), None) => Judgement::plain(Verdict::Fails),
        (
            PropertyKind::CanReach(..) | PropertyKind::Eventually(_) | PropertyKind::LeadsTo(..),
            _,
        ) => {
            unreachable!("a property of paths")
        }
    }
}
