//! Diagrams by chance, the same ones each time.

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_render::diagram::{Arrow, Cause, Diagram, Entry, Node, Phase, View};

/// Words of all lengths.
const WORDS: [&str; 8] =
    ["go", "timeout", "response", "lock", "is", "retransmission", "of a", "acknowledged"];

struct Chance(SmallRng);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0.random_range(..most)
    }

    fn words(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }

    fn entry(&mut self, row: usize) -> Entry {
        let guard = if self.below(3) == 0 { self.words(5) } else { String::new() };
        let does = (0..self.below(3)).map(|_| self.words(4)).collect();
        let cause = [Cause::Answer, Cause::Time, Cause::Command][self.below(3)];
        let amended_by = (self.below(4) == 0).then(|| "change-01".to_owned());
        Entry { row: row.to_string(), event: self.words(3), guard, cause, does, amended_by }
    }
}

/// So many states and about twice as many rows; the last state is final.
pub(super) fn diagram(seed: u64, states: usize) -> Diagram {
    let mut chance = Chance(SmallRng::seed_from_u64(seed));
    let mut diagram = Diagram {
        title: format!("seed {seed}"),
        subtitle: chance.words(9),
        nodes: Vec::new(),
        arrows: Vec::new(),
        view: View::Whole,
    };
    for state in 0..states {
        let phase = [Phase::Answer, Phase::Time, Phase::Rest][chance.below(3)];
        diagram.nodes.push(Node {
            name: format!("{} {state}", chance.words(2)),
            about: String::new(),
            holds: (0..chance.below(3)).map(|_| chance.words(2)).collect(),
            phase: if state + 1 == states { Phase::End } else { phase },
            initial: state == 0,
            amended: chance.below(4) == 0,
            loops: (0..chance.below(3)).map(|row| chance.entry(row)).collect(),
            notes: Vec::new(),
        });
    }
    for row in 0..states * 2 {
        let (from, to) = (chance.below(states - 1), chance.below(states));
        let entry = chance.entry(row);
        let known = diagram.arrows.iter_mut().find(|arrow| (arrow.from, arrow.to) == (from, to));
        match known {
            _ if from == to => diagram.nodes[from].loops.push(entry),
            Some(arrow) => arrow.entries.push(entry),
            None => diagram.arrows.push(Arrow { from, to, entries: vec![entry] }),
        }
    }
    diagram
}
