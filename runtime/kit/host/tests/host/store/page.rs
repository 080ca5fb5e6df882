//! The page `docs/store.md` is correct: its tables decode a directory to what the store reads.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;
use turnstile_host::store::{Image, Key, Store as _};

use super::power::open;
use super::tampering::in_use;

const PAGE: &str = include_str!("../../../docs/store.md");
/// What a removal adds to the kind of its key.
const REMOVED: u8 = 128;

/// The fields of a part of a file, by their names in the page.
type Fields<'a> = BTreeMap<&'static str, &'a [u8]>;

/// Takes the fields of the table under a heading from the front of the bytes.
fn take<'a>(heading: &str, rest: &mut &'a [u8]) -> Fields<'a> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(&format!("{heading}\n")));
    let rows = section.expect("the page has the heading").lines();
    let rows = rows.filter(|row| row.starts_with('|')).skip(2);
    let (mut fields, all) = (Fields::new(), rest.len());
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (at, bytes, field) = (cells[1], cells[2], cells[3]);
        let is_there = at.is_empty() || at.parse() == Ok(all - rest.len());
        assert!(is_there, "{heading}: {field} is at {}", all - rest.len());
        let size = bytes.parse().unwrap_or_else(|_| number(&fields, bytes) as usize);
        let (taken, left) = rest.split_at_checked(size).expect("the file has it");
        *rest = left;
        fields.insert(field, taken);
    }
    fields
}

/// The integer in a field.
fn number(fields: &Fields<'_>, name: &str) -> u64 {
    fields[name].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn position(fields: &Fields<'_>, chain: &str) -> (u64, u64) {
    (number(fields, "sequence"), number(fields, chain))
}

#[track_caller]
fn check_sum(fields: &Fields<'_>, key: &[u8], parts: &[&[u8]]) {
    let mut hasher = SipHasher13::new_with_key(key.try_into().expect("a key has 16 bytes"));
    parts.iter().for_each(|part| hasher.write(part));
    assert_eq!(number(fields, "checksum"), hasher.finish(), "{fields:?}");
}

#[track_caller]
fn check_begin(fields: &Fields<'_>) {
    assert_eq!(fields["magic"], b"turnstl");
    assert!(PAGE.contains(&format!("one version, **{}**", number(fields, "version"))));
}

/// Applies the entries of a frame.
fn apply(image: &mut Image, mut rest: &[u8]) {
    while let Some(kind) = rest.first() {
        let is_removal = *kind >= REMOVED;
        let fields = take(if is_removal { "Removal" } else { "Entry" }, &mut rest);
        let has_number = !fields["number"].is_empty();
        let kind = kind % REMOVED;
        let key = match has_number {
            true => Key::numbered(kind, number(&fields, "number")),
            false => Key::single(kind),
        };
        match is_removal {
            true => drop(image.remove(&key)),
            false => drop(image.insert(key, fields["value"].to_vec())),
        }
    }
}

/// Applies a log or an image; returns its header's position, and the one at its end.
fn apply_file(image: &mut Image, name: &str, bytes: &[u8]) -> [(u64, u64); 2] {
    let mut rest = bytes;
    let header = take("Header", &mut rest);
    let head = bytes.len() - rest.len();
    check_begin(&header);
    check_sum(&header, header["key"], &[&bytes[..head - 8]]);
    let (kind, length) = (number(&header, "kind"), number(&header, "length"));
    let expected = match kind {
        1 => ("log", 0),
        _ => ("image", bytes.len() as u64),
    };
    assert_eq!(name, format!("{}.{}", number(&header, "number"), expected.0));
    assert_eq!(length, expected.1, "{name}");
    let begin = position(&header, "chain");
    let mut last = begin;
    // What a log has behind its frames is zero.
    while rest.iter().any(|byte| *byte != 0) {
        let frame = take("Frame", &mut rest);
        let parts = ["sequence", "before", "entries"].map(|field| frame[field]);
        check_sum(&frame, header["key"], &parts);
        assert_eq!(position(&frame, "before"), (last.0 + 1, last.1), "{name}");
        apply(image, frame["entries"]);
        last = position(&frame, "checksum");
    }
    assert!(kind == 1 || rest.is_empty(), "{name}");
    [begin, last]
}

#[test]
fn the_page_decodes_a_directory() {
    let (medium, mut store, mut expected) = in_use();
    let mut batch = turnstile_host::store::Batch::default();
    batch.remove(&Key::single(1));
    expected.remove(&Key::single(1));
    store.write(&batch);
    store.sync().expect("the disk takes it");
    let (_, mut note) = store.note().expect("it has one");
    note.put([5, 6, 7]).expect("the disk takes it");
    drop(store);
    let files = medium.files();
    let (mut found, mut ends) = (Image::new(), Vec::new());
    let number_of = |name: &str| name.split_once('.').and_then(|(number, _)| number.parse().ok());
    let mut named: Vec<(u64, &String)> =
        files.keys().filter_map(|name| Some((number_of(name)?, name))).collect();
    // The image is before the log of the next number.
    named.sort();
    for (_, name) in &named {
        ends.push(apply_file(&mut found, name, &files[*name]));
    }
    assert!(named[0].1.ends_with(".image") && named.len() >= 3, "{named:?}");
    // An image has the position of its header, and a chain of its own.
    ends[0][1] = ends[0][0];
    assert!(ends.is_sorted_by(|one, next| one[1] == next[0]), "{ends:?}");
    assert_eq!(found, expected);

    let mut rest = files["manifest"].as_slice();
    let pages = take("Manifest", &mut rest);
    assert!(rest.is_empty());
    let slot = |page: &str| {
        let mut rest = pages[page];
        let fields = take("Slot", &mut rest);
        check_begin(&fields);
        let slot = &pages[page][..pages[page].len() - rest.len()];
        check_sum(&fields, &[0; 16], &[&slot[..slot.len() - 8]]);
        assert!(rest.iter().all(|byte| *byte == 0));
        ["log", "sequence", "chain", "closed"].map(|field| number(&fields, field))
    };
    let (current, [begin, end]) = (named[named.len() - 1].0, ends[ends.len() - 1]);
    let own = if current.is_multiple_of(2) { "begin of even" } else { "begin of odd" };
    assert_eq!(slot(own), [current, begin.0, begin.1, 0]);
    assert_eq!(slot("end"), [current, end.0, end.1, 1]);
    assert_eq!(slot("note"), [5, 6, 7, 0]);
    assert_eq!(open(&medium).expect("it opens").load().expect("loaded once"), expected);
}
