//! What the transitions of a graph have to do with fairness: each has a label.

use crate::parts::Fairness;

/// What a transition has to do with fairness.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// How long its action may be put off, by number.
    pub(super) begins: u16,
    /// What else is relieved, by number; sorted, each once.
    pub(super) relieves: Vec<u16>,
}

/// No pair.
const NONE: u16 = u16::MAX;

/// The labels of a graph, and the pairs that they are about: what may not be put off for ever, in
/// the order of their names, however they came to be numbered.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    pairs: Vec<Fairness>,
    /// Of each label: the pair whose action it is.
    begins: Vec<u16>,
    /// Of each label: the pairs it relieves, its own among them; sorted.
    relieves: Vec<Vec<u16>>,
}

impl Labels {
    /// Those of a search, which numbered what it met.
    #[must_use]
    pub(super) fn new(fairness: &[Fairness], labels: &[Label]) -> Self {
        let mut pairs: Vec<Fairness> =
            fairness.iter().filter(|one| **one != Fairness::Never).cloned().collect();
        pairs.sort();
        let pair = |number: &u16| {
            let place = pairs.binary_search(&fairness[usize::from(*number)]);
            place.map_or(NONE, |place| u16::try_from(place).expect("as few as their numbers"))
        };
        let relieved = |label: &Label| {
            let all = [&label.begins].into_iter().chain(&label.relieves);
            let mut all: Vec<u16> = all.map(pair).filter(|pair| *pair != NONE).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let begins = labels.iter().map(|label| pair(&label.begins)).collect();
        let relieves = labels.iter().map(relieved).collect();
        Self { pairs, begins, relieves }
    }

    /// What may not be put off for ever, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[Fairness] {
        &self.pairs
    }

    /// How many labels there are.
    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// The pair whose action has this label; none for one that may be put off for ever.
    #[inline]
    pub(super) fn begins(&self, label: u16) -> Option<u16> {
        let pair = self.begins[usize::from(label)];
        (pair != NONE).then_some(pair)
    }

    /// Whether something beside the action itself is relieved.
    pub(super) fn relieves_another(&self, label: u16) -> bool {
        self.relieves(label).iter().any(|&pair| Some(pair) != self.begins(label))
    }

    /// The pairs that are relieved.
    pub(super) fn relieves(&self, label: u16) -> &[u16] {
        &self.relieves[usize::from(label)]
    }
}
