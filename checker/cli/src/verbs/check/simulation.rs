//! The options of random walks.

use std::time::{SystemTime, UNIX_EPOCH};

use turnstile_search::engine::Walks;

/// The most steps of a walk.
const STEPS_MAX: u64 = 1000;

#[derive(Debug, clap::Args)]
pub(super) struct Simulation {
    /// Take N random walks through each world, of at most 1000 steps, in place of a search: for
    /// worlds too large to search. A walk finds violations and proves nothing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    simulate: Option<u64>,
    /// The seed of the walks [default: drawn, and printed]
    #[arg(long, value_name = "S", requires = "simulate")]
    seed: Option<u64>,
}

impl Simulation {
    /// The walks, if they were asked for.
    pub(super) fn walks(&self) -> Option<Walks> {
        let count = self.simulate?;
        Some(Walks { count, steps: STEPS_MAX, seed: self.seed.unwrap_or_else(drawn) })
    }
}

/// A seed that is short enough to type.
fn drawn() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) + now.as_secs() % 1000
}
