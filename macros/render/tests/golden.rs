//! Each table under `tests/tables` in each format, beside the text under `tests/golden`.
//!
//! `BLESS=1 cargo test -p turnstile-render --test golden` writes the texts anew; read the
//! difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use turnstile_render::docs::{Files, Mode, pages, put};
use turnstile_render::{Format, Sheet, draw, render};
use turnstile_spec::{Literal, Source};

const COMMAND: &str = "BLESS=1 cargo test -p turnstile-render --test golden";

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn table(path: &Path) -> Literal {
    let text = fs::read_to_string(path).expect("a listed file is there");
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    Literal::read(Source::new(name, text)).unwrap_or_else(|faults| panic!("{faults}"))
}

fn tables() -> Vec<Literal> {
    let entries = fs::read_dir(here("tables")).expect("the tables are there");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the tables can be listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| table(path)).collect()
}

#[test]
fn every_format_of_every_table_is_as_it_was() {
    let mode = if std::env::var_os("BLESS").is_some() { Mode::Write } else { Mode::Check };
    let files = pages(&tables(), &Format::ALL, COMMAND);
    if let Err(trouble) = put(&here("golden"), &files, mode, COMMAND) {
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
    let table = Literal::read(Source::new("odd.yaml", text)).unwrap_or_else(|f| panic!("{f}"));
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

#[test]
fn check_mode_writes_nothing_and_names_what_is_stale() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stale");
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("the last run's directory can be removed");
    }
    let mut files = Files::from([("a.md".to_owned(), "a\n".to_owned())]);
    let said = put(&dir, &files, Mode::Check, "mend it").expect_err("nothing is there").to_string();
    assert_eq!(said, format!("{} is stale\nto write it anew: mend it", dir.join("a.md").display()));
    assert!(!dir.exists(), "check mode made a directory");
    assert_eq!(put(&dir, &files, Mode::Write, "mend it").expect("it can be written").len(), 1);
    assert!(put(&dir, &files, Mode::Check, "mend it").expect("it is fresh").is_empty());
    let ours = "Written by `mend it`; an edit here is lost.\n";
    files.insert("b.md".to_owned(), ours.to_owned());
    put(&dir, &files, Mode::Write, "mend it").expect("it can be written");
    files.remove("b.md");
    put(&dir, &files, Mode::Check, "mend it").expect_err("b.md is left over");
    fs::write(dir.join("theirs.md"), "not ours\n").expect("it can be written");
    put(&dir, &files, Mode::Write, "mend it").expect("it can be written");
    assert!(!dir.join("b.md").exists() && dir.join("theirs.md").exists());
}
