//! The measurements of searches, as a table.

use std::fmt;

/// The measurement of one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measurement {
    /// Unique states.
    pub(crate) states: u64,
    /// Wall time, in seconds.
    pub(crate) seconds: f64,
    /// Processor time of the busiest thread, in seconds.
    pub(crate) busy: f64,
    /// The growth of the process at its peak, in bytes.
    pub(crate) bytes: u64,
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.states, self.seconds, self.busy, self.bytes)
    }
}

impl Measurement {
    /// Reads what [`fmt::Display`] writes.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let states = words.next()?.parse().ok()?;
        let seconds = words.next()?.parse().ok()?;
        let busy = words.next()?.parse().ok()?;
        Some(Self { states, seconds, busy, bytes: words.next()?.parse().ok()? })
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    fn rate(self) -> f64 {
        self.states as f64 / self.seconds
    }
}

/// A line of the table: the fastest of the rounds, the smallest memory.
#[derive(Debug)]
pub(crate) struct TableRow {
    title: &'static str,
    best: Option<Measurement>,
}

impl TableRow {
    pub(crate) fn new(title: &'static str) -> Self {
        Self { title, best: None }
    }

    /// Adds the measurement of a round.
    pub(crate) fn add(&mut self, measurement: Option<Measurement>) {
        let Some(measurement) = measurement else { return };
        self.best = Some(self.best.map_or(measurement, |best| {
            assert_eq!(best.states, measurement.states, "{} counts the same each time", self.title);
            Measurement {
                seconds: best.seconds.min(measurement.seconds),
                busy: best.busy.min(measurement.busy),
                bytes: best.bytes.min(measurement.bytes),
                ..best
            }
        }));
    }
}

/// Prints the table; ratios are to the first row that ran.
pub(crate) fn print(rows: &[TableRow]) {
    println!(
        "{:<38}{:>10}{:>9}{:>9}{:>11}{:>8}{:>9}",
        "search", "states", "wall s", "busy s", "states/s", "ratio", "B/state"
    );
    let first = rows.iter().find_map(|row| row.best);
    for TableRow { title, best } in rows {
        let (Some(best), Some(first)) = (best, first) else {
            println!("{title:<38}{:>10}", "not here");
            continue;
        };
        println!(
            "{title:<38}{:>10}{:>9.3}{:>9.3}{:>11.0}{:>8.2}{:>9}",
            best.states,
            best.seconds,
            best.busy,
            best.rate(),
            first.busy / best.busy,
            best.bytes / best.states
        );
    }
}
