//! The durable store on a real file system: what was synced comes back, whatever was cut off.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use turnstile_host::store::{
    Batch, Faults, Image, Key, LOG_MAX, LogStore, Medium, PreviousUse, Store as _,
};

/// A directory of this test's own, empty.
fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(name);
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    dir
}

fn put(store: &mut LogStore, id: u64, value: &[u8]) {
    let mut batch = Batch::default();
    batch.put(&Key::numbered(2, id), value);
    store.write(&batch);
    store.sync().expect("the disk takes it");
}

fn image(dir: &Path) -> Image {
    LogStore::open(dir).expect("the directory opens").load().expect("loaded once")
}

#[test]
fn what_was_synced_comes_back_after_any_number_of_starts() {
    let dir = dir("starts");
    for start in 0..20_u64 {
        let mut store = LogStore::open(&dir).expect("the directory opens");
        assert_eq!(store.load().expect("loaded once").len() as u64, start);
        put(&mut store, start, b"value");
    }
    let files = fs::read_dir(&dir).expect("the directory is there").count();
    assert!(files <= 12, "{files} files: logs are folded at a start");
}

#[test]
fn a_store_on_a_full_disk_is_read_and_takes_writes_once_there_is_room() {
    let medium = Medium::new(1);
    let open = || LogStore::open_on(Arc::new(medium.clone()), Path::new("full"), LOG_MAX);
    let full = Faults { is_full: true, ..Faults::default() };
    medium.set_faults(full);
    let error = open().expect_err("there is no store to read");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    medium.set_faults(Faults::default());
    put(&mut open().expect("it opens"), 1, b"first");
    for (id, lives) in [(2, 1), (3, 3)] {
        medium.set_faults(full);
        for _ in 0..lives {
            let mut store = open().expect("it opens");
            assert!(!store.takes_writes());
            assert_eq!(store.load().expect("loaded once").len() as u64, id - 1);
            store.sync().expect_err("there is no room");
        }
        let mut store = open().expect("it opens");
        let mut batch = Batch::default();
        batch.put(&Key::numbered(2, id), b"next");
        store.write(&batch);
        store.sync().expect_err("there is no room");
        medium.set_faults(Faults::default());
        store.sync().expect("there is room");
        assert!(store.takes_writes());
        drop(store);
        medium.lose_power();
        assert_eq!(open().expect("it opens").load().expect("loaded once").len() as u64, id);
    }
}

#[test]
fn a_full_disk_takes_writes_once_there_is_room_for_them_and_no_more() {
    let medium = Medium::new(1);
    let open = || LogStore::open_on(Arc::new(medium.clone()), Path::new("full"), LOG_MAX);
    let full = |room| Faults { is_full: true, room, ..Faults::default() };
    let mut store = open().expect("it opens");
    medium.set_faults(full(500_000));
    let value = vec![7; 64 << 10];
    let size = || medium.files().values().map(Vec::len).sum::<usize>();
    let (mut written, mut before) = (0, size());
    loop {
        let mut batch = Batch::default();
        batch.put(&Key::numbered(2, written), &value);
        store.write(&batch);
        written += 1;
        if store.sync().is_err() {
            break;
        }
        before = size();
    }
    assert_eq!(size(), before, "what is left is left to others");
    assert!(written > 23, "{written}: the rest of the disk is used, and not zeroed");
    let files = medium.files().len();
    for _ in 0..3 {
        medium.set_faults(full(20_000));
        store.sync().expect_err("there is no room for this write");
    }
    assert_eq!(medium.files().len(), files, "nothing is left of the attempts");
    medium.set_faults(full(80_000));
    store.sync().expect("there is room for it");
    drop(store);
    medium.lose_power();
    assert_eq!(open().expect("it opens").load().expect("loaded once").len() as u64, written);
}

#[test]
fn only_its_owner_can_read_a_new_store() {
    let dir = dir("modes");
    put(&mut LogStore::open(&dir).expect("the directory opens"), 1, b"a secret");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for file in fs::read_dir(&dir).expect("the directory is there") {
        let file = file.expect("a readable directory").path();
        let is_data = file.extension().is_some_and(|ending| ending == "log");
        assert!(!is_data || mode(&file) == 0o600, "{}: {:o}", file.display(), mode(&file));
    }
}

#[test]
fn a_start_says_whether_the_store_is_new_and_was_closed() {
    let dir = dir("previous");
    let open = || LogStore::open(&dir).expect("the directory opens");
    assert_eq!(open().previous_use(), PreviousUse::None);
    assert_eq!(open().previous_use(), PreviousUse::Closed);
    let mut store = open();
    put(&mut store, 1, b"value");
    let killed = dir.with_extension("killed");
    if killed.exists() {
        fs::remove_dir_all(&killed).expect("the directory is ours");
    }
    fs::create_dir_all(&killed).expect("the directory is ours");
    for file in fs::read_dir(&dir).expect("the directory is there") {
        let file = file.expect("the directory is there");
        fs::copy(file.path(), killed.join(file.file_name())).expect("the directory is ours");
    }
    let killed = LogStore::open(&killed).expect("the directory opens");
    assert_eq!(killed.previous_use(), PreviousUse::Interrupted);
}

#[test]
fn a_directory_of_others_is_refused_and_stays_as_it_is() {
    let dir = dir("foreign");
    fs::create_dir_all(dir.join("lost+found")).expect("the directory is ours");
    drop(LogStore::open(&dir).expect("a new file system"));
    let home = dir.join("home");
    fs::create_dir_all(&home).expect("the directory is ours");
    fs::write(home.join("notes.txt"), "").expect("the directory is ours");
    let error = LogStore::open(&home).expect_err("it has other files").to_string();
    assert!(error.contains("no store") && error.contains("\"notes.txt\""), "{error}");
    assert_eq!(fs::read_dir(&home).expect("it is there").count(), 1);
    drop(LogStore::open(&dir).expect("a store may have other files beside it"));
}

#[test]
fn a_log_is_folded_while_it_is_written_and_nothing_gets_lost() {
    let dir = dir("folded");
    let mut store = LogStore::open_with(&dir, 10_000).expect("the directory opens");
    let value = [7; 500];
    for id in 0..1_000 {
        put(&mut store, id % 100, &value);
    }
    drop(store);
    let logs = fs::read_dir(&dir).expect("the directory is there").count();
    assert!(logs < 40, "{logs} files: 50 logs were filled and most are folded");
    let image = image(&dir);
    assert_eq!(image.len(), 100);
    assert!(image.values().all(|held| held == &value));
}

/// An image of several frames, and logs that add to it, change it and take from it.
#[test]
fn what_is_held_is_told_once_and_in_the_order_of_keys() {
    let dir = dir("ordered");
    let mut expected = Image::new();
    for round in 0..12_u64 {
        let mut store = LogStore::open_with(&dir, 400_000).expect("the directory opens");
        let mut told = Vec::new();
        let each = &mut |key: &Key, value: &[u8]| {
            told.push((*key, value.to_vec()));
            Ok(())
        };
        store.read(each).expect("read once");
        assert!(told.is_sorted_by(|(before, _), (after, _)| before < after), "round {round}");
        let held: Image = told.into_iter().collect();
        assert!(held == expected, "round {round}: what was synced is told");
        assert!(store.read(&mut |_, _| Ok(())).is_err(), "a store is read once");
        for number in (round % 3..600).step_by(3) {
            let id = number * 7 % 600;
            let key = if id % 2 == 0 { Key::numbered(2, id) } else { Key::numbered(3, id) };
            let mut batch = Batch::default();
            if (id + round) % 4 == 0 {
                batch.remove(&key);
                expected.remove(&key);
            } else {
                let value = vec![round as u8; 6_000];
                batch.put(&key, &value);
                expected.insert(key, value);
            }
            batch.put(&Key::single(1), &[round as u8]);
            expected.insert(Key::single(1), vec![round as u8]);
            store.write(&batch);
            store.sync().expect("the disk takes it");
        }
    }
    let images = fs::read_dir(&dir).expect("the directory is there").filter(|entry| {
        let entry = entry.as_ref().expect("the directory can be read");
        let is_long = entry.metadata().expect("it is there").len() > 2 << 20;
        is_long && entry.path().extension().is_some_and(|kind| kind == "image")
    });
    assert_eq!(images.count(), 1, "there is an image of several frames");
}

#[test]
fn a_directory_is_open_to_one_server() {
    let dir = dir("locked");
    let _first = LogStore::open(&dir).expect("the directory opens");
    let second = LogStore::open(&dir).expect_err("it is in use");
    assert!(second.to_string().contains("in use by another process"), "{second}");
}

#[test]
fn a_damaged_image_is_refused() {
    let dir = dir("damaged");
    for _ in 0..12 {
        put(&mut LogStore::open(&dir).expect("the directory opens"), 1, b"value");
    }
    let image = fs::read_dir(&dir)
        .expect("the directory is there")
        .map(|entry| entry.expect("readable").path())
        .find(|path| path.extension().is_some_and(|kind| kind == "image"))
        .expect("twelve logs make an image");
    let mut bytes = fs::read(&image).expect("readable");
    *bytes.last_mut().expect("not empty") ^= 1;
    fs::write(&image, bytes).expect("writable");
    let error = LogStore::open(&dir).expect_err("it is damaged");
    assert!(error.to_string().contains("corrupt"), "{error}");
}

#[test]
fn a_log_that_is_damaged_before_its_end_or_missing_is_refused() {
    let dir = dir("gap");
    let mut store = LogStore::open(&dir).expect("the directory opens");
    (0..5).for_each(|id| put(&mut store, id, b"0123456789"));
    drop(store);
    let path = dir.join("1.log");
    let whole = fs::read(&path).expect("readable");
    let end = whole.iter().rposition(|byte| *byte != 0).expect("not empty") + 1;
    // The last frame may be torn; any other is damaged, wherever it is.
    let last = end - end / 5;
    for at in 0..last {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).expect("writable");
        let error = LogStore::open(&dir).expect_err("it is damaged");
        let text = error.to_string();
        assert!(text.contains("1.log is corrupt at byte") && text.contains("gap: "), "{text}");
    }
    fs::write(&path, &whole).expect("writable");
    assert_eq!(image(&dir).len(), 5);
    put(&mut LogStore::open(&dir).expect("the directory opens"), 5, b"value");
    fs::remove_file(dir.join("2.log")).expect("it is there");
    let error = LogStore::open(&dir).expect_err("it is missing");
    let text = error.to_string();
    assert!(text.contains("2.log is missing: ") && text.contains("backup"), "{text}");
}

#[test]
fn a_directory_that_is_moved_or_removed_takes_nothing_more() {
    type Remove = fn(&Path) -> std::io::Result<()>;
    let removes: [(&str, Remove); 4] = [
        ("removed", |dir| fs::remove_dir_all(dir)),
        ("moved", |dir| fs::rename(dir, dir.with_extension("elsewhere"))),
        ("unlocked", |dir| fs::remove_file(dir.join("lock"))),
        ("unlogged", |dir| fs::remove_file(dir.join("1.log"))),
    ];
    for (name, remove) in removes {
        let moved = dir(&format!("{name}.elsewhere"));
        let dir = dir(name);
        let mut store = LogStore::open(&dir).expect("the directory opens");
        put(&mut store, 1, b"value");
        remove(&dir).expect("the directory is ours");
        let mut batch = Batch::default();
        batch.put(&Key::numbered(2, 2), b"value");
        store.write(&batch);
        let error = store.sync().expect_err("it is not kept");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("moved or removed"), "{text}");
        assert!(!moved.exists() || name == "moved");
    }
}

/// A copy of a directory as it is while a server runs.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the directory is ours");
    for entry in fs::read_dir(from).expect("the directory is there") {
        let entry = entry.expect("readable");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("the directory is ours");
    }
}

fn used(path: &Path) -> Vec<u8> {
    let mut bytes = fs::read(path).expect("readable");
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    bytes
}

/// A client may know every byte of another store that was given the same, and say them.
#[test]
fn a_text_that_imitates_frames_does_not_make_a_torn_frame_look_damaged() {
    let (known, dir) = (dir("known"), dir("imitated"));
    let mut twin = LogStore::open(&known).expect("the directory opens");
    let mut store = LogStore::open(&dir).expect("the directory opens");
    for id in 0..6 {
        put(&mut twin, id, b"0123456789");
        put(&mut store, id, b"0123456789");
    }
    let torn = dir.with_extension("torn");
    if torn.exists() {
        fs::remove_dir_all(&torn).expect("the directory is ours");
    }
    copy(&dir, &torn);
    // Frames of the numbers that come next, whole, in the middle of a value.
    let mut text = used(&known.join("1.log"));
    for id in 6..30 {
        put(&mut twin, id, b"0123456789");
    }
    text = used(&known.join("1.log")).split_off(text.len());
    text.extend_from_slice(&[b'x'; 500]);
    put(&mut store, 7, &text);
    let mut bytes = used(&dir.join("1.log"));
    bytes.truncate(bytes.len() - 100);
    fs::write(torn.join("1.log"), bytes).expect("writable");
    assert_eq!(image(&torn).len(), 6, "what was answered, and the server starts");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a crash leaves of the last write, everything before it is there.
    #[test]
    fn a_torn_write_takes_nothing_else_with_it(
        whole in 1_u64..20, cut in 1_usize..60, noise in any::<[u8; 8]>(),
    ) {
        let dir = dir("torn");
        let mut store = LogStore::open(&dir).expect("the directory opens");
        for id in 0..whole {
            put(&mut store, id, b"0123456789");
        }
        drop(store);
        let path = dir.join("1.log");
        let mut bytes = fs::read(&path).expect("readable");
        let end = bytes.iter().rposition(|byte| *byte != 0).expect("not empty") + 1;
        // A second log's first bytes stand for a torn write behind the end.
        let torn: Vec<u8> = bytes[..end.min(cut)].iter().chain(&noise).copied().collect();
        bytes[end..end + torn.len()].copy_from_slice(&torn);
        fs::write(&path, &bytes).expect("writable");
        prop_assert_eq!(image(&dir).len() as u64, whole);
    }
}
