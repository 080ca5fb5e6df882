//! Files of a store that are cut, emptied, zeroed, damaged or taken away: what was answered is
//! there, or the directory is refused with a word on what is missing.

use turnstile_host::store::{Batch, Image, Key, Store as _};

use super::power::open;
use turnstile_host::store::Medium;

/// A directory with an image and logs, in use; and everything that was answered.
pub(super) fn in_use() -> (Medium, turnstile_host::store::LogStore, Image) {
    let medium = Medium::new(1);
    let mut image = Image::new();
    let mut token = 0_u64;
    // Of more than one life, so that there are several logs and an image.
    loop {
        let mut store = open(&medium).expect("it opens");
        store.load().expect("loaded once");
        for _ in 0..5 {
            token += 1;
            let mut batch = Batch::default();
            for (key, value) in [
                (Key::numbered(2, token % 9), vec![7; token as usize % 40]),
                (Key::single(1), token.to_le_bytes().to_vec()),
            ] {
                batch.put(&key, &value);
                image.insert(key, value);
            }
            store.write(&batch);
            store.sync().expect("the disk takes it");
        }
        let files = medium.files();
        let has_image = files.keys().any(|name| name.ends_with(".image"));
        if has_image && files.keys().filter(|name| name.ends_with(".log")).count() >= 3 {
            return (medium, store, image);
        }
    }
}

/// Refused with a word on it, or nothing is lost.
#[track_caller]
fn check(medium: &Medium, image: &Image, what: &str) -> bool {
    match open(medium) {
        Ok(mut store) => {
            assert_eq!(&store.load().expect("loaded once"), image, "{what}");
            false
        }
        Err(error) => {
            let text = error.to_string();
            let words =
                ["missing", "corrupt", "truncated", "older than", "another store", "version"];
            assert!(words.iter().any(|word| text.contains(word)), "{what}: {text}");
            assert!(text.contains("backup") || text.contains("version"), "{what}: {text}");
            true
        }
    }
}

fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

#[track_caller]
fn tamper(whole: &Medium, image: &Image) {
    assert!(!check(&whole.copy(), image, "as it is"));
    let mut refused = 0;
    for (name, bytes) in whole.files() {
        let with = |bytes: Option<Vec<u8>>, what: &str| {
            let copy = whole.copy();
            copy.put(&name, bytes);
            let is_refused = check(&copy, image, &format!("{name} {what}"));
            assert!(is_refused || name == "manifest" || what.starts_with("flip"), "{name} {what}");
            u64::from(is_refused)
        };
        let end = used(&bytes);
        refused += with(None, "removed");
        refused += with(Some(Vec::new()), "emptied");
        refused += with(Some(vec![0; bytes.len()]), "zeroed");
        for at in (0..end).step_by(3) {
            refused += with(Some(bytes[..at].to_vec()), &format!("cut at {at}"));
            let zeroed = [&bytes[..at], &vec![0; bytes.len() - at]].concat();
            refused += with(Some(zeroed), &format!("zeroed from {at}"));
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x20;
            refused += with(Some(flipped), &format!("flipped at {at}"));
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_directory_of_a_killed_server_that_was_tampered_with_is_refused_or_whole() {
    let (medium, _store, image) = in_use();
    tamper(&medium.copy(), &image);
}

#[test]
fn a_directory_that_was_closed_and_tampered_with_is_refused_or_whole() {
    let (medium, store, image) = in_use();
    drop(store);
    tamper(&medium, &image);
}

#[test]
fn files_of_another_directory_or_of_another_day_are_refused() {
    let (medium, store, image) = in_use();
    drop(store);
    let before = medium.files();
    let (other, store, _) = in_use();
    drop(store);
    for (name, bytes) in other.files() {
        let copy = medium.copy();
        copy.put(&name, Some(bytes));
        assert!(check(&copy, &image, &format!("{name} of another")), "{name}");
    }
    drop(open(&medium).expect("it opens"));
    let mut store = open(&medium).expect("it opens");
    let mut batch = Batch::default();
    batch.put(&Key::single(1), b"later");
    store.write(&batch);
    store.sync().expect("the disk takes it");
    drop(store);
    let copy = medium.copy();
    copy.put("manifest", before.get("manifest").cloned());
    assert!(check(&copy, &image, "an older manifest"));
}

/// A file that happens to be called so is not a log whose frames are all torn.
#[test]
fn a_log_without_a_manifest_is_refused_and_stays_as_it_was() {
    let text = b"what somebody keeps in a file that is called 1.log".repeat(100);
    for name in ["1.log", "3.log", "3.image"] {
        let medium = Medium::new(2);
        medium.put(name, Some(text.clone()));
        let refused = open(&medium).expect_err("it is no store").to_string();
        assert!(refused.contains("manifest is missing"), "{refused}");
        assert_eq!(medium.files().get(name), Some(&text), "nobody's file is taken away");
    }
}
