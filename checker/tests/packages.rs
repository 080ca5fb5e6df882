//! Every published crate has a description, both licences, and a README that is its documentation,
//! has an example, and names the crate's layer.

use std::fs;
use std::path::{Path, PathBuf};

/// The first line of a library whose documentation is its README.
const INCLUDED: &str = "#![doc = include_str!(\"../README.md\")]\n";

/// The layers, in the order in which they depend on each other; each is a folder.
const LAYERS: [&str; 5] = ["spec", "macros", "generated", "runtime", "checker"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folders of the crates that are published.
fn published() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.expect("the workspace has members").lines().map(str::trim);
    let folders = members.filter_map(|line| line.strip_prefix('"')?.strip_suffix("\","));
    let is_published = |folder: &&str| !read(&format!("{folder}/Cargo.toml")).contains("publish =");
    folders.filter(is_published).map(str::to_owned).collect()
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
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(read(&format!("{folder}/{licence}")), read(licence), "{folder}/{licence}");
        }
        let library = read(&format!("{folder}/src/lib.rs"));
        assert!(library.starts_with(INCLUDED), "{folder}/src/lib.rs begins with {INCLUDED}");
        let readme = read(&format!("{folder}/README.md"));
        assert!(readme.contains("\n```rust"), "{folder}/README.md has no example");
        let end = format!(": {}.\n", layers(&folder));
        assert!(readme.ends_with(&end), "{folder}/README.md ends with `{end}`");
    }
}
