//! The lock protocol in one word a state, with its own breadth-first search: what no general engine
//! can beat. Exact, on one thread.
//!
//! A client has `6 + 4 * rounds` bits: phase 2, round 2, rounds that the server has finished 2, and
//! for each round whether request, grant, release and acknowledge are in flight. The four highest
//! bits are the holder, plus one.

use std::hint::black_box;

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) clients: u32,
    pub(crate) rounds: u32,
}

/// What a search counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
}

const HOLDER: u32 = 60;
const REQUEST: u32 = 0;
const GRANT: u32 = 1;
const RELEASE: u32 = 2;
const ACKNOWLEDGE: u32 = 3;

impl Packed {
    fn bits(self) -> u32 {
        6 + 4 * self.rounds
    }

    /// Calls `each` with every other state that one step leads to.
    #[inline]
    fn successors(self, state: u64, mut each: impl FnMut(u64)) {
        let holder = state >> HOLDER;
        for client in 0..self.clients {
            let at = client * self.bits();
            let block = state >> at;
            let (phase, round, done) = (block & 3, block >> 2 & 3, block >> 4 & 3);
            let message = |kind: u32, round: u64| 1u64 << (at + 6 + 4 * low(round) + kind);
            let mut other = |next: u64| {
                if next != state {
                    each(next);
                }
            };
            match phase {
                0 if round < u64::from(self.rounds) => {
                    other(state ^ 1 << at | message(REQUEST, round));
                }
                0 => {}
                1 => other(state | message(REQUEST, round)),
                2 => other(state ^ 1 << at | message(RELEASE, round)),
                _ => other(state | message(RELEASE, round)),
            }
            let mut flight = block >> 6 & ((1 << (4 * self.rounds)) - 1);
            while flight != 0 {
                let bit = flight.trailing_zeros();
                flight &= flight - 1;
                let (of, me) = (u64::from(bit >> 2), u64::from(client) + 1);
                other(state & !(1u64 << (at + 6 + bit)));
                match bit & 3 {
                    REQUEST if of == done && (holder == 0 || holder == me) => {
                        other((state & !(15 << HOLDER)) | (me << HOLDER) | message(GRANT, of));
                    }
                    GRANT if phase == 1 && of == round => other(state ^ (3 << at)),
                    RELEASE if of == done && holder == me => {
                        let freed = state & !(15 << HOLDER);
                        other((freed + (1 << (at + 4))) | message(ACKNOWLEDGE, of));
                    }
                    RELEASE if of < done => other(state | message(ACKNOWLEDGE, of)),
                    ACKNOWLEDGE if phase == 3 && of == round => {
                        other((state & !(3 << at)) + (1 << (at + 2)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether at most one client holds the lock.
    fn excludes(self, state: u64) -> bool {
        let holds = |client: &u32| state >> (client * self.bits()) & 3 == 2;
        (0..self.clients).filter(holds).count() <= 1
    }

    /// Counts what can be reached.
    pub(crate) fn search(self) -> Counted {
        let mut seen = Table::with(1 << 16);
        let (mut level, mut next) = (vec![0u64], Vec::new());
        let mut counted = Counted { states: 1, transitions: 0 };
        let mut found: Vec<u64> = Vec::new();
        while !level.is_empty() {
            for some in level.chunks(16) {
                found.clear();
                some.iter().for_each(|&state| self.successors(state, |to| found.push(to)));
                counted.transitions += found.len();
                seen.touch(&found);
                for &state in &found {
                    // The first state is known from the beginning: 0 is also an empty slot.
                    if state != 0 && seen.insert(state) {
                        assert!(self.excludes(state), "two clients hold the lock");
                        next.push(state);
                    }
                }
            }
            counted.states += next.len();
            std::mem::swap(&mut level, &mut next);
            next.clear();
        }
        counted
    }
}

fn low(round: u64) -> u32 {
    u32::try_from(round).expect("two bits")
}

/// States by a permutation of their bits, open addressing.
struct Table {
    slots: Vec<u64>,
    count: usize,
}

impl Table {
    fn with(slots: usize) -> Self {
        Self { slots: vec![0; slots], count: 0 }
    }

    fn home(&self, state: u64) -> usize {
        let mixed = (state ^ state >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        usize::try_from(mixed ^ mixed >> 32).expect("64 bits") & (self.slots.len() - 1)
    }

    /// Brings the slots of these states into the cache, beside each other.
    fn touch(&self, states: &[u64]) {
        let all = states.iter().fold(0, |all, &state| all ^ self.slots[self.home(state)]);
        black_box(all);
    }

    fn insert(&mut self, state: u64) -> bool {
        let mut slot = self.home(state);
        loop {
            match self.slots[slot] {
                0 => break,
                there if there == state => return false,
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
        self.slots[slot] = state;
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            let mut larger = Self::with(self.slots.len() * 2);
            for &state in self.slots.iter().filter(|&&state| state != 0) {
                larger.insert(state);
            }
            *self = larger;
        }
        true
    }
}
