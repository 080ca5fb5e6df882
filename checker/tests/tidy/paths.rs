//! What tests share is in a crate: no attribute leads into a folder of tests, and no link stands in
//! one. So a file is compiled once, and is found where it stands.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::LAYERS;
use crate::{root, texts};

/// Files whose attributes lead into a folder of tests, and why.
const LEADING: [(&str, &str); 1] =
    [("runtime/claim/service/tests/claim/cluster.rs", "the same tests of another fixture")];

/// A folder whose files are compiled as tests.
const TESTS: &str = "tests";

/// Where an attribute in a file leads, if the line is one.
fn led_to(file: &str, line: &str) -> Option<PathBuf> {
    // In two parts, so that this file keeps its own rule.
    let path = line.trim_start().strip_prefix(concat!("#[pa", "th = \""))?.split('"').next()?;
    let folder = Path::new(file).parent()?;
    let mut led_to = PathBuf::new();
    for part in folder.join(path).iter() {
        if part == ".." {
            led_to.pop();
        } else {
            led_to.push(part);
        }
    }
    Some(led_to)
}

fn is_in_tests(path: &Path) -> bool {
    path.iter().any(|part| part == TESTS)
}

/// The links in a folder, and in those below it.
fn links(folder: &Path) -> Vec<PathBuf> {
    let mut links = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let entry = entry.expect("a folder can be listed");
        let kind = entry.file_type().expect("an entry has a type");
        if kind.is_symlink() {
            links.push(entry.path());
        } else if kind.is_dir() && entry.file_name() != "target" {
            links.extend(self::links(&entry.path()));
        }
    }
    links
}

#[test]
fn no_attribute_leads_into_a_folder_of_tests() {
    let texts = texts();
    let leading = texts.iter().filter(|(file, text)| {
        text.lines().filter_map(|line| led_to(file, line)).any(|path| is_in_tests(&path))
    });
    let leading: BTreeSet<&str> = leading.map(|(file, _)| file.as_str()).collect();
    assert_eq!(leading, LEADING.iter().map(|(file, _)| *file).collect());
}

#[test]
fn no_link_stands_in_a_folder_of_tests() {
    let links = LAYERS.iter().flat_map(|(layer, _)| links(&root().join(layer)));
    let (tests, others): (Vec<PathBuf>, _) = links.partition(|link| is_in_tests(link));
    assert!(!others.is_empty(), "packages have links to the tables");
    assert!(tests.is_empty(), "{tests:?}");
}

#[test]
fn an_attribute_is_followed_from_its_folder() {
    let led_to = |line| led_to("runtime/kit/host/tests/host/main.rs", line);
    let examples = led_to(concat!("#[pa", "th = \"../../examples/baton/core.rs\"]"));
    assert!(!is_in_tests(&examples.expect("it leads somewhere")));
    let beside = led_to(concat!("    #[pa", "th = \"store.rs\"]"));
    assert_eq!(beside, Some("runtime/kit/host/tests/host/store.rs".into()));
    assert_eq!(led_to("mod store;"), None);
}
