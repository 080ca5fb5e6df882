//! Appends of several mounts and programs: each lands whole, at the end.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::Test;
use crate::locks::open;
use crate::support::{ClaimServer, Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("appends_of_two_mounts_are_not_torn", of_two_mounts),
    ("appends_of_two_mounts_by_claims_are_not_torn", by_claims),
    ("large_appends_are_not_torn", large),
    ("a_mount_and_a_program_beside_it_append_to_one_file", beside),
    ("a_file_is_appended_to_as_long_as_its_flag_says", flag),
];

/// How many lines each writer appends.
const LINES: usize = 5000;

/// Appends records by two writers at once: each is a byte of its writer, so often, and a new line.
fn append(folders: [&Path; 2], lines: usize, length: usize) {
    let start = Barrier::new(2);
    let writer = |letter: u8, folder: &Path| {
        let mut line = vec![letter; length - 1];
        line.push(b'\n');
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).open(folder.join("log")).expect("a log");
        start.wait();
        for _ in 0..lines {
            assert_eq!(file.write(&line).expect("it is appended"), length);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| writer(b'a', folders[0]));
        scope.spawn(|| writer(b'b', folders[1]));
    });
    for folder in folders {
        let log = fs::read(folder.join("log")).expect("a log");
        assert_eq!(log.len(), 2 * lines * length, "nothing is overwritten");
        let torn = log.chunks(length).filter(|line| !is_whole(line)).count();
        assert_eq!(torn, 0, "torn lines of {}", 2 * lines);
    }
}

fn is_whole(line: &[u8]) -> bool {
    let Some((end, letters)) = line.split_last() else { return false };
    *end == b'\n' && letters.iter().all(|letter| *letter == letters[0])
}

fn of_two_mounts() {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    append([&mounts[0].path, &mounts[1].path], LINES, 9);
}

fn by_claims() {
    let (backing, server) = (Folder::new(), ClaimServer::start());
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[&server.locks()]));
    append([&mounts[0].path, &mounts[1].path], LINES, 9);
}

fn large() {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    append([&mounts[0].path, &mounts[1].path], 200, 128 << 10);
}

fn beside() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    append([&mount.path, &backing.0], LINES, 9);
}

/// The flag of an open file is set, and cleared, after it was opened.
fn flag() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let (path, behind) = (mount.join("file"), open(&backing.join("file")));
    let ways: [&dyn Fn() -> fs::File; 2] = [&|| open(&path), &|| {
        let mut options = OpenOptions::new();
        let append = i32::try_from(OFlags::APPEND.bits()).expect("it is small");
        options.read(true).write(true).custom_flags(append).open(&path).expect("it opens")
    }];
    for way in ways {
        behind.set_len(0).expect("it is emptied");
        let mut file = way();
        let set = |on: bool| {
            let flags = fcntl_getfl(&file).expect("it is open");
            let flags = if on { flags | OFlags::APPEND } else { flags - OFlags::APPEND };
            fcntl_setfl(&file, flags).expect("it is set");
        };
        set(true);
        behind.write_all_at(b"0123456789", 0).expect("it is written");
        (&file).write_all(b"end").expect("it is appended");
        set(false);
        file.write_all_at(b"X", 1).expect("it is written");
        set(true);
        behind.write_all_at(b"+", 13).expect("it is written");
        file.write_all(b"last").expect("it is appended");
        let expected = "0X23456789end+last";
        let found = fs::read_to_string(backing.join("file")).expect("it is read");
        assert_eq!(found, expected, "behind");
        let found = fs::read_to_string(&path).expect("it is read");
        assert_eq!(found, expected, "in the mount");
    }
}
