//! Many requests: that wait for one byte, that are interrupted, and that are all of one file.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::thread::JoinHandleExt;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::pthread::pthread_kill;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use rustix::fs::{FlockOperation, flock};

use crate::Test;
use crate::locks::{Kind, description, lock, lock_open_file, open, try_lock};
use crate::support::{ClaimServer, Folder, Mounted, SOON, until};

pub(crate) const TESTS: &[Test] = &[
    ("a_thousand_wait_for_one_byte_in_turn", one_byte),
    ("a_signal_ends_a_wait", interrupted),
    ("no_lock_is_left_by_a_signal_that_comes_with_it", raced),
    ("a_hundred_thousand_locks_of_one_file", one_file),
    ("two_hundred_upgrades_wait_for_each_other", upgrades),
    ("two_mounts_that_had_shared_locks_get_exclusive_ones_in_turn", two_mounts),
    ("a_close_ends_no_wait_of_another_thread", closes),
    ("a_lock_is_not_released_with_the_open_file_before_it", reopened),
];

/// Locks the first byte for an open file, and waits for it.
fn lock_byte(file: impl AsFd, kind: Kind) -> Result<(), Errno> {
    lock_open_file(file, kind, 0, 1)
}

/// Starts a thread, and returns when it waits for a lock.
fn start_waiting<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let (started, starts) = mpsc::channel();
    let waiter = thread::Builder::new().stack_size(64 << 10).spawn(move || {
        started.send(nix::unistd::gettid()).expect("somebody waits for it");
        wait()
    });
    let thread = starts.recv().expect("it starts");
    until("it waits", || is_waiting(thread.as_raw()));
    waiter.expect("a thread")
}

/// How many wait.
const WAITERS: usize = 1000;

/// How far from its place one may be: requests that come at the same time are read by threads.
const OUT_OF_PLACE: usize = 8;

fn one_byte() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let first = open(&path);
    lock_byte(&first, Kind::Write).expect("nobody has it");
    let (served, order) = mpsc::channel();
    let waiters: Vec<_> = (0..WAITERS)
        .map(|n| {
            let (file, served) = (open(&path), served.clone());
            start_waiting(move || {
                lock_byte(&file, Kind::Write).expect("it is granted");
                served.send(n).expect("somebody counts");
                lock_byte(&file, Kind::Unlock).expect("it is released");
            })
        })
        .collect();
    lock_byte(&first, Kind::Unlock).expect("it is released");
    for waiter in waiters {
        waiter.join().expect("it is granted");
    }
    drop(served);
    let order: Vec<usize> = order.iter().collect();
    assert_eq!(order.len(), WAITERS);
    let worst = order.iter().enumerate().map(|(place, n)| place.abs_diff(*n)).max();
    assert!(worst.is_some_and(|worst| worst <= OUT_OF_PLACE), "{worst:?} places away");
}

/// Whether a thread of this process is in a call of `fcntl`.
fn is_waiting(thread: i32) -> bool {
    let call = std::fs::read_to_string(format!("/proc/self/task/{thread}/syscall"));
    let number = nix::libc::SYS_fcntl.to_string();
    call.is_ok_and(|call| call.split(' ').next() == Some(&number))
}

/// A signal that ends calls and does nothing else.
fn take_signals() {
    extern "C" fn nothing(_signal: i32) {}

    let action = SigAction::new(SigHandler::Handler(nothing), SaFlags::empty(), SigSet::empty());
    #[expect(unsafe_code, reason = "the handler does nothing")]
    // SAFETY: a handler that does nothing may be called at any time.
    unsafe { sigaction(Signal::SIGUSR1, &action) }.expect("the signal can be taken");
}

/// How often a wait is interrupted. `TURNSTILE_SIGNALS` sets another number.
fn signals() -> usize {
    let set = std::env::var("TURNSTILE_SIGNALS").ok();
    set.map_or(500, |set| set.parse().expect("TURNSTILE_SIGNALS is a number"))
}

/// The longest time from a signal to the end of the wait.
const INTERRUPTED: Duration = Duration::from_millis(50);

fn interrupted() {
    take_signals();
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let held = open(&path);
    lock_byte(&held, Kind::Write).expect("nobody has it");
    let mut took = Vec::new();
    for _ in 0..signals() {
        let file = open(&path);
        let waiter = start_waiting(move || (lock_byte(&file, Kind::Write), Instant::now()));
        let sent = Instant::now();
        pthread_kill(waiter.as_pthread_t(), Signal::SIGUSR1).expect("it is there");
        let (outcome, ended) = waiter.join().expect("it ends");
        assert_eq!(outcome, Err(Errno::EINTR));
        took.push(ended - sent);
    }
    took.sort_unstable();
    let median = took[took.len() / 2];
    let most = took[took.len() - 1];
    println!(
        "  a wait ends {median:.1?} after its signal, at most {most:.1?} ({} waits)",
        took.len()
    );
    // One wait may be late because the machine is.
    assert!(median < INTERRUPTED, "{median:?}");
}

fn raced() {
    take_signals();
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let held = open(&path);
    let mut granted = 0;
    for turn in 0..signals() {
        lock_byte(&held, Kind::Write).expect("nobody has it");
        let file = open(&path);
        let waiter = start_waiting(move || {
            let outcome = lock_byte(&file, Kind::Write);
            // What is granted is released by its close.
            drop(file);
            outcome
        });
        let signal = || {
            pthread_kill(waiter.as_pthread_t(), Signal::SIGUSR1).expect("it is there");
        };
        let release = || lock_byte(&held, Kind::Unlock).expect("it is released");
        // Both at about the same time: each is the first as often as the other.
        let [first, second]: [&(dyn Fn() + Sync); 2] =
            if turn % 2 == 0 { [&signal, &release] } else { [&release, &signal] };
        thread::scope(|scope| {
            scope.spawn(second);
            (0..turn % 11 * 200).for_each(|_| std::hint::spin_loop());
            first();
        });
        match waiter.join().expect("it ends") {
            Ok(()) => granted += 1,
            Err(error) => assert_eq!(error, Errno::EINTR),
        }
        until("nothing is left", || try_lock(&held, Kind::Write, 0, 1).is_ok());
        lock(&held, Kind::Unlock, 0, 1).expect("it is released");
    }
    println!("  {granted} of {} were granted before their signal", signals());
    assert!(granted > 0 && granted < signals(), "the signal comes at about the same time");
}

/// How many owners wait to make their shared lock an exclusive one.
const UPGRADES: usize = 200;

/// All have a shared lock, and all but the first want an exclusive one of some of its bytes, which
/// none gets while the others have theirs. It takes no longer than as many other requests.
fn upgrades() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let files: Vec<_> = (0..UPGRADES).map(|_| open(&path)).collect();
    for file in &files {
        lock_open_file(file, Kind::Read, 0, 10).expect("it is shared");
    }
    take_signals();
    let waiters: Vec<_> = files[1..]
        .iter()
        .map(|file| {
            let file = file.try_clone().expect("a descriptor");
            thread::spawn(move || lock_open_file(&file, Kind::Write, 0, 5))
        })
        .collect();
    let started = Instant::now();
    lock_open_file(&files[0], Kind::Unlock, 9, 1).expect("it is released");
    lock_open_file(&files[0], Kind::Unlock, 0, 0).expect("it is released");
    println!("  {UPGRADES} upgrades: two releases take {:.1?}", started.elapsed());
    assert!(started.elapsed() < SOON);
    for waiter in waiters {
        let thread = waiter.as_pthread_t();
        until("it is interrupted", || {
            // It may have ended already.
            let _sent = pthread_kill(thread, Signal::SIGUSR1);
            waiter.is_finished()
        });
        assert_eq!(waiter.join().expect("it ends"), Err(Errno::EINTR), "a deadlock is not found");
    }
}

/// Of each mount, somebody waits for the end of a shared lock, and nobody keeps one.
fn two_mounts() {
    take_turns(&[], 2);
    let server = ClaimServer::start();
    // A claim is of one mount, also for a shared lock.
    take_turns(&[&server.locks()], 1);
}

fn take_turns(arguments: &[&str], sharing: usize) {
    let backing = Folder::new();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, arguments));
    let files = || mounts.iter().map(|mount| open(&mount.join("file")));
    let shared: Vec<File> = files().take(sharing).collect();
    for file in &shared {
        lock_byte(file, Kind::Read).expect("it is shared");
    }
    let exclusive = |file: File| start_waiting(move || lock_byte(&file, Kind::Write));
    let waiters: Vec<_> = files().map(exclusive).collect();
    drop(shared);
    for waiter in waiters {
        assert_eq!(waiter.join().expect("it ends"), Ok(()));
    }
}

/// A process releases its locks of a file when it closes any descriptor of it. It goes on to wait.
fn closes() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let held = open(&path);
    lock_byte(&held, Kind::Write).expect("nobody has it");
    let file = open(&path);
    let waiter = start_waiting(move || lock(&file, Kind::Write, 0, 1));
    drop(open(&path));
    lock_byte(&held, Kind::Unlock).expect("it is released");
    assert_eq!(waiter.join().expect("it ends"), Ok(()));
}

/// How many locks one file has.
const LOCKS: i64 = 100_000;

fn one_file() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let held = open(&path);
    let started = Instant::now();
    for n in 0..LOCKS {
        try_lock(&held, Kind::Write, 2 * n, 1).expect("nobody has it");
    }
    let locked = started.elapsed();
    let other = open(&path);
    let between = |n| fcntl(&other, FcntlArg::F_OFD_SETLK(&description(Kind::Write, n, 1)));
    assert_eq!(between(LOCKS).err(), Some(Errno::EAGAIN), "each second byte is locked");
    between(LOCKS + 1).expect("each other byte is free");
    let started = Instant::now();
    lock(&held, Kind::Unlock, 1, 2 * LOCKS).expect("they are released");
    assert_eq!(between(0).err(), Some(Errno::EAGAIN), "the first one is kept");
    between(2 * LOCKS - 2).expect("the last one is not");
    println!("  {LOCKS} locks: {locked:.1?}; their release: {:.1?}", started.elapsed());
}

/// A file is opened, locked and closed, and opened and locked again. The kernel gives the second
/// open file the identity of the first one, of whose end it tells the mount in its own time.
fn reopened() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    let path = mount.join("file");
    let other = open(&path);
    let (mut lost, mut left) = (0, 0);
    for n in 0..REOPENED {
        let is_flock = n % 2 == 0;
        let lock = |file: &File, byte| match is_flock {
            true => flock(file, FlockOperation::NonBlockingLockExclusive).is_ok(),
            false => {
                let lock = description(Kind::Write, byte, 1);
                fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).is_ok()
            }
        };
        let locked = || {
            let file = open(&path);
            until("nobody else has it", || lock(&file, 0));
            file
        };
        drop(locked());
        let again = locked();
        lost += u32::from(lock(&other, 0));
        flock(&other, FlockOperation::Unlock).expect("it is open");
        fcntl(&other, FcntlArg::F_OFD_SETLK(&description(Kind::Unlock, 0, 0))).expect("likewise");
        drop(again);
        // Other bytes than those of the open file before.
        let elsewhere = open(&path);
        assert!(is_flock || lock(&elsewhere, 1), "nobody has byte 1");
        let late = Instant::now() + Duration::from_secs(2);
        while !lock(&other, 0) && Instant::now() < late {}
        left += u32::from(Instant::now() >= late);
        flock(&other, FlockOperation::Unlock).expect("it is open");
        fcntl(&other, FcntlArg::F_OFD_SETLK(&description(Kind::Unlock, 0, 0))).expect("likewise");
    }
    assert_eq!((lost, left), (0, 0), "locks that were lost, and left, of {REOPENED}");
}

/// How often.
const REOPENED: u32 = 4000;
