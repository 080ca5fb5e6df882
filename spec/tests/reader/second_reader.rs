//! A second, independent reader of YAML sees the same table: same names, same rows, in the same
//! order.

use std::fs;
use std::path::Path;

use serde_yaml::Value;
use turnstile_spec::table::{COMPLETION, EventKind, Lines, Name};
use turnstile_spec::{Source, WrittenTable};

fn items<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    value
        .get(key)
        .and_then(Value::as_sequence)
        .map(|list| list.iter().collect())
        .unwrap_or_default()
}

fn keys(value: &Value, key: &str) -> Vec<String> {
    let map = value.get(key).and_then(Value::as_mapping);
    map.map(|map| map.keys().map(text).collect()).unwrap_or_default()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Sequence(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        Value::Mapping(_) | Value::Tagged(_) => panic!("no text: {value:?}"),
    }
}

/// The actions of a `do`, those under conditions and in loops with the others.
fn actions(value: &Value) -> Vec<String> {
    let each = |value: &Value| match value.as_mapping() {
        Some(_) => actions(value),
        None => vec![text(value)],
    };
    items(value, "do").into_iter().flat_map(each).collect()
}

fn lines(lines: &[Lines]) -> String {
    let texts = lines.iter().map(|lines| match (lines.start(), lines.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn declared<'n>(names: impl Iterator<Item = &'n Name>) -> Vec<String> {
    names.filter(|name| name.declared).map(|name| name.name.clone()).collect()
}

#[track_caller]
fn formulas(literal: &WrittenTable, second: &Value, added: &impl Fn(&str) -> Vec<String>) {
    let names = &literal.vocabulary;
    let lists = [
        ("predicates", &names.formulas.predicates),
        ("collections", &names.formulas.collections),
        ("rules", &names.formulas.rules),
        ("invariants", &names.formulas.invariants),
    ];
    for (section, list) in lists {
        let ours = declared(list.iter().map(|one| &one.name));
        assert_eq!(ours, added(section), "{section}");
        for one in list {
            let theirs = &second[section][one.name.name.as_str()];
            if !theirs.is_null() {
                let of: Vec<String> = items(theirs, "of").into_iter().map(text).collect();
                assert_eq!(one.params, of, "{}", one.name.name);
            }
        }
    }
}

#[track_caller]
fn rows(literal: &WrittenTable, second: &Value) {
    let names = &literal.vocabulary;
    let rows = items(second, "transitions");
    assert!(names.rows.len() >= rows.len(), "rows");
    for (ours, theirs) in names.rows.iter().zip(rows) {
        assert_eq!(ours.from, text(&theirs["from"]), "{}", ours.id);
        assert_eq!(ours.to, text(&theirs["to"]), "{}", ours.id);
        let event = theirs.get("event").map_or_else(|| COMPLETION.to_owned(), text);
        assert_eq!(ours.event, event, "{}", ours.id);
        let does = actions(theirs);
        assert_eq!(ours.actions.len(), does.len(), "{}", ours.id);
        for (ours, action) in ours.actions.iter().zip(does) {
            // Before the action ours has its condition and its loop.
            assert!(*ours == action || ours.ends_with(&format!(": {action}")), "{ours}");
        }
        let cite = theirs.get("cite").map(text).unwrap_or_default();
        assert_eq!(lines(&ours.cite), cite, "{}", ours.id);
    }
}

#[track_caller]
fn check(name: &str, yaml: &str) {
    let Ok(literal) = WrittenTable::read(Source::new(name, yaml)) else { return };
    let second: Value = serde_yaml::from_str(yaml).expect("both read it");
    let names = &literal.vocabulary;
    assert_eq!(names.machine, text(&second["machine"]), "{name}");

    let added = |section: &str| {
        let amendments = items(&second, "amendments").into_iter();
        let added = amendments.flat_map(|amendment| keys(&amendment["add"], section));
        let mut names = keys(&second, section);
        for name in added {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let is_undeclared =
        |state: &String| second["states"][state.as_str()].get("undeclared").is_some();
    let states: Vec<String> =
        added("states").into_iter().filter(|state| !is_undeclared(state)).collect();
    assert_eq!(declared(names.states.iter()), states, "{name}: states");
    // That of rows without an event is in no file.
    let events = names.events.iter().filter(|event| event.kind != EventKind::Completion);
    assert_eq!(declared(events.map(|event| &event.name)), added("events"), "{name}: events");
    assert_eq!(declared(names.actions.iter()), added("actions"), "{name}: actions");
    assert_eq!(declared(names.guards.iter()), added("guards"), "{name}: guards");
    let is_general = |resource: &String| {
        let value = &second["resources"][resource.as_str()];
        value.is_sequence() || value.get("any of").is_some()
    };
    let resources: Vec<String> =
        added("resources").into_iter().filter(|r| !is_general(r)).collect();
    assert_eq!(declared(names.resources.iter().map(|r| &r.name)), resources, "{name}: resources");

    formulas(&literal, &second, &added);
    rows(&literal, &second);
    let amendments: Vec<String> =
        items(&second, "amendments").iter().map(|a| text(&a["id"])).collect();
    let ours: Vec<String> =
        literal.amendments.iter().map(|amendment| amendment.id.clone()).collect();
    assert_eq!(ours, amendments, "{name}: amendments");
}

#[test]
fn both_readers_see_the_bundled_tables() {
    for table in turnstile_bundled::TABLES {
        assert!(WrittenTable::read(Source::new(table.file, table.text)).is_ok(), "{}", table.name);
        check(table.name, table.text);
    }
}

#[test]
fn both_readers_see_the_fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let yaml = fs::read_to_string(&path).expect("UTF-8");
            check(&path.display().to_string(), &yaml);
        }
    }
}
