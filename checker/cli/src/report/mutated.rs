//! The mutants of a table, for a person at a terminal: three counts, the score, and who survives.

use std::fmt::Write as _;
use std::time::Duration;

use turnstile_harness::mutate::{Mutated, Survivor};
use turnstile_harness::status::Status;
use turnstile_world::trace::counted;

use super::paint::{Paint, columns, fold, pad};

/// The width of the first column.
const VERDICT: usize = 13;

/// The widest column of rows; a longer name has a line to itself.
const ROW_MAX: usize = 30;

/// One table's mutants, with an empty line after them.
#[must_use]
pub fn table(mutated: &Mutated, file: &str, paint: Paint) -> String {
    let words = format!("mutants of {file}");
    let mut text = format!("{}  {}\n", paint.strong(&mutated.name), paint.dim(&words));
    let room = paint.width.saturating_sub(2 + VERDICT);
    let mut put = |label: &str, colour: fn(Paint, &str) -> String, words: &str| {
        for (nth, line) in fold(words, room).iter().enumerate() {
            let label = if nth == 0 { label } else { "" };
            let _ = writeln!(text, "  {}{line}", colour(paint, &pad(label, VERDICT)));
        }
    };
    for line in &mutated.fails {
        put("fails", Paint::bad, &format!("{line}, without any change: no mutant was tried"));
    }
    if mutated.fails.is_empty() {
        let killed = mutated.killed_by;
        put("mutants", Paint::dim, &mutated.mutants.to_string());
        put(
            "killed",
            Paint::dim,
            &format!(
                "by lint {}, by the table level {}, {}",
                killed.lint,
                killed.table,
                by_systems(mutated)
            ),
        );
        put("score", Paint::good, &score(mutated));
    }
    put_list(&mut text, "incomplete", Paint::open, &mutated.incomplete, paint);
    let (explained, open): (Vec<_>, Vec<_>) =
        mutated.survivors.iter().cloned().partition(|survivor| survivor.explained.is_some());
    put_list(&mut text, "survives", Paint::bad, &open, paint);
    put_list(&mut text, "explained", Paint::dim, &explained, paint);
    for fault in &mutated.faults {
        let _ = writeln!(text, "\n{}", fault.rendered.trim_end());
    }
    text.push('\n');
    text
}

fn by_systems(mutated: &Mutated) -> String {
    match &mutated.systems[..] {
        [] => "by no system: none runs it".to_owned(),
        [one] => format!("by the system {one} {}", mutated.killed_by.system),
        many => format!("by the systems {} {}", many.join(", "), mutated.killed_by.system),
    }
}

/// Mutants that the last level notices: the systems, or where no system runs the table, the table
/// level.
fn noticed(mutated: &Mutated) -> usize {
    match mutated.systems.is_empty() {
        true => mutated.killed_by.table,
        false => mutated.killed_by.system,
    }
}

/// `93.3 %, 420 of 450; of the others 20 are explained`.
fn score(mutated: &Mutated) -> String {
    let mut words = rate(noticed(mutated), mutated.mutants);
    let explained = explained(mutated);
    if explained > 0 {
        let rest = mutated.mutants - explained;
        let _ = write!(words, "; without the {explained} that are explained ");
        words.push_str(&rate(noticed(mutated), rest));
    }
    words
}

fn explained(mutated: &Mutated) -> usize {
    mutated.survivors.iter().filter(|survivor| survivor.explained.is_some()).count()
}

fn rate(noticed: usize, all: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rate for a person")]
    let rate = if all == 0 { 100.0 } else { 100.0 * noticed as f64 / all as f64 };
    // What is not all is never shown as all.
    let rate = if noticed < all { rate.min(99.9) } else { rate };
    format!("{rate:.1} %, {noticed} of {all}")
}

/// A row and its change a line, in columns; the reason, if there is one, behind it.
fn put_list(
    text: &mut String,
    label: &str,
    colour: fn(Paint, &str) -> String,
    list: &[Survivor],
    paint: Paint,
) {
    let widest = list.iter().map(|one| columns(&one.row)).filter(|width| *width <= ROW_MAX).max();
    let width = widest.unwrap_or(0);
    let left = 2 + VERDICT;
    let indent = left + width + 2;
    for (nth, one) in list.iter().enumerate() {
        let label = if nth == 0 { label } else { "" };
        let head = format!("  {}{}", colour(paint, &pad(label, VERDICT)), pad(&one.row, width));
        let mut lines = fold(&one.change, paint.width.saturating_sub(indent)).into_iter();
        if columns(&one.row) > width {
            let _ = writeln!(text, "{head}");
        } else {
            let _ = writeln!(text, "{head}  {}", lines.next().unwrap_or_default());
        }
        for line in lines {
            let _ = writeln!(text, "{:indent$}{line}", "");
        }
        let why = one.explained.as_deref().unwrap_or_default();
        for line in fold(why, paint.width.saturating_sub(indent + 2)) {
            let _ = writeln!(text, "{:indent$}  {}", "", paint.dim(&line));
        }
    }
}

/// What the mutants of one table deserve. A survivor that the table does not explain is what no
/// property asks for.
#[must_use]
pub fn status(mutated: &Mutated) -> Status {
    let is_open = |survivor: &Survivor| survivor.explained.is_none();
    let survives = mutated.survivors.iter().any(is_open);
    if survives || !mutated.fails.is_empty() || !mutated.faults.is_empty() {
        return Status::Fails;
    }
    if mutated.incomplete.is_empty() { Status::Holds } else { Status::Incomplete }
}

/// The last line.
#[must_use]
pub fn summary(all: &[Mutated], took: Duration, paint: Paint) -> String {
    let count = |of: fn(&Mutated) -> usize| all.iter().map(of).sum::<usize>();
    let (mutants, killed) = (count(|one| one.mutants), count(noticed));
    let status = all.iter().map(status).fold(Status::Holds, Status::and);
    let verdict = match status {
        Status::Holds => paint.good("searched"),
        Status::Incomplete => paint.open("incomplete"),
        Status::Fails | Status::Usage => paint.bad("fails"),
    };
    let survivors = count(|one| one.survivors.len());
    let mut parts = vec![format!("{killed} of {} killed", counted(mutants as u64, "mutant"))];
    parts.push(format!("{survivors} survive, {} of them explained", count(explained)));
    let open = count(|one| one.incomplete.len());
    if open > 0 {
        parts.push(format!("{open} incomplete"));
    }
    let tables = counted(all.len() as u64, "table");
    let seconds = took.as_secs_f64();
    format!("{verdict}: {} in {tables}, {seconds:.2} s\n", parts.join(", "))
}
