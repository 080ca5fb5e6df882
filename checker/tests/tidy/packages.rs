//! Every published crate has a description and a README that is its documentation, has an example,
//! and names the crate's layer. What it depends on has a licence that allows for both of ours. What
//! an embedder builds is what ARCHITECTURE.md says.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::members::members;
use crate::root;

/// The first line of a library whose documentation is its README.
const INCLUDED: &str = "#![doc = include_str!(\"../README.md\")]\n";

/// The layers, in the order in which they depend on each other; each is a folder.
const LAYERS: [&str; 5] = ["spec", "macros", "generated", "runtime", "checker"];

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folders of the crates that are published.
fn published() -> Vec<String> {
    let is_published =
        |folder: &String| !read(&format!("{folder}/Cargo.toml")).contains("publish =");
    members().into_iter().filter(is_published).collect()
}

/// The last sentence of a README: the layers, with this crate's in bold.
fn layers(folder: &str) -> String {
    let own = folder.split('/').next().unwrap_or_default();
    LAYERS.map(|layer| if layer == own { format!("**{layer}**") } else { layer.into() }).join(" → ")
}

#[test]
fn every_published_crate_has_its_metadata() {
    let crates = published();
    assert!(crates.len() > 20, "{crates:?}");
    for folder in crates {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        for key in ["description = ", "repository.", "license.", "keywords.", "categories"] {
            assert!(manifest.contains(&format!("\n{key}")), "{folder}/Cargo.toml has no {key}");
        }
        let library = read(&format!("{folder}/src/lib.rs"));
        assert!(library.starts_with(INCLUDED), "{folder}/src/lib.rs begins with {INCLUDED}");
        let readme = read(&format!("{folder}/README.md"));
        assert!(readme.contains("\n```rust"), "{folder}/README.md has no example");
        let end = format!(": {}.\n", layers(&folder));
        assert!(readme.ends_with(&end), "{folder}/README.md ends with `{end}`");
    }
}

/// Licences that ask for no more than a notice.
const PERMISSIVE: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates under a licence by which their own files stay open. They are used as published.
const WEAK_COPYLEFT: [(&str, &str); 1] = [("foca", "MPL-2.0")];

/// Whether one of the alternatives of each part of an SPDX expression is permissive.
fn is_permissive(expression: &str) -> bool {
    let is_one = |part: &str| {
        let mut alternatives = part.split(" OR ").flat_map(|some| some.split('/'));
        alternatives.any(|one| PERMISSIVE.contains(&one.trim()))
    };
    let parts = expression.split(" AND ");
    parts.map(|part| part.trim_matches(['(', ')'])).all(is_one)
}

/// The limit on the crates that an embedder of one table builds.
const EMBEDDER_MAX: usize = 15;

#[test]
fn an_embedder_builds_the_crates_that_are_documented() {
    let mut command = Command::new(env!("CARGO"));
    let options = ["--edges", "normal,build", "--prefix", "none", "--format", "{p}", "--locked"];
    command.args(["tree", "--package", "turnstile-machine"]).args(options).current_dir(root());
    let output = command.output().expect("cargo is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("names of crates");
    let built: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(built.len() <= EMBEDDER_MAX, "{built:?}");

    let text = read("ARCHITECTURE.md");
    let table = text.split("What the tree of an embedder holds").nth(1).expect("the table");
    let rows = table.lines().skip_while(|line| !line.starts_with("| --")).skip(1);
    let first = rows.map_while(|row| row.strip_prefix("| ")?.split(" | ").next());
    let documented: BTreeSet<&str> = first.flat_map(|names| names.split(", ")).collect();
    assert_eq!(built, documented);
}

#[test]
fn dependencies_have_licences_that_allow_for_both() {
    assert!(is_permissive("MIT") && is_permissive("Unlicense/MIT"));
    assert!(is_permissive("(MIT OR GPL-3.0) AND ISC") && !is_permissive("MIT AND GPL-3.0"));
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root());
    let output = command.output().expect("cargo is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let mut named = 0;
    for package in packages.iter().filter(|package| package["source"].is_string()) {
        let name = package["name"].as_str().expect("a text");
        let licence = package["license"].as_str().unwrap_or_default();
        let is_named = WEAK_COPYLEFT.contains(&(name, licence));
        named += usize::from(is_named);
        assert!(is_named || is_permissive(licence), "{name} is under `{licence}`");
    }
    assert!(packages.len() > 100, "{}", packages.len());
    assert_eq!(named, WEAK_COPYLEFT.len(), "a crate that is named is used no more");
}
