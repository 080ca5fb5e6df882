//! `check --trace` and `replay`: a recorded counterexample is followed on the cores and tables as
//! they are now; `check --simulate` finds some at random, by a seed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Scratch, ends_with, text, turnstile};

fn tables(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

/// A folder with a copy of a system of tables.
fn copy(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("counterexamples-{name}"));
    for entry in fs::read_dir(tables(name)).expect("the system is checked in") {
        let path = entry.expect("a readable folder").path();
        let to = scratch.join(path.file_name().expect("it has a name"));
        fs::copy(path, to).expect("the scratch folder can be written");
    }
    scratch
}

fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let old = fs::read_to_string(&path).expect("it is there");
    assert!(old.contains(from), "`{from}` is not in {file}");
    fs::write(path, old.replace(from, to)).expect("the scratch folder can be written");
}

#[test]
fn every_counterexample_is_one_again() {
    let scratch = Scratch::new("counterexamples-all");
    for what in ["claim/small", "replicated-lock"] {
        let checked = turnstile(&scratch, &["check", what, "--as-written", "--trace", "all.jsonl"]);
        assert_eq!(checked.status.code(), Some(1), "{}", text(&checked.stderr));
        let replayed = turnstile(&scratch, &["replay", "all.jsonl"]);
        let found = text(&replayed.stdout);
        assert_eq!(replayed.status.code(), Some(0), "{found}{}", text(&replayed.stderr));
        assert!(found.contains(": fails as recorded"), "{what} has counterexamples: {found}");
    }
}

#[test]
fn a_lasso_and_a_path_of_a_system_of_tables_are_followed() {
    let folder = copy("deaf");
    let checked = turnstile(&folder, &["check", "deaf.yaml", "--trace", "out.jsonl"]);
    ends_with(&checked, 1, "");
    let recorded = fs::read_to_string(folder.join("out.jsonl")).expect("it was written");
    assert!(recorded.contains("\"loop_from\":") && !recorded.contains("\"loop_from\":null"));
    ends_with(&turnstile(&folder, &["replay", "out.jsonl"]), 0, "");
    // Without its last step the lasso is open.
    let cut: Vec<&str> = recorded.lines().collect();
    let steps = cut.len() - 1;
    let cut = cut[..steps].join("\n");
    fs::write(folder.join("cut.jsonl"), &cut).expect("writable");
    ends_with(&turnstile(&folder, &["replay", "cut.jsonl"]), 2, "the file is cut");
    let open = cut.replace(&format!("\"steps\":{steps}"), &format!("\"steps\":{}", steps - 1));
    fs::write(folder.join("open.jsonl"), open).expect("writable");
    let replayed = turnstile(&folder, &["replay", "open.jsonl"]);
    ends_with(&replayed, 1, "");
    assert!(text(&replayed.stdout).contains("the property is not violated"));
}

#[test]
fn the_findings_of_a_table_alone_are_followed() {
    let scratch = Scratch::new("counterexamples-table");
    for name in ["fetch-leaky.yaml", "trap.yaml", "stuck.yaml", "ring.yaml"] {
        fs::copy(tables(name), scratch.join(name)).expect("the scratch folder can be written");
        let checked = turnstile(&scratch, &["check", name, "--as-written", "--trace", "out.jsonl"]);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", text(&checked.stderr));
        let replayed = turnstile(&scratch, &["replay", "out.jsonl"]);
        let found = text(&replayed.stdout);
        assert_eq!(replayed.status.code(), Some(0), "{found}{}", text(&replayed.stderr));
        assert!(found.contains(&format!("out.jsonl: {name}: ")), "{found}");
    }
    ends_with(
        &turnstile(&scratch, &["check", "lock-status", "--as-written", "--trace", "c.jsonl"]),
        1,
        "",
    );
    let replayed = turnstile(&scratch, &["replay", "c.jsonl"]);
    ends_with(&replayed, 0, "");
    assert!(text(&replayed.stdout).contains("c.jsonl: lock-status: resources match state: fails"));
}

#[test]
fn a_table_alone_that_was_mended_is_told() {
    let scratch = Scratch::new("counterexamples-mended");
    fs::copy(tables("fetch-leaky.yaml"), scratch.join("f.yaml")).expect("writable");
    ends_with(
        &turnstile(&scratch, &["check", "f.yaml", "--as-written", "--trace", "out.jsonl"]),
        1,
        "",
    );
    let recorded = fs::read_to_string(scratch.join("out.jsonl")).expect("it was written");
    let leak = recorded.lines().next().expect("a head");
    assert!(leak.contains("\"table\":\"f.yaml\"") && leak.contains("\"system\":null"), "{leak}");
    edit(&scratch, "f.yaml", "  report:  ", "  give up: { abandons: question }\n  report:  ");
    let stop = "{ from: asking,  to: given up, event: stop";
    edit(&scratch, "f.yaml", stop, &format!("{stop}, do: [give up]"));
    let replayed = turnstile(&scratch, &["replay", "out.jsonl"]);
    ends_with(&replayed, 1, "");
    let found = text(&replayed.stdout);
    assert!(found.contains("step 2 is not as recorded"), "{found}");
    let lost = recorded.replace("f.yaml", "none.yaml");
    fs::write(scratch.join("lost.jsonl"), lost).expect("writable");
    ends_with(&turnstile(&scratch, &["replay", "lost.jsonl"]), 2, "lost.jsonl:1: ");
    let neither = recorded.replace("\"table\":\"f.yaml\"", "\"table\":null");
    fs::write(scratch.join("neither.jsonl"), neither).expect("writable");
    ends_with(&turnstile(&scratch, &["replay", "neither.jsonl"]), 2, "neither a system");
}

#[test]
fn a_file_without_counterexamples_says_so() {
    let folder = copy("buffer");
    ends_with(&turnstile(&folder, &["check", "buffer.yaml", "--trace", "out.jsonl"]), 0, "");
    let replayed = turnstile(&folder, &["replay", "out.jsonl"]);
    ends_with(&replayed, 0, "");
    assert_eq!(text(&replayed.stdout), "out.jsonl: no counterexample was recorded\n");
}

#[test]
fn a_table_that_changed_is_told_at_its_step() {
    let folder = copy("calls");
    ends_with(&turnstile(&folder, &["check", "calls.yaml", "--trace", "out.jsonl"]), 1, "");
    // The server says so in another way.
    edit(&folder, "server.yaml", "do: [serve, reply]", "do: [reply, serve]");
    ends_with(&turnstile(&folder, &["replay", "out.jsonl"]), 0, "");
    edit(&folder, "server.yaml", "answer (done)", "answer (error)");
    let replayed = turnstile(&folder, &["replay", "out.jsonl"]);
    ends_with(&replayed, 1, "");
    let found = text(&replayed.stdout);
    for part in ["out.jsonl:3: calls.yaml/crash", "step 2 is not as recorded", "now:      server"] {
        assert!(found.contains(part), "`{part}` is not in {found}");
    }
    edit(&folder, "calls.yaml", "crash: { budgets", "falls: { budgets");
    ends_with(&turnstile(&folder, &["replay", "out.jsonl"]), 2, "has no world `crash`");
    fs::write(folder.join("bad.jsonl"), "{\"counterexample\":7}").expect("writable");
    ends_with(&turnstile(&folder, &["replay", "bad.jsonl"]), 2, "bad.jsonl:1: ");
}

#[test]
fn random_walks_find_what_the_search_finds_and_are_repeatable() {
    let folder = copy("calls");
    let walks = ["check", "calls.yaml", "--simulate", "200", "--seed", "7", "--json"];
    let [one, other] = [&walks, &walks].map(|words| turnstile(&folder, words));
    ends_with(&one, 1, "");
    let found = |output: &std::process::Output| -> serde_json::Value {
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    let (mut one, mut other) = (found(&one), found(&other));
    let searched = found(&turnstile(&folder, &["check", "calls.yaml", "--json"]));
    let results = |report: &mut serde_json::Value| {
        let list = report["results"].as_array_mut().expect("results").clone();
        list.into_iter().filter(|result| !result["world"].is_null()).collect::<Vec<_>>()
    };
    let verdicts = |result: &serde_json::Value| -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let all = result["properties"].as_array().expect("properties").iter();
        all.map(|one| (text(&one["name"]), text(&one["verdict"]))).collect()
    };
    let mut searched = searched;
    let exhaustive = results(&mut searched);
    for ((one, other), all) in results(&mut one).iter().zip(results(&mut other)).zip(&exhaustive) {
        assert_eq!((verdicts(one), &one["states"]), (verdicts(&other), &other["states"]));
        assert_eq!((&one["complete"], &one["engine"]), (&false.into(), &"simulation".into()));
        // Worlds this small are walked through completely.
        assert_eq!(one["states"], all["states"]);
        for ((name, walked), (_, searched)) in verdicts(one).into_iter().zip(verdicts(all)) {
            assert!(walked == searched || walked == "incomplete", "{name}: {walked}, {searched}");
            let is_path = name == "every request is served";
            assert!(searched != "fails" || walked == "fails" || is_path, "{name} was not found");
        }
    }
    let drawn = turnstile(&folder, &["check", "calls.yaml", "--simulate", "1"]);
    assert!(text(&drawn.stdout).contains("`--seed "), "{}", text(&drawn.stdout));
    for (words, error) in [
        (&["--seed", "1"][..], "--simulate"),
        (&["--simulate", "0"], "0 is not in 1.."),
        (&["--simulate", "1", "--engine", "stateright"], "omit `--engine`"),
        (&["--trace", "calls.yaml"], "would overwrite"),
        (&["--trace", "./server.yaml"], "would overwrite"),
        (&["--junit", "client.yaml"], "would overwrite"),
        (&["--trace", "."], "is a folder"),
        (&["--trace", "absent/out.jsonl"], "cannot write"),
    ] {
        let words: Vec<&str> = ["check", "calls.yaml"].iter().chain(words).copied().collect();
        ends_with(&turnstile(&folder, &words), 2, error);
    }
}
