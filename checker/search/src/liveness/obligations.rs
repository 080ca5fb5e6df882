//! The pairs that the fair cycles of a component are bound by, for all components of a subgraph in
//! one pass over their transitions, 64 pairs at a time.

use crate::liveness::components::{Components, Found};
use crate::liveness::labelled_graph::LabelledGraph;
use crate::storage::transitions::Transitions;

/// The pairs enabled in a component that nothing in it discharges, and whether each is enabled in
/// all its states.
pub(super) type Obligations = Vec<(u16, bool)>;

/// 64 pairs in one component, as bits.
#[derive(Clone, Copy, Debug)]
struct Tally {
    /// Those whose action is enabled in some state.
    somewhere: u64,
    /// Those whose action is enabled in every state.
    everywhere: u64,
    /// Those that a transition in the component discharges.
    discharged: u64,
}

/// Of each component found, the pairs that nothing in it discharges, as bits.
#[derive(Debug)]
pub(super) struct ComponentObligations {
    words: Vec<u64>,
    /// Words for one component: two for each 64 pairs, those enabled in some state and those
    /// enabled in every one.
    width: usize,
}

impl ComponentObligations {
    /// Those of the components found last.
    pub(super) fn of(
        graph: &LabelledGraph,
        inside: &Transitions,
        components: &Components,
        found: &Found,
    ) -> Self {
        let pairs = graph.labels().pairs().len();
        let width = 2 * pairs.div_ceil(64);
        let mut words = vec![0; found.sizes.len() * width];
        for from in (0..pairs).step_by(64) {
            let tallies = tallies(graph, inside, components, found, from);
            for (component, tally) in tallies.into_iter().enumerate() {
                let word = &mut words[component * width + from / 32..][..2];
                word[0] = tally.somewhere & !tally.discharged;
                word[1] = tally.everywhere & !tally.discharged;
            }
        }
        Self { words, width }
    }

    /// Those of the component with this index; components with the same have the same obligations.
    pub(super) fn words(&self, component: usize) -> &[u64] {
        &self.words[component * self.width..][..self.width]
    }
}

/// The obligations that words stand for.
pub(super) fn obligations(words: &[u64]) -> Obligations {
    let of_word = |(place, word): (usize, &[u64])| -> Obligations {
        let open = (0..64).filter(|bit| word[0] >> bit & 1 == 1);
        let pair = |bit| u16::try_from(64 * place + bit).expect("pairs are numbered by u16");
        open.map(|bit| (pair(bit), word[1] >> bit & 1 == 1)).collect()
    };
    words.chunks(2).enumerate().flat_map(of_word).collect()
}

/// What each component found does with 64 pairs, from the given one on.
fn tallies(
    graph: &LabelledGraph,
    transitions: &Transitions,
    components: &Components,
    found: &Found,
    from: usize,
) -> Vec<Tally> {
    // By label, twice: nothing outside its component, and what it discharges inside.
    let discharged: Vec<u64> =
        graph.labels().discharged(from).into_iter().flat_map(|inside| [0, inside]).collect();
    let nothing = Tally { somewhere: 0, everywhere: u64::MAX, discharged: 0 };
    let mut tallies = vec![nothing; found.sizes.len()];
    for &state in &found.states {
        let component = components.component(state);
        let mut inside = 0;
        for (to, label) in transitions.out(state) {
            // Without a branch, which nothing could predict.
            let is_inside = usize::from(components.component(to) == component);
            inside |= discharged[2 * usize::from(label) + is_inside];
        }
        for &label in graph.self_loops(state) {
            inside |= discharged[2 * usize::from(label) + 1];
        }
        let enabled = graph.enabled().words(state)[from / 64];
        let tally = &mut tallies[found.index(component)];
        tally.somewhere |= enabled;
        tally.everywhere &= enabled;
        tally.discharged |= inside;
    }
    tallies
}
