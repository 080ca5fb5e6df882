//! Two mounts of one directory: each reads under a lock what the other has written under it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::Test;
use crate::locks::{Kind, lock, open};
use crate::support::{ClaimServer, Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("two_mounts_by_claims_read_what_the_other_has_written", by_claims),
    ("two_local_mounts_read_what_the_other_has_written", local),
];

/// How often each writes.
const TIMES: u64 = 200;

fn by_claims() {
    let server = ClaimServer::start();
    take_turns(&[&server.locks()]);
}

fn local() {
    take_turns(&[]);
}

fn take_turns(arguments: &[&str]) {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, arguments));
    let files = [0, 1].map(|n: usize| open(&mounts[n].join("file")));
    for turn in 1..=TIMES {
        for file in &files {
            lock(file, Kind::Write, 10, 1).expect("it is granted");
            assert_eq!(number(file), turn_before(turn, file, &files), "turn {turn}");
            file.write_at(&next(turn, file, &files).to_le_bytes(), 0).expect("it is written");
            lock(file, Kind::Unlock, 10, 1).expect("it is released");
        }
    }
}

/// What a file has when this turn begins: each turn adds two.
fn turn_before(turn: u64, file: &File, files: &[File; 2]) -> u64 {
    next(turn, file, files) - 1
}

fn next(turn: u64, file: &File, files: &[File; 2]) -> u64 {
    2 * (turn - 1) + 1 + u64::from(std::ptr::eq(file, &raw const files[1]))
}

fn number(file: &File) -> u64 {
    let mut number = [0; 8];
    // A new file is empty.
    let _length = file.read_at(&mut number, 0).expect("it is read");
    u64::from_le_bytes(number)
}
