//! Amendments left out, for a person at a terminal: a verdict each, its reason, what showed it.

use std::fmt::Write as _;
use std::time::Duration;

use turnstile_harness::amend::{Outcome, Shown, Verified};
use turnstile_harness::status::Status;
use turnstile_world::trace::counted;

use super::paint::{Paint, fold, pad};
use super::run;

/// Left of the amendments' names.
const VERDICT: usize = 15;

/// `claim  amendments of spec/tables/claim.yaml`.
#[must_use]
pub fn heading(machine: &str, file: &str, paint: Paint) -> String {
    let words = format!("amendments of {file}");
    format!("{}  {}\n", paint.strong(machine), paint.dim(&words))
}

/// One amendment: its reason, and what is said to show it, each with what came of it.
#[must_use]
pub fn amendment(verified: &Verified, shows_runs: bool, paint: Paint) -> String {
    let verdict = match status(verified) {
        Status::Holds => paint.good(&pad("needed", VERDICT - 2)),
        Status::Incomplete => paint.open(&pad("incomplete", VERDICT - 2)),
        Status::Fails | Status::Usage => paint.bad(&pad("not needed", VERDICT - 2)),
    };
    let mut text = format!("  {verdict}{}\n", paint.strong(&verified.id));
    let put = |text: &mut String, words: &str, dims: bool| {
        for line in fold(words, paint.width.saturating_sub(VERDICT)) {
            let line = if dims { paint.dim(&line) } else { line };
            let _ = writeln!(text, "{:VERDICT$}{line}", "");
        }
    };
    put(&mut text, &verified.because, false);
    if verified.without.len() > 1 {
        let others = verified.without[1..].join(", ");
        put(&mut text, &format!("left out with it: {others}"), true);
    }
    for shown in &verified.shown_by {
        put(&mut text, &words(shown), true);
        if shows_runs {
            text.push_str(&shows(shown, paint));
        }
    }
    text
}

/// What one of the things that are said to show an amendment came to.
fn words(Shown { by, outcome }: &Shown) -> String {
    match outcome {
        Outcome::Fault(fault) => {
            format!("shown by {by} at line {}: {}", fault.line, fault.message)
        }
        Outcome::Run { place, property } => match property.counterexample.len() {
            0 => format!("shown by {by}: fails in {place}"),
            steps => {
                let steps = counted(steps as u64, "step");
                format!("shown by {by}: fails in {place}, shortest run {steps}")
            }
        },
        Outcome::Others(place) => {
            format!(
                "not shown by {by}: it fails in {place} with this one and without the others, too"
            )
        }
        Outcome::Nothing => format!("not shown by {by}: it does not fail"),
        Outcome::Open(cut) => format!("not shown by {by}: {cut}"),
        Outcome::Unknown(why) => format!("not shown by {by}: {why}"),
    }
}

/// The fault with its frame, or the run.
fn shows(shown: &Shown, paint: Paint) -> String {
    match &shown.outcome {
        Outcome::Fault(fault) => format!("\n{}\n\n", fault.rendered.trim_end()),
        Outcome::Run { property, .. } if property.counterexample.is_empty() => String::new(),
        Outcome::Run { property, .. } => format!("\n{}\n", run::draw(property, paint)),
        Outcome::Others(_) | Outcome::Nothing | Outcome::Open(_) | Outcome::Unknown(_) => {
            String::new()
        }
    }
}

/// What one amendment deserves.
#[must_use]
pub fn status(verified: &Verified) -> Status {
    match (verified.is_needed(), verified.is_open()) {
        (true, _) => Status::Holds,
        (false, true) => Status::Incomplete,
        (false, false) => Status::Fails,
    }
}

/// The last line.
#[must_use]
pub fn summary(all: &[Verified], tables: usize, took: Duration, paint: Paint) -> String {
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
    format!("{verdict}: {needed} of {many} of {tables} needed, {seconds:.2} s\n")
}
