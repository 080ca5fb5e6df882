//! Directories of version 2 of the data's format: they are upgraded, wherever that is interrupted.
//!
//! Frames are written here as that version wrote them, by code that is not the store's.

use turnstile_host::store::{Image, Key, Medium, Store as _};

use super::power::open;

/// CRC-32 (IEEE), bit by bit.
fn crc_32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { 0xEDB8_8320 ^ (sum >> 1) } else { sum >> 1 };
    let byte = |sum: u32, byte: &u8| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum));
    !bytes.iter().fold(!0, byte)
}

fn frame(sequence: u64, writes: &[(Key, &[u8])]) -> Vec<u8> {
    let mut entries = sequence.to_le_bytes().to_vec();
    for (key, value) in writes {
        let name = key.number().map_or(Vec::new(), |id| id.to_le_bytes().to_vec());
        entries.push(key.kind());
        entries.extend_from_slice(&(name.len() as u16).to_le_bytes());
        entries.extend_from_slice(&name);
        entries.extend_from_slice(&(value.len() as u32).to_le_bytes());
        entries.extend_from_slice(value);
    }
    let len = (entries.len() - 8) as u32;
    [&len.to_le_bytes()[..], &crc_32(&entries).to_le_bytes(), &entries].concat()
}

/// An image, a log that it stands for, and two behind it, the last of them torn.
fn directory() -> (Medium, Image) {
    let medium = Medium::new(2);
    let log = |frames: &[Vec<u8>], torn: usize| {
        let mut bytes = frames.concat();
        bytes.truncate(bytes.len() - torn);
        bytes.resize(1 << 14, 0);
        Some(bytes)
    };
    let (meta, first, second) = (Key::single(1), Key::numbered(2, 1), Key::numbered(2, 2));
    medium.put("lock", Some(Vec::new()));
    medium.put("2.log", log(&[frame(1, &[(first, b"stale")])], 0));
    medium.put("2.image", Some(frame(1, &[(meta, b"1"), (first, b"first"), (second, b"second")])));
    medium.put("3.log", log(&[frame(1, &[(meta, b"2")]), frame(2, &[(second, b"later")])], 0));
    let torn = frame(2, &[(meta, b"never answered")]);
    medium.put("4.log", log(&[frame(1, &[(meta, b"3")]), torn], 3));
    let held = [(meta, b"3".to_vec()), (first, b"first".to_vec()), (second, b"later".to_vec())];
    (medium, held.into_iter().collect())
}

fn load(medium: &Medium) -> std::io::Result<Image> {
    open(medium).and_then(|mut store| store.load())
}

#[test]
fn a_directory_of_version_2_is_upgraded_once() {
    let (medium, held) = directory();
    for _ in 0..3 {
        assert_eq!(load(&medium).expect("it is upgraded"), held);
        let old = ["2.log", "2.image", "3.log", "4.log"];
        assert!(old.iter().all(|name| !medium.files().contains_key(*name)));
    }
}

#[test]
fn an_upgrade_may_be_interrupted_anywhere() {
    let mut interrupted = 0;
    for power_is_lost in [false, true] {
        for operations in 0.. {
            let (medium, held) = directory();
            medium.light_fuse(operations);
            let done = load(&medium);
            let is_done = done.is_ok();
            if power_is_lost {
                medium.lose_power();
            }
            medium.revive();
            assert_eq!(load(&medium).expect("it is upgraded"), held, "after {operations}");
            if is_done && !medium.is_dead() {
                break;
            }
            interrupted += 1;
        }
    }
    assert!(interrupted > 40, "{interrupted}");
}

#[test]
fn a_damaged_directory_of_version_2_is_refused() {
    for name in ["2.image", "3.log"] {
        let (medium, _) = directory();
        let mut bytes = medium.files().remove(name).expect("it is there");
        bytes[20] ^= 1;
        medium.put(name, Some(bytes));
        let text = load(&medium).expect_err("it is damaged").to_string();
        assert!(text.contains(&format!("{name} is corrupt")), "{text}");
    }
    let (medium, _) = directory();
    medium.put("3.log", None);
    let text = load(&medium).expect_err("it is missing").to_string();
    assert!(text.contains("3.log is missing"), "{text}");
}

/// A file that happens to be called so is not a log whose frames are all torn.
#[test]
fn a_foreign_file_is_refused_and_stays_as_it_was() {
    let text = b"what somebody keeps in a file that is called 1.log".repeat(100);
    for (name, why) in
        [("1.log", "1.log is not a log of this store"), ("3.log", "1.log is missing")]
    {
        let medium = Medium::new(2);
        medium.put(name, Some(text.clone()));
        let refused = load(&medium).expect_err("it is no log").to_string();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(medium.files().get(name), Some(&text), "nobody's file is taken away");
    }
    // Nothing but room, as a server leaves it that was killed before its first commit.
    let medium = Medium::new(2);
    medium.put("1.log", Some(vec![0; 1 << 14]));
    assert_eq!(load(&medium).expect("it is empty"), Image::new());
}
