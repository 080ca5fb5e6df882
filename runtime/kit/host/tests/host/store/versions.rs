//! Files of another version of the format: the store refuses each, names it and both versions, and
//! leaves it as it is.

use super::power::open;
use super::tampering::in_use;
use turnstile_host::store::{Medium, Store as _};

const MAGIC: &[u8] = b"turnstl";
/// The distance of the slots of the manifest.
const SLOT_BYTES: usize = 4096;

#[track_caller]
fn check_refused(medium: &Medium, name: &str, version: u8) {
    let before = medium.files();
    let error = open(medium).expect_err("it is of another version").to_string();
    let words = format!(
        "disk: {name} has version {version}, and this program reads version 1: start the program \
         that wrote it"
    );
    assert!(error.starts_with(&words), "{error}");
    assert_eq!(medium.files(), before, "nothing is written");
}

#[test]
fn each_file_of_another_version_is_refused() {
    let (medium, store, _) = in_use();
    drop(store);
    let (mut slots, mut headers) = (0, 0);
    for (name, bytes) in medium.files() {
        let is_manifest = name == "manifest";
        let places = (0..bytes.len()).step_by(SLOT_BYTES).filter(|at| is_manifest || *at == 0);
        for at in places.filter(|at| bytes[*at..].starts_with(MAGIC)) {
            for version in [2, 255] {
                let (copy, mut changed) = (medium.copy(), bytes.clone());
                changed[at + MAGIC.len()] = version;
                copy.put(&name, Some(changed));
                check_refused(&copy, &name, version);
            }
            *if is_manifest { &mut slots } else { &mut headers } += 1;
        }
    }
    assert!(slots >= 3 && headers >= 3, "{slots} slots and {headers} headers");
}

/// The number of the current log.
fn current(medium: &Medium) -> u64 {
    let number = |name: &String| name.strip_suffix(".log")?.parse::<u64>().ok();
    medium.files().keys().filter_map(number).max().expect("there are logs")
}

/// A log that the manifest does not name counts as one whose creation was interrupted, unless a
/// program of another version has written it.
#[test]
fn the_next_log_of_another_version_is_refused() {
    let (medium, store, _) = in_use();
    drop(store);
    let last = current(&medium);
    let mut log = medium.files().remove(&format!("{last}.log")).expect("it is there");
    log[MAGIC.len()] = 2;
    let next = format!("{}.log", last + 1);
    medium.put(&next, Some(log));
    check_refused(&medium, &next, 2);
}

/// A crash may tear the first write of a slot or of a header before its version.
#[test]
fn what_is_torn_before_its_version_is_of_no_version() {
    let (medium, store, image) = in_use();
    drop(store);
    let mut manifest = medium.files().remove("manifest").expect("it is there");
    let note = 3 * SLOT_BYTES;
    manifest[note..note + MAGIC.len()].copy_from_slice(MAGIC);
    medium.put("manifest", Some(manifest));
    let next = format!("{}.log", current(&medium) + 1);
    medium.put(&next, Some([MAGIC, &[0; 100]].concat()));
    assert_eq!(open(&medium).expect("it opens").load().expect("loaded once"), image);
}
