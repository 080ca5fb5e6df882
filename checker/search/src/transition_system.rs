//! What a search needs to know of a system: its state is a vector of parts, and an action is a
//! cascade of operations, each on one part.
//!
//! A part is a node with its armed timers, the contents of a link, the monitor, or the remaining
//! budgets. An operation reads and changes one part and may trigger operations on others; if any of
//! them is refused, the whole action is disabled. So every operation is a pure function of one
//! part, which a search may run once and memoise. The rules by which parts act on each other stand
//! in one place: [`TransitionSystem::apply`]. [`cascade`] runs it on values, [`crate::interned`] on
//! interned parts.
//!
//! Nothing here knows a protocol.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

use turnstile_step::{IdClass, Order};

/// The index of a part in the state vector: the same part in every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u16);

impl Place {
    /// The place with this index, below [`crate::storage::state_vector::PLACES_MAX`].
    pub(crate) fn of(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most PLACES_MAX places"))
    }

    /// The index, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The most operations in one cascade; an action that triggers more is taken to be endless.
pub const CASCADE_MAX: usize = 256;

/// A transition system whose state is a vector of parts. Every method is a pure function.
pub trait TransitionSystem: Sync {
    /// The value of a part.
    type Part: Clone + Eq + Hash + Debug + Send + Sync;
    /// An operation on a part.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// What an operation adds to the coverage: a row taken, a fault that happened.
    type Tag: Clone + Ord + Hash + Debug + Send + Sync;

    /// The initial states. All states have the same number of parts.
    fn initial(&self) -> Vec<Vec<Self::Part>>;

    /// The operations that may start an action at this part and are enabled as far as this part
    /// alone can tell, in a fixed order.
    fn enabled(&self, at: Place, part: &Self::Part) -> Vec<EnabledOp<Self::Op>>;

    /// The outcomes of an operation. None: it is refused, which disables the whole action. More
    /// than one: a nondeterministic choice.
    fn apply(
        &self,
        at: Place,
        part: &Self::Part,
        op: &Self::Op,
    ) -> Vec<Outcome<Self::Part, Self::Op, Self::Tag>>;

    /// Visits each symbolic id of a part, to be read or replaced, in a fixed order. After each
    /// action [`IdRenaming`] replaces the ids of the state by canonical ones, so that counters that
    /// only grow do not make the state space infinite.
    fn visit_ids(
        &self,
        at: Place,
        part: &mut Self::Part,
        visit: &mut dyn FnMut(IdClass, &mut u64),
    ) {
        let _ = (at, part, visit);
    }

    /// The state predicates.
    fn predicates(&self) -> Vec<Predicate>;

    /// Evaluates predicates, by their indices in [`TransitionSystem::predicates`], and calls
    /// `answer` with each index and truth value. `state` has every part.
    fn evaluate(
        &self,
        predicates: &[usize],
        state: &[&Self::Part],
        answer: &mut dyn FnMut(usize, bool),
    );

    /// The properties to check.
    fn properties(&self) -> Vec<Property>;

    /// Roles whose members are interchangeable (scalarsets).
    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        Vec::new()
    }

    /// The part with every reference to member `i` of a role replaced by one to member `to[i]`.
    /// `role` is an index into [`TransitionSystem::symmetric_roles`]. Called for each part, those
    /// of the members included; the caller moves the members' parts to their new places.
    fn permuted(&self, at: Place, part: &Self::Part, role: usize, to: &[usize]) -> Self::Part {
        let _ = (at, role, to);
        part.clone()
    }

    /// The kind of the part at this place. Where every part is a node, the reduction `dead` leaves
    /// out no message.
    fn part_kind(&self, at: Place) -> PartKind {
        let _ = at;
        PartKind::Node
    }

    /// The messages in flight in a part. A message may be listed only if discarding it is the same
    /// as never delivering it: never on a link where a call waits for exactly one reply.
    fn in_flight(&self, at: Place, part: &Self::Part) -> Vec<InFlight<Self::Op>> {
        let _ = (at, part);
        Vec::new()
    }

    /// Whether a message may stay in flight at this place forever without blocking any other, so
    /// that no node can distinguish its loss from its delay.
    fn may_delay_forever(&self, at: Place) -> bool {
        let _ = at;
        false
    }
}

/// An operation that may start an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnabledOp<O> {
    /// The operation on the part that enables it.
    pub op: O,
    /// The fairness assumed of the action in liveness properties.
    pub fairness: Fairness,
    /// Whether the action is nothing but the loss of a message.
    pub is_loss: bool,
}

/// The fairness condition of an action. The condition is discharged when the action happens, or
/// when an operation says so ([`Outcome::discharges`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fairness {
    /// No fairness: losses, duplicates, crashes, partitions, pauses, user commands.
    None,
    /// Weak fairness: if continuously enabled from some point on, it is discharged infinitely
    /// often: a paused node resumes. Named as in a verdict's assumptions: `client 1 goes on`.
    Weak(String),
    /// Strong fairness, a Streett pair: if enabled infinitely often, it is discharged infinitely
    /// often: the firing of a timer, which restarting or disarming the timer also discharges, and
    /// the delivery of one message, named by source, destination and payload without symbolic ids:
    /// `client 1: retry timer triggers`.
    Strong(String),
}

/// One outcome of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<P, O, M> {
    /// The part after it.
    pub part: P,
    /// The operations it triggers, on this part or others, in order. What those trigger in turn
    /// runs after all of them.
    pub triggers: Vec<(Place, O)>,
    /// Its coverage.
    pub tags: Vec<M>,
    /// The fairness conditions discharged without their actions: those of timers restarted or
    /// disarmed, even where the part is unchanged.
    pub discharges: Vec<Fairness>,
}

impl<P, O, M> Outcome<P, O, M> {
    /// An outcome that changes the part only.
    #[must_use]
    pub fn plain(part: P) -> Self {
        Self { part, triggers: Vec::new(), tags: Vec::new(), discharges: Vec::new() }
    }
}

/// A state predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// The places that it reads; `None`: all of them. It must not depend on any other part.
    pub reads: Option<Vec<Place>>,
    /// Whether it depends on messages in flight.
    pub reads_messages: bool,
}

/// A property to check. Predicates are indices into [`TransitionSystem::predicates`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it states.
    pub kind: PropertyKind,
    /// A predicate that must hold in some reachable state, or the verdict is `vacuous`.
    pub antecedent: Option<usize>,
}

/// What a property states of which predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// An invariant: it holds in every reachable state.
    Always(usize),
    /// It holds in some reachable state.
    Sometimes(usize),
    /// From every reachable state where the first holds, one where the second holds is reachable.
    CanReach(usize, usize),
    /// It holds eventually on every fair run.
    Eventually(usize),
    /// On every fair run, each state where the first holds is followed by one where the second
    /// does.
    LeadsTo(usize, usize),
}

/// A role whose members are interchangeable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricRole {
    /// The role's name.
    pub role: String,
    /// The places of each member: its node and its links, in the same order for each.
    pub members: Vec<Vec<Place>>,
}

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// It reacts to operations.
    Node,
    /// It carries messages and treats each of them alike, whatever else is in flight; a message put
    /// onto an empty link is listed by [`TransitionSystem::in_flight`].
    Link,
    /// It only records or counts: it triggers no operation.
    Passive,
}

/// A message in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight<O> {
    /// The receiver.
    pub to: Place,
    /// The operation that its delivery triggers on the receiver.
    pub input: O,
    /// The operation that discards it, on its link.
    pub discard: O,
}

/// The canonical ids of a state. In a class compared only for equality, ids count from 0 in order
/// of first visit. In a ranked class they keep their order without gaps, and 0 stays 0. In a
/// counted class likewise, but a gap of any size becomes a gap of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdRenaming {
    ordered: BTreeMap<IdClass, BTreeSet<u64>>,
    ranks: BTreeMap<(IdClass, u64), u64>,
    next: BTreeMap<IdClass, u64>,
}

impl IdRenaming {
    /// Adds an id, in the order of places and of [`TransitionSystem::visit_ids`].
    pub fn add(&mut self, class: IdClass, id: u64) {
        match class.order {
            Order::Rank | Order::Count => {
                self.ordered.entry(class).or_default().insert(id);
            }
            Order::Equality => {
                let next = self.next.entry(class).or_default();
                self.ranks.entry((class, id)).or_insert_with(|| std::mem::replace(next, *next + 1));
            }
        }
    }

    /// Ranks the ordered ids, once all are added.
    pub fn rank(&mut self) {
        for (class, visit_ids) in std::mem::take(&mut self.ordered) {
            let widest = if class.order == Order::Count { 2 } else { 1 };
            let (mut last, mut rank) = (0, 0);
            for number in visit_ids {
                rank += (number - last).min(widest);
                last = number;
                self.ranks.insert((class, number), rank);
            }
        }
    }

    /// The canonical id.
    #[must_use]
    pub fn of(&self, class: IdClass, id: u64) -> u64 {
        *self.ranks.get(&(class, id)).expect("every id of the state was added")
    }
}

/// Replaces the ids of a state by canonical ones.
pub fn canonicalize_ids<W: TransitionSystem + ?Sized>(system: &W, state: &mut [W::Part]) {
    let mut renaming = IdRenaming::default();
    for (place, part) in (0..).map(Place).zip(state.iter_mut()) {
        system.visit_ids(place, part, &mut |class, id| renaming.add(class, *id));
    }
    renaming.rank();
    for (place, part) in (0..).map(Place).zip(state.iter_mut()) {
        system.visit_ids(place, part, &mut |class, id| *id = renaming.of(class, *id));
    }
}

/// A successor state, and what its action covered and discharged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedState<P, M> {
    /// Its parts, with canonical ids.
    pub state: Vec<P>,
    /// The coverage, in the order of the operations.
    pub tags: Vec<M>,
    /// The fairness conditions discharged beside the action's own.
    pub discharges: Vec<Fairness>,
}

impl<P, M> ReachedState<P, M> {
    fn apply<O>(&mut self, at: Place, outcome: Outcome<P, O, M>, queue: &mut VecDeque<(Place, O)>) {
        self.state[at.index()] = outcome.part;
        self.tags.extend(outcome.tags);
        self.discharges.extend(outcome.discharges);
        queue.extend(outcome.triggers);
    }
}

/// The successors of a state by an action, computed on values, in a fixed order; none if the action
/// is disabled.
#[must_use]
pub fn cascade<W: TransitionSystem + ?Sized>(
    system: &W,
    state: &[W::Part],
    at: Place,
    op: &W::Op,
) -> Vec<ReachedState<W::Part, W::Tag>> {
    let begin = ReachedState { state: state.to_vec(), tags: Vec::new(), discharges: Vec::new() };
    let mut ends = Vec::new();
    let first = VecDeque::from([(at, op.clone())]);
    let mut open = vec![(begin, first, 0)];
    while let Some((mut reached, mut queue, count)) = open.pop() {
        let Some((at, op)) = queue.pop_front() else {
            ends.push(reached);
            continue;
        };
        assert!(count < CASCADE_MAX, "an endless action: {op:?} at {at:?}");
        let mut branches = system.apply(at, &reached.state[at.index()], &op);
        let Some(first) = (!branches.is_empty()).then(|| branches.remove(0)) else { continue };
        // Last in, first out: the first branch is followed first.
        for outcome in branches.into_iter().rev() {
            let (mut branch, mut queue) = (reached.clone(), queue.clone());
            branch.apply(at, outcome, &mut queue);
            open.push((branch, queue, count + 1));
        }
        reached.apply(at, first, &mut queue);
        open.push((reached, queue, count + 1));
    }
    for end in &mut ends {
        canonicalize_ids(system, &mut end.state);
    }
    ends
}

#[cfg(test)]
mod tests {
    use turnstile_step::{IdClass, Order};

    use super::IdRenaming;

    const ID: IdClass = IdClass { name: "id", order: Order::Equality };
    const TOKEN: IdClass = IdClass { name: "token", order: Order::Rank };
    const VIEW: IdClass = IdClass { name: "view", order: Order::Count };

    #[test]
    fn ids_are_named_as_met_and_tokens_by_rank() {
        let old = [(ID, 9), (TOKEN, 70), (ID, 4), (TOKEN, 8), (ID, 9), (TOKEN, 70), (TOKEN, 0)];
        assert_eq!(renumbered(old), [0, 2, 1, 1, 0, 2, 0]);
    }

    #[test]
    fn views_that_are_no_neighbours_do_not_become_neighbours() {
        assert_eq!(renumbered([3, 4, 9, 12, 13].map(|view| (VIEW, view))), [2, 3, 5, 7, 8]);
        assert_eq!(renumbered([0, 1, 3].map(|view| (VIEW, view))), [0, 1, 3]);
    }

    fn renumbered<const N: usize>(old: [(IdClass, u64); N]) -> [u64; N] {
        let mut renaming = IdRenaming::default();
        old.iter().for_each(|(class, id)| renaming.add(*class, *id));
        renaming.rank();
        old.map(|(class, id)| renaming.of(class, id))
    }
}
