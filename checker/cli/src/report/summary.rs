//! The last lines on the terminal: what does not hold, and the verdict over all results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use turnstile_harness::results::result::{Coverage, ResultKind, ResultReport};
use turnstile_harness::results::status::Status;
use turnstile_search::judgement::Verdict;
use turnstile_world::trace::counted;

use super::paint::{Paint, fold};
use super::text::{mark, verdict_words};

/// Properties that do not hold that are listed again.
const LISTED_MAX: usize = 20;

/// Rows that no world of a system takes, where several worlds were searched exhaustively.
fn never_taken(results: &[ResultReport], paint: Paint) -> String {
    let is_whole = |name: &str| {
        let mut worlds =
            results.iter().filter(|one| one.kind == ResultKind::System && one.name == name);
        worlds.all(|world| world.complete)
    };
    let mut worlds: BTreeMap<&str, Vec<&Coverage>> = BTreeMap::new();
    for result in results.iter().filter(|result| !result.properties.is_empty()) {
        if result.kind == ResultKind::System {
            worlds.entry(&result.name).or_default().push(&result.coverage);
        }
    }
    let mut text = String::new();
    for (name, coverages) in worlds.iter().filter(|(_, coverages)| coverages.len() > 1) {
        let mut rows = coverages[0].not_taken.clone();
        rows.retain(|row| coverages.iter().all(|coverage| coverage.not_taken.contains(row)));
        let is_told = results
            .iter()
            .any(|one| one.name == **name && one.world.is_none() && one.kind == ResultKind::System);
        if rows.is_empty() || is_told || !is_whole(name) {
            continue;
        }
        let count = counted(rows.len() as u64, "row");
        let words = format!("{name}: {count} taken in no world: {}", rows.join(", "));
        for line in fold(&words, paint.width) {
            let _ = writeln!(text, "{}", paint.dim(&line));
        }
    }
    text
}

/// The properties that do not hold, in one list: many results are longer than a screen.
fn failing(results: &[ResultReport], paint: Paint) -> String {
    if results.len() < 2 {
        return String::new();
    }
    let all = results.iter().flat_map(|one| one.properties.iter().map(move |of| (one, of)));
    let failing: Vec<_> =
        all.filter(|(_, property)| Status::from(property.verdict) != Status::Holds).collect();
    let mut text = String::new();
    for (result, property) in failing.iter().take(LISTED_MAX) {
        let (title, verdict) = (result.title(), verdict_words(property.verdict));
        let (mark, name) = (mark(property.verdict, paint), &property.name);
        let _ = writeln!(text, "  {mark} {title}: {name} {}", paint.dim(verdict));
    }
    if let Some(more) = failing.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "    {}", paint.dim(&format!("and {more} more")));
    }
    text
}

/// The worlds (`SYSTEM/WORLD`) that are searched only if named or asked for, and how to do that.
#[must_use]
pub fn not_run(worlds: &BTreeSet<String>, paint: Paint) -> String {
    let mut systems: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (system, world) in worlds.iter().filter_map(|name| name.split_once('/')) {
        systems.entry(system).or_default().push(world);
    }
    let count = counted(worlds.len() as u64, "large world");
    let which = match systems.first_key_value() {
        None => return String::new(),
        Some((system, names)) if systems.len() == 1 => format!("of {system}: {}", names.join(", ")),
        Some(_) => {
            let counts = systems.iter().map(|(system, names)| format!("{system} {}", names.len()));
            format!("({}, see `turnstile list`)", counts.collect::<Vec<_>>().join(", "))
        }
    };
    let how = "`--set size=large` runs them, `--world WORLD` one of them";
    let words = format!("not run: {count} {which}; {how}");
    fold(&words, paint.width).iter().map(|line| format!("{}\n", paint.dim(line))).collect()
}

/// The last lines: the verdict over all results, and the wall time of the whole command.
#[must_use]
pub fn summary(results: &[ResultReport], elapsed: Duration, paint: Paint) -> String {
    let properties = || results.iter().flat_map(|result| &result.properties);
    let count = |wanted: Verdict| properties().filter(|one| one.verdict == wanted).count();
    let fair = count(Verdict::HoldsUnderFairness);
    let holds = count(Verdict::Holds) + fair;
    let mut parts = Vec::new();
    if properties().count() > 0 {
        parts.push(format!("{holds} of {} hold", counted(properties().count() as u64, "property")));
    }
    for (number, words) in [
        (fair, "of them under fairness"),
        (count(Verdict::Fails), "fail"),
        (count(Verdict::Vacuous), "vacuous"),
        (count(Verdict::Incomplete), "incomplete"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    let faults = results.iter().flat_map(|result| &result.faults);
    let errors = faults.filter(|fault| fault.is_error()).count();
    if errors > 0 {
        parts.push(counted(errors as u64, "error"));
    }
    let status = results.iter().map(Status::of).fold(Status::Holds, Status::and);
    let verdict = match status {
        Status::Holds => paint.good("holds"),
        Status::Incomplete => paint.open("incomplete"),
        Status::Fails | Status::Usage => paint.bad("fails"),
    };
    let states = counted(results.iter().map(|result| result.states).sum(), "state");
    let seconds = elapsed.as_secs_f64();
    let searched = || results.iter().filter(|result| result.states > 0);
    let kind = if searched().all(|result| result.complete) { "exhaustive " } else { "" };
    let searches = match searched().count() {
        0 => "nothing was searched".to_owned(),
        many => {
            let searches = counted(many as u64, &format!("{kind}search"));
            format!("{searches}, {states}, {seconds:.2} s")
        }
    };
    let said =
        if parts.is_empty() { searches } else { format!("{}; {searches}", parts.join(", ")) };
    let (never_taken, failing) = (never_taken(results, paint), failing(results, paint));
    format!("{never_taken}{failing}{verdict}: {said}\n")
}
