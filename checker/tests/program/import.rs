//! `turnstile import` beside the other verbs: what it writes lints and checks clean, nothing is
//! overwritten or half-written, odd input is refused, and the pages that `render` writes import
//! back to the rows of their tables.

use std::fs;
use std::path::Path;

use turnstile_import::{Options, import};
use turnstile_spec::table::RowSource;
use turnstile_spec::{Source, WrittenTable};

use crate::command::{Scratch, outcome};

/// A new folder with the documents of the sessions.
fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/documents");
    for file in ["order.md", "order-cells.csv"] {
        fs::copy(from.join(file), folder.join(file)).expect("a document is copied");
    }
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_imported_checks_clean() {
    let folder = folder("import");
    let arguments = ["import", "order.md", "--cells", "order-cells.csv", "--out", "order.yaml"];
    let (status, out, err) = outcome(&folder, &arguments);
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    assert!(err.ends_with("wrote order.yaml\nnext: turnstile lint order.yaml\n"), "{err}");
    for verb in ["lint", "check"] {
        let (status, out, err) = outcome(&folder, &[verb, "order.yaml"]);
        assert_eq!((status, err.as_str()), (0, ""), "{verb}:\n{out}");
    }
    // The same text, without a file.
    let (_, out, _) = outcome(&folder, &arguments[..4]);
    assert_eq!(out, fs::read_to_string(folder.join("order.yaml")).expect("it is written"));
    // Without the cells, nothing but they are missing.
    let (_, out, _) = outcome(&folder, &["import", "order.md"]);
    fs::write(folder.join("bare.yaml"), out).expect("the folder can be written");
    let (status, out, _) = outcome(&folder, &["lint", "bare.yaml"]);
    assert_eq!((status, out.matches("error[T022]").count()), (1, 3), "{out}");
    assert!(out.ends_with("bare.yaml: 3 errors\n"), "{out}");
}

#[test]
fn nothing_is_overwritten_or_half_written() {
    let folder = folder("import-old");
    fs::write(folder.join("mine.yaml"), "mine").expect("the folder can be written");
    let before = files(&folder);
    for (out, message) in [
        ("mine.yaml", "mine.yaml exists already"),
        ("order.md", "would replace what is read"),
        ("none/order.yaml", "cannot write none/order.yaml"),
        (".", ". exists already"),
    ] {
        let (status, text, err) = outcome(&folder, &["import", "order.md", "--out", out]);
        assert_eq!((status, text.as_str()), (2, ""), "{out}: {err}");
        assert!(err.contains(message), "{err}");
    }
    assert_eq!(files(&folder), before);
    assert_eq!(fs::read_to_string(folder.join("mine.yaml")).expect("it is there"), "mine");
}

#[test]
fn odd_documents_are_refused() {
    let folder = folder("import-odd");
    let row = "| a | b | go | x |\n";
    let large = format!(
        "| Source | Destination | Event | Actions |\n| - | - | - | - |\n{}",
        row.repeat(3_000_000)
    );
    assert!(large.len() > 50_000_000);
    let many = &large[..row.len() * 5_000];
    for (name, bytes, status, message) in [
        ("empty.md", "".as_bytes(), 1, "error[D001]: the document is empty"),
        ("binary.md", b"\x89PNG\r\n\x1a\n\0\0\xff", 2, "line 1 is not UTF-8"),
        ("nul.txt", b"a\0b", 1, "error[D001]: the document is no text"),
        ("words.md", b"Nothing but words.\n", 1, "error[D002]: the document has no tables"),
        ("large.md", large.as_bytes(), 1, "error[D001]: the document is larger than 1048576 bytes"),
        ("many.md", many.as_bytes(), 1, "rows; a table file has at most 4000"),
    ] {
        fs::write(folder.join(name), bytes).expect("the folder can be written");
        let arguments = ["import", name, "--out", "out.yaml"];
        let (actual, out, err) = outcome(&folder, &arguments);
        assert_eq!((actual, out.as_str()), (status, ""), "{name}: {err}");
        assert!(err.contains(message), "{name}: {err}");
        assert!(!folder.join("out.yaml").exists(), "{name}");
        // The same for the cells.
        let (actual, out, _) = outcome(&folder, &["import", "order.md", "--cells", name]);
        assert_eq!((actual, out.as_str()), (status, ""), "{name}");
    }
}

#[test]
fn rendered_pages_import_as_their_rows() {
    for table in turnstile_bundled::TABLES {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/docs");
        let page = fs::read_to_string(page.join(format!("{}.md", table.name))).expect("a page");
        let source = Source::new(format!("{}.md", table.name), page);
        let options = Options { section: Some("Rows, as written"), ..Options::default() };
        let imported = import(&source, options).unwrap_or_else(|faults| panic!("{faults}"));
        let ours = WrittenTable::read(Source::new("ours.yaml", imported.text)).expect("a table");
        let theirs = WrittenTable::read(Source::new(table.file, table.text)).expect("a table");
        assert_eq!(rows(&ours), rows(&theirs), "{}", table.name);
    }
}

/// The rows as written, in words.
fn rows(table: &WrittenTable) -> Vec<[String; 5]> {
    let mut ids: Vec<_> = table.table.rows.iter().map(|row| row.id).collect();
    ids.dedup();
    let words = |row: &RowSource| {
        let actions = row.actions.join(", ");
        [&row.from, &row.to, &row.event, &row.guard, &actions].map(String::clone)
    };
    ids.into_iter().map(|id| words(&table.vocabulary.rows[id.index()])).collect()
}
