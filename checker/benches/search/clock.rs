//! Processor time, as Linux counts it: on a machine that does something else meanwhile it says more
//! than wall time. Of several threads the busiest counts, since the others run beside it. 0 where
//! the system does not say.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use turnstile_search::bounds::{Progress, Standing};

/// Ticks of `/proc/self/stat` in a second.
const TICKS: f64 = 100.0;

/// Looks at the threads whenever a search says how far it is, so that one that has ended counts.
#[derive(Debug, Default)]
pub(crate) struct Clock(Mutex<BTreeMap<PathBuf, f64>>);

impl Clock {
    /// Seconds of the busiest thread so far.
    pub(crate) fn busiest(&self) -> f64 {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let path = thread.path().join("schedstat");
            let said = fs::read_to_string(&path).unwrap_or_default();
            let spent = said.split_whitespace().next().and_then(|spent| spent.parse::<f64>().ok());
            threads.insert(path, spent.unwrap_or_default() / 1e9);
        }
        threads.values().copied().fold(0.0, f64::max)
    }

    /// Seconds of all threads, as good as only one of them did something.
    pub(crate) fn only(&self) -> f64 {
        let said = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = said.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        self.busiest().max(ticks.sum::<f64>() / TICKS)
    }
}

impl Progress for Clock {
    fn begin(&self, _title: &str) {}
    fn stand(&self, _standing: Standing) {
        self.busiest();
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
