//! Results for a person at a terminal: a verdict a line, then the runs that show a failure.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use turnstile_harness::fault::FaultReport;
use turnstile_harness::result::{Coverage, Kind, PropertyReport, ResultReport};
use turnstile_search::judged::Verdict;
use turnstile_world::trace::{counted, grouped};

use super::paint::{Paint, columns, fold, pad};
use super::run;

/// Failures of one property that are listed beside the one whose run is shown.
const OTHERS_MAX: usize = 12;

/// Rows that a world of a system does not take and that are listed with it.
const ROWS_MAX: usize = 12;

/// The width of the verdicts' column.
const VERDICT: usize = 13;

/// One result, with an empty line after it.
#[must_use]
pub fn result(result: &ResultReport, paint: Paint) -> String {
    let mut text = heading(result, paint);
    let (errors, findings): (Vec<&FaultReport>, _) =
        result.faults.iter().partition(|fault| fault.severity == "error");
    for fault in &errors {
        let _ = writeln!(text, "\n{}", fault.rendered.trim_end());
    }
    if result.properties.is_empty() {
        text.push('\n');
        return text;
    }
    put_properties(&mut text, result, paint);
    put_figures(&mut text, result, paint);
    put_findings(&mut text, &findings, paint);
    // As written every way in which the document fails is asked for.
    let most = if result.as_written { usize::MAX } else { OTHERS_MAX };
    for property in &result.properties {
        put_failure(&mut text, property, most, paint);
    }
    text.push('\n');
    text
}

/// `claim/loss  system, as written`.
fn heading(result: &ResultReport, paint: Paint) -> String {
    let kind = match result.kind {
        Kind::Table => "table",
        Kind::System => "system",
    };
    let mut words = vec![kind.to_owned()];
    if !result.notes.files.is_empty() {
        words.push(result.notes.files.join(" with "));
    }
    words.extend(result.notes.about.clone());
    if result.as_written {
        words.push("as written, amendments left out".to_owned());
    }
    let title = result.title();
    let indent = columns(&title) + 2;
    let mut text = paint.strong(&title);
    for (nth, line) in
        fold(&words.join(" · "), paint.width.saturating_sub(indent)).iter().enumerate()
    {
        let before = if nth == 0 { 2 } else { indent };
        let _ = writeln!(text, "{:before$}{}", "", paint.dim(line));
    }
    text
}

/// What the table runs with although it is wrong: a line each, `lint` shows the frames.
fn put_findings(text: &mut String, findings: &[&FaultReport], paint: Paint) {
    if findings.is_empty() {
        return;
    }
    let what = if findings.iter().any(|fault| fault.severity == "finding") {
        "finding"
    } else {
        "warning"
    };
    let count = counted(findings.len() as u64, what);
    let _ = writeln!(text, "\n  {} {}", paint.strong("read with"), paint.bad(&count));
    let widest = findings.iter().map(|fault| fault.line.to_string().len()).max();
    let width = widest.unwrap_or(0);
    for fault in findings {
        let indent = "    T000  line  ".len() + width;
        let room = paint.width.saturating_sub(indent);
        for (nth, line) in fold(&fault.message, room).iter().enumerate() {
            let _ = match nth {
                0 => writeln!(text, "    {}  line {:>width$}  {line}", fault.code, fault.line),
                _ => writeln!(text, "{:indent$}{line}", ""),
            };
        }
    }
}

/// The first of a list that may be long, and how many more there are.
fn a_few(list: &[String]) -> String {
    const SHOWN: usize = 2;
    let (first, more) = list.split_at(list.len().min(SHOWN));
    match more.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn put_properties(text: &mut String, result: &ResultReport, paint: Paint) {
    let widest = result.properties.iter().map(|property| columns(&property.name)).max();
    let name = widest.unwrap_or(0);
    let common = common_faults(result);
    for property in &result.properties {
        let mut words = Vec::new();
        if !property.faults_exercised.is_empty() && common.is_none() {
            words.push(format!("under {}", property.faults_exercised.join(", ")));
        }
        if !property.assumptions.is_empty() {
            words.push(format!("assuming {}", property.assumptions.join(", ")));
        }
        if !property.not_needed.is_empty() {
            words.push(format!("without need of {}", a_few(&property.not_needed)));
        }
        if property.verdict == Verdict::Vacuous {
            words.push("its premise is never reached".to_owned());
        }
        if words.is_empty() {
            words.push(property.sentence.clone());
        }
        let indent = 2 + VERDICT + name + 2;
        let mut rest = fold(&words.join("; "), paint.width.saturating_sub(indent)).into_iter();
        let first = rest.next().unwrap_or_default();
        let verdict = coloured(property.verdict, paint);
        let line = format!("  {verdict}{}  {}", pad(&property.name, name), paint.dim(&first));
        let _ = writeln!(text, "{}", line.trim_end());
        for line in rest {
            let _ = writeln!(text, "{:indent$}{}", "", paint.dim(&line));
        }
    }
}

/// The verdict in its column.
fn coloured(verdict: Verdict, paint: Paint) -> String {
    let name = match verdict {
        Verdict::FailsOnlyUnfairly => "holds fairly",
        Verdict::Holds | Verdict::Fails | Verdict::Vacuous | Verdict::Incomplete => verdict.name(),
    };
    let padded = pad(name, VERDICT);
    match verdict {
        Verdict::Holds | Verdict::FailsOnlyUnfairly => paint.good(&padded),
        Verdict::Fails => paint.bad(&padded),
        Verdict::Vacuous | Verdict::Incomplete => paint.open(&padded),
    }
}

/// The fault kinds, if every property of a result has the same.
fn common_faults(result: &ResultReport) -> Option<&[String]> {
    let first = result.properties.first()?.faults_exercised.as_slice();
    let is_same = result.properties.iter().all(|property| property.faults_exercised == first);
    is_same.then_some(first)
}

fn put_figures(text: &mut String, result: &ResultReport, paint: Paint) {
    let mut put = |label: &str, words: &str| {
        for (nth, line) in fold(words, paint.width.saturating_sub(2 + VERDICT)).iter().enumerate() {
            let label = if nth == 0 { label } else { "" };
            let _ = writeln!(text, "  {}{}", paint.dim(&pad(label, VERDICT)), paint.dim(line));
        }
    };
    // A system as a whole is no search of its own.
    if result.states > 0 {
        put("searched", &searched(result));
    }
    if let Some(faults) = common_faults(result).filter(|faults| !faults.is_empty()) {
        put("faults", &faults.join(", "));
    }
    put("coverage", &coverage(result));
    if !result.reductions.is_empty() {
        put("reduced by", &result.reductions.join(", "));
    }
    for remark in &result.notes.remarks {
        put("note", remark);
    }
    for never in &result.notes.never_reached {
        put("never", never);
    }
    if !result.complete {
        let cut = result.notes.cut.as_deref().unwrap_or("a bound was reached");
        for (nth, line) in fold(cut, paint.width.saturating_sub(2 + VERDICT)).iter().enumerate() {
            let label = if nth == 0 { "incomplete" } else { "" };
            let line = format!("  {}{line}", pad(label, VERDICT));
            let _ = writeln!(text, "{}", paint.open(&line));
        }
    }
}

/// `12,345 states, 45,678 transitions, depth 34, to the end; 1.24 s, 45.1 MiB`.
fn searched(result: &ResultReport) -> String {
    let end = if result.complete { "to the end" } else { "cut" };
    let threads = match result.threads {
        1 => String::new(),
        many => format!(" on {many} threads"),
    };
    format!(
        "{}, {}, depth {}, {end}; {}{threads}, {:.2} s, {}",
        counted(result.states, "state"),
        counted(result.transitions, "transition"),
        grouped(result.depth),
        result.engine,
        result.seconds,
        bytes(result.peak_memory_bytes),
    )
}

fn coverage(result: &ResultReport) -> String {
    let coverage = &result.coverage;
    let mut words = format!("{} of {} rows taken", coverage.rows_taken, coverage.rows);
    // Each world of a system takes some of the rows; the summary says which none of them takes.
    if !coverage.not_taken.is_empty() && (result.kind == Kind::Table || is_short(coverage)) {
        let _ = write!(words, ", not taken: {}", coverage.not_taken.join(", "));
    }
    if !coverage.excused.is_empty() {
        let _ = write!(words, ", excused: {}", coverage.excused.join(", "));
    }
    match (coverage.impossible, coverage.impossible_reached.len()) {
        (0, _) => {}
        (many, 0) => {
            let _ = write!(words, "; none of {many} impossible cells reached");
        }
        (many, reached) => {
            let _ = write!(words, "; {reached} of {many} impossible cells reached");
        }
    }
    words
}

fn is_short(coverage: &Coverage) -> bool {
    coverage.not_taken.len() <= ROWS_MAX
}

/// The run that shows a failure, and what else fails the same property.
fn put_failure(text: &mut String, property: &PropertyReport, most: usize, paint: Paint) {
    let is_shown = match property.verdict {
        Verdict::Fails | Verdict::FailsOnlyUnfairly => true,
        Verdict::Holds | Verdict::Vacuous | Verdict::Incomplete => false,
    };
    if !is_shown {
        return;
    }
    let steps = match property.counterexample.len() {
        0 => String::new(),
        1 => "  shortest run: 1 step".to_owned(),
        many => format!("  shortest run: {many} steps"),
    };
    let verdict = property.verdict.name();
    let _ = writeln!(
        text,
        "\n  {} {}{}",
        paint.strong(&property.name),
        paint.bad(verdict),
        paint.dim(&steps)
    );
    text.push_str(&run::draw(property, paint));
    let mut seen = BTreeSet::new();
    // Nodes of one role fail alike.
    let others: Vec<&String> =
        property.others.iter().filter(|other| seen.insert(other.as_str())).collect();
    if !others.is_empty() {
        let _ = writeln!(text, "      {}", paint.dim("it fails in other ways, too:"));
    }
    for other in others.iter().take(most) {
        for (nth, line) in fold(other, paint.width.saturating_sub(8)).iter().enumerate() {
            let mark = if nth == 0 { "- " } else { "  " };
            let _ = writeln!(text, "      {mark}{line}");
        }
    }
    if others.len() > most {
        let more = format!("and {} more", others.len() - most);
        let _ = writeln!(text, "      {}", paint.dim(&more));
    }
}

/// `45.1 MiB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a size for a person needs three digits")]
    let number = number as f64;
    let units = ["bytes", "KiB", "MiB", "GiB"];
    let mut scaled = number;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} bytes") } else { format!("{scaled:.1} {}", units[unit]) }
}
