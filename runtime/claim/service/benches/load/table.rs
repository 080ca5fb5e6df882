//! The table of the rows that are measured in turns.

use crate::tally::Measure;

/// The server with which others are compared.
pub(crate) const OURS: &str = "turnstiled on disk";

/// One row of the table, measured once per round.
pub(crate) struct Row<'a> {
    load: &'static str,
    pub(crate) of: &'static str,
    clients: usize,
    /// `None`: the server is not installed.
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

    /// Measures one round.
    pub(crate) fn measure(&mut self) {
        self.rounds.extend((self.run)());
    }

    /// The median round.
    fn median(&self) -> Option<&Measure> {
        let mut rounds: Vec<&Measure> = self.rounds.iter().collect();
        rounds.sort_unstable_by(|one, other| one.rate.total_cmp(&other.rate));
        rounds.get(rounds.len() / 2).copied()
    }

    /// The median ratio of another row's throughput to this one's.
    fn ratio(&self, other: &Self) -> Option<f64> {
        let pairs = other.rounds.iter().zip(&self.rounds);
        let mut ratios: Vec<f64> = pairs.map(|(other, own)| other.rate / own.rate).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied()
    }
}

/// Prints all rows, with the ratio of one of the servers to each under the same load.
pub(crate) fn print(rows: &[Row<'_>], of_server: &str) {
    println!(
        "| load | of | clients | a second | ratio of {of_server} | p50 ms | p99 ms | Jain \
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
        let ours = rows.iter().filter(is_same).find(|row| row.of == of_server);
        let ratio = ours.and_then(|ours| row.ratio(ours));
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        println!(
            "| {load} | {of} | {clients} | {rate:.0} | {ratio} | {p50_ms:.2} | {p99_ms:.2} | \
             {fairness:.3} | {cpu_us:.0} |"
        );
    }
}
