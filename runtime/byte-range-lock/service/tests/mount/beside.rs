//! A mount beside the file system behind it: the same random calls by three users.
//!
//! Each sequence is made twice, in a folder of the file system and in one of a mount whose backing
//! directory is of the same file system. Each answer is the same, with its error; so is all that
//! the trees have in them after some calls: names, types, modes, owners, links, sizes, times that
//! were set, contents, links' targets, extended attributes; in the mount, and behind it. The users
//! are root and two others, one of whom is in a group of the other.
//!
//! With two mounts of one directory each call is of either, under the exclusive lock of its file if
//! the user may open it. There are no FIFOs then, which each mount has for itself.
//!
//! What is not compared is what differs, as the README says: `SEEK_HOLE` and `SEEK_DATA`, the
//! parts of `fallocate` that shift a file, files without a name (`O_TMPFILE`), and times of access.
//!
//! `TURNSTILE_SEEDS` is the number of sequences, 300 if it is not set; `TURNSTILE_SEED` runs one.

mod call;
mod generate;
mod path;
mod state;
mod user;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use turnstile_host::Rng;

use self::call::{FileCall, SLOTS};
use self::generate::{USERS, call, first, is_own_folder};
use self::user::User;
use crate::Test;
use crate::posix::generate::{below, pick};
use crate::posix::{report, seeds};
use crate::support::{ClaimServer, Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("files_are_used_as_on_the_file_system_behind", one_mount),
    ("files_are_used_by_claims_as_on_the_file_system_behind", one_mount_by_claims),
    ("files_are_used_by_two_mounts_as_on_the_file_system_behind", two_mounts),
    ("files_are_used_by_two_mounts_with_claims_as_behind", two_mounts_by_claims),
];

/// How many calls a sequence has.
const CALLS: usize = 60;

/// After how many calls the trees are compared.
const COMPARED: usize = 20;

fn one_mount() {
    Sides::start(&[&[]]).run("files_are_used_as");
}

fn one_mount_by_claims() {
    let server = ClaimServer::start();
    Sides::start(&[&[&server.locks()]]).run("files_are_used_by_claims");
}

fn two_mounts() {
    Sides::start(&[&[], &[]]).run("files_are_used_by_two_mounts_as");
}

fn two_mounts_by_claims() {
    let server = ClaimServer::start();
    let locks = &[server.locks()];
    let locks: Vec<&str> = locks.iter().map(String::as_str).collect();
    Sides::start(&[&locks, &locks]).run("files_are_used_by_two_mounts_with_claims");
}

/// The users of a folder.
struct Side {
    folder: PathBuf,
    users: Vec<User>,
}

impl Side {
    fn start(folder: PathBuf) -> Self {
        let groups: [&[u32]; 3] = [&[0], &[USERS[1]], &[USERS[2], USERS[1]]];
        let users = USERS.iter().zip(groups).map(|(user, groups)| User::start(*user, groups));
        Self { folder, users: users.collect() }
    }
}

/// The file system and the mounts.
struct Sides {
    plain: Side,
    mounts: Vec<Side>,
    folder: Folder,
    backing: Folder,
    _mounted: Vec<Mounted>,
}

impl Sides {
    fn start(arguments: &[&[&str]]) -> Self {
        let (folder, backing) = (Folder::open_to_all(), Folder::open_to_all());
        let mounted: Vec<_> =
            arguments.iter().map(|arguments| Mounted::start(&backing.0, arguments)).collect();
        let mounts = mounted.iter().map(|mounted| Side::start(mounted.path.clone())).collect();
        let plain = Side::start(folder.0.clone());
        Self { plain, mounts, folder, backing, _mounted: mounted }
    }

    fn run(&self, test: &str) {
        let (mut calls, mut errors) = (0, 0);
        let all = seeds();
        // Two mounts take more time.
        let part = (all.end - all.start).div_ceil(if self.mounts.len() == 1 { 1 } else { 3 });
        for seed in all.start..all.start + part {
            let mut log = Vec::new();
            let outcome = self.sequence(seed, &mut log);
            calls += log.len();
            errors += log.iter().filter(|line| is_error(line)).count();
            report(test, seed, outcome.map_err(|wrong| format!("{}\n{wrong}", log.join("\n"))));
        }
        println!("{calls} calls compared, {errors} of which failed");
    }

    fn sequence(&self, seed: u64, log: &mut Vec<String>) -> Result<(), String> {
        let (mut rng, name) = (Rng::seeded(seed), format!("sequence-{seed}"));
        let (own, behind) = (self.folder.join(&name), self.backing.join(&name));
        let mode = pick(&mut rng, &[0o777, 0o777, 0o1777, 0o2777, 0o755]);
        for folder in [&own, &behind] {
            fs::create_dir(folder).expect("a folder");
            fs::set_permissions(folder, Permissions::from_mode(mode)).expect("they are set");
        }
        for side in self.mounts.iter().chain([&self.plain]) {
            side.users.iter().for_each(|user| user.begin(&side.folder.join(&name)));
        }
        for (user, call) in first() {
            self.step(user, 0, &call, log)?;
        }
        for n in 1..=CALLS {
            let at = |end: usize, rng: &mut Rng| below(rng, end as u64) as usize;
            let (user, mount) = (at(USERS.len(), &mut rng), at(self.mounts.len(), &mut rng));
            let call = call(&mut rng);
            let is_of_one = call.path().is_some_and(is_own_folder) || call.makes_fifo();
            if self.mounts.len() == 1 || !is_of_one {
                self.step(user, mount, &call, log)?;
            }
            if n.is_multiple_of(COMPARED) {
                self.compare(&name, &behind)?;
            }
        }
        for side in self.mounts.iter().chain([&self.plain]) {
            side.users.iter().for_each(|user| user.begin(Path::new("/")));
        }
        for folder in [&own, &behind] {
            fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// A call of some user, in the file system and in a mount.
    fn step(
        &self,
        user: usize,
        mount: usize,
        call: &FileCall,
        log: &mut Vec<String>,
    ) -> Result<(), String> {
        let is_locked = self.mounts.len() > 1;
        let same = call.with_slots_from(mount * SLOTS);
        let expected = self.plain.users[user].make(&same, is_locked)?;
        log.push(format!("user {} of mount {mount}: {call:?}: {expected}", USERS[user]));
        if matches!(call, FileCall::Umask(_)) {
            for mount in &self.mounts {
                mount.users[user].make(call, false)?;
            }
            return Ok(());
        }
        let answer = self.mounts[mount].users[user].make(call, is_locked)?;
        if answer == expected { Ok(()) } else { Err(format!("the mount answers {answer}")) }
    }

    fn compare(&self, name: &str, behind: &Path) -> Result<(), String> {
        let expected = state::tree(&self.folder.join(name));
        let found = state::tree(behind);
        if found != expected {
            return Err(differ("behind the mount", &expected, &found));
        }
        for side in &self.mounts {
            let found = state::tree(&side.folder.join(name));
            if found != expected {
                return Err(differ("in the mount", &expected, &found));
            }
        }
        Ok(())
    }
}

/// Whether a line ends with the name of an error.
fn is_error(line: &str) -> bool {
    let (_, last) = line.rsplit_once(' ').unwrap_or_default();
    last.starts_with('E') && last.chars().all(|letter| letter.is_ascii_uppercase())
}

/// The lines that differ.
fn differ(place: &str, expected: &str, found: &str) -> String {
    let lines = |one: &str, other: &str| -> Vec<String> {
        one.lines().filter(|line| !other.lines().any(|o| o == *line)).map(str::to_owned).collect()
    };
    let (right, wrong) = (lines(expected, found), lines(found, expected));
    format!("{place}:\n{}\nand not\n{}", wrong.join("\n"), right.join("\n"))
}
