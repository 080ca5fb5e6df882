//! The mutants of a table on a terminal: how many each level kills, the score, the survivors.

use std::fmt::Write as _;
use std::time::Duration;

use turnstile_harness::mutate::{Floor, KilledBy, MutationReport, Survivor};
use turnstile_harness::results::status::Status;
use turnstile_world::trace::counted;

use super::detail::Detail;
use super::paint::{Paint, columns, fold, pad};

/// The width of the first column.
const VERDICT: usize = 13;

/// The widest column of rows; a longer name has a line to itself.
const ROW_MAX: usize = 30;

/// One table's mutants, with an empty line after them.
#[must_use]
pub fn table(mutated: &MutationReport, file: &str, detail: Detail, paint: Paint) -> String {
    let words = format!("mutants of {file}");
    let mut text = format!("{}  {}\n", paint.strong(&mutated.name), paint.dim(&words));
    let mut put = |label: &str, colour, words: &str| put(&mut text, label, colour, words, paint);
    for line in &mutated.fails {
        put("fails", Paint::bad, &format!("{line}, unchanged: no mutant was tried"));
    }
    if mutated.fails.is_empty() {
        let Floor { searches, states } = mutated.floor;
        if searches > 0 {
            let states = counted(states as u64, "state");
            let searches = counted(searches as u64, "search");
            put("floor", Paint::dim, &format!("{searches} that nothing spares, {states}"));
        }
        let KilledBy { lint, table, .. } = mutated.killed_by;
        let systems = by_systems(mutated);
        put("mutants", Paint::dim, &mutated.mutants.to_string());
        put("killed", Paint::dim, &format!("{lint} by lint, {table} at table level, {systems}"));
        put("score", Paint::good, &score(mutated));
    }
    put_list(&mut text, "incomplete", Paint::open, &mutated.incomplete, paint);
    let has_systems = !mutated.systems.is_empty();
    let like = |is: &dyn Fn(&Survivor) -> bool| -> Vec<Survivor> {
        mutated.survivors.iter().filter(|survivor| is(survivor)).cloned().collect()
    };
    let differs = |one: &Survivor| !has_systems || one.differs;
    let unexplained = |one: &Survivor| one.explained.is_none();
    let is_untold = |one: &Survivor| !has_systems && one.is_of_actions;
    let open = like(&|one| unexplained(one) && differs(one) && !is_untold(one));
    put_list(&mut text, "survives", Paint::bad, &open, paint);
    let open = like(&|one| unexplained(one) && is_untold(one));
    put_list(&mut text, "untellable", Paint::bad, &open, paint);
    let open = like(&|one| unexplained(one) && !differs(one));
    put_list(&mut text, "no effect", Paint::bad, &open, paint);
    let open = like(&|one| !unexplained(one) && !one.is_equivalent);
    put_known(&mut text, "explained", Paint::open, &open, detail, paint);
    let equivalent = like(&|one| one.is_equivalent);
    put_known(&mut text, "equivalent", Paint::dim, &equivalent, detail, paint);
    for fault in &mutated.faults {
        let _ = writeln!(text, "\n{}", fault.rendered.trim_end());
    }
    text.push('\n');
    text
}

/// Words beside a label, folded.
fn put(
    text: &mut String,
    label: &str,
    colour: fn(Paint, &str) -> String,
    words: &str,
    paint: Paint,
) {
    let room = paint.width.saturating_sub(2 + VERDICT);
    for (nth, line) in fold(words, room).iter().enumerate() {
        let label = if nth == 0 { label } else { "" };
        let _ = writeln!(text, "  {}{line}", colour(paint, &pad(label, VERDICT)));
    }
}

/// Survivors that have a reason: all of them, or how many.
fn put_known(
    text: &mut String,
    label: &str,
    colour: fn(Paint, &str) -> String,
    list: &[Survivor],
    detail: Detail,
    paint: Paint,
) {
    if detail == Detail::Full {
        put_list(text, label, colour, list, paint);
    } else if !list.is_empty() {
        let words = format!("{}, with a reason in the table; --verbose lists them", list.len());
        put(text, label, colour, &words, paint);
    }
}

fn by_systems(mutated: &MutationReport) -> String {
    let killed = mutated.killed_by.system;
    let mut words = match &mutated.systems[..] {
        [] => return "none by a system: no system runs this table".to_owned(),
        [one] => format!("{killed} by the system {one}"),
        many => format!("{killed} by the systems {}", many.join(", ")),
    };
    if mutated.by_coverage > 0 {
        let _ = write!(words, ", {} of them by row coverage alone", mutated.by_coverage);
    }
    words
}

/// `93.3 %, 420 of 450; without those that lint refuses (50) 92.5 %, 370 of 400; without the
/// equivalent mutants (20) 97.4 %, 370 of 380`: each without those before, too.
fn score(mutated: &MutationReport) -> String {
    let refused = mutated.killed_by.lint;
    let groups = [
        (refused, refused, "those that lint refuses"),
        (0, untold(mutated), "those that no table alone can tell"),
        (0, equivalent(mutated), "the equivalent mutants"),
    ];
    let (mut killed, mut all) = (mutated.killed, mutated.mutants);
    let mut words = rate(killed, all);
    for (of_killed, count, what) in groups.into_iter().filter(|(_, count, _)| *count > 0) {
        (killed, all) = (killed - of_killed, all - count);
        let _ = write!(words, "; without {what} ({count}) {}", rate(killed, all));
    }
    words
}

/// Mutants of a table that no system runs, and that the table alone can never tell.
fn untold(mutated: &MutationReport) -> usize {
    let is_untold = |one: &&Survivor| one.is_of_actions && !one.is_equivalent;
    match mutated.systems.is_empty() {
        true => mutated.survivors.iter().filter(is_untold).count(),
        false => 0,
    }
}

fn equivalent(mutated: &MutationReport) -> usize {
    mutated.survivors.iter().filter(|survivor| survivor.is_equivalent).count()
}

fn rate(killed: usize, all: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rate for a person")]
    let rate = if all == 0 { 100.0 } else { 100.0 * killed as f64 / all as f64 };
    // Rounding must not show 100 % where a mutant is left.
    let rate = if killed < all { rate.min(99.9) } else { rate };
    format!("{rate:.1} %, {killed} of {all}")
}

/// A line for each mutant, row and change in columns; the reason of an equivalent one below.
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

/// The status of one table's mutants: a survivor that is not explained fails.
#[must_use]
pub fn status(mutated: &MutationReport) -> Status {
    let is_open = |survivor: &Survivor| survivor.explained.is_none();
    let survives = mutated.survivors.iter().any(is_open);
    if survives || !mutated.fails.is_empty() || !mutated.faults.is_empty() {
        return Status::Fails;
    }
    if mutated.incomplete.is_empty() { Status::Holds } else { Status::Incomplete }
}

/// The last line.
#[must_use]
pub fn summary(all: &[MutationReport], took: Duration, paint: Paint) -> String {
    let count = |of: fn(&MutationReport) -> usize| all.iter().map(of).sum::<usize>();
    let (mutants, killed) = (count(|one| one.mutants), count(|one| one.killed));
    let status = all.iter().map(status).fold(Status::Holds, Status::and);
    let verdict = match status {
        Status::Holds => paint.good("holds"),
        Status::Incomplete => paint.open("incomplete"),
        Status::Fails | Status::Usage => paint.bad("fails"),
    };
    let survivors = count(|one| one.survivors.len());
    let mut parts = vec![format!("{killed} of {} killed", counted(mutants as u64, "mutant"))];
    parts.push(format!("{survivors} survive, {} of them equivalent", count(equivalent)));
    let open = count(|one| one.incomplete.len());
    if open > 0 {
        parts.push(format!("{open} incomplete"));
    }
    let tables = counted(all.len() as u64, "table");
    let seconds = took.as_secs_f64();
    format!("{verdict}: {}; {tables}, {seconds:.2} s\n", parts.join(", "))
}
