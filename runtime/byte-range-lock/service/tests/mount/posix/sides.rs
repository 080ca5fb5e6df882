//! The same actors twice: for a file of a tmpfs, whose locks are the kernel's, and of a mount.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::stat::{major, minor};

use crate::actor::Actor;
use crate::locks::open;
use crate::support::{Folder, Mounted, SOON};

/// A temporary file system of the kernel.
struct Tmpfs(Folder);

impl Tmpfs {
    fn mount() -> Self {
        let folder = Folder::new();
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "none"]).arg(&folder.0).status();
        assert!(mounted.expect("there is a program `mount`").success(), "a tmpfs is mounted");
        Self(folder)
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("-l").arg(&self.0.0).status();
    }
}

/// The actors of a file.
pub(crate) struct Side {
    path: PathBuf,
    pub(crate) actors: Vec<Actor>,
}

impl Side {
    fn start(path: PathBuf, actors: usize) -> Self {
        drop(open(&path));
        let actors = (0..actors).map(|_| Actor::start(&path)).collect();
        Self { path, actors }
    }

    /// Kills an actor, and starts another one in its place.
    pub(crate) fn replace(&mut self, actor: usize) -> Result<(), String> {
        if !self.actors[actor].kill() {
            return Err(format!("actor {actor} does not end within {SOON:?} of being killed"));
        }
        self.actors[actor] = Actor::start(&self.path);
        Ok(())
    }

    /// The actor of a process.
    pub(crate) fn actor_of(&self, process: &str) -> Option<usize> {
        self.actors.iter().position(|actor| actor.id().to_string() == process)
    }
}

/// A file of a mount, and its actors.
pub(crate) struct MountSide {
    pub(crate) side: Side,
    mounted: Mounted,
    _backing: Folder,
}

impl MountSide {
    pub(crate) fn start(actors: usize) -> Self {
        let backing = Folder::new();
        let mounted = Mounted::start(&backing.0, &[]);
        let side = Side::start(mounted.join("file"), actors);
        Self { side, mounted, _backing: backing }
    }

    /// Waits until an actor waits for a lock, and `rangefs` knows it. Fails if it is answered.
    pub(crate) fn expect_wait(&self, actor: usize) -> Result<(), String> {
        let actor = &self.side.actors[actor];
        let answer = soon("neither an answer nor a wait", || {
            // The call is seen first: its request is there before the actor sleeps.
            let waits = actor.is_in_lock_call() && self.is_idle();
            actor.answer_now().map(Some).or_else(|| waits.then_some(None))
        })?;
        answer.map_or(Ok(()), |answer| Err(format!("{answer}, and it should wait")))
    }

    /// Waits until `rangefs` has done all that it was told. The kernel tells it of the last close
    /// of an open file when the program has gone on already.
    pub(crate) fn settle(&self) -> Result<(), String> {
        soon("rangefs is not idle", || self.is_idle().then_some(()))
    }

    /// Whether all threads sleep, and none has run since it was first looked at. A request that
    /// another process makes wakes a thread before that process goes on.
    fn is_idle(&self) -> bool {
        let first = asleep(self.mounted.process.id());
        first.is_some() && first == asleep(self.mounted.process.id())
    }
}

/// The threads of a process with how often each has run, if all of them sleep.
fn asleep(process: u32) -> Option<Vec<String>> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let mut threads = Vec::new();
    for task in tasks {
        let path = task.ok()?.path();
        let status = fs::read_to_string(path.join("status")).ok()?;
        let is_asleep = status.lines().any(|line| line.starts_with("State:\tS"));
        if !is_asleep || fs::read_to_string(path.join("syscall")).ok()?.starts_with("running") {
            return None;
        }
        let switches = status.lines().filter(|line| line.contains("ctxt_switches"));
        threads.extend(switches.map(|line| format!("{} {line}", path.display())));
    }
    Some(threads)
}

/// The answers to calls that may have waited, with their actors.
pub(crate) type LateAnswers = Vec<(usize, String)>;

/// A file of a tmpfs, and its actors.
pub(crate) struct KernelSide {
    pub(crate) side: Side,
    /// The file, as `/proc/locks` names it.
    name: String,
    _tmpfs: Tmpfs,
}

impl KernelSide {
    pub(crate) fn start(actors: usize) -> Self {
        let tmpfs = Tmpfs::mount();
        let side = Side::start(tmpfs.0.join("file"), actors);
        let name = name(&side.path);
        Self { side, name, _tmpfs: tmpfs }
    }

    /// How many requests wait. One that is woken is not among them until it sleeps again.
    fn waiting(&self) -> usize {
        // In one call: between two of them, a lock may move in the list and be there twice.
        let mut text = vec![0; LIST_MAX];
        let list = File::open("/proc/locks").and_then(|mut list| list.read(&mut text));
        text.truncate(list.expect("the kernel lists its locks"));
        let locks = String::from_utf8_lossy(&text);
        locks.lines().filter(|line| line.contains("->") && line.contains(&self.name)).count()
    }

    /// The answers to calls that may wait, when all without one wait.
    pub(crate) fn settle(&self, mut waiting: Vec<usize>) -> Result<LateAnswers, String> {
        let mut answers = Vec::new();
        if waiting.is_empty() {
            return Ok(answers);
        }
        soon("neither an answer nor a wait", || {
            waiting.retain(|actor| {
                let answer = self.side.actors[*actor].answer_now();
                let waits = answer.is_none();
                answers.extend(answer.map(|answer| (*actor, answer)));
                waits
            });
            let mut actors = waiting.iter().map(|actor| &self.side.actors[*actor]);
            let all_wait = self.waiting() == waiting.len() && actors.all(Actor::is_in_lock_call);
            all_wait.then_some(())
        })?;
        Ok(answers)
    }
}

/// More bytes than the list of all locks has.
const LIST_MAX: usize = 1 << 16;

fn name(path: &Path) -> String {
    let file = fs::metadata(path).expect("it is there");
    format!(" {:02x}:{:02x}:{} ", major(file.dev()), minor(file.dev()), file.ino())
}

/// Waits until there is something.
fn soon<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> Result<T, String> {
    let late = Instant::now() + SOON;
    loop {
        if let Some(found) = find() {
            return Ok(found);
        }
        if Instant::now() > late {
            return Err(format!("{what} within {SOON:?}"));
        }
        thread::park_timeout(Duration::from_micros(50));
    }
}
