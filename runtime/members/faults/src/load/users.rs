//! The load: users of every member that run commands under a few locks, and what they wrote down.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Scope, sleep};
use std::time::Duration;

use turnstile_host::Rng;

use crate::cluster::Cluster;
use crate::load::hold::{self, Hold};

/// The locks.
const LOCKS: [&str; 2] = ["a", "b"];
/// The users of each member.
const USERS: u64 = 2;
/// The maximum time for which a user waits for a lock, in seconds.
const TIMEOUT: f64 = 5.0;
/// The pause of a user that was refused.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest time of a command.
const HOLD: Duration = Duration::from_millis(60);
/// The exit statuses of a command under a lock: it ended, the member is down or refused it, the
/// time-out passed, the lock was lost.
const EXPECTED: [i32; 4] = [0, 69, 75, 76];

/// A lock through a member: the words before those of the command that runs under it.
#[derive(Clone, Debug)]
struct Access {
    member: u8,
    lock: &'static str,
    words: Vec<String>,
}

/// The users of one service, from its start on.
pub(crate) struct Users {
    accesses: Vec<Access>,
    folder: PathBuf,
    program: String,
    token: &'static str,
    is_over: AtomicBool,
    number: AtomicU64,
    holds: Mutex<Vec<Hold>>,
    unexpected: Mutex<Vec<String>>,
}

impl Users {
    /// Users of the members that are there now. Their records are in a folder.
    pub(crate) fn new(cluster: &Cluster, folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let members = cluster.members.keys();
        let pairs = members.flat_map(|member| LOCKS.map(|lock| (*member, lock)));
        let access = |(member, lock)| {
            let words = cluster.run_words(member, lock, TIMEOUT)?;
            Ok(Access { member, lock, words })
        };
        Ok(Self {
            accesses: pairs.map(access).collect::<io::Result<_>>()?,
            folder: folder.to_owned(),
            program: std::env::current_exe()?.display().to_string(),
            token: cluster.service.token_variable(),
            is_over: AtomicBool::new(false),
            number: AtomicU64::new(0),
            holds: Mutex::default(),
            unexpected: Mutex::default(),
        })
    }

    /// Starts threads that take the locks until [`Users::stop`].
    pub(crate) fn start<'a>(&'a self, scope: &'a Scope<'a, '_>, seed: u64) {
        for (index, pair) in self.accesses.chunks(LOCKS.len()).enumerate() {
            for user in 0..USERS {
                let rng = Rng::seeded(seed ^ (((index as u64) << 8) | user));
                scope.spawn(move || self.take_turns(pair, rng));
            }
        }
    }

    /// Ends the threads once their commands have ended.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// What they wrote down so far.
    pub(crate) fn holds(&self) -> Vec<Hold> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What must not happen to a user, whatever happens to the members.
    pub(crate) fn unexpected(&self) -> Vec<String> {
        self.unexpected.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take_turns(&self, accesses: &[Access], mut rng: Rng) {
        while !self.is_over.load(Ordering::Relaxed) {
            let chosen = &accesses[usize::from(rng.chance(0.5))];
            let lasts = rng.between(Duration::ZERO, HOLD);
            match self.take(chosen, lasts) {
                Ok(true) => {}
                Ok(false) => sleep(PAUSE),
                Err(error) => {
                    self.note(format!("a user of member {}: {error}", chosen.member));
                    sleep(PAUSE);
                }
            }
        }
    }

    /// Runs one command under a lock. Returns whether it had the lock.
    fn take(&self, access: &Access, lasts: Duration) -> io::Result<bool> {
        let record = self.folder.join(self.number.fetch_add(1, Ordering::Relaxed).to_string());
        let Some((program, words)) = access.words.split_first() else { return Ok(false) };
        let mut command = Command::new(program);
        command.args(words).args([&self.program, "hold", self.token]).arg(&record);
        command.arg(lasts.as_millis().to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        let output = command.stderr(Stdio::piped()).output()?;
        if !output.status.code().is_some_and(|status| EXPECTED.contains(&status)) {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!("{}: {}", output.status, text.trim())));
        }
        let Some((token, from, until)) = hold::read(&record) else { return Ok(false) };
        let (lock, member) = (access.lock.to_owned(), access.member);
        let hold = Hold { lock, token, member, from, until };
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).push(hold);
        std::fs::remove_file(record)?;
        Ok(true)
    }

    fn note(&self, text: String) {
        self.unexpected.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}
