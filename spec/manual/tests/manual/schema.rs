//! The JSON Schema and the reader say the same of a file's shape: what the reader takes, the schema
//! takes, and a wrong shape neither.

use std::fs;
use std::path::Path;

use serde_json::Value;
use turnstile_manual::schema;
use turnstile_spec::{Source, System, WrittenTable};

/// Codes that speak of shapes that a schema can see.
const SHAPES: &[&str] = &["T005-unknown-key", "T006-missing-key", "T006-only", "T007-wrong-shape"];

/// The part of JSON Schema that ours uses.
fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let at =
            root.pointer(reference.trim_start_matches('#')).expect("the reference leads somewhere");
        return is_valid(root, at, value);
    }
    if let Some(kinds) = list("anyOf") {
        return kinds.iter().any(|kind| is_valid(root, kind, value));
    }
    if let Some(values) = list("enum") {
        return values.contains(value);
    }
    let one = schema.get("type").and_then(Value::as_str).map(|name| vec![name]);
    let types = list("type").map(|names| names.iter().filter_map(Value::as_str).collect());
    let types: Vec<&str> = one.or(types).expect("a type");
    types.iter().any(|name| match (*name, value) {
        ("string", Value::String(text)) => schema.get("pattern").is_none_or(|_| {
            text.split('-').count() <= 2 && text.split('-').all(|part| part.parse::<u32>().is_ok())
        }),
        ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => {
            let minimum = schema.get("minimum").and_then(Value::as_u64).unwrap_or(0);
            number.as_u64().is_some_and(|number| number >= minimum)
        }
        ("array", Value::Array(items)) => {
            items.iter().all(|item| is_valid(root, &schema["items"], item))
        }
        ("object", Value::Object(entries)) => {
            let required = list("required").into_iter().flatten().filter_map(Value::as_str);
            let more = &schema["additionalProperties"];
            let dependent = schema.get("dependentRequired").and_then(Value::as_object);
            let mut needs = dependent.into_iter().flatten();
            required.into_iter().all(|key| entries.contains_key(key))
                && needs.all(|(key, needs)| {
                    let mut needs = needs.as_array().into_iter().flatten();
                    let is_there = |key: &Value| entries.contains_key(key.as_str().expect("a key"));
                    !entries.contains_key(key) || needs.all(is_there)
                })
                && entries.iter().all(|(key, value)| match schema["properties"].get(key) {
                    Some(schema) => is_valid(root, schema, value),
                    None => more.is_object() && is_valid(root, more, value),
                })
        }
        _ => false,
    })
}

#[track_caller]
fn check(name: &str, yaml: &str, expected: bool) {
    let Ok(value) = serde_yaml::from_str::<Value>(yaml) else { return };
    let text = if yaml.contains("\nsystem:") || yaml.starts_with("system:") {
        schema::system()
    } else {
        schema::table()
    };
    let root: Value = serde_json::from_str(&text).expect("the schema is JSON");
    assert_eq!(is_valid(&root, &root, &value), expected, "{name}");
}

#[test]
fn the_schema_takes_what_is_bundled() {
    for file in turnstile_bundled::TABLES.iter().chain(turnstile_bundled::SYSTEMS) {
        check(file.name, file.text, true);
    }
}

#[test]
fn the_schema_takes_what_the_reader_takes_and_refuses_wrong_shapes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults");
    let mut refused = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        let yaml = fs::read_to_string(&path).expect("UTF-8");
        let source = Source::new(name.clone(), yaml.clone());
        if SHAPES.contains(&name.as_str()) {
            check(&name, &yaml, false);
            refused += 1;
        } else if WrittenTable::read(source.clone()).is_ok() || System::read(source).is_ok() {
            check(&name, &yaml, true);
        }
    }
    assert_eq!(refused, SHAPES.len());
}
