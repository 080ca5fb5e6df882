//! Results on a terminal: a line for each search, a line for each property, then the shortest
//! counterexample of each property that fails.
//!
//! Sentences, assumptions in full and the figures behind the verdicts are for `--verbose`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::{PropertyKind, PropertyReport, ResultKind, ResultReport};
use turnstile_search::judgement::Verdict;
use turnstile_spec::Severity;
use turnstile_world::trace::{counted, grouped};

use super::paint::{Paint, columns, fold, pad};
use super::{fairness, notes, trace};

pub use super::detail::Detail;
pub use super::size::bytes;

/// Further violations of one property that are listed beside the one whose trace is shown.
const OTHERS_MAX: usize = 12;

/// One result, with an empty line after it.
#[must_use]
pub fn result(result: &ResultReport, paint: Paint, detail: Detail) -> String {
    let mut text = heading(result, paint);
    let (errors, findings): (Vec<&FaultReport>, _) =
        result.faults.iter().partition(|fault| fault.is_error());
    for fault in &errors {
        let _ = writeln!(text, "\n{}", fault.rendered.trim_end());
    }
    if result.properties.is_empty() {
        // An error says why nothing was searched; a bound does not.
        if result.faults.is_empty() {
            notes::put(&mut text, result, paint, detail);
        }
        text.push('\n');
        return text;
    }
    notes::put_settings(&mut text, result, paint);
    notes::put_budgets(&mut text, result, paint);
    put_properties(&mut text, result, paint, detail);
    notes::put(&mut text, result, paint, detail);
    put_findings(&mut text, result, &findings, paint);
    for property in &result.properties {
        let is_shown = match property.verdict {
            Verdict::Fails => true,
            Verdict::HoldsUnderFairness => detail == Detail::Full,
            Verdict::Holds | Verdict::Vacuous | Verdict::Incomplete => false,
        };
        if is_shown {
            put_failure(&mut text, (property, result), paint, detail);
        }
    }
    text.push('\n');
    text
}

/// `claim/small  17,468 states, 51,823 transitions, depth 23, 0.09 s`.
fn heading(result: &ResultReport, paint: Paint) -> String {
    let mut words: Vec<String> = Vec::new();
    match (result.kind, &result.world) {
        (ResultKind::Table, _) => words.push("table level".to_owned()),
        (ResultKind::System, None) => words.push("all worlds together".to_owned()),
        (ResultKind::System, Some(_)) => {}
    }
    if result.as_written {
        words.push("as written".to_owned());
    } else if let [_, others @ ..] = &result.notes.files[..]
        && !others.is_empty()
    {
        words.push(format!("with {}", others.join(", ")));
    }
    // All worlds of a system together are no search of their own.
    if result.states > 0 {
        words.extend(figures(result));
    }
    let title = result.title();
    let indent = columns(&title) + 2;
    let mut text = paint.strong(&title);
    let lines = joined(&words, paint.width.saturating_sub(indent));
    for (nth, line) in lines.iter().enumerate() {
        let before = if nth == 0 { 2 } else { indent };
        let _ = writeln!(text, "{:before$}{}", "", paint.dim(line));
    }
    if lines.is_empty() {
        text.push('\n');
    }
    text
}

/// What was searched, and how long it took.
fn figures(result: &ResultReport) -> [String; 4] {
    [
        counted(result.states, "state"),
        counted(result.transitions, "transition"),
        format!("depth {}", grouped(result.depth)),
        format!("{:.2} s", result.seconds),
    ]
}

/// The words with commas between them, in lines of at most so many columns.
fn joined(words: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if columns(line) + 3 + columns(word) <= width => {
                line.push_str(", ");
                line.push_str(word);
            }
            Some(line) => {
                line.push(',');
                lines.push(word.clone());
            }
            None => lines.push(word.clone()),
        }
    }
    lines
}

/// A verdict as a terminal shows it.
#[must_use]
pub fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::HoldsUnderFairness => "holds under fairness",
        Verdict::Holds | Verdict::Fails | Verdict::Vacuous | Verdict::Incomplete => verdict.name(),
    }
}

/// The mark before a property, in the colour of its verdict.
pub(super) fn mark(verdict: Verdict, paint: Paint) -> String {
    match verdict {
        Verdict::Holds | Verdict::HoldsUnderFairness => paint.good("✓"),
        Verdict::Fails => paint.bad("✗"),
        Verdict::Vacuous => paint.open("○"),
        Verdict::Incomplete => paint.open("?"),
    }
}

fn put_properties(text: &mut String, result: &ResultReport, paint: Paint, detail: Detail) {
    let widest = result.properties.iter().map(|property| columns(&property.name)).max();
    let name = widest.unwrap_or(0);
    for property in &result.properties {
        let verdict = verdict_words(property.verdict);
        let coloured = match property.verdict {
            Verdict::Holds => paint.dim(verdict),
            Verdict::HoldsUnderFairness => paint.good(verdict),
            Verdict::Fails => paint.bad(verdict),
            Verdict::Vacuous | Verdict::Incomplete => paint.open(verdict),
        };
        let about = about(property);
        let mark = mark(property.verdict, paint);
        let line = format!("  {mark} {}  {coloured}", pad(&property.name, name));
        let used = "  ✓ ".chars().count() + name + 2 + columns(verdict);
        let is_fair = !property.assumptions.is_empty();
        if detail == Detail::Full && is_fair {
            let _ = writeln!(text, "{line}");
        } else if used + columns(&about) <= paint.width {
            let _ = writeln!(text, "{line}{}", paint.dim(&about));
        } else {
            let _ = writeln!(text, "{line}");
            put_dim(text, about.trim_start_matches([',', ' ']), 6, paint);
        }
        if detail == Detail::Full {
            put_details(text, property, paint);
        }
    }
}

/// The text after the verdict in a property's line.
fn about(property: &PropertyReport) -> String {
    match property.verdict {
        Verdict::Fails => match (property.counterexample.len() as u64, property.kind) {
            (0, PropertyKind::Sometimes) => String::new(),
            (0, _) => ", in the initial state".to_owned(),
            (steps, _) => format!(", counterexample of {}", counted(steps, "step")),
        },
        Verdict::Vacuous => ", the antecedent is never reached".to_owned(),
        Verdict::Holds | Verdict::HoldsUnderFairness if !property.assumptions.is_empty() => {
            format!(", assuming {}", fairness::by_kind(&property.assumptions))
        }
        Verdict::Holds | Verdict::HoldsUnderFairness | Verdict::Incomplete => String::new(),
    }
}

/// The sentence and the assumptions of a property, for `--verbose`.
fn put_details(text: &mut String, property: &PropertyReport, paint: Paint) {
    put_dim(text, &property.sentence, 4, paint);
    if !property.assumptions.is_empty() {
        put_dim(text, "assuming:", 6, paint);
    }
    for assumption in &property.assumptions {
        put_dim(text, assumption, 8, paint);
    }
    if !property.not_needed.is_empty() {
        let count = property.not_needed.len() as u64;
        let count = if property.assumptions.is_empty() && count > 1 {
            format!("any of the {}", counted(count, "fairness assumption"))
        } else {
            counted(count, "other fairness assumption")
        };
        put_dim(text, &format!("not needed: {count}"), 6, paint);
    }
}

/// Dim lines behind so many spaces.
fn put_dim(text: &mut String, words: &str, indent: usize, paint: Paint) {
    for line in fold(words, paint.width.saturating_sub(indent)) {
        let _ = writeln!(text, "{:indent$}{}", "", paint.dim(&line));
    }
}

/// The findings and warnings of a table that ran, a line each; `lint` shows the frames.
fn put_findings(text: &mut String, result: &ResultReport, list: &[&FaultReport], paint: Paint) {
    if list.is_empty() {
        return;
    }
    let is_finding = list.iter().any(|fault| fault.severity == Severity::Finding);
    let count = counted(list.len() as u64, if is_finding { "finding" } else { "warning" });
    let file = result.notes.files.first().map_or("", String::as_str);
    let _ = writeln!(text, "\n  {} {}", paint.open(&count), paint.dim(&format!("in {file}")));
    let width = list.iter().map(|fault| fault.line.to_string().len()).max().unwrap_or(0);
    for fault in list {
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

/// The shortest counterexample, and the further violations of the same property.
fn put_failure(
    text: &mut String,
    (property, result): (&PropertyReport, &ResultReport),
    paint: Paint,
    detail: Detail,
) {
    let is_unfair = property.verdict == Verdict::HoldsUnderFairness;
    let trace = match result.engine.as_str() {
        _ if is_unfair => "unfair trace",
        // A walk finds any.
        "simulation" => "counterexample",
        _ => "shortest counterexample",
    };
    let steps = match property.counterexample.len() as u64 {
        0 => about(property),
        steps => format!(", {trace}: {}", counted(steps, "step")),
    };
    let verdict = verdict_words(property.verdict);
    let coloured = if is_unfair { paint.good(verdict) } else { paint.bad(verdict) };
    let name = paint.strong(&property.name);
    let _ = writeln!(text, "\n  {name} {coloured}{}", paint.dim(&steps));
    // Otherwise the line under the trace has the sentence.
    if property.finding.is_some() {
        put_dim(text, &property.sentence, 4, paint);
    }
    if !is_unfair && !property.assumptions.is_empty() {
        let fair = fairness::by_kind(&property.assumptions);
        put_dim(text, &format!("it fails although the trace has {fair}"), 4, paint);
    }
    text.push_str(&trace::draw(property, paint));
    put_others(text, property, paint, detail);
}

fn put_others(text: &mut String, property: &PropertyReport, paint: Paint, detail: Detail) {
    let mut seen = BTreeSet::new();
    // Nodes of one role fail alike.
    let others = property.others.iter().filter(|other| seen.insert(other.as_str()));
    let others: Vec<&String> = others.collect();
    if others.is_empty() {
        return;
    }
    let most = if detail == Detail::Full { usize::MAX } else { OTHERS_MAX };
    let _ = writeln!(text, "      {}", paint.dim("other violations of the same property:"));
    for other in others.iter().take(most) {
        for (nth, line) in fold(other, paint.width.saturating_sub(8)).iter().enumerate() {
            let mark = if nth == 0 { "- " } else { "  " };
            let _ = writeln!(text, "      {mark}{line}");
        }
    }
    if others.len() > most {
        let more = format!("and {} more, listed with --verbose", others.len() - most);
        let _ = writeln!(text, "      {}", paint.dim(&more));
    }
}
