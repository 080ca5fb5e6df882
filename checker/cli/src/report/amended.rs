//! Amendments on a terminal: whether each is necessary, and which check fails without it.

use std::fmt::Write as _;
use std::time::Duration;

use turnstile_harness::amend::{Evidence, EvidenceOutcome, Verification};
use turnstile_harness::results::status::Status;
use turnstile_world::trace::counted;

use super::paint::{Paint, columns, fold};
use super::trace;

/// Before the lines under an amendment's name.
const INDENT: usize = 6;

/// `claim  amendments of spec/tables/claim.yaml`.
#[must_use]
pub fn heading(machine: &str, file: &str, paint: Paint) -> String {
    let words = format!("amendments of {file}");
    format!("{}  {}\n", paint.strong(machine), paint.dim(&words))
}

/// One amendment: a line with its verdict. Its reason and each piece of evidence follow where it is
/// not necessary, or where details are asked for.
#[must_use]
pub fn amendment(verified: &Verification, shows: Shows, paint: Paint) -> String {
    let (mark, verdict) = match status(verified) {
        Status::Holds => (paint.good("✓"), paint.dim("necessary")),
        Status::Incomplete => (paint.open("?"), paint.open("incomplete")),
        Status::Fails | Status::Usage => (paint.bad("✗"), paint.bad("not necessary")),
    };
    let first =
        verified.shown().next().map(|evidence| format!(", without it: {}", fails(evidence)));
    let more = match verified.shown().count() {
        0 | 1 => String::new(),
        2 => " and 1 more check".to_owned(),
        many => format!(" and {} more checks", many - 1),
    };
    let about = first.unwrap_or_default() + &more;
    let used = INDENT + columns(&verified.id) + "necessary".len();
    let mut text = format!("  {mark} {}  {verdict}", paint.strong(&verified.id));
    if columns(&about) + used <= paint.width {
        let _ = writeln!(text, "{}", paint.dim(&about));
    } else {
        text.push('\n');
        put(&mut text, about.trim_start_matches([',', ' ']), paint);
    }
    if shows == Shows::Verdicts && status(verified) == Status::Holds {
        return text;
    }
    put(&mut text, &format!("reason: {}", verified.because), paint);
    if verified.without.len() > 1 {
        let others = verified.without[1..].join(", ");
        put(&mut text, &format!("removed with it, since they build on it: {others}"), paint);
    }
    for evidence in &verified.shown_by {
        put(&mut text, &words(evidence), paint);
        if shows == Shows::Traces {
            text.push_str(&trace_of(evidence, paint));
        }
    }
    text
}

/// How much is shown of an amendment that is necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Its verdict.
    Verdicts,
    /// `--verbose`: its reason and each piece of evidence, too.
    Evidence,
    /// `--runs`: the traces, too.
    Traces,
}

fn put(text: &mut String, words: &str, paint: Paint) {
    for line in fold(words, paint.width.saturating_sub(INDENT)) {
        let _ = writeln!(text, "{:INDENT$}{}", "", paint.dim(&line));
    }
}

/// `claim/told is held fails after 12 steps`.
fn fails(Evidence { by, outcome }: &Evidence) -> String {
    match outcome {
        EvidenceOutcome::Counterexample { property, .. } if !property.counterexample.is_empty() => {
            let steps = counted(property.counterexample.len() as u64, "step");
            format!("`{by}` fails after {steps}")
        }
        EvidenceOutcome::Fault(fault) => format!("{by} at line {}", fault.line),
        EvidenceOutcome::Counterexample { .. }
        | EvidenceOutcome::NotSpecific(_)
        | EvidenceOutcome::NoFailure
        | EvidenceOutcome::Truncated(_)
        | EvidenceOutcome::Unknown(_) => format!("`{by}` fails"),
    }
}

/// What became of one check that the amendment names.
fn words(Evidence { by, outcome }: &Evidence) -> String {
    match outcome {
        EvidenceOutcome::Fault(fault) => format!("{by} at line {}: {}", fault.line, fault.message),
        EvidenceOutcome::Counterexample { place, property } => {
            match property.counterexample.len() {
                0 => format!("`{by}` fails in {place}"),
                steps => {
                    let steps = counted(steps as u64, "step");
                    format!("`{by}` fails in {place}, shortest counterexample {steps}")
                }
            }
        }
        EvidenceOutcome::NotSpecific(place) => {
            format!("`{by}` fails in {place} already without the amendments that build on this one")
        }
        EvidenceOutcome::NoFailure => format!("`{by}` does not fail"),
        EvidenceOutcome::Truncated(cut) => format!("`{by}`: {cut}"),
        EvidenceOutcome::Unknown(why) => format!("`{by}`: {why}"),
    }
}

/// The reader's diagnostic with its frame, or the counterexample.
fn trace_of(shown: &Evidence, paint: Paint) -> String {
    match &shown.outcome {
        EvidenceOutcome::Fault(fault) => format!("\n{}\n\n", fault.rendered.trim_end()),
        EvidenceOutcome::Counterexample { property, .. } if property.counterexample.is_empty() => {
            String::new()
        }
        EvidenceOutcome::Counterexample { property, .. } => {
            format!("\n{}\n", trace::draw(property, paint))
        }
        EvidenceOutcome::NotSpecific(_)
        | EvidenceOutcome::NoFailure
        | EvidenceOutcome::Truncated(_)
        | EvidenceOutcome::Unknown(_) => String::new(),
    }
}

/// The status of one amendment.
#[must_use]
pub fn status(verified: &Verification) -> Status {
    match (verified.is_needed(), verified.is_truncated()) {
        (true, _) => Status::Holds,
        (false, true) => Status::Incomplete,
        (false, false) => Status::Fails,
    }
}

/// The last line.
#[must_use]
pub fn summary(all: &[Verification], tables: usize, took: Duration, paint: Paint) -> String {
    let whole = all.iter().map(status).fold(Status::Holds, Status::and);
    let verdict = match whole {
        Status::Holds => paint.good("holds"),
        Status::Incomplete => paint.open("incomplete"),
        Status::Fails | Status::Usage => paint.bad("fails"),
    };
    let needed = all.iter().filter(|verified| verified.is_needed()).count();
    let many = counted(all.len() as u64, "amendment");
    let tables = counted(tables as u64, "table");
    let seconds = took.as_secs_f64();
    format!("{verdict}: {needed} of {many} necessary; {tables}, {seconds:.2} s\n")
}
