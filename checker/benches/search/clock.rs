//! Processor time, as Linux counts it: on a loaded machine it is more reliable than wall time. Of
//! several threads the busiest counts, since the others run in parallel. 0 on other systems.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use turnstile_search::bounds::{Progress, ProgressSnapshot};

/// Ticks of `/proc/self/stat` in a second.
const TICKS: f64 = 100.0;

/// Samples the threads of a search of several whenever it reports progress, so that ended threads
/// count, too. A search on one thread is not disturbed.
#[derive(Debug)]
pub(crate) struct CpuClock {
    has_several: bool,
    threads: Mutex<BTreeMap<PathBuf, f64>>,
}

impl CpuClock {
    /// For a search on one thread, or on several.
    pub(crate) fn new(has_several: bool) -> Self {
        Self { has_several, threads: Mutex::default() }
    }

    /// Seconds of the busiest thread so far.
    pub(crate) fn busiest(&self) -> f64 {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let path = thread.path().join("schedstat");
            let stat = fs::read_to_string(&path).unwrap_or_default();
            let cost = stat.split_whitespace().next().and_then(|cost| cost.parse::<f64>().ok());
            threads.insert(path, cost.unwrap_or_default() / 1e9);
        }
        threads.values().copied().fold(0.0, f64::max)
    }

    /// Seconds of all threads, for a search on one thread.
    pub(crate) fn only(&self) -> f64 {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        self.busiest().max(ticks.sum::<f64>() / TICKS)
    }
}

impl Progress for CpuClock {
    fn begin(&self, _title: &str) {}
    fn update(&self, _snapshot: ProgressSnapshot) {
        if self.has_several {
            self.busiest();
        }
    }
    fn end(&self) {}
    fn is_stopped(&self) -> bool {
        false
    }
    fn allocated(&self) -> u64 {
        0
    }
    fn peak(&self) -> u64 {
        0
    }
}
