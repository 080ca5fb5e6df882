//! What the sessions of `commands/` cannot test: bundled names, output files, closed pipes, and the
//! effect of a checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::command::{Scratch, ends_with, text, turnstile, unread};

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

#[test]
fn unknown_names_are_bad_usage_with_the_known_names() {
    let output = turnstile(&tables(), &["check", "clam"]);
    ends_with(&output, 2, "no table, system or file is named `clam`; names: ");
    for table in turnstile_bundled::TABLES {
        ends_with(&output, 2, table.name);
    }
    assert!(output.stdout.is_empty());
}

#[test]
fn unknown_worlds_are_bad_usage_with_the_known_worlds() {
    let output = turnstile(&tables(), &["check", "claim-record", "--world", "smal"]);
    ends_with(
        &output,
        2,
        "`claim` has no world `smal`; its worlds: stranger, stranger+two-locks, ",
    );
    assert!(output.stdout.is_empty());
    let worlds = ["--world", "small", "--world", "smal", "--max-states", "9"];
    let output = turnstile(&tables(), &[&["check", "claim"][..], &worlds].concat());
    ends_with(&output, 2, "no system has a world `smal`; worlds of claim: stranger, stranger+two-");
    assert!(text(&output.stdout).contains("claim/small  9 states"));
    let output = turnstile(&tables(), &["check", "--world", "smal"]);
    ends_with(&output, 2, "no system has a world `smal`; `turnstile list` has the worlds");
    let folder = Scratch::new("unreadable-table");
    fs::write(folder.join("open.yaml"), "language: 1\nmachine: [\n").expect("the folder is ours");
    let output = turnstile(&folder, &["check", "open.yaml", "--world", "small"]);
    assert_eq!(output.status.code(), Some(1), "its error is reported");
}

#[test]
fn worlds_that_are_not_run_are_counted() {
    let output = turnstile(&tables(), &["check", "byte-range-lock", "--max-states", "9"]);
    let printed = text(&output.stdout);
    assert!(printed.contains("not run: 5 large worlds of byte-range-lock: "), "{printed}");
    let words = ["byte-range-lock", "byte-range-lock/every-range", "--max-states", "9"];
    let output = turnstile(&tables(), &[&["check"][..], &words].concat());
    let printed = text(&output.stdout);
    assert!(printed.contains("not run: 4 large worlds of byte-range-lock: "), "{printed}");
    let listed = turnstile(&tables(), &["list"]);
    let large = "5 large worlds, run by name or with `check --set size=large`: ";
    assert!(text(&listed.stdout).contains(large));
}

#[test]
fn every_bundled_table_is_listed_with_its_counts() {
    let output = turnstile(&tables(), &["list", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let listing: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(listing["version"], 1);
    let tables = listing["tables"].as_array().expect("a list");
    let claim = tables.iter().find(|table| table["name"] == "claim").expect("claim is bundled");
    assert_eq!(claim["document"], "claim-client.md");
    assert_eq!(claim["states"], 17, "the document's state table has 17 lines");
    assert_eq!(claim["rows"], 57, "the document's transition table has 57 lines");
    assert!(claim["amendments"].is_u64());
    assert!(listing["systems"].is_array());
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    for words in [&["check", "trap.yaml"][..], &["list"], &["lint", "gate.yaml"]] {
        let (status, complaint) = unread(&tables(), words);
        assert_eq!(complaint, "", "{words:?}");
        assert!(status.is_some_and(|code| code != 2), "{words:?}: {status:?}");
    }
}

#[test]
fn any_bytes_give_faults_and_no_panic() {
    let folder = Scratch::new("any-bytes");
    let cases: [(&str, &[u8]); 4] = [
        ("empty.yaml", b""),
        ("list.yaml", b"- a\n- b\n"),
        ("open.yaml", b"language: 1\nmachine: [\n"),
        ("text.yaml", "\u{feff}just words — nothing more".as_bytes()),
    ];
    for (name, bytes) in cases {
        fs::write(folder.join(name), bytes).expect("the folder is ours");
        for verb in ["lint", "check"] {
            let output = turnstile(&folder, &[verb, name, "--json"]);
            assert_eq!(output.status.code(), Some(1), "{verb} {name}");
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let fault = &report["results"][0]["faults"][0];
            assert_eq!(fault["severity"], "error", "{verb} {name}");
            assert_eq!(fault["file"], name);
            assert!(fault["line"].as_u64().is_some_and(|line| line >= 1), "{verb} {name}");
            assert!(fault["column"].as_u64().is_some_and(|column| column >= 1));
        }
    }
}

#[test]
fn a_folder_is_no_file() {
    let folder = Scratch::new("a-folder");
    fs::create_dir(folder.join("x.yaml")).expect("the folder is ours");
    ends_with(&turnstile(&folder, &["lint", "x.yaml"]), 2, "cannot read x.yaml");
    ends_with(&turnstile(&folder, &["check", "x.yaml"]), 2, "cannot read x.yaml");
}

#[test]
fn other_programs_get_their_files() {
    let folder = Scratch::new("files");
    let trap = tables().join("trap.yaml");
    let trap = trap.to_str().expect("a checkout's path is text");
    let words = ["check", trap, "--junit", "trap.xml", "--sarif", "trap.sarif"];
    assert_eq!(turnstile(&folder, &words).status.code(), Some(1));

    let junit = fs::read_to_string(folder.join("trap.xml")).expect("it was written");
    assert!(junit.contains("<testsuite name=\"trap (table)\" tests=\"6\" failures=\"3\""));
    // Five properties, and the warning of the impossible command.
    assert_eq!(junit.matches("<testcase ").count(), 6);
    assert_eq!(junit.matches("<failure ").count(), 3);
    assert!(junit.contains("message=\"fails: ringing × pull is declared impossible and reachable"));

    let sarif = fs::read(folder.join("trap.sarif")).expect("it was written");
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let found = sarif["runs"][0]["results"].as_array().expect("a list");
    let levels: Vec<_> = found.iter().map(|result| result["level"].as_str()).collect();
    assert_eq!(levels, ["warning", "error", "error", "error"].map(Some));
    let place = &found[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, trap);
}

#[test]
fn in_a_checkout_its_files_win_and_the_output_says_so() {
    let root = Scratch::new("checkout");
    fs::create_dir_all(root.join("spec/tables")).expect("the folder is ours");
    fs::create_dir_all(root.join("spec/systems")).expect("the folder is ours");
    fs::write(root.join("spec/Cargo.toml"), "[package]\nname = \"turnstile-spec\"\n")
        .expect("the folder is ours");
    let gate = fs::read_to_string(tables().join("gate.yaml")).expect("checked in");
    fs::write(root.join("spec/tables/gate.yaml"), gate).expect("the folder is ours");

    let output = turnstile(&root, &["check", "gate"]);
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    let first = "read from spec; different from this binary: spec/tables/gate.yaml\n";
    assert!(printed.starts_with(first), "{printed}");

    let inner = root.join("spec/tables");
    let output = turnstile(&inner, &["check", "gate"]);
    let first = "read from ../../spec; different from this binary: ../../spec/tables/gate.yaml\n";
    assert!(text(&output.stdout).starts_with(first));

    let elsewhere = Scratch::new("elsewhere");
    ends_with(&turnstile(&elsewhere, &["check", "gate"]), 2, "is named `gate`");
}

/// The bundled claim table, from the checkout that is tested.
fn claim() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/tables/claim.yaml");
    fs::read_to_string(path).expect("checked in")
}

#[test]
fn an_edited_table_runs_in_every_world_of_its_systems() {
    let folder = Scratch::new("edited");
    fs::write(folder.join("mine.yaml"), format!("{}# Edited.\n", claim())).expect("ours");
    let words = ["check", "mine.yaml", "--max-states", "500", "--json"];
    let output = turnstile(&folder, &words);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = report["results"].as_array().expect("a list");
    assert_eq!((&results[0]["name"], &results[0]["kind"]), (&"claim".into(), &"table".into()));
    assert!(results.len() > 2, "the claim system has several worlds");
    for result in &results[1..] {
        assert_eq!((&result["name"], &result["kind"]), (&"claim".into(), &"system".into()));
        if result["world"].is_null() {
            // The combined result of all worlds.
            continue;
        }
        assert_eq!(result["faults"].as_array().map(Vec::len), Some(0));
        assert!(result["states"].as_u64().is_some_and(|states| states > 50));
    }
}

/// Coverage identifies rows by their content: a row of an amendment with another name than in the
/// binary counts as taken.
#[test]
fn a_row_of_a_renamed_amendment_counts_as_taken() {
    let folder = Scratch::new("amended");
    let [ours, mine] = ["claim", "mine.yaml"].map(|word| -> Vec<Vec<String>> {
        let text = claim().replace("id: claim-02", "id: my-02").replace("[claim-02", "[my-02");
        fs::write(folder.join("mine.yaml"), text).expect("ours");
        let words = ["check", word, "--max-states", "2000", "--threads", "1", "--json"];
        let output = turnstile(&folder, &words);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = report["results"].as_array().expect("a list");
        let worlds = results.iter().filter(|result| result["world"].is_string());
        let not_taken = |result: &serde_json::Value| -> Vec<String> {
            let rows = result["coverage"]["not_taken"].as_array().expect("a list");
            rows.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect()
        };
        worlds.map(not_taken).collect()
    });
    assert!(ours.len() > 3, "the claim system has several worlds");
    let is_ours = |row: &String| row.contains("claim-02");
    assert!(ours.iter().any(|rows| !rows.iter().any(is_ours)), "some world takes its rows");
    let renamed: Vec<Vec<String>> = ours
        .iter()
        .map(|rows| rows.iter().map(|row| row.replace("claim-02", "my-02")).collect())
        .collect();
    assert_eq!(mine, renamed);
}

#[test]
fn a_name_that_the_core_does_not_know_says_rebuild() {
    let folder = Scratch::new("renamed");
    let text = claim().replace("Registering", "Enrolling");
    fs::write(folder.join("mine.yaml"), &text).expect("ours");
    let line = text.lines().position(|line| line.starts_with("  Enrolling:")).expect("declared");
    let output = turnstile(&folder, &["check", "mine.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = report["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2, "the table, and once the system");
    let fault = &results[1]["faults"][0];
    assert_eq!(fault["code"], "T090");
    assert_eq!((&fault["file"], &fault["line"]), (&"mine.yaml".into(), &(line + 1).into()));
    let message = "the core that was compiled in knows no state `Enrolling`: rebuild";
    assert_eq!(fault["message"], message);
}

#[test]
fn rendered_files_are_fresh_until_something_changes() {
    let folder = Scratch::new("rendered");
    let gate = fs::read_to_string(tables().join("gate.yaml")).expect("checked in");
    fs::write(folder.join("gate.yaml"), &gate).expect("the folder is ours");
    let words = ["render", "gate.yaml", "--out", "docs"];
    let output = turnstile(&folder, &words);
    assert_eq!(output.status.code(), Some(0));
    let wrote = "wrote docs/gate.matrix.txt\nwrote docs/gate.md\nwrote docs/gate.svg\n";
    assert_eq!(text(&output.stdout), wrote);
    let words = ["render", "gate.yaml", "--out", "docs", "--check"];
    assert_eq!(turnstile(&folder, &words).status.code(), Some(0));

    fs::write(folder.join("gate.yaml"), gate.replace("thank", "greet")).expect("ours");
    let output = turnstile(&folder, &words);
    ends_with(&output, 1, "docs/gate.md is stale");
    ends_with(&output, 1, "to regenerate: turnstile render gate.yaml --out docs");

    ends_with(&turnstile(&folder, &["render", "--check"]), 2, "--check needs --out");
    ends_with(&turnstile(&folder, &["render", "absent.yaml"]), 2, "cannot read absent.yaml");
    ends_with(&turnstile(&folder, &["render", "gate.yaml", "--to", "pdf"]), 2, "one of markdown");
}

#[test]
fn every_code_is_explained_and_the_schemas_are_json() {
    let output = turnstile(&tables(), &["explain", "t010"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("T010: "));
    ends_with(&turnstile(&tables(), &["explain", "T999"]), 2, "codes: T001 to T0");
    for (words, of) in [(&["schema"][..], "Table"), (&["schema", "--system"], "System")] {
        let output = turnstile(&tables(), words);
        let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(schema["$defs"][of]["properties"].is_object(), "{words:?}");
    }
}

#[test]
fn two_runs_print_the_same() {
    let runs: Vec<String> = (0..2)
        .map(|_| {
            let output = turnstile(&tables(), &["check", "trap.yaml", "fetch.yaml", "--json"]);
            let printed = text(&output.stdout);
            printed.lines().filter(|line| !line.contains("\"seconds\"")).collect()
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
}

/// Many worlds are searched side by side, each by one thread, and told in the order of the file.
#[test]
fn searches_side_by_side_print_the_same() {
    let runs = ["1", "3"].map(|threads| {
        let words = ["check", "view-handler", "--max-states=2000", "--threads", threads, "--json"];
        let output = turnstile(&tables(), &words);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let of_the_run = ["\"seconds\"", "\"peak_memory_bytes\""];
        let is_same = |line: &&str| !of_the_run.iter().any(|key| line.contains(key));
        printed.lines().filter(is_same).map(str::to_owned).collect::<Vec<_>>()
    });
    let [one, three] = runs;
    assert!(one.len() > 1000, "{} lines", one.len());
    assert_eq!(one, three);
}

/// A machine of 20 states in a row, each with three rows: 60 of them.
fn sixty_rows() -> String {
    use std::fmt::Write as _;
    let mut table = String::from(
        "language: 1\nmachine: sixty\nevents:\n  go: { kind: command }\n  back: { kind: command }\n\
         \x20 answer: { payload: { status: 100..599 }, consumes: request }\nactions:\n\
         \x20 ask: { creates: question }\n  forget: { abandons: question }\nresources:\n\
         \x20 question: request\nstates:\n",
    );
    for state in 0..20 {
        let initial = if state == 0 { ", initial: true" } else { "" };
        let _ = writeln!(table, "  s{state}: {{ holds: [question]{initial} }}");
    }
    table.push_str("  end: { final: true }\ntransitions:\n");
    for state in 0..20 {
        let next = (state + 1) % 20;
        let _ = writeln!(
            table,
            "  - {{ from: s{state}, to: s{next}, event: go }}\n  - {{ from: s{state}, to: end, \
             event: back, do: [forget] }}\n  - {{ from: s{state}, to: s{next}, event: answer, \
             do: [ask] }}"
        );
    }
    table
}

#[test]
fn a_table_of_sixty_rows_is_checked() {
    let folder = Scratch::new("sixty");
    fs::write(folder.join("sixty.yaml"), sixty_rows()).expect("the folder is ours");
    let begun = Instant::now();
    let output = turnstile(&folder, &["check", "sixty.yaml", "--verbose"]);
    // Printed for the log; a busy machine must not fail the test.
    println!("60 rows: {:.3} s, process and all", begun.elapsed().as_secs_f64());
    let printed = text(&output.stdout);
    assert!(printed.contains("60 of 60 rows taken"), "{printed}");
    assert_eq!(output.status.code(), Some(0), "{printed}");
}

/// As written a table need not declare its cells; their number is limited by the file's size only.
#[test]
fn a_table_of_half_a_million_cells_ends() {
    let folder = Scratch::new("wide");
    let mut table = "language: 1\nmachine: wide\nstates:\n  s0: { initial: true }\n".to_owned();
    let names = |letter: char, body: &str| -> String {
        (1..700).map(|nth| format!("  {letter}{nth}: {body}\n")).collect()
    };
    table += &names('s', "{}");
    table += &format!("events:\n{}", names('e', "{ kind: command }"));
    table += "transitions:\n";
    table += &(1..20)
        .map(|nth| format!("  - {{ from: any, to: same, event: e{nth} }}\n"))
        .collect::<String>();
    fs::write(folder.join("wide.yaml"), table).expect("the folder is ours");
    let words = ["check", "wide.yaml", "--as-written", "--max-states", "1", "--json"];
    let output = turnstile(&folder, &words);
    assert!(matches!(output.status.code(), Some(1 | 3)), "{}", text(&output.stderr));
}

#[test]
fn a_place_in_sarif_is_a_reference() {
    let folder = Scratch::new("a folder 100% full");
    let trap = fs::read_to_string(tables().join("trap.yaml")).expect("checked in");
    fs::write(folder.join("my trap#1.yaml"), trap).expect("the folder is ours");
    let words = ["check", "my trap#1.yaml", "--sarif", "trap.sarif", "--json"];
    assert_eq!(turnstile(&folder, &words).status.code(), Some(1));
    let sarif = fs::read(folder.join("trap.sarif")).expect("it was written");
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("JSON");
    let found = &sarif["runs"][0]["results"][0]["locations"];
    let place = &found[0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "my%20trap%231.yaml");

    // With a table in place of a compiled one there are two files; the system's has the property.
    fs::write(folder.join("mine.yaml"), format!("{}# Edited.\n", claim())).expect("ours");
    let words = ["check", "mine.yaml", "--max-states", "5", "--sarif", "mine.sarif", "--json"];
    assert_eq!(turnstile(&folder, &words).status.code(), Some(3));
    let sarif = fs::read_to_string(folder.join("mine.sarif")).expect("it was written");
    assert!(sarif.contains("\"uri\": \"spec/systems/claim.yaml\""), "the system's own file");
    let places = sarif.lines().filter(|line| line.contains("\"uri\""));
    assert!(places.clone().count() > 0, "a property that is not settled has its place");
    assert!(places.clone().all(|line| !line.contains(" with ")), "one file is one place");
}
