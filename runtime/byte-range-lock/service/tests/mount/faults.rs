//! Mounts, holders and servers that are killed, stopped or gone.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::Signal;

use crate::Test;
use crate::locks::{Kind, lock, open, try_lock};
use crate::support::{ClaimServer, Folder, Mounted, SOON, until};

pub(crate) const TESTS: &[Test] = &[
    ("a_killed_mount_frees_its_locks_after_the_lease", killed_mount),
    ("a_killed_local_mount_frees_its_locks", killed_local_mount),
    ("a_killed_holder_frees_its_locks", killed_holder),
    ("a_mount_killed_while_it_drops_copies_ends", killed_while_dropping),
    ("a_stopped_mount_loses_its_locks", stopped_mount),
    ("a_stopped_mount_loses_its_locks_also_of_unchanged_files", stopped_mount_and_same_contents),
    ("a_stopped_mount_loses_locks_of_flock", stopped_mount_with_flock),
    ("a_server_that_is_back_in_time_costs_no_lock", server_back_in_time),
    ("a_server_that_is_gone_for_too_long_costs_the_locks", server_gone),
    ("a_request_survives_that_its_server_is_gone", server_gone_while_waiting),
    ("a_mount_in_use_is_unmounted", unmounted),
    ("a_mount_that_is_killed_is_unmounted", killed_and_unmounted),
    ("a_killed_mount_under_another_one_is_unmounted_after_it", killed_below),
    ("a_mount_where_another_one_was_stays", mounted_again),
    ("a_mount_inside_its_own_directory_is_not_entered", inside_itself),
];

/// The lease of mounts whose leases are to be over.
const LEASE: &str = "--lease=2";
const LEASE_TIME: Duration = Duration::from_secs(2);

/// Two mounts of a folder, by claims.
fn pair(server: &ClaimServer) -> (Folder, [Mounted; 2]) {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[&server.locks(), LEASE]));
    (backing, mounts)
}

fn read(file: &File) -> Result<String, Errno> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).map_err(errno)?;
    Ok(String::from_utf8_lossy(&text[..length]).into_owned())
}

fn write(file: &File, text: &str) -> Result<(), Errno> {
    file.write_all_at(text.as_bytes(), 0).map_err(errno)
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().expect("the system says so"))
}

fn killed_mount() {
    let server = ClaimServer::start();
    let (backing, mut mounts) = pair(&server);
    let held = open(&mounts[0].join("file"));
    lock(&held, Kind::Write, 0, 1).expect("nobody has it");
    write(&held, "before").expect("it is locked");
    let other = open(&mounts[1].join("file"));
    assert_eq!(try_lock(&other, Kind::Read, 0, 1), Err(Errno::EAGAIN));
    let waits = thread::spawn(move || {
        let started = Instant::now();
        lock(&other, Kind::Write, 0, 1).expect("it is granted");
        assert_eq!(read(&other).as_deref(), Ok("before"));
        started.elapsed()
    });
    mounts[0].process.kill().expect("it runs");
    mounts[0].process.wait().expect("it is gone");
    let waited = waits.join().expect("it is granted");
    assert!(waited < LEASE_TIME + SOON, "{waited:?}");
    assert_eq!(write(&held, "after"), Err(Errno::ENOTCONN));
    assert_eq!(fs::read_to_string(backing.join("file")).expect("it is there"), "before");
}

fn killed_local_mount() {
    let backing = Folder::new();
    let mut mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    let [held, other] = [0, 1].map(|n: usize| open(&mounts[n].join("file")));
    lock(&held, Kind::Write, 0, 1).expect("nobody has it");
    assert_eq!(try_lock(&other, Kind::Read, 5, 1), Err(Errno::EAGAIN));
    let waits = thread::spawn(move || lock(&other, Kind::Write, 0, 1));
    mounts[0].process.kill().expect("it runs");
    mounts[0].process.wait().expect("it is gone");
    assert_eq!(waits.join().expect("it ends"), Ok(()));
}

/// Whether anything is mounted at a folder.
fn is_mounted(folder: &Folder) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("it is there");
    mounts.contains(&format!(" {} ", folder.0.display()))
}

fn killed_and_unmounted() {
    let (backing, place) = (Folder::new(), Folder::new());
    let mut mount = Mounted::start_at(&backing.0, &place.0, &[]);
    assert!(is_mounted(&place));
    mount.process.kill().expect("it runs");
    until("it is unmounted", || !is_mounted(&place));
}

fn killed_below() {
    let (backing, place) = (Folder::new(), Folder::new());
    let mut below = Mounted::start_at(&backing.0, &place.0, &[]);
    let above = Mounted::start_at(&backing.0, &place.0, &[]);
    below.process.kill().expect("it runs");
    below.process.wait().expect("it is known");
    // It unmounts by the name what it finds there.
    std::mem::forget(below);
    fs::write(above.join("file"), "x").expect("it is what is seen");
    let mut unmount = Command::new("fusermount3");
    assert!(unmount.arg("-u").arg(&place.0).status().expect("it runs").success());
    until("both are unmounted", || !is_mounted(&place));
}

/// Each mount ends while the next one is there already.
fn mounted_again() {
    let (backing, place) = (Folder::new(), Folder::new());
    let mut mount = Mounted::start_at(&backing.0, &place.0, &[]);
    for turn in 0..30 {
        let mut unmount = Command::new("fusermount3");
        let status = unmount.arg("-u").arg(&place.0).status().expect("it runs");
        assert!(status.success(), "it is still mounted at turn {turn}");
        let next = Mounted::start_at(&backing.0, &place.0, &[]);
        let mut last = std::mem::replace(&mut mount, next);
        last.process.wait().expect("it is known");
        // It unmounts by the name what it finds there.
        std::mem::forget(last);
    }
}

/// How often a mount is killed under load.
const KILLS: usize = 8;

/// Copies are dropped all the time, since another mount writes, while threads read. A mount that is
/// killed then ends, and so do its programs.
fn killed_while_dropping() {
    let backing = Folder::new();
    fs::write(backing.join("file"), vec![7; 8 << 20]).expect("a file");
    let other = Mounted::start(&backing.0, &[]);
    for _ in 0..KILLS {
        let mut mount = Mounted::start(&backing.0, &[]);
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let of = if n == 7 { &other } else { &mount };
                let file = open(&of.join("file"));
                let is_killed = n < 7;
                thread::spawn(move || use_until_killed(&file, n, is_killed))
            })
            .collect();
        until("it is used", || fs::metadata(mount.join("file")).is_ok());
        thread::park_timeout(Duration::from_millis(200));
        mount.process.kill().expect("it runs");
        until("it ends", || mount.process.try_wait().expect("it is known").is_some());
        for thread in threads {
            thread.join().expect("its calls end");
        }
    }
}

/// Reads, or writes under a lock, until the mount is gone, or for some time.
fn use_until_killed(file: &File, n: u64, is_killed: bool) {
    let until = Instant::now() + Duration::from_secs(if is_killed { 60 } else { 1 });
    let mut data = vec![0; 1 << 20];
    for turn in 0.. {
        let outcome = if n < 5 {
            file.read_at(&mut data, (turn << 20) % (8 << 20)).map_err(errno).map(|_| ())
        } else {
            let written = lock(file, Kind::Write, 0, 1)
                .and_then(|()| file.write_at(&data[..8], turn % (8 << 20)).map_err(errno));
            written.and_then(|_| lock(file, Kind::Unlock, 0, 1))
        };
        if outcome.is_err() || Instant::now() > until {
            return;
        }
    }
}

/// A process that holds a lock of a database.
struct Holder {
    process: Child,
    _input: ChildStdin,
}

impl Holder {
    fn start(database: &std::path::Path) -> Self {
        let mut command = Command::new("sqlite3");
        command.arg("-bail").arg(database).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("sqlite3 starts");
        let mut input = process.stdin.take().expect("it reads");
        writeln!(input, "BEGIN EXCLUSIVE; SELECT 'held';").expect("it reads");
        let mut line = String::new();
        let output = process.stdout.take().expect("it writes");
        BufReader::new(output).read_line(&mut line).expect("it writes text");
        assert_eq!(line, "held\n");
        Self { process, _input: input }
    }
}

fn killed_holder() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let database = mount.join("held.db");
    let mut holder = Holder::start(&database);
    let tries = || {
        let mut command = Command::new("sqlite3");
        command.arg("-bail").arg(&database).arg("BEGIN EXCLUSIVE; CREATE TABLE t(x); COMMIT;");
        command.output().expect("sqlite3 runs").status.success()
    };
    assert!(!tries(), "the holder holds it");
    holder.process.kill().expect("it runs");
    holder.process.wait().expect("it is gone");
    assert!(tries(), "nobody holds it");
}

/// A lock is lost: each access is refused until it is released, and then nothing is left of it.
fn is_lost(held: &File) {
    assert_eq!(read(held), Err(Errno::EIO));
    assert_eq!(write(held, "stale"), Err(Errno::EIO));
    assert_eq!(held.set_len(0).map_err(errno), Err(Errno::EIO));
    assert_eq!(try_lock(held, Kind::Read, 100, 1), Err(Errno::EIO));
    assert_eq!(lock(held, Kind::Unlock, 0, 0), Err(Errno::EIO), "its owner gets to know");
    lock(held, Kind::Write, 0, 64).expect("it may be locked anew");
}

fn stopped_mount() {
    stopped(true);
}

fn stopped_mount_and_same_contents() {
    stopped(false);
}

/// A mount is stopped for longer than its lease, and another one has the file meanwhile.
fn stopped(is_written: bool) {
    let server = ClaimServer::start();
    let (_backing, mounts) = pair(&server);
    let [held, other] = [0, 1].map(|n: usize| open(&mounts[n].join("file")));
    lock(&held, Kind::Write, 0, 64).expect("nobody has it");
    write(&held, "first").expect("it is locked");
    // The kernel has a copy of it now.
    assert_eq!(read(&held).as_deref(), Ok("first"));
    assert_eq!(read(&held).as_deref(), Ok("first"));
    mounts[0].signal(Signal::SIGSTOP);
    lock(&other, Kind::Write, 0, 64).expect("the lease is over");
    if is_written {
        write(&other, "second").expect("it is locked");
    }
    lock(&other, Kind::Unlock, 0, 0).expect("it is released");
    mounts[0].signal(Signal::SIGCONT);
    is_lost(&held);
    assert_eq!(read(&held).as_deref(), Ok(if is_written { "second" } else { "first" }));
}

fn stopped_mount_with_flock() {
    let server = ClaimServer::start();
    let (_backing, mounts) = pair(&server);
    let [held, other] = [0, 1].map(|n: usize| open(&mounts[n].join("file")));
    write(&held, "first").expect("nobody locks it");
    let held = Flock::lock(held, FlockArg::LockExclusive).expect("nobody has it");
    mounts[0].signal(Signal::SIGSTOP);
    let other = Flock::lock(other, FlockArg::LockExclusive).expect("the lease is over");
    mounts[0].signal(Signal::SIGCONT);
    assert_eq!(write(&held, "stale"), Err(Errno::EIO));
    assert_eq!(read(&held), Err(Errno::EIO));
    assert_eq!(read(&other).as_deref(), Ok("first"));
    let (held, error) = held.unlock().expect_err("its owner gets to know");
    assert_eq!(error, Errno::EIO);
    // It is released all the same.
    assert!(held.unlock().is_ok());
}

fn server_back_in_time() {
    let mut server = ClaimServer::start();
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[&server.locks(), "--lease=20"]);
    let held = open(&mount.join("file"));
    lock(&held, Kind::Write, 0, 1).expect("nobody has it");
    let released = open(&mount.join("released"));
    lock(&released, Kind::Write, 0, 1).expect("nobody has it");
    server.end();
    write(&held, "meanwhile").expect("the lease is not over");
    lock(&released, Kind::Unlock, 0, 1).expect("it is released here");
    assert_eq!(try_lock(&released, Kind::Write, 0, 1), Err(Errno::EAGAIN), "not yet there");
    let free = open(&mount.join("free"));
    let started = Instant::now();
    assert_eq!(try_lock(&free, Kind::Write, 0, 1), Err(Errno::EAGAIN), "nobody grants it");
    assert!(started.elapsed() < SOON);
    server.resume();
    for file in [&free, &released] {
        until("the server grants locks", || try_lock(file, Kind::Write, 0, 1).is_ok());
    }
    assert_eq!(read(&held).as_deref(), Ok("meanwhile"));
    lock(&held, Kind::Unlock, 0, 0).expect("it was not lost");
}

fn server_gone() {
    let mut server = ClaimServer::start();
    let (_backing, mounts) = pair(&server);
    let held = open(&mounts[0].join("file"));
    lock(&held, Kind::Write, 0, 64).expect("nobody has it");
    write(&held, "first").expect("it is locked");
    server.end();
    until("the lock is lost", || write(&held, "first") == Err(Errno::EIO));
    server.resume();
    is_lost(&held);
}

fn server_gone_while_waiting() {
    let mut server = ClaimServer::start();
    let (_backing, mounts) = pair(&server);
    let [held, other] = [0, 1].map(|n: usize| open(&mounts[n].join("file")));
    lock(&held, Kind::Write, 0, 1).expect("nobody has it");
    let waits = thread::spawn(move || lock(&other, Kind::Write, 0, 1));
    server.end();
    server.resume();
    // It may have been lost with the server, which keeps leases and not what it has not saved.
    let _released = lock(&held, Kind::Unlock, 0, 0);
    assert_eq!(waits.join().expect("it ends"), Ok(()));
}

fn unmounted() {
    let backing = Folder::new();
    let mut mount = Mounted::start(&backing.0, &[]);
    let file = open(&mount.join("file"));
    lock(&file, Kind::Write, 0, 1).expect("nobody has it");
    let mut busy = Command::new("fusermount3");
    let busy = busy.arg("-u").arg(&mount.path).stderr(Stdio::null()).status().expect("it runs");
    assert!(!busy.success(), "it is in use");
    mount.signal(Signal::SIGTERM);
    until("it is taken away", || !mount.join("file").exists());
    write(&file, "still").expect("an open file is served for some seconds");
    assert_eq!(mount.process.wait().expect("it ends").code(), Some(1));
    assert_eq!(write(&file, "gone"), Err(Errno::ENOTCONN));
    assert_eq!(fs::read_to_string(backing.join("file")).expect("it is there"), "still");
}

fn inside_itself() {
    let backing = Folder::new();
    let inside = backing.join("inside");
    fs::create_dir(&inside).expect("a folder");
    let mount = Mounted::start_at(&backing.0, &inside, &[]);
    fs::write(mount.join("file"), "text").expect("it is written");
    let entered = fs::metadata(mount.join("inside"));
    assert_eq!(entered.map_err(errno).err(), Some(Errno::EXDEV));
    let mut names = fs::read_dir(&mount.path).expect("it is read").flatten();
    assert!(names.any(|name| name.file_name() == "file"));
}
