//! Real programs on mounts: what they keep with locks, and what they lose without.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::Test;
use crate::locks::{Kind, lock_open_file, open};
use crate::support::{ClaimServer, Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("sqlite_counts_right_on_one_mount", sqlite_on_one_mount),
    ("sqlite_counts_right_on_two_mounts_by_claims", sqlite_by_claims),
    ("sqlite_counts_right_on_two_local_mounts", sqlite_on_two_mounts),
    ("sqlite_in_its_other_modes_counts_right_on_one_mount", sqlite_with_a_log),
    ("tdb_keeps_all_keys", tdb),
    ("a_sum_under_a_lock_is_right", adds),
    ("programs_lose_data_without_locks", without_locks),
    ("stress_ng_locks_in_all_ways", stress),
    ("git_keeps_a_repository", git),
];

const PROCESSES: usize = 8;
const TRANSACTIONS: usize = 25;
const NO_LOCKS: &str = "--locks=off-for-tests";

/// Starts a program that reads these lines.
fn start(program: &str, arguments: &[&str], lines: &str) -> Child {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut input = child.stdin.take().expect("it has an input");
    // A program that has failed reads no more.
    let _written = input.write_all(lines.as_bytes());
    child
}

/// What a program says, or its errors.
fn said(child: Child) -> Result<String, String> {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&stderr).into_owned();
    if status.success() && errors.is_empty() {
        Ok(String::from_utf8_lossy(&stdout).trim().into())
    } else {
        Err(format!("{status}: {errors}"))
    }
}

/// Counts in a database, by several processes at once, each in one of the folders.
fn count(folders: &[&Path], mode: &str) -> Result<(), String> {
    let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.join("count.db")).collect();
    let path = |n: usize| paths[n % paths.len()].to_str().expect("it is text");
    let timeout = ["-bail", "-cmd", ".timeout 100000"];
    let made =
        format!("PRAGMA journal_mode={mode}; CREATE TABLE count(n); INSERT INTO count VALUES(0);");
    said(start("sqlite3", &[timeout[0], timeout[1], timeout[2], path(0)], &made))?;
    let transaction = "BEGIN IMMEDIATE; UPDATE count SET n = n + 1; COMMIT;\n";
    let all = transaction.repeat(TRANSACTIONS);
    let one = |n| start("sqlite3", &[timeout[0], timeout[1], timeout[2], path(n)], &all);
    let running: Vec<Child> = (0..PROCESSES).map(one).collect();
    let outcomes: Vec<_> = running.into_iter().map(said).collect();
    outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let check = "SELECT n FROM count; PRAGMA integrity_check;";
    let found = said(start("sqlite3", &[path(1)], check))?;
    let right = format!("{}\nok", PROCESSES * TRANSACTIONS);
    if found == right { Ok(()) } else { Err(format!("{found:?} and not {right:?}")) }
}

fn sqlite_on_one_mount() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    count(&[&mount.path], "delete").expect("each transaction counts");
}

fn sqlite_on_two_mounts() {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    count(&[&mounts[0].path, &mounts[1].path], "delete").expect("each transaction counts");
}

fn sqlite_by_claims() {
    let (backing, server) = (Folder::new(), ClaimServer::start());
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[&server.locks()]));
    count(&[&mounts[0].path, &mounts[1].path], "delete").expect("each transaction counts");
}

/// A log is read by shared memory, so it has one mount.
fn sqlite_with_a_log() {
    for mode in ["wal", "truncate", "persist"] {
        let backing = Folder::new();
        let mount = Mounted::start(&backing.0, &[]);
        count(&[&mount.path], mode).unwrap_or_else(|error| panic!("{mode}: {error}"));
    }
}

/// Inserts keys into a database of the kind that Samba has, which locks a chain of keys at a time.
fn insert(folder: &Path) -> Result<(), String> {
    let path = folder.join("keys.tdb");
    let path = path.to_str().expect("it is text");
    said(start("tdbtool", &[], &format!("create {path}\nquit\n")))?;
    let one = |n: usize| {
        let mut lines = format!("open {path}\n");
        for key in 0..KEYS {
            writeln!(lines, "insert key-{n}-{key} value-{key}").expect("text has room");
        }
        start("tdbtool", &[], &(lines + "quit\n"))
    };
    let running: Vec<Child> = (0..PROCESSES).map(one).collect();
    let outcomes: Vec<_> = running.into_iter().map(said).collect();
    outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let found = said(start("tdbtool", &[path], "check\nkeys\nquit\n"))?;
    let keys = found.matches("key-").count();
    let is_whole = found.contains("Database integrity is OK");
    let right = PROCESSES * KEYS;
    if is_whole && keys == right { Ok(()) } else { Err(format!("{keys} keys of {right}: {found}")) }
}

/// How many keys each process inserts.
const KEYS: usize = 200;

fn tdb() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    insert(&mount.path).expect("each key is kept");
}

/// Adds to a number in a file, by several open files at once, under the lock of its first byte.
fn add(folder: &Path) -> Result<(), String> {
    let path = folder.join("number");
    let adder = || {
        let file = open(&path);
        let set = |kind| lock_open_file(&file, kind, 0, 1);
        for _ in 0..ADDITIONS {
            set(Kind::Write).expect("it is granted");
            let mut number = [0; 8];
            // A new file is empty.
            let _length = file.read_at(&mut number, 0).expect("it is read");
            let sum = u64::from_le_bytes(number) + 1;
            file.write_all_at(&sum.to_le_bytes(), 0).expect("it is written");
            set(Kind::Unlock).expect("it is released");
        }
    };
    std::thread::scope(|scope| (0..PROCESSES).for_each(|_| drop(scope.spawn(adder))));
    let found = std::fs::read(&path).expect("it is there");
    let right = (PROCESSES * ADDITIONS) as u64;
    let sum = u64::from_le_bytes(found.try_into().expect("it has eight bytes"));
    if sum == right { Ok(()) } else { Err(format!("{sum} and not {right}")) }
}

/// How often each adds.
const ADDITIONS: usize = 250;

fn adds() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    add(&mount.path).expect("nothing is lost");
}

/// The tests above can fail: without locks they do.
fn without_locks() {
    let fails = |what: &str, run: &dyn Fn(&Path) -> Result<(), String>| {
        let failure = (0..TRIES).find_map(|_| {
            let backing = Folder::new();
            let mount = Mounted::start(&backing.0, &[NO_LOCKS]);
            run(&mount.path).err()
        });
        let failure = failure.unwrap_or_default();
        assert!(!failure.is_empty(), "{what} loses nothing, in {TRIES} times without locks");
        println!("  {what} without locks: {}", failure.lines().next().unwrap_or_default());
    };
    fails("sqlite", &|folder| count(&[folder], "delete"));
    fails("tdb", &insert);
    fails("the sum", &add);
}

/// How often a program may be lucky without locks.
const TRIES: usize = 10;

fn stress() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let folder = mount.path.to_str().expect("it is text");
    let ways = ["--locka", "2", "--lockf", "2", "--lockofd", "2", "--flock", "2"];
    let mut command = Command::new("stress-ng");
    command.args(ways).args(["--verify", "--timeout", "5", "--temp-path", folder]);
    let Output { status, stderr, .. } = command.output().expect("it runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
}

fn git() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let run = |folder: &str, line: &str| {
        let names = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        let mut command = Command::new("git");
        command.current_dir(mount.join(folder)).args(names).args(line.split(' '));
        let Output { status, stderr, .. } = command.output().expect("it runs");
        assert!(status.success(), "git {line}: {}", String::from_utf8_lossy(&stderr));
    };
    run("", "init -q origin");
    run("origin", "commit -q --allow-empty -m first");
    let each = |n: usize| {
        let copy = format!("copy-{n}");
        run("", &format!("clone -q origin {copy}"));
        for m in 0..5 {
            std::fs::write(mount.join(&copy).join(format!("file-{n}")), format!("{m}"))
                .expect("a file");
            run(&copy, "add .");
            run(&copy, &format!("commit -q -m change-{m}"));
        }
        run(&copy, &format!("push -q origin HEAD:refs/heads/branch-{n}"));
        run(&copy, "gc -q");
    };
    std::thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || each(n));
        }
    });
    run("origin", "fsck --strict");
    run("origin", "merge -q branch-0 branch-1 branch-2 branch-3");
    assert!((0..4).all(|n| mount.join(&format!("origin/file-{n}")).exists()));
}
