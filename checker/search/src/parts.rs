//! What a World shows to the searches: a state is a short list of parts, an action a cascade of
//! operations, each on one part.
//!
//! A part is a node with its armed timers, the contents of a link, what the properties remember, or
//! what is left of the budgets. An operation reads and changes one part and may ask for operations
//! on others; if any of them is refused, the whole action is not enabled. So every operation is a
//! pure function of one part, which a search may run once and remember, and there is one place that
//! knows the protocol's plumbing: [`Parts::apply`]. [`cascade`] runs it on values,
//! [`crate::interned`] on small numbers.
//!
//! Nothing here knows a protocol.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

use turnstile_step::{IdClass, Order};

/// The position of a part in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u16);

impl Place {
    /// The position of an index.
    pub(crate) fn of(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most PLACES_MAX places"))
    }

    /// The position as an index.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Operations in one cascade. An action that asks for more does not end by itself.
pub const CASCADE_MAX: usize = 256;

/// A system whose state is a list of parts. Everything here depends on its arguments alone.
pub trait Parts: Sync {
    /// The value of a part.
    type Part: Clone + Eq + Hash + Debug + Send + Sync;
    /// What is done to a part.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// What a report wants to know of an operation: a row taken, a fault that happened.
    type Mark: Clone + Ord + Hash + Debug + Send + Sync;

    /// The parts of each initial state. Every state has as many, each in its place.
    fn initial(&self) -> Vec<Vec<Self::Part>>;

    /// The operations that may begin an action at this part, judged by it alone, in a fixed order.
    fn offers(&self, at: Place, part: &Self::Part) -> Vec<Offer<Self::Op>>;

    /// Carries out an operation. Nothing: refused, and with it the whole action. More than one: the
    /// system may do either.
    fn apply(
        &self,
        at: Place,
        part: &Self::Part,
        op: &Self::Op,
    ) -> Vec<Done<Self::Part, Self::Op, Self::Mark>>;

    /// Shows each number of a part that only ever grows, to be read or replaced, in a fixed order.
    /// After each action all numbers of a state are replaced by [`Renumbering`].
    fn numbers(&self, at: Place, part: &mut Self::Part, visit: &mut dyn FnMut(IdClass, &mut u64)) {
        let _ = (at, part, visit);
    }

    /// The questions that can be asked of a state.
    fn predicates(&self) -> Vec<Predicate>;

    /// Asks some of the questions of a state, by their places in [`Parts::predicates`], and calls
    /// `answer` with each and whether it is so. `state` has every part.
    fn test(
        &self,
        predicates: &[usize],
        state: &[&Self::Part],
        answer: &mut dyn FnMut(usize, bool),
    );

    /// What is claimed.
    fn properties(&self) -> Vec<Property>;

    /// Groups of nodes that may change places with each other without any difference.
    fn symmetry(&self) -> Vec<Symmetry> {
        Vec::new()
    }

    /// The part with every reference to member `i` of a group turned into one to member `to[i]`.
    /// The members of a group stand in their order. Called for each part, those in the members' own
    /// blocks included; moving a block to its new place is done by the caller.
    fn renamed(&self, at: Place, part: &Self::Part, group: usize, to: &[usize]) -> Self::Part {
        let _ = (at, group, to);
        part.clone()
    }

    /// What sort of part has this place. Where every place is a node, no message is ever left out.
    fn kind(&self, at: Place) -> Kind {
        let _ = at;
        Kind::Node
    }

    /// The messages in flight in a part. A message belongs here only if taking it away is the same
    /// as never delivering it: never on a link where a call waits for exactly one answer.
    fn cargo(&self, at: Place, part: &Self::Part) -> Vec<Cargo<Self::Op>> {
        let _ = (at, part);
        Vec::new()
    }

    /// Whether a message may stay in flight at this place for ever without hindering any other, so
    /// that losing it shows the nodes nothing that delaying it does not.
    fn may_delay_for_ever(&self, at: Place) -> bool {
        let _ = at;
        false
    }
}

/// An operation that may begin an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offer<O> {
    /// The operation, at the part that offers it.
    pub op: O,
    /// How the scheduler of a liveness property must treat the action.
    pub fairness: Fairness,
    /// Whether the action is nothing but the loss of a message.
    pub is_loss: bool,
}

/// How long an action may be put off. One that may not be put off for ever is relieved when it
/// happens, or when an operation says so ([`Done::relieves`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fairness {
    /// For ever: losses, duplicates, crashes, partitions, pauses, what a user may do.
    Never,
    /// Enabled from some point on without a break, it is relieved again and again: a node that
    /// stands still goes on. Named as in a verdict's assumptions: `client 1 goes on`.
    Weak(String),
    /// Enabled again and again, it is relieved again and again (a Streett pair): the firing of a
    /// timer, which is put off by whatever starts its clock anew or stops it, and the delivery of
    /// one message, named by source, destination and payload, without the numbers that are
    /// replaced: `client 1: retry timer triggers`.
    Strong(String),
}

/// What an operation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done<P, O, M> {
    /// The part now.
    pub part: P,
    /// What this asks of other parts, or of this one again, in order. What those ask for in turn
    /// comes after all of them.
    pub then: Vec<(Place, O)>,
    /// What a report wants to know.
    pub marks: Vec<M>,
    /// What may be put off once more, although it did not happen: a timer whose clock was started
    /// anew or stopped. It counts where the part stays as it was, too.
    pub relieves: Vec<Fairness>,
}

impl<P, O, M> Done<P, O, M> {
    /// The part now, and nothing else.
    #[must_use]
    pub fn plain(part: P) -> Self {
        Self { part, then: Vec::new(), marks: Vec::new(), relieves: Vec::new() }
    }
}

/// A question that can be asked of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// The parts that the answer depends on; `None`: all of them. A part that is not listed must
    /// not be looked at.
    pub reads: Option<Vec<Place>>,
    /// Whether the answer depends on messages in flight.
    pub reads_messages: bool,
}

/// A claim about a system. Predicates by their place in [`Parts::predicates`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it claims.
    pub claim: Claim,
    /// A predicate that must be so in some state, or the verdict is `vacuous`.
    pub premise: Option<usize>,
}

/// What a property claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// So in every reachable state.
    Always(usize),
    /// So in some reachable state.
    Sometimes(usize),
    /// From every reachable state where the first is so one can be reached where the second is.
    CanReach(usize, usize),
    /// So at some time in every fair run.
    Eventually(usize),
    /// In every fair run, each state where the first is so is followed by one where the second is.
    LeadsTo(usize, usize),
}

/// Nodes that may change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// The role's name.
    pub role: String,
    /// The places of each member: its node, its links, in the same order for each.
    pub members: Vec<Vec<Place>>,
}

/// A sort of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It reacts to what is done to it.
    Node,
    /// It carries messages and treats each of them alike, whatever else is in flight; an operation
    /// that puts one onto an empty link shows it in [`Parts::cargo`].
    Link,
    /// It remembers or counts, and asks nothing of others.
    Record,
}

/// A message in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cargo<O> {
    /// Who is to get it.
    pub to: Place,
    /// The operation that its delivery asks of the receiver.
    pub input: O,
    /// The operation that takes it away from its link.
    pub discard: O,
}

/// The new numbers of a state: of a class that is only tested for equality, in the order in which
/// they are first seen, from 0 without gaps; of a ranked class, in their order and without gaps
/// above 0, which stays. Of a counted class likewise, with one number between those that have any
/// between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbering {
    ordered: BTreeMap<IdClass, BTreeSet<u64>>,
    ranks: BTreeMap<(IdClass, u64), u64>,
    seen: BTreeMap<IdClass, u64>,
}

impl Renumbering {
    /// Takes note of a number, in the order of places and of [`Parts::numbers`].
    pub fn note(&mut self, class: IdClass, number: u64) {
        match class.order {
            Order::Rank | Order::Count => {
                self.ordered.entry(class).or_default().insert(number);
            }
            Order::Equality => {
                let next = self.seen.entry(class).or_default();
                self.ranks
                    .entry((class, number))
                    .or_insert_with(|| std::mem::replace(next, *next + 1));
            }
        }
    }

    /// Ends the noting: ranks the ordered ones.
    pub fn rank(&mut self) {
        for (class, numbers) in std::mem::take(&mut self.ordered) {
            let widest = if class.order == Order::Count { 2 } else { 1 };
            let (mut last, mut rank) = (0, 0);
            for number in numbers {
                rank += (number - last).min(widest);
                last = number;
                self.ranks.insert((class, number), rank);
            }
        }
    }

    /// The new number.
    #[must_use]
    pub fn of(&self, class: IdClass, number: u64) -> u64 {
        *self.ranks.get(&(class, number)).expect("every number of a state was noted")
    }
}

/// Replaces the numbers of a state.
pub fn renumber<W: Parts + ?Sized>(system: &W, state: &mut [W::Part]) {
    let mut to = Renumbering::default();
    for (place, part) in (0..).map(Place).zip(state.iter_mut()) {
        system.numbers(place, part, &mut |class, number| to.note(class, *number));
    }
    to.rank();
    for (place, part) in (0..).map(Place).zip(state.iter_mut()) {
        system.numbers(place, part, &mut |class, number| *number = to.of(class, *number));
    }
}

/// A state that an action may lead to, and what was noted on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached<P, M> {
    /// Its parts, renumbered.
    pub state: Vec<P>,
    /// In the order of the operations.
    pub marks: Vec<M>,
    /// What was relieved, beside the action itself.
    pub relieves: Vec<Fairness>,
}

impl<P, M> Reached<P, M> {
    fn follow<O>(&mut self, at: Place, done: Done<P, O, M>, queue: &mut VecDeque<(Place, O)>) {
        self.state[at.index()] = done.part;
        self.marks.extend(done.marks);
        self.relieves.extend(done.relieves);
        queue.extend(done.then);
    }
}

/// Carries out an action on values: every state it may lead to, in a fixed order; none if it is
/// not enabled.
#[must_use]
pub fn cascade<W: Parts + ?Sized>(
    system: &W,
    state: &[W::Part],
    at: Place,
    op: &W::Op,
) -> Vec<Reached<W::Part, W::Mark>> {
    let begin = Reached { state: state.to_vec(), marks: Vec::new(), relieves: Vec::new() };
    let mut ends = Vec::new();
    let first = VecDeque::from([(at, op.clone())]);
    let mut open = vec![(begin, first, 0)];
    while let Some((mut reached, mut queue, count)) = open.pop() {
        let Some((at, op)) = queue.pop_front() else {
            ends.push(reached);
            continue;
        };
        assert!(count < CASCADE_MAX, "an action does not end: {op:?} at {at:?}");
        let mut branches = system.apply(at, &reached.state[at.index()], &op);
        let Some(first) = (!branches.is_empty()).then(|| branches.remove(0)) else { continue };
        // Last in, first out: the first branch is followed first.
        for done in branches.into_iter().rev() {
            let (mut branch, mut queue) = (reached.clone(), queue.clone());
            branch.follow(at, done, &mut queue);
            open.push((branch, queue, count + 1));
        }
        reached.follow(at, first, &mut queue);
        open.push((reached, queue, count + 1));
    }
    for end in &mut ends {
        renumber(system, &mut end.state);
    }
    ends
}

#[cfg(test)]
mod tests {
    use turnstile_step::{IdClass, Order};

    use super::Renumbering;

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
        let mut to = Renumbering::default();
        old.iter().for_each(|(class, number)| to.note(*class, *number));
        to.rank();
        old.map(|(class, number)| to.of(class, number))
    }
}
