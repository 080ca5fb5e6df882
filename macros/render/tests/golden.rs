//! Each table under `tests/tables` in each format, beside the text under `tests/golden`.
//!
//! `BLESS=1 cargo test -p turnstile-render --test golden` regenerates the texts; review
//! the difference before you commit it.

mod pictures;

use std::fs;
use std::path::{Path, PathBuf};

use turnstile_render::docs::{Files, Mode, Origin, pages, put, stem};
use turnstile_render::{Format, Sheet, draw, render};
use turnstile_spec::{Source, WrittenTable};

const COMMAND: &str = "BLESS=1 cargo test -p turnstile-render --test golden";

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn table(path: &Path) -> WrittenTable {
    let text = fs::read_to_string(path).expect("a listed file is there");
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    WrittenTable::read(Source::new(name, text)).unwrap_or_else(|faults| panic!("{faults}"))
}

fn tables() -> Vec<WrittenTable> {
    let entries = fs::read_dir(here("tables")).expect("the tables are there");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the tables can be listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| table(path)).collect()
}

#[test]
fn every_format_of_every_table_is_as_it_was() {
    let mode = if std::env::var_os("BLESS").is_some() { Mode::Write } else { Mode::Check };
    let origin = Origin::known(COMMAND);
    let files = pages(&tables(), &Format::ALL, &origin).expect("each has a name of its own");
    if let Err(trouble) = put(&here("golden"), &files, mode, &origin) {
        panic!("{trouble}");
    }
}

#[test]
fn no_cell_is_left_out_of_the_matrix() {
    for table in tables() {
        let sheet = Sheet::of(&table);
        let names: Vec<String> = draw(&sheet).nodes.into_iter().map(|node| node.name).collect();
        let text = render(&sheet, Format::Matrix, "");
        let mut grid = text.lines().skip_while(|line| !line.starts_with("     state"));
        let columns = grid.next().expect("the grid has a head").split_whitespace().count() - 1;
        let events: usize = table.vocabulary.events.len();
        assert!(columns >= events, "{columns} columns for {events} events");
        for name in names {
            let line = grid.next().expect("a line for each state");
            let (_, cells) = line.split_once(&name).expect("the state's name");
            assert_eq!(cells.split_whitespace().count(), columns, "{line}");
        }
        assert_eq!(grid.next(), Some(""), "a line for each state and no more");
    }
}

#[test]
fn a_picture_is_xml_whatever_the_names() {
    let text = "language: 1\nmachine: odd\nstates:\n  \"<&>\": { initial: true }\n  \"'\\\"\": {}\n\
                events:\n  \"&\": { kind: command }\n\
                transitions:\n  - { from: \"<&>\", to: \"'\\\"\", event: \"&\" }\n";
    let table = WrittenTable::read(Source::new("odd.yaml", text)).unwrap_or_else(|f| panic!("{f}"));
    let svg = render(&Sheet::of(&table), Format::Svg, "header");
    assert_xml(&svg);
    for table in tables() {
        assert_xml(&render(&Sheet::of(&table), Format::Svg, "cargo run --release -- render"));
    }
}

/// Tags that open and close in turn, no comment (two hyphens would break it), no bare ampersand.
#[track_caller]
fn assert_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '/']).next().expect("split gives one part at least");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{piece}");
        } else if !tag.ends_with('/') && !tag.starts_with('?') {
            assert!(name.chars().all(char::is_alphanumeric), "{piece}");
            open.push(name);
        }
        for rest in tag.split('&').skip(1).chain(words.split('&').skip(1)) {
            let entity = rest.split(';').next().expect("split gives one part at least");
            assert!(entity.len() < rest.len() && entity.len() < 7, "a bare ampersand: {piece}");
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{piece}");
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_part_has_its_rows_and_their_states_only() {
    let table = table(&here("tables").join("courier.yaml"));
    let diagram = draw(&Sheet::as_written(&table).part(&["22", "26"]));
    let names: Vec<&str> = diagram.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["idle", "riding", "asking"]);
    let rows: Vec<&str> = diagram
        .arrows
        .iter()
        .flat_map(|arrow| arrow.entries.iter().map(|entry| entry.row.as_str()))
        .collect();
    assert_eq!(rows, ["22", "26"]);
}

/// An empty directory of a test.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("the last run's directory can be removed");
    }
    dir
}

#[test]
fn check_mode_writes_nothing_and_names_what_is_stale() {
    let (dir, origin) = (scratch("stale"), Origin::known("mend it"));
    let files = Files::from([("a.md".to_owned(), "a\n".to_owned())]);
    let said = put(&dir, &files, Mode::Check, &origin).expect_err("nothing is there").to_string();
    assert_eq!(said, format!("{} is stale\nto regenerate: mend it", dir.join("a.md").display()));
    assert!(!dir.exists(), "check mode made a directory");
    let changed = put(&dir, &files, Mode::Write, &origin).expect("it can be written");
    assert_eq!(changed.written, [dir.join("a.md")]);
    let changed = put(&dir, &files, Mode::Check, &origin).expect("it is fresh");
    assert_eq!((changed.written.len(), changed.removed.len()), (0, 0));
}

/// A page of a set that a source belongs to.
fn page(origin: &Origin, text: &str) -> String {
    format!("<!-- {} -->\n{text}\n", origin.header(0))
}

#[test]
fn only_what_the_same_tables_gave_before_is_removed() {
    let dir = scratch("removed");
    let of =
        |source: &str| Origin { command: "mend it".to_owned(), sources: vec![source.to_owned()] };
    let (ours, theirs) = (of("../a/gate.yaml"), of("../b/gate.yaml"));
    let old = Files::from([("old.md".to_owned(), page(&ours, "old"))]);
    put(&dir, &old, Mode::Write, &ours).expect("it can be written");
    fs::write(dir.join("other.md"), page(&theirs, "other")).expect("it can be written");
    fs::write(dir.join("known.md"), page(&Origin::known("mend it"), "known")).expect("it can");
    fs::write(dir.join("hand.md"), "by hand\n").expect("it can be written");
    let new = Files::from([("new.md".to_owned(), page(&ours, "new"))]);
    put(&dir, &new, Mode::Check, &ours).expect_err("old.md is left over");
    let changed = put(&dir, &new, Mode::Write, &ours).expect("it can be written");
    assert_eq!(changed.written, [dir.join("new.md")]);
    assert_eq!(changed.removed, [dir.join("old.md")]);
    for kept in ["other.md", "known.md", "hand.md", "new.md"] {
        assert!(dir.join(kept).exists(), "{kept}");
    }
}

#[test]
fn nothing_that_is_not_ours_is_written_over() {
    let dir = scratch("over");
    let b = dir.join("b.yaml");
    fs::create_dir_all(&dir).expect("it can be made");
    fs::write(&b, "another table\n").expect("it can be written");
    let of =
        |source: &str| Origin { command: "mend it".to_owned(), sources: vec![source.to_owned()] };
    let (ours, theirs) = (of("a.yaml"), of("b.yaml"));
    let files = Files::from([("gate.md".to_owned(), page(&ours, "ours"))]);
    let refused = |text: &str, because: &str| {
        fs::write(dir.join("gate.md"), text).expect("it can be written");
        let trouble = put(&dir, &files, Mode::Write, &ours).expect_err("it is in the way");
        assert!(trouble.to_string().contains(because), "{trouble}");
        assert_eq!(fs::read_to_string(dir.join("gate.md")).expect("it is there"), text);
    };
    refused("by hand\n", "was not written by `turnstile render`");
    refused(&page(&theirs, "theirs"), "is written from b.yaml, which is another table");
    // A missing file may go, and so may one that another command of ours wrote.
    fs::remove_file(&b).expect("it is ours");
    put(&dir, &files, Mode::Write, &ours).expect("its table is gone");
    let before = Origin { command: "mend it otherwise".to_owned(), ..ours.clone() };
    fs::write(dir.join("gate.md"), page(&before, "before")).expect("it can be written");
    put(&dir, &files, Mode::Write, &ours).expect("it is ours");
}

/// A table whose names mean something to Markdown, a path and a shell.
fn named(machine: &str) -> WrittenTable {
    let text = format!(
        "language: 1\nmachine: {machine:?}\nstates:\n  a: {{ initial: true }}\n  b: {{}}\n\
         events:\n  go: {{ kind: command }}\ntransitions:\n  - {{ from: a, to: b, event: go }}\n"
    );
    WrittenTable::read(Source::new("odd.yaml", text)).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn a_page_links_to_the_files_beside_it_whatever_the_name() {
    for machine in ["front door", "front-door", "Front_Door 2"] {
        let files = pages(&[named(machine)], &Format::ALL, &Origin::known("it")).expect("one");
        let stem = stem(machine);
        assert!(!stem.contains(' '), "{stem}");
        let page = &files[&format!("{stem}.md")];
        let links = page.split("](").skip(1).filter_map(|link| link.split(')').next());
        let expected = [format!("{stem}.svg"), format!("{stem}.matrix.txt")];
        assert_eq!(links.collect::<Vec<_>>(), expected, "{page}");
        assert!(expected.iter().all(|file| files.contains_key(file)), "{stem}");
        let table = named(machine);
        let alone = render(&Sheet::of(&table), Format::Markdown, "it");
        assert!(!alone.contains("]("), "{alone}");
    }
    let one_stem = [named("a b"), named("a-b")];
    let trouble = pages(&one_stem, &Format::ALL, &Origin::known("it")).expect_err("one stem");
    assert!(trouble.to_string().contains("both be written to a-b.*"), "{trouble}");
}
