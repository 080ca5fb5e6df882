//! 100,000 locks on one file: the tree of overlaps beside a plain list, and whole steps of a cache
//! manager, beside those with fewer locks.
//!
//! `cargo bench -p turnstile-byte-range-lock-core --bench ranges`. Rounds are interleaved and the
//! fastest of each counts, so the ratios say more than the figures. What came out stands in
//! `LOAD.md`.

#[path = "ranges/steps.rs"]
mod steps;

use std::hint::black_box;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_core::{ByteRange, IntervalIndex};

const LOCKS: u64 = 100_000;
const ROUNDS: usize = 5;
/// Each lock begins in a record of so many bytes, and most stay in it.
const RECORD: u64 = 64;
/// One of so many locks reaches over a thousand records.
const LONG: u32 = 1_000;

fn ranges() -> Vec<ByteRange> {
    let mut rng = SmallRng::seed_from_u64(2005);
    let mut range = |_| {
        let record = rng.random_range(..LOCKS);
        let length = if rng.random_ratio(1, LONG) { 1_000 * RECORD } else { RECORD };
        ByteRange::new(record * RECORD, length).expect("far below the last address")
    };
    (0..LOCKS).map(&mut range).collect()
}

/// The fastest of some rounds, for one of so many operations.
#[derive(Clone, Copy)]
struct Best(Duration);

impl Best {
    fn take(&mut self, times: usize, round: impl FnOnce()) {
        let start = Instant::now();
        round();
        let each = start.elapsed() / u32::try_from(times).expect("a round is short");
        self.0 = self.0.min(each);
    }
}

fn main() {
    let ranges = ranges();
    let listed: Vec<(LockId, ByteRange)> =
        (0..).map(LockId::new).zip(ranges.iter().copied()).collect();
    let asked: Vec<ByteRange> = ranges.iter().rev().step_by(100).copied().collect();
    let [mut build, mut churn, mut tree_asks, mut list_asks] = [Best(Duration::MAX); 4];
    let mut tree = IntervalIndex::default();
    let (mut by_tree, mut by_list) = (0, 0);
    for _ in 0..ROUNDS {
        tree = IntervalIndex::default();
        build.take(listed.len(), || {
            listed.iter().for_each(|(id, range)| tree.insert(*range, *id));
        });
        churn.take(listed.len(), || {
            for (id, range) in &listed {
                tree.remove(*range, *id);
                tree.insert(*range, *id);
            }
        });
        tree_asks.take(asked.len(), || {
            by_tree = asked.iter().map(|range| black_box(&tree).over(*range).count()).sum();
        });
        list_asks.take(asked.len(), || {
            let over = |range: &ByteRange| {
                black_box(&listed).iter().filter(|(_, other)| other.overlaps(*range)).count()
            };
            by_list = asked.iter().map(over).sum();
        });
    }
    assert_eq!(by_tree, by_list, "both find the same locks");
    println!(
        "{} locks, {} found by a query on average",
        tree.nodes().div_ceil(2),
        by_tree / asked.len()
    );
    println!("insert            {:>8} ns", build.0.as_nanos());
    println!("remove and insert {:>8} ns", churn.0.as_nanos());
    println!("query, tree       {:>8} ns", tree_asks.0.as_nanos());
    println!("query, list       {:>8} ns", list_asks.0.as_nanos());
    let ratio = list_asks.0.as_secs_f64() / tree_asks.0.as_secs_f64();
    println!("the list takes {ratio:.0} times as long");
    steps::measure();
}
