//! Results as JUnit XML: a suite for each search, a case for each property and each fault.

use std::fmt::Write as _;

use turnstile_harness::results::result::{PropertyReport, ResultReport};
use turnstile_search::judgement::Verdict;

use super::paint::Paint;
use super::trace;

/// The whole file.
#[must_use]
pub fn write(results: &[ResultReport]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures) = results.iter().map(count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let _ =
        writeln!(text, "<testsuites name=\"turnstile\" tests=\"{tests}\" failures=\"{failures}\">");
    for result in results {
        put_suite(&mut text, result);
    }
    text.push_str("</testsuites>\n");
    text
}

/// Cases, and failures among them.
fn count(result: &ResultReport) -> (usize, usize) {
    let fails = result.properties.iter().filter(|property| !is_passing(property.verdict));
    let errors = result.faults.iter().filter(|fault| fault.is_error());
    (result.properties.len() + result.faults.len(), fails.count() + errors.count())
}

fn is_passing(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Holds | Verdict::HoldsUnderFairness => true,
        Verdict::Fails | Verdict::Vacuous | Verdict::Incomplete => false,
    }
}

fn put_suite(text: &mut String, result: &ResultReport) {
    let (tests, failures) = count(result);
    let name = escape(&suite(result));
    let _ = writeln!(
        text,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" \
         time=\"{:.3}\">",
        result.seconds
    );
    for fault in &result.faults {
        let place = format!("{}:{}:{}", fault.file, fault.line, fault.column);
        let case = escape(&format!("{} {place}", fault.code));
        let _ = write!(text, "    <testcase classname=\"{name}\" name=\"{case}\"");
        let message = escape(&fault.message);
        let body = escape(&fault.rendered);
        let _ = match fault.is_error() {
            true => writeln!(
                text,
                ">\n      <failure message=\"{message}\">{body}</failure>\n    </testcase>"
            ),
            false => {
                writeln!(text, ">\n      <system-out>{body}</system-out>\n    </testcase>")
            }
        };
    }
    for property in &result.properties {
        put_case(text, &name, property);
    }
    text.push_str("  </testsuite>\n");
}

/// `claim/loss (system, as written)`.
fn suite(result: &ResultReport) -> String {
    let written = if result.as_written { ", as written" } else { "" };
    let kind = format!("{:?}", result.kind).to_lowercase();
    format!("{} ({kind}{written})", result.title())
}

fn put_case(text: &mut String, suite: &str, property: &PropertyReport) {
    let name = escape(&property.name);
    let _ = write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"");
    if is_passing(property.verdict) {
        text.push_str("/>\n");
        return;
    }
    let finding = trace::finding(property).filter(|_| property.verdict == Verdict::Fails);
    let verdict = property.verdict.name();
    let message = finding.map_or(verdict.to_owned(), |finding| format!("{verdict}: {finding}"));
    let message = escape(&message);
    let body = escape(&trace::draw(property, Paint::default()));
    let _ = writeln!(
        text,
        ">\n      <failure message=\"{message}\">\n{body}</failure>\n    </testcase>"
    );
}

/// Text as XML, without the control characters that XML has no word for.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
