//! Of each state, the pairs whose action is enabled and changes it, as bits: every property of the
//! graph asks for them, and the rows of labels take longer to read.

use crate::fairness_label::FairnessLabels;
use crate::storage::transitions::Transitions;

/// The pairs enabled in each state.
#[derive(Debug)]
pub(super) struct EnabledPairs {
    words: Vec<u64>,
    /// Words for one state: one for each 64 pairs.
    width: usize,
}

impl EnabledPairs {
    /// Those of states with these transitions.
    pub(super) fn of(transitions: &Transitions, labels: &FairnessLabels) -> Self {
        let width = labels.pairs().len().div_ceil(64);
        let mut words = vec![0; transitions.states() * width];
        for place in 0..width {
            let enabled = labels.enabled(64 * place);
            for (state, word) in (0..).zip(words.iter_mut().skip(place).step_by(width)) {
                let labels = transitions.labels(state).iter();
                *word = labels.fold(0, |all, &label| all | enabled[usize::from(label)]);
            }
        }
        Self { words, width }
    }

    /// The bits of a state, 64 pairs a word.
    #[inline]
    pub(super) fn words(&self, state: u32) -> &[u64] {
        &self.words[state as usize * self.width..][..self.width]
    }

    /// Whether a pair is enabled in a state.
    pub(super) fn has(&self, state: u32, pair: u16) -> bool {
        let pair = usize::from(pair);
        self.words(state)[pair / 64] >> (pair % 64) & 1 == 1
    }

    /// Pairs as bits.
    pub(super) fn bits(&self, pairs: &[u16]) -> Vec<u64> {
        let mut words = vec![0; self.width];
        for pair in pairs.iter().map(|&pair| usize::from(pair)) {
            words[pair / 64] |= 1 << (pair % 64);
        }
        words
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }
}
