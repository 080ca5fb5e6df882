//! The page of metrics: names, units and types as Prometheus' own rules have them
//! (`promtool check metrics`).

use std::collections::{BTreeMap, BTreeSet};

use super::Running;

/// A family of the page: its type, and its samples.
#[derive(Debug, Default)]
struct Family {
    kind: String,
    help: String,
    values: Vec<(String, f64)>,
}

fn families(page: &str) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for line in page.lines() {
        let mut comment = |prefix: &str, set: fn(&mut Family, String)| {
            let Some((name, rest)) =
                line.strip_prefix(prefix).and_then(|rest| rest.split_once(' '))
            else {
                return;
            };
            set(families.entry(name.into()).or_default(), rest.into());
        };
        comment("# HELP ", |family, text| family.help = text);
        comment("# TYPE ", |family, text| {
            assert!(family.kind.is_empty(), "a second type: {text}");
            family.kind = text;
        });
        if line.starts_with('#') {
            continue;
        }
        let (sample, value) = line.rsplit_once(' ').expect("a sample has a value");
        let name = sample.split('{').next().expect("a name");
        let family = families.get_mut(name).unwrap_or_else(|| panic!("{name} has no type"));
        family.values.push((sample.into(), value.parse().expect("a number")));
    }
    families
}

/// Parts of names that are no base units, or repeat the type.
const REFUSED: [&str; 22] = [
    "ms",
    "us",
    "ns",
    "s",
    "millis",
    "micros",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "minutes",
    "hours",
    "days",
    "kb",
    "mb",
    "kilobytes",
    "megabytes",
    "bits",
    "percent",
    "count",
    "sum",
    "gauge",
    "counter",
];

#[track_caller]
fn check(page: &str) {
    let families = families(page);
    assert!(families.len() > 10, "{page}");
    let mut samples = BTreeSet::new();
    for (name, family) in &families {
        let Family { kind, help, values } = family;
        assert!(name.starts_with("turnstile_"), "{name}");
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        assert!(name.bytes().all(is_plain), "{name}");
        assert!(!help.is_empty() && !values.is_empty(), "{name}: {family:?}");
        let is_counter = kind == "counter";
        assert!(is_counter || kind == "gauge", "{name} is a {kind}");
        assert_eq!(name.ends_with("_total"), is_counter, "{name} is a {kind}");
        for part in name.split('_') {
            assert!(!REFUSED.contains(&part), "{name}: {part} is no base unit");
        }
        for (sample, value) in values {
            assert!(samples.insert(sample), "{sample} is there twice");
            assert!(value.is_finite() && *value >= 0.0, "{sample} is {value}");
        }
    }
}

#[test]
fn the_metrics_have_the_names_and_units_of_prometheus() {
    let server = Running::in_memory();
    let mut client = server.client();
    client.post(r#"{"resource":"r","ttl":60}"#);
    check(&client.get("/metrics").expect(200).text);
}
