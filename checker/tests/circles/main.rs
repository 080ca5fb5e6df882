//! The files of a crate use each other in one direction. The circles that are there stand in
//! `known.txt`, which only gets shorter.

mod graph;
mod scan;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use graph::{Modules, Uses, circles};

fn workspace() -> PathBuf {
    let checker = Path::new(env!("CARGO_MANIFEST_DIR"));
    checker.parent().expect("the checker is in the workspace").to_owned()
}

/// The roots of all crates below a folder: libraries and programs.
fn roots(folder: &Path) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        let is_left_out = ["target", ".git", "tests", "examples", "benches", "checked_in"]
            .iter()
            .any(|name| path.ends_with(name));
        if path.is_dir() && !is_left_out {
            roots.extend(roots_or_bins(&path));
        }
    }
    roots.sort();
    roots
}

fn roots_or_bins(path: &Path) -> Vec<PathBuf> {
    if !path.ends_with("src") {
        return roots(path);
    }
    let bins = fs::read_dir(path.join("bin")).into_iter().flatten();
    let bins = bins.map(|entry| entry.expect("a folder can be listed").path());
    let bins = bins.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let own = ["lib.rs", "main.rs"].map(|name| path.join(name));
    own.into_iter().filter(|root| root.exists()).chain(bins).collect()
}

/// The circles of a workspace, a line each: the folder of the crate's sources, and the files in it.
fn found(workspace: &Path) -> BTreeSet<String> {
    let lines = roots(workspace).into_iter().flat_map(|root| {
        let folder = root.parent().expect("a root is in a folder").to_owned();
        let name = folder.strip_prefix(workspace).expect("it is below").display().to_string();
        circles(&Modules::of(&root).uses()).into_iter().map(move |circle| {
            let files = circle.iter().map(|file| file.strip_prefix(&folder).unwrap_or(file));
            files.fold(format!("{name}:"), |mut line, file| {
                write!(line, " {}", file.display()).expect("a text takes it");
                line
            })
        })
    });
    lines.collect()
}

/// How many files are in circles.
fn files<'l>(lines: impl IntoIterator<Item = &'l str>) -> usize {
    lines.into_iter().map(|line| line.split(' ').count() - 1).sum()
}

#[test]
fn files_use_each_other_in_one_direction() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/circles/known.txt");
    let known = fs::read_to_string(&list).expect("the list is there");
    let known: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    let found = found(&workspace());
    let [before, now] = [&known, &found].map(|lines| files(lines.iter().map(String::as_str)));
    println!("{} circles, {now} files in them", found.len());
    let is_blessed = std::env::var_os("BLESS").is_some() && now <= before;
    if is_blessed {
        let text: String = found.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&list, text).expect("the list can be written");
        return;
    }
    let new: Vec<&String> = found.difference(&known).collect();
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(
        new.is_empty(),
        "{now} files in circles, {before} known; new: {new:#?}; gone: {gone:#?}"
    );
    assert!(gone.is_empty(), "write the list again with BLESS=1; gone: {gone:#?}");
}

#[test]
fn paths_of_all_kinds_make_a_circle() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/circles/example");
    let uses: Uses = Modules::of(&folder.join("lib.rs")).uses();
    let of = |file: &str| -> Vec<String> {
        let used = uses[&folder.join(file)].iter();
        used.map(|file| file.strip_prefix(&folder).expect("it is below").display().to_string())
            .collect()
    };
    assert_eq!(of("lib.rs"), ["inner/deep.rs"], "a re-export, not its tests");
    assert_eq!(of("by_crate.rs"), ["by_super.rs"], "`crate::` in a macro");
    assert_eq!(of("by_super.rs"), ["inner/deep.rs"], "`super::`, and a re-export of a re-export");
    assert_eq!(of("inner.rs"), ["inner/deep.rs"], "`self::`, and a child by its name");
    assert_eq!(of("inner/deep.rs"), ["by_crate.rs"], "a name in braces, and a renamed one");
    let all = ["by_crate.rs", "by_super.rs", "inner/deep.rs"].map(|file| folder.join(file));
    assert_eq!(circles(&uses), [BTreeSet::from(all)]);
}
