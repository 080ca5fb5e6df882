//! Which crate uses which: a layer those before it, a protocol no other one.

use std::collections::BTreeSet;
use std::fs;

use crate::members::members;
use crate::root;

/// The layers, each with the crates in it; a crate may use those before it, of its own layer and of
/// earlier ones.
pub(crate) const LAYERS: [(&str, &[&str]); 5] = [
    ("spec", &["spec", "spec/bundled", "spec/import", "spec/manual", "spec/random", "spec/report"]),
    ("macros", &["macros/emit", "macros/render", "macros", "macros/machine"]),
    (
        "generated",
        &[
            "generated/claim",
            "generated/byte-range-lock",
            "generated/view-handler",
            "generated/group-lock",
            "generated/replicated-lock",
            "generated/machines",
        ],
    ),
    (
        "runtime",
        &[
            "runtime/kit/step/derive",
            "runtime/kit/step",
            "runtime/kit/ids",
            "runtime/kit/scenario",
            "runtime/kit/plain",
            "runtime/kit/host",
            "runtime/kit/simulation",
            "runtime/kit/actor",
            "runtime/claim/core",
            "runtime/byte-range-lock/core",
            "runtime/view-handler/core",
            "runtime/group-lock/core",
            "runtime/replicated-lock/core",
            "runtime/members/supervisor",
            "runtime/members/local",
            "runtime/members/raft",
            "runtime/members/faults",
            "runtime/members/simulation",
            "runtime/claim/service",
            "runtime/byte-range-lock/service",
            "runtime/group-lock/service",
            "runtime/replicated-lock/service",
        ],
    ),
    (
        "checker",
        &[
            "checker/allocation",
            "checker/search",
            "checker/world",
            "checker/harness",
            "checker/models",
            "checker/systems/byte-range-lock",
            "checker/systems/claim",
            "checker/systems/view-handler",
            "checker/systems/group-lock",
            "checker/systems/replicated-lock",
            "checker/reference",
            "checker/cli",
            "checker/tests/commit",
            "checker",
        ],
    ),
];

/// The protocols, as `turnstile check` names their systems: in each layer a folder of this name has
/// what is of one alone.
const PROTOCOLS: [&str; 5] =
    ["claim", "byte-range-lock", "view-handler", "group-lock", "replicated-lock"];

/// The most crates that are built again after an edit of a core, it among them.
const CORE_REBUILDS: usize = 6;

/// The most crates that are built again after an edit of a table.
const TABLE_REBUILDS: usize = 8;

/// Where the crates of one protocol use those of another one.
const PROTOCOLS_ABOVE: [(&str, &str); 2] =
    [("byte-range-lock", "claim"), ("group-lock", "view-handler")];

/// The crates that are of no protocol and use one: each with its reason.
const OF_SEVERAL: [(&str, &str); 2] = [
    ("checker", "the program has the bundled systems and the texts of their scenarios"),
    ("generated/machines", "it has the machines of all under one name"),
];

/// The crates of this workspace on which a crate depends at run time.
fn uses(manifest: &str) -> Vec<String> {
    let body = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
    let body = body.split("\n[").next().unwrap_or_default();
    let names = body.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("turnstile-")).map(str::to_owned).collect()
}

fn name_of(manifest: &str) -> &str {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
    line.and_then(|line| line.strip_suffix('"')).expect("a crate has a name")
}

#[test]
fn every_crate_of_the_workspace_is_in_a_layer() {
    let members: BTreeSet<String> = members().into_iter().collect();
    let crates = LAYERS.iter().flat_map(|(_, crates)| *crates);
    let crates: BTreeSet<String> = crates.map(|path| (*path).to_owned()).collect();
    assert_eq!(crates, members);
}

/// The crates by their paths, with their manifests.
fn manifests() -> Vec<(&'static str, String)> {
    let paths = LAYERS.iter().flat_map(|(_, crates)| *crates);
    let read = |path: &&'static str| {
        let manifest = fs::read_to_string(root().join(path).join("Cargo.toml"));
        (*path, manifest.expect("every crate has a manifest"))
    };
    paths.map(read).collect()
}

#[test]
fn a_crate_uses_crates_before_it_only() {
    let mut before = BTreeSet::new();
    for (path, manifest) in manifests() {
        for used in uses(&manifest) {
            assert!(before.contains(&used), "{path} uses {used}");
        }
        before.insert(name_of(&manifest).to_owned());
    }
}

/// The protocol of a crate, by a folder of its path.
fn protocol(path: &str) -> Option<&'static str> {
    let folders = || path.split('/').skip(1);
    PROTOCOLS.into_iter().find(|name| folders().any(|folder| folder == *name))
}

/// The crates that are built again after an edit of one, it among them.
fn built_after(edited: &str, crates: &[(&str, String)]) -> BTreeSet<String> {
    let mut built = BTreeSet::from([edited.to_owned()]);
    // Each stands after those that it uses: a test above asks that.
    for (_, manifest) in crates {
        if uses(manifest).iter().any(|used| built.contains(used)) {
            built.insert(name_of(manifest).to_owned());
        }
    }
    built
}

#[test]
fn an_edit_of_a_core_or_a_table_rebuilds_few_crates() {
    let crates = manifests();
    for (kind, most) in [("core", CORE_REBUILDS), ("machines", TABLE_REBUILDS)] {
        for protocol in PROTOCOLS {
            let built = built_after(&format!("turnstile-{protocol}-{kind}"), &crates);
            assert!(built.len() > 2 && built.len() <= most, "{protocol} {kind}: {built:?}");
        }
    }
}

#[test]
fn a_protocol_uses_no_other_one_but_those_that_are_listed() {
    let crates = manifests();
    let of = |name: &str| {
        let found = crates.iter().find(|(_, manifest)| name_of(manifest) == name);
        protocol(found.expect("it is of the workspace").0)
    };
    let (mut arrows, mut of_several) = (BTreeSet::new(), BTreeSet::new());
    for (path, manifest) in &crates {
        for used in uses(manifest) {
            match (protocol(path), of(&used)) {
                (Some(one), Some(other)) if one != other => drop(arrows.insert((one, other))),
                (None, Some(_)) => drop(of_several.insert(*path)),
                _ => {}
            }
        }
    }
    assert_eq!(arrows, BTreeSet::from(PROTOCOLS_ABOVE));
    assert_eq!(of_several, OF_SEVERAL.iter().map(|(path, _)| *path).collect());
}
