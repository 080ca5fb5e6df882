//! Results as SARIF 2.1.0: each fault at its place, each property that does not hold at its file.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::{PropertyReport, ResultReport};
use turnstile_search::judgement::Verdict;

use super::paint::Paint;
use super::trace;

/// Where the shape of the file is laid down.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The whole file.
#[must_use]
pub fn write(results: &[ResultReport]) -> String {
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for result in results {
        for fault in &result.faults {
            rules.entry(fault.code.clone()).or_insert_with(|| fault.message.clone());
            found.push(of_fault(fault));
        }
        for property in &result.properties {
            let Some(level) = level(property.verdict) else { continue };
            let rule = property.name.replace(' ', "-");
            rules.entry(rule.clone()).or_insert_with(|| property.sentence.clone());
            found.push(of_property(result, property, &rule, level));
        }
    }
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": or(&text, &id) } }))
        .collect();
    let file = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "turnstile", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            } },
            "results": found,
        }],
    });
    format!("{file:#}\n")
}

/// A path as a reference to it: what has a meaning in one, or cannot stand there, is written by its
/// bytes.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A text, or another where it is empty.
fn or<'t>(text: &'t str, other: &'t str) -> &'t str {
    if text.is_empty() { other } else { text }
}

fn level(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Holds | Verdict::HoldsUnderFairness => None,
        Verdict::Fails => Some("error"),
        Verdict::Vacuous | Verdict::Incomplete => Some("warning"),
    }
}

fn of_fault(fault: &FaultReport) -> Value {
    let level = if fault.is_error() { "error" } else { "warning" };
    json!({
        "ruleId": fault.code,
        "level": level,
        "message": { "text": fault.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&fault.file) },
            "region": { "startLine": fault.line.max(1), "startColumn": fault.column.max(1) },
        } }],
    })
}

fn of_property(result: &ResultReport, property: &PropertyReport, rule: &str, level: &str) -> Value {
    let finding = trace::finding(property).filter(|_| property.verdict == Verdict::Fails);
    let finding = finding.unwrap_or_else(|| property.sentence.clone());
    let run = trace::draw(property, Paint::default());
    let verdict = property.verdict.name();
    let text = format!("{}: {}: {verdict}: {finding}\n{run}", result.title(), property.name);
    // The first file has the property; the others are tables that differ from the compiled ones.
    let place =
        |file: &String| json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } });
    let locations: Vec<Value> = result.notes.files.first().map(place).into_iter().collect();
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text.trim_end() },
        "locations": locations,
    })
}
