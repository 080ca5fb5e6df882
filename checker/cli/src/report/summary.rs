//! What all results of a run come to: the last lines on the terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use turnstile_harness::result::{Coverage, Kind, ResultReport};
use turnstile_harness::status::Status;
use turnstile_search::judged::Verdict;
use turnstile_world::trace::counted;

use super::paint::{Paint, fold};

/// Rows that no world of a system takes, where more than one was searched, and each to its end.
fn untaken(results: &[ResultReport], paint: Paint) -> String {
    let is_whole = |name: &str| {
        let mut worlds = results.iter().filter(|one| one.kind == Kind::System && one.name == name);
        worlds.all(|world| world.complete)
    };
    let mut worlds: BTreeMap<&str, Vec<&Coverage>> = BTreeMap::new();
    for result in results.iter().filter(|result| !result.properties.is_empty()) {
        if result.kind == Kind::System {
            worlds.entry(&result.name).or_default().push(&result.coverage);
        }
    }
    let mut text = String::new();
    for (name, coverages) in worlds.iter().filter(|(_, coverages)| coverages.len() > 1) {
        let mut rows = coverages[0].not_taken.clone();
        rows.retain(|row| coverages.iter().all(|coverage| coverage.not_taken.contains(row)));
        let is_told = results
            .iter()
            .any(|one| one.name == **name && one.world.is_none() && one.kind == Kind::System);
        if rows.is_empty() || is_told || !is_whole(name) {
            continue;
        }
        let count = counted(rows.len() as u64, "row");
        let words = format!("{name}: no world takes {count}: {}", rows.join(", "));
        for line in fold(&words, paint.width) {
            let _ = writeln!(text, "{}", paint.dim(&line));
        }
    }
    text
}

/// The last lines: what all results come to.
#[must_use]
pub fn summary(results: &[ResultReport], paint: Paint) -> String {
    let count = |wanted: fn(Verdict) -> bool| {
        let all = results.iter().flat_map(|result| &result.properties);
        all.filter(|property| wanted(property.verdict)).count()
    };
    let holds = count(|verdict| matches!(verdict, Verdict::Holds | Verdict::FailsOnlyUnfairly));
    let fails = count(|verdict| verdict == Verdict::Fails);
    let vacuous = count(|verdict| verdict == Verdict::Vacuous);
    let open = count(|verdict| verdict == Verdict::Incomplete);
    let faults: usize = results
        .iter()
        .map(|result| result.faults.iter().filter(|fault| fault.severity == "error").count())
        .sum();
    let mut parts = vec![format!("{holds} hold")];
    for (number, words) in [(fails, "fail"), (vacuous, "vacuous"), (open, "incomplete")] {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    if faults > 0 {
        parts.push(counted(faults as u64, "fault"));
    }
    let states: u64 = results.iter().map(|result| result.states).sum();
    let seconds: f64 = results.iter().map(|result| result.seconds).sum();
    let status = results.iter().map(Status::of).fold(Status::Holds, Status::and);
    let verdict = match status {
        Status::Holds => paint.good("holds"),
        Status::Incomplete => paint.open("incomplete"),
        Status::Fails | Status::Usage => paint.bad("fails"),
    };
    // Searches run side by side, so that together they take longer than anybody waits.
    let (searches, of) =
        if results.len() == 1 { ("search", "") } else { ("searches", " of search") };
    format!(
        "{}{verdict}: {} in {} {searches} over {}, {seconds:.2} s{of}\n",
        untaken(results, paint),
        parts.join(", "),
        results.len(),
        counted(states, "state"),
    )
}
