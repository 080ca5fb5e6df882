//! The lines under the verdicts of a search: what it does not cover, and with `--verbose` what its
//! figures rest on.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use turnstile_harness::results::result::{
    BudgetReport, Coverage, ResultReport, RowCoverage, Unchecked,
};
use turnstile_world::trace::counted;

use super::detail::Detail;
use super::paint::{Paint, fold, pad};
use super::size::bytes;

/// The width of the labels' column.
const LABEL: usize = 13;

/// A line with a label, folded.
fn put_line(
    text: &mut String,
    paint: Paint,
    (label, words): (&str, &str),
    colour: fn(Paint, &str) -> String,
) {
    for (nth, line) in fold(words, paint.width.saturating_sub(2 + LABEL)).iter().enumerate() {
        let label = if nth == 0 { label } else { "" };
        let line = format!("  {}{line}", pad(label, LABEL));
        let _ = writeln!(text, "{}", colour(paint, &line));
    }
}

/// Writes the settings of a world, under its heading.
pub(super) fn put_settings(text: &mut String, result: &ResultReport, paint: Paint) {
    let settings = result.notes.settings.iter().map(|(key, value)| format!("{key} {value}"));
    let words = settings.collect::<Vec<_>>().join(", ");
    put_line(text, paint, ("settings", &words), Paint::dim);
}

/// Writes the budgets of a world, under its settings.
pub(super) fn put_budgets(text: &mut String, result: &ResultReport, paint: Paint) {
    let (calls, others): (Vec<_>, Vec<_>) =
        result.notes.budgets.iter().partition(|budget| budget.is_of_calls);
    let each = |(what, budgets): (&str, Vec<&BudgetReport>)| {
        let each = budgets.iter().map(|BudgetReport { name, limit, .. }| match limit {
            Some(limit) => format!("{name} {limit}"),
            None => format!("{name} any"),
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| format!("{what}: {}", each.join(", ")))
    };
    let parts = [("calls", calls), ("faults", others)].into_iter().filter_map(each);
    let words = parts.collect::<Vec<_>>().join("; ");
    put_line(text, paint, ("budgets", &words), Paint::dim);
}

/// Writes the lines.
pub(super) fn put(text: &mut String, result: &ResultReport, paint: Paint, detail: Detail) {
    let mut put = |label: &str, words: &str, colour: fn(Paint, &str) -> String| {
        put_line(text, paint, (label, words), colour);
    };
    if !result.complete {
        put("truncated", result.notes.cut.as_deref().unwrap_or("at a bound"), Paint::open);
    }
    for reason in &result.notes.undecided {
        put("not decided", reason, Paint::open);
    }
    if let Some(words) = &result.notes.same_table {
        put("note", words, Paint::open);
    }
    let never = &result.notes.faults_never_injected;
    if !never.is_empty() {
        put("not spent", &never.join(", "), Paint::dim);
    }
    let others = &result.notes.other_version;
    if !others.is_empty() && (result.as_written || detail == Detail::Full) {
        let version = if result.as_written { "amended tables" } else { "tables as written" };
        let words = format!("properties of the {version} only: {}", others.join(", "));
        put("not checked", &words, Paint::dim);
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
    for (nth, line) in coverage(&result.coverage).iter().enumerate() {
        put(if nth == 0 { "coverage" } else { "" }, line, Paint::dim);
    }
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

/// `interned, exhaustive, 2 threads, peak memory 45.1 MiB`.
fn engine(result: &ResultReport) -> String {
    let threads = counted(result.threads as u64, "thread");
    let end = if result.complete { "exhaustive" } else { "truncated" };
    let memory = bytes(result.peak_memory_bytes);
    format!("{}, {end}, {threads}, peak memory {memory}", result.engine)
}

/// The rows taken, not taken and waived, and the cells declared impossible: a line each.
fn coverage(coverage: &Coverage) -> Vec<String> {
    let mut lines = vec![format!("{} of {} rows taken", coverage.rows_taken, coverage.rows)];
    for (what, rows, reached) in [
        ("not taken", &coverage.not_taken, RowCoverage::NotTaken),
        ("waived", &coverage.excused, RowCoverage::Waived),
    ] {
        // Several tables may have rows of one id.
        let mut machines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (row, _) in coverage.by_row.iter().filter(|(_, of)| **of == reached) {
            machines.entry(&row.machine).or_default().push(&row.id);
        }
        if machines.is_empty() && !rows.is_empty() {
            lines.push(format!("{what}: {}", rows.join(", ")));
        }
        let of = |(machine, rows): (&str, Vec<&str>)| {
            format!("{what} of {machine}: {}", rows.join(", "))
        };
        lines.extend(machines.into_iter().map(of));
    }
    if coverage.impossible > 0 {
        let (cells, reached) = (coverage.impossible, coverage.impossible_reached.len());
        lines.push(format!("{reached} of {cells} cells declared impossible reached"));
    }
    lines
}
