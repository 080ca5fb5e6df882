//! The files of the search and of the World use each other in one direction: no circle, and nothing
//! by way of `lib.rs`, which lists them.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sources::sources;

/// By file: those that its paths from `crate::` on lead to. Tests inside are left out.
type Uses = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

fn uses_of(root: &Path) -> Uses {
    let uses = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source is text");
        let mut used = used_by(root, &text);
        used.remove(&path);
        (path, used)
    };
    sources(root).into_iter().map(uses).collect()
}

fn used_by(root: &Path, text: &str) -> BTreeSet<PathBuf> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
    let code = code.map(|line| line.split("//").next().unwrap_or_default());
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths.flat_map(|rest| named(root, rest)).collect()
}

/// The files that a path after `crate::` leads to, or each of those in its braces.
fn named(root: &Path, rest: &str) -> Vec<PathBuf> {
    if let Some(list) = rest.strip_prefix('{') {
        let list = list.split('}').next().unwrap_or_default();
        return list.split(',').flat_map(|one| named(root, one.trim())).collect();
    }
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
    let words: Vec<&str> = rest[..end.unwrap_or(rest.len())].split("::").collect();
    let file = |count: usize| root.join(words[..count].join("/")).with_extension("rs");
    let file = (1..=words.len()).rev().map(file).find(|file| file.exists());
    vec![file.unwrap_or_else(|| root.join("lib.rs"))]
}

/// The files that are left when those that use none of the others are taken away, again and again:
/// of a circle, and what uses it.
fn left(mut uses: Uses) -> Vec<PathBuf> {
    loop {
        let is_last = |used: &BTreeSet<PathBuf>, uses: &Uses| {
            used.iter().all(|file| !uses.contains_key(file))
        };
        let last: Vec<PathBuf> = uses
            .iter()
            .filter(|(_, used)| is_last(used, &uses))
            .map(|(file, _)| file.clone())
            .collect();
        if last.is_empty() {
            return uses.into_keys().collect();
        }
        last.iter().for_each(|file| {
            uses.remove(file);
        });
    }
}

#[test]
fn the_search_and_the_world_have_no_circle_of_files() {
    for (folder, file, uses_it) in [
        ("search/src", "breadth_first.rs", "engine.rs"),
        ("world/src", "parts.rs", "transitions.rs"),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let uses = uses_of(&root);
        for (file, used) in uses.iter().filter(|(file, _)| !file.ends_with("lib.rs")) {
            assert!(!used.contains(&root.join("lib.rs")), "{} uses lib.rs", file.display());
        }
        let [file, uses_it] = [file, uses_it].map(|name| root.join(name));
        assert!(uses[&uses_it].contains(&file), "{}", uses_it.display());
        assert_eq!(left(uses.clone()), Vec::<PathBuf>::new());
        // With one more use there is a circle.
        let mut more = uses;
        more.get_mut(&file).expect("a file").insert(uses_it.clone());
        let left = left(more);
        assert!(left.contains(&file) && left.contains(&uses_it));
    }
}
