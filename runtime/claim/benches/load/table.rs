//! The table of everything that is measured in turns.

use crate::tally::Measure;

/// The row that the others are compared with.
pub(crate) const OURS: &str = "turnstiled on disk";

/// One line of the table, measured once a round.
pub(crate) struct Row<'a> {
    load: &'static str,
    pub(crate) of: &'static str,
    clients: usize,
    /// None: it is not installed.
    run: Box<dyn Fn() -> Option<Measure> + 'a>,
    rounds: Vec<Measure>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        load: &'static str,
        of: &'static str,
        clients: usize,
        run: impl Fn() -> Option<Measure> + 'a,
    ) -> Self {
        Self { load, of, clients, run: Box::new(run), rounds: Vec::new() }
    }

    /// One round.
    pub(crate) fn measure(&mut self) {
        self.rounds.extend((self.run)());
    }

    /// The round in the middle.
    fn median(&self) -> Option<&Measure> {
        let mut rounds: Vec<&Measure> = self.rounds.iter().collect();
        rounds.sort_unstable_by(|one, other| one.rate.total_cmp(&other.rate));
        rounds.get(rounds.len() / 2).copied()
    }

    /// How many times as much another row got done, in the round in the middle.
    fn ratio(&self, other: &Self) -> Option<f64> {
        let pairs = other.rounds.iter().zip(&self.rounds);
        let mut ratios: Vec<f64> = pairs.map(|(other, own)| other.rate / own.rate).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied()
    }
}

/// Prints all rows, each beside what `turnstiled` on disk does under the same load.
pub(crate) fn print(rows: &[Row<'_>]) {
    println!(
        "| load | of | clients | a second | {OURS} is so many times that | p50 ms | p99 ms | Jain \
         | CPU us |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        let Row { load, of, clients, .. } = row;
        let Some(Measure { rate, p50_ms, p99_ms, fairness, cpu_us }) = row.median() else {
            println!("| {load} | {of} | {clients} | not installed | | | | | |");
            continue;
        };
        let is_same = |other: &&Row<'_>| (other.load, other.clients) == (*load, *clients);
        let ours = rows.iter().filter(is_same).find(|row| row.of == OURS);
        let ratio = ours.and_then(|ours| row.ratio(ours));
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        println!(
            "| {load} | {of} | {clients} | {rate:.0} | {ratio} | {p50_ms:.2} | {p99_ms:.2} | \
             {fairness:.3} | {cpu_us:.0} |"
        );
    }
}
