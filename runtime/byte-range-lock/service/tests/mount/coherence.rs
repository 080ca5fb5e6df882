//! What is read under a lock: what the other mount has written under it, and nothing that others
//! have locked.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};

use crate::Test;
use crate::locks::{Kind, description, lock, open, try_lock};
use crate::shell::{Talk, as_user};
use crate::support::{ClaimServer, Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("two_mounts_by_claims_read_what_the_other_has_written", by_claims),
    ("two_local_mounts_read_what_the_other_has_written", local),
    ("a_reused_inode_number_has_its_lock", reused_number),
    ("a_file_that_others_make_and_remove_is_opened_or_made", made_and_removed),
    ("a_mandatory_mount_keeps_others_from_locked_bytes", mandatory),
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

/// Files are made, locked and removed in turn, so that each gets the number of the last one, whose
/// claim is still being released.
fn reused_number() {
    let (backing, server) = (Folder::new(), ClaimServer::start());
    let mount = Mounted::start(&backing.0, &[&server.locks()]);
    let (mut last, mut reused, mut refused) = (0, 0, 0);
    for _ in 0..REUSES {
        let path = mount.join("file");
        let file = open(&path);
        let number = file.metadata().expect("it is open").ino();
        reused += u32::from(number == last);
        last = number;
        refused += u32::from(try_lock(&file, Kind::Write, 0, 1).is_err());
        drop(file);
        fs::remove_file(&path).expect("it is removed");
    }
    assert!(reused > REUSES / 2, "{reused} numbers of {REUSES} are reused");
    assert_eq!(refused, 0, "locks of {REUSES} are refused");
}

/// How many files are made.
const REUSES: u32 = 1000;

/// Whoever opens a file and makes it if it is not there gets it, whatever other mounts do.
fn made_and_removed() {
    let backing = Folder::open_to_all();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    let line = "exec perl -e 'use Fcntl; my %errors;
        for (1..10000) {
            sysopen(my $file, \"x\", O_RDWR|O_CREAT, 0666) or $errors{$!}++;
            unlink(\"x\") if $_ % 2;
        }
        print join(\",\", %errors), \".\\n\"'";
    let programs = mounts.each_ref().map(|mount| Talk::start(&mut as_user(1, &mount.path, line)));
    let said = programs.map(|mut program| program.line());
    assert_eq!(said, [".", "."], "errors of both");
}

/// What one has locked, others may not read or write.
fn mandatory() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &["--mandatory"]);
    let [held, other] = [(); 2].map(|()| open(&mount.join("file")));
    held.write_all_at(b"0123456789", 0).expect("nobody locks it");
    let lock = |kind, start| {
        fcntl(&held, FcntlArg::F_OFD_SETLK(&description(kind, start, 2))).expect("it is granted")
    };
    lock(Kind::Write, 2);
    lock(Kind::Read, 6);
    let read = |file: &File, at| file.read_exact_at(&mut [0], at).map_err(|e| e.raw_os_error());
    let write = |file: &File, at| file.write_all_at(b"x", at).map_err(|e| e.raw_os_error());
    let refused = Err(Some(Errno::EAGAIN as i32));
    for at in 0..10 {
        let (is_exclusive, is_shared) = ((2..4).contains(&at), (6..8).contains(&at));
        assert_eq!(read(&other, at), if is_exclusive { refused } else { Ok(()) }, "byte {at}");
        let is_locked = is_exclusive || is_shared;
        assert_eq!(write(&other, at), if is_locked { refused } else { Ok(()) }, "byte {at}");
        assert_eq!(read(&held, at), Ok(()), "byte {at}");
        assert_eq!(write(&held, at), if is_shared { refused } else { Ok(()) }, "byte {at}");
    }
    let all = other.read_exact_at(&mut [0; 10], 0).map_err(|error| error.raw_os_error());
    assert_eq!(all, refused, "it has bytes that are locked");
    assert_eq!(other.set_len(0).map_err(|error| error.raw_os_error()), refused);
}
