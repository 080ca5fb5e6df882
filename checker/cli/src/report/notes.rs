//! The lines under the verdicts of a search: what it does not cover, and with `--verbose` what its
//! figures rest on.

use std::fmt::Write as _;

use turnstile_harness::result::{Coverage, ResultReport, Unchecked};
use turnstile_world::trace::counted;

use super::paint::{Paint, fold, pad};
use super::text::{Detail, bytes};

/// The width of the labels' column.
const LABEL: usize = 13;

/// Writes the lines.
pub(super) fn put(text: &mut String, result: &ResultReport, paint: Paint, detail: Detail) {
    let mut put = |label: &str, words: &str, colour: fn(Paint, &str) -> String| {
        for (nth, line) in fold(words, paint.width.saturating_sub(2 + LABEL)).iter().enumerate() {
            let label = if nth == 0 { label } else { "" };
            let line = format!("  {}{line}", pad(label, LABEL));
            let _ = writeln!(text, "{}", colour(paint, &line));
        }
    };
    if !result.complete {
        put("truncated", result.notes.cut.as_deref().unwrap_or("at a bound"), Paint::open);
    }
    if let Some(faults) = faults(result) {
        put("faults", &faults, Paint::dim);
    }
    let unchecked = &result.notes.unchecked;
    if detail == Detail::Brief {
        let counts = unchecked.iter().map(|one| counted(one.names.len() as u64, one.what));
        let counts: Vec<String> = counts.collect();
        if !counts.is_empty() {
            let words = format!("{}; a system model checks them", counts.join(", "));
            put("not checked", &words, Paint::dim);
        }
        return;
    }
    for Unchecked { what, names, because } in unchecked {
        let count = counted(names.len() as u64, what);
        put("not checked", &format!("{count}, {because}: {}", names.join(", ")), Paint::dim);
    }
    put("coverage", &coverage(&result.coverage), Paint::dim);
    if result.states > 0 {
        put("engine", &engine(result), Paint::dim);
    }
    if !result.reductions.is_empty() {
        put("reductions", &result.reductions.join(", "), Paint::dim);
    }
    for note in result.notes.about.iter().chain(&result.notes.remarks) {
        put("note", note, Paint::dim);
    }
    put("files", &result.notes.files.join(", "), Paint::dim);
}

/// The kinds of fault that occurred, if every property of a result has the same.
pub(super) fn common_faults(result: &ResultReport) -> Option<&[String]> {
    let first = result.properties.first()?.faults_exercised.as_slice();
    let is_same = result.properties.iter().all(|property| property.faults_exercised == first);
    is_same.then_some(first)
}

/// The kinds of fault that occurred, and those that the world allows and that never occurred.
fn faults(result: &ResultReport) -> Option<String> {
    let common = common_faults(result).filter(|faults| !faults.is_empty());
    let mut parts: Vec<String> = common.map(|faults| faults.join(", ")).into_iter().collect();
    let never = &result.notes.faults_never_injected;
    if !never.is_empty() {
        parts.push(format!("never occurred: {}", never.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `interned, exhaustive, 2 threads, peak memory 45.1 MiB`.
fn engine(result: &ResultReport) -> String {
    let threads = counted(result.threads as u64, "thread");
    let end = if result.complete { "exhaustive" } else { "truncated" };
    let memory = bytes(result.peak_memory_bytes);
    format!("{}, {end}, {threads}, peak memory {memory}", result.engine)
}

fn coverage(coverage: &Coverage) -> String {
    let mut words = format!("{} of {} rows taken", coverage.rows_taken, coverage.rows);
    for (what, rows) in [("not taken", &coverage.not_taken), ("waived", &coverage.excused)] {
        if !rows.is_empty() {
            let _ = write!(words, ", {what}: {}", rows.join(", "));
        }
    }
    match (coverage.impossible, coverage.impossible_reached.len()) {
        (0, _) => {}
        (cells, reached) => {
            let _ = write!(words, "; {reached} of {cells} cells declared impossible reached");
        }
    }
    words
}
