//! Counts and latencies of a client's operations.

use std::time::Duration;

/// Latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Vec<u32>);

impl Tally {
    pub(crate) fn note(&mut self, took: Duration) {
        self.0.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// All latencies, sorted.
    pub(crate) fn sum(tallies: &[Self]) -> Self {
        let mut all: Vec<u32> = tallies.iter().flat_map(|tally| &tally.0).copied().collect();
        all.sort_unstable();
        Self(all)
    }

    /// A percentile of a sorted tally.
    pub(crate) fn percentile_ms(&self, percent: usize) -> f64 {
        let at = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(at).map_or(f64::NAN, |us| f64::from(*us) / 1e3)
    }
}

/// The result of one row in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub(crate) rate: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Jain's index.
    pub(crate) fairness: f64,
    /// The processor time per operation.
    pub(crate) cpu_us: f64,
}

impl Measure {
    /// Combines the results of all clients, with the elapsed time and the processor time.
    pub(crate) fn of(tallies: &[Tally], time: Duration, cpu: Duration) -> Self {
        let counts: Vec<usize> = tallies.iter().map(Tally::count).collect();
        let all = Tally::sum(tallies);
        let count = all.count() as f64;
        Self {
            rate: count / time.as_secs_f64(),
            p50_ms: all.percentile_ms(50),
            p99_ms: all.percentile_ms(99),
            fairness: jain(&counts),
            cpu_us: cpu.as_secs_f64() * 1e6 / count,
        }
    }
}

/// Jain's index of fairness: 1 if all clients get the same share, 1/n if one gets everything.
fn jain(counts: &[usize]) -> f64 {
    let sum: f64 = counts.iter().map(|count| *count as f64).sum();
    let squares: f64 = counts.iter().map(|count| (*count as f64).powi(2)).sum();
    sum * sum / (counts.len() as f64 * squares)
}
