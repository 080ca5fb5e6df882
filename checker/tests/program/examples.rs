//! The example systems of tables compared with Spin: a world of each is also written in Promela.
//! Both must reach the same number of states without reductions, and both must find the violation
//! if the same mistake is put into both. Without Spin or a C compiler the test says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::Scratch;

/// A world of an example, and a mistake: the file, the text and its replacement, for both.
struct Example {
    name: &'static str,
    world: &'static str,
    states: u64,
    /// The states of the model in which a machine with several initial states has not begun.
    before: u64,
    table: [&'static str; 3],
    model: [&'static str; 2],
}

const EXAMPLES: [Example; 4] = [
    Example {
        name: "alternating-bit",
        world: "loss",
        states: 12,
        before: 0,
        // The receiver acknowledges and does not deliver.
        table: ["receiver.yaml", "expecting 0, to: expecting 1,", "expecting 0, to: same,"],
        model: ["receiver = 1 - receiver", "skip"],
    },
    Example {
        name: "mqtt-qos2",
        world: "broken connections",
        states: 563,
        before: 0,
        // The identifier is not stored.
        table: [
            "receiver.yaml",
            "to: identifier stored, event: PUBLISH, do: [deliver",
            "to: same, event: PUBLISH, do: [deliver",
        ],
        model: ["receiver = 1; delivered++", "receiver = 0; delivered++"],
    },
    // A link that makes its sender wait.
    Example {
        name: "buffer",
        world: "small",
        states: 21,
        before: 0,
        // What arrives is not counted.
        table: ["consumer.yaml", "do: [count, thank]", "do: [thank]"],
        model: ["items?1; consumed++", "items?1"],
    },
    // Two initial states, and rows without an event.
    Example {
        name: "post",
        world: "small",
        states: 142,
        before: 1,
        // A shelf that is full is not emptied.
        table: ["clerk.yaml", "is: parcels >= 2", "is: parcels >= 3"],
        model: [":: parcels >= 2", ":: parcels >= 3"],
    },
];

fn folder(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = here.join("../spec/examples").join(name);
    if example.exists() { example } else { here.join("tests/tables").join(name) }
}

/// The states of the world, and whether a property of the file fails.
fn turnstile(example: &Example, at: &Path) -> (u64, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(["check", "--as-written", "--reduce", "none", "--json", "--world", example.world])
        .arg(at.join(format!("{}.yaml", example.name)))
        .output()
        .expect("the binary is built");
    let json: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let result = &json["results"][0];
    let properties = result["properties"].as_array().expect("a list");
    let fails = properties.iter().any(|property| property["verdict"] == "fails");
    (result["states"].as_u64().expect("a number"), fails)
}

/// The same by Spin.
fn spin(name: &str, model: &str) -> Option<(u64, bool)> {
    let folder = Scratch::new(name);
    fs::write(folder.join("model.pml"), model).expect("the temporary folder can be written");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&*folder).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    run("spin", &["-a", "model.pml"])?;
    run("gcc", &["-O1", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    let text = run("./pan", &["-m100000", "-E"])?;
    let stored = text.lines().find_map(|line| line.trim().strip_suffix(" states, stored"));
    let states = stored.and_then(|number| number.trim().parse().ok());
    Some((states.unwrap_or_else(|| panic!("no count in {text}")), !text.contains("errors: 0")))
}

#[test]
fn the_examples_have_the_states_and_verdicts_that_spin_finds() {
    for example in &EXAMPLES {
        let from = folder(example.name);
        assert_eq!(turnstile(example, &from), (example.states, false), "{}", example.name);
        let copy = Scratch::new("wrong");
        let [file, right, wrong] = example.table;
        for entry in fs::read_dir(&from).expect("the example is checked in") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().expect("a file");
            let text = fs::read_to_string(&path).expect("a text");
            assert!(name != file || text.contains(right), "{file} has no {right}");
            let text = if name == file { text.replace(right, wrong) } else { text };
            fs::write(copy.join(name), text).expect("the temporary folder can be written");
        }
        assert!(turnstile(example, &copy).1, "{}: the mistake is not found", example.name);
        let path = from.join(format!("{}.pml", example.name));
        let model = fs::read_to_string(&path).expect("the model is checked in");
        let [right, wrong] = example.model;
        assert!(model.contains(right), "the model has no {right}");
        match spin(example.name, &model) {
            Some(found) => {
                let states = example.states + example.before;
                assert_eq!(found, (states, false), "{}", example.name);
            }
            None => println!("Spin or a C compiler is not here: {} not compared", example.name),
        }
        if let Some((_, fails)) = spin(example.name, &model.replace(right, wrong)) {
            assert!(fails, "Spin does not find the mistake in {}", example.name);
        }
    }
}
