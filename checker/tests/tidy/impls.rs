//! In how many files a type has its `impl`s: one that needs more is cut, not its file.
//!
//! A type is known by its name in a crate, and by the file that declares it. It reads heads at the
//! top level of a file alone, and no macro; of several types of one name it takes the nearest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::{texts, type_name};

/// The most files with an `impl` of one type, inherent or of a trait.
const IMPL_FILES: usize = 3;

/// The heads of the `impl`s of a text, each in one line.
fn heads(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |at: &usize| lines[*at].starts_with("impl<") || lines[*at].starts_with("impl ");
    let head = |at: usize| {
        let more = lines[at..].iter().position(|line| line.contains('{'));
        let all = lines[at..=at + more.expect("an `impl` has a body")].join(" ");
        all.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    (0..lines.len()).filter(begins).map(head).collect()
}

/// The name of the type that an `impl` is of: `World` of `impl<T> Next for world::World<T> {`.
fn owner(head: &str) -> &str {
    let head = head.strip_prefix("impl").expect("it begins an `impl`");
    let mut depth = 0_usize;
    let mut before = ' ';
    let end = head.find(|sign| {
        match sign {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = sign;
        depth == 0
    });
    // The sign at which its own generics end, if it has any.
    let head = head[end.map_or(0, |end| end + 1)..].trim_start();
    let head = head.split(" where ").next().unwrap_or(head);
    let of = head.rsplit(" for ").next().unwrap_or(head);
    let is_of_path = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    let of = ["&", "mut ", "dyn "].iter().fold(of, |of, word| of.trim_start_matches(word));
    let path = of.split(|sign| !is_of_path(sign)).next().unwrap_or(of);
    path.rsplit("::").next().unwrap_or(path)
}

/// The crate of a source, and the file below its root.
fn crate_of(file: &str) -> Option<(String, &str)> {
    let (folder, path) = file.split_once("/src/")?;
    let program = path.strip_prefix("bin/").and_then(|path| path.split_once('/'));
    Some(match program {
        Some((name, path)) => (format!("{folder}/src/bin/{name}"), path),
        None => (folder.to_owned(), path),
    })
}

/// Of the files that declare a type of one name, the one that a file means: that with which it
/// shares the most folders, or the outermost of these.
fn nearest<'f>(declaring: &BTreeSet<&'f str>, file: &str) -> Option<&'f str> {
    let shared = |other: &str| {
        let both = other.split('/').zip(file.split('/'));
        both.take_while(|(one, other)| one == other).count()
    };
    let depth = |other: &str| other.matches('/').count();
    declaring.iter().copied().max_by_key(|other| (shared(other), Reverse(depth(other))))
}

#[test]
fn a_type_has_its_impls_in_few_files() {
    let texts = texts();
    let sources: Vec<(String, &str, &str)> = texts
        .iter()
        .filter_map(|(file, text)| crate_of(file).map(|(root, path)| (root, path, &**text)))
        .collect();
    let mut declaring = BTreeMap::<(&str, &str), BTreeSet<&str>>::new();
    for (root, file, text) in &sources {
        for name in text.lines().filter_map(type_name) {
            declaring.entry((root, name)).or_default().insert(file);
        }
    }
    let mut files = BTreeMap::<(&str, &str, String), BTreeSet<&str>>::new();
    for (root, file, text) in &sources {
        for head in heads(text) {
            let name = owner(&head);
            // A type of another crate has no file here.
            let declared = declaring.get(&(&**root, name));
            if let Some(declared) = declared.and_then(|files| nearest(files, file)) {
                files.entry((root, declared, name.to_owned())).or_default().insert(file);
            }
        }
    }
    assert!(files.values().any(|files| files.len() > 1), "no type has an `impl` elsewhere");
    files.retain(|_, files| files.len() > IMPL_FILES);
    assert!(files.is_empty(), "cut what needs more than {IMPL_FILES} files: {files:#?}");
}

#[test]
fn the_type_of_an_impl_is_known() {
    let text = "
impl World {}
impl<'a, R: Rules<M>> Core
    for crate::Handler<'a, R>
where
    R: for<'b> Is<'b>,
{
}
impl<F: Fn(u8) -> Vec<u8>> Next for &mut dyn Any<F> {}
    impl Inner {}
";
    let heads = heads(text);
    let owners: Vec<&str> = heads.iter().map(|head| owner(head)).collect();
    assert_eq!(owners, ["World", "Handler", "Any"]);
    let declaring = BTreeSet::from(["message.rs", "stack/message.rs"]);
    assert_eq!(nearest(&declaring, "scenario.rs"), Some("message.rs"));
    assert_eq!(nearest(&declaring, "stack/display.rs"), Some("stack/message.rs"));
    assert_eq!(crate_of("a/src/bin/b/main.rs"), Some(("a/src/bin/b".to_owned(), "main.rs")));
}
