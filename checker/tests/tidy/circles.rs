//! The files of a crate use each other in one direction.

mod graph;
mod scan;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::sources::sources;
use graph::{Modules, Uses, circles};

fn workspace() -> PathBuf {
    let checker = Path::new(env!("CARGO_MANIFEST_DIR"));
    checker.parent().expect("the checker is in the workspace").to_owned()
}

/// The roots of all crates of a workspace that people build: libraries and programs.
fn roots(workspace: &Path) -> Vec<PathBuf> {
    let is_root = |file: &PathBuf| {
        let folder = file.parent().expect("a file is in a folder");
        let own = file.strip_prefix(workspace).expect("it is below");
        let is_test = ["tests", "examples", "benches"]
            .iter()
            .any(|kind| own.components().any(|part| part.as_os_str() == *kind));
        let is_named = ["lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
        let is_program = folder.parent().is_some_and(|above| above.ends_with("src/bin"));
        let is_named = is_named && (folder.ends_with("src") || is_program);
        !is_test && (is_named || folder.ends_with("src/bin"))
    };
    let mut roots: Vec<PathBuf> = sources(workspace).into_iter().filter(is_root).collect();
    roots.sort();
    roots
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

#[test]
fn files_use_each_other_in_one_direction() {
    let found = found(&workspace());
    assert!(found.is_empty(), "files in circles: {found:#?}");
}

#[test]
fn the_search_and_the_world_name_nothing_by_way_of_their_roots() {
    for folder in ["search/src", "world/src"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("lib.rs");
        assert_eq!(Modules::of(&root).by_way_of_root(), BTreeSet::new());
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tidy/circles/example/lib.rs");
    let by_super = example.with_file_name("by_super.rs");
    assert_eq!(Modules::of(&example).by_way_of_root(), BTreeSet::from([by_super.as_path()]));
}

#[test]
fn paths_of_all_kinds_make_a_circle() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tidy/circles/example");
    let uses: Uses = Modules::of(&folder.join("lib.rs")).uses();
    let of = |file: &str| -> Vec<String> {
        let used = uses[&folder.join(file)].iter();
        used.map(|file| file.strip_prefix(&folder).expect("it is below").display().to_string())
            .collect()
    };
    assert_eq!(of("lib.rs"), ["inner/deep.rs"], "a re-export, not its tests");
    assert_eq!(of("by_crate.rs"), ["by_super.rs"], "`crate::` in a macro, nothing quoted");
    assert_eq!(of("by_super.rs"), ["inner/deep.rs"], "`super::`, and a re-export of a re-export");
    assert_eq!(of("inner.rs"), ["inner/deep.rs"], "`self::`, and a child by its name");
    assert_eq!(of("inner/deep.rs"), ["by_crate.rs"], "names in braces, renamed, and a comma");
    let all = ["by_crate.rs", "by_super.rs", "inner/deep.rs"].map(|file| folder.join(file));
    assert_eq!(circles(&uses), [BTreeSet::from(all)]);
}
