//! `check` is deterministic except for times and memory, as text and as JSON, on one thread and on
//! two; and two threads give the results of one.

use std::process::Command;

use serde_json::Value;
use turnstile_checker::SYSTEMS;

/// Units of the numbers that vary.
const UNITS: [&str; 6] = ["s", "s,", "B", "KiB", "MiB", "GiB"];

/// The output of `check` for the small world of every system, and its status.
fn check(threads: &str, further: &[&str]) -> (String, Option<i32>) {
    let worlds: Vec<String> =
        SYSTEMS.entries().map(|entry| format!("{}/small", entry.name)).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .arg("check")
        .args(worlds)
        .args(["--threads", threads])
        .args(further)
        .output()
        .expect("the binary is built");
    let printed = String::from_utf8(output.stdout).expect("output is text");
    assert!(printed.contains("small"), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    (printed, output.status.code())
}

/// The words, without times and amounts of memory.
fn lasting(printed: &str) -> String {
    let words: Vec<&str> = printed.split_whitespace().collect();
    let is_lasting = |(place, word): &(usize, &&str)| {
        !UNITS.contains(word) && words.get(place + 1).is_none_or(|unit| !UNITS.contains(unit))
    };
    let lasting = words.iter().enumerate().filter(is_lasting).map(|(_, word)| *word);
    lasting.collect::<Vec<&str>>().join(" ")
}

/// The JSON without times, amounts of memory and the number of threads.
fn figures(printed: &str) -> Value {
    let mut value: Value = serde_json::from_str(printed).expect("it is JSON");
    let results = value["results"].as_array_mut().expect("a list of results");
    for result in results {
        let result = result.as_object_mut().expect("a result");
        for name in ["seconds", "peak_memory_bytes", "threads"] {
            assert!(result.remove(name).is_some(), "a result has {name}");
        }
    }
    value
}

#[test]
fn two_runs_print_the_same_words() {
    for threads in ["1", "2"] {
        for further in [&[][..], &["--as-written"]] {
            let (first, status) = check(threads, further);
            let (again, status_again) = check(threads, further);
            assert_eq!(lasting(&first), lasting(&again), "{threads} threads");
            assert_eq!(status, status_again);
            assert!(lasting(&first).contains("states,"), "counts are compared, too: {first}");
        }
    }
}

#[test]
fn two_threads_give_the_results_of_one() {
    for further in [&["--json"][..], &["--json", "--as-written"]] {
        let (first, status) = check("1", further);
        for _ in 0..2 {
            let (other, other_status) = check("2", further);
            assert_eq!(figures(&first), figures(&other));
            assert_eq!(status, other_status);
        }
    }
}
