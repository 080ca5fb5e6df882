//! Fairness labels of transitions: which fairness condition each transition enables and which it
//! discharges.

use crate::transition_system::Fairness;

/// The fairness label of a transition. Fairness conditions are indices of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FairnessLabel {
    /// The fairness condition of its action.
    pub(super) action: u16,
    /// The other conditions that it discharges; sorted, without duplicates.
    pub(super) discharges: Vec<u16>,
}

/// No fairness condition.
const NONE: u16 = u16::MAX;

/// The labels of a graph, and their fairness conditions (Streett pairs), sorted, so that the order
/// does not depend on the order of interning.
#[derive(Clone, Debug, Default)]
pub struct FairnessLabels {
    pairs: Vec<Fairness>,
    /// Of each label: its action's pair, or [`NONE`].
    actions: Vec<u16>,
    /// Of each label: the pairs it discharges, its action's among them; sorted.
    discharges: Vec<Vec<u16>>,
}

impl FairnessLabels {
    /// The labels of a search, with its indices.
    #[must_use]
    pub(super) fn new(fairness: &[Fairness], labels: &[FairnessLabel]) -> Self {
        let mut pairs: Vec<Fairness> =
            fairness.iter().filter(|one| **one != Fairness::None).cloned().collect();
        pairs.sort();
        let pair = |index: &u16| {
            let place = pairs.binary_search(&fairness[usize::from(*index)]);
            place.map_or(NONE, |place| u16::try_from(place).expect("as few as their indices"))
        };
        let discharged = |label: &FairnessLabel| {
            let all = [&label.action].into_iter().chain(&label.discharges);
            let mut all: Vec<u16> = all.map(pair).filter(|pair| *pair != NONE).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let actions = labels.iter().map(|label| pair(&label.action)).collect();
        let discharges = labels.iter().map(discharged).collect();
        Self { pairs, actions, discharges }
    }

    /// The fairness conditions, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[Fairness] {
        &self.pairs
    }

    /// By label, of 64 pairs from the given one on, as bits: its action's.
    pub(super) fn enabled(&self, from: usize) -> Vec<u64> {
        self.all().map(|label| self.action(label).map_or(0, |pair| bit(pair, from))).collect()
    }

    /// By label, of 64 pairs from the given one on, as bits: those it discharges.
    pub(super) fn discharged(&self, from: usize) -> Vec<u64> {
        let bits = |label: u16| self.discharges(label).iter().map(|&pair| bit(pair, from));
        self.all().map(|label| bits(label).fold(0, |all, bit| all | bit)).collect()
    }

    /// All labels.
    fn all(&self) -> impl Iterator<Item = u16> {
        (0..=u16::MAX).take(self.actions.len())
    }

    /// The pair of the action with this label; `None` without fairness.
    #[inline]
    pub(super) fn action(&self, label: u16) -> Option<u16> {
        let pair = self.actions[usize::from(label)];
        (pair != NONE).then_some(pair)
    }

    /// The pairs that the label discharges.
    pub(super) fn discharges(&self, label: u16) -> &[u16] {
        &self.discharges[usize::from(label)]
    }
}

/// The bit of a pair among 64 from the given one on.
fn bit(pair: u16, from: usize) -> u64 {
    let place = usize::from(pair).checked_sub(from).filter(|place| *place < 64);
    place.map_or(0, |place| 1 << place)
}
