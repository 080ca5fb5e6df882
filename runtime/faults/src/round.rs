//! One fault, some times, against one service under load; and what must be true afterwards.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use turnstile_host::Rng;

use crate::cluster::{Cluster, PATIENCE};
use crate::faults::Fault;
use crate::history::{longest_gap, violations};
use crate::hold;
use crate::service::{Programs, Service};
use crate::users::Users;

/// How often, on how many members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) members: u8,
    pub(crate) times: u32,
    pub(crate) seed: u64,
}

/// The folder of a run, removed unless something failed.
struct Folder(PathBuf);

/// Starts a service, strikes it, and checks what its users saw.
pub(crate) fn strike(
    service: Service,
    programs: &Programs,
    fault: Fault,
    plan: Plan,
) -> io::Result<()> {
    let name = format!("turnstile-faults-{}-{service:?}-{fault:?}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    std::fs::create_dir_all(&folder.0)?;
    let mut rng = Rng::seeded(plan.seed);
    let mut gaps = Vec::new();
    let mut grants = 0;
    let mut cluster = Cluster::start(service, programs.clone(), plan.members, &folder.0)?;
    for _ in 0..plan.times {
        let users = Users::new(&cluster, &folder.0.join("holds"))?;
        let from = hold::now();
        let struck = std::thread::scope(|scope| {
            users.start(scope, rng.number());
            let struck = await_grants(&users, 3)
                .and_then(|()| fault.strike(&mut cluster, &mut rng))
                .and_then(|()| cluster.await_ready())
                .and_then(|()| await_grants(&users, users.holds().len() + 10));
            users.stop();
            struck
        });
        let holds = users.holds();
        let checked =
            struck.and_then(|()| check(&mut cluster, &users)).and_then(|()| every_member(&cluster));
        if let Err(error) = checked {
            let folder = folder.keep();
            let text = format!(
                "{service:?}, {fault:?}, seed {}: {error}; the logs are in {folder}",
                plan.seed
            );
            return Err(io::Error::other(text));
        }
        gaps.push(Duration::from_nanos(longest_gap(&holds, from, hold::now())));
        grants += holds.len();
    }
    gaps.sort_unstable();
    let (middle, most) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
    let (middle, most) = (middle.as_secs_f64(), most.as_secs_f64());
    println!(
        "{service:?} {fault:?}: {} times, {grants} grants; longest time without one: median \
         {middle:.1} s, most {most:.1} s",
        plan.times,
    );
    Ok(())
}

/// Waits until the users have had this many locks.
fn await_grants(users: &Users, grants: usize) -> io::Result<()> {
    let begun = Instant::now();
    while users.holds().len() < grants {
        crate::cluster::late(begun, || format!("only {} grants", users.holds().len()))?;
    }
    Ok(())
}

/// What the users of this round saw, and how the members are.
fn check(cluster: &mut Cluster, users: &Users) -> io::Result<()> {
    let found = violations(&users.holds());
    if let Some(first) = found.first() {
        return Err(io::Error::other(format!("{} violations, the first: {first:?}", found.len())));
    }
    let unexpected = users.unexpected().into_iter().chain(cluster.broken()?).next();
    unexpected.map_or(Ok(()), |first| Err(io::Error::other(first)))
}

/// Every member grants a lock.
fn every_member(cluster: &Cluster) -> io::Result<()> {
    for id in cluster.members.keys() {
        let words = cluster.run_words(*id, "a", PATIENCE.as_secs_f64())?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("true").stdin(Stdio::null());
        crate::tool::run(&mut command)?;
    }
    Ok(())
}

impl Folder {
    /// Leaves the folder there.
    fn keep(mut self) -> String {
        std::mem::take(&mut self.0).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.0 != Path::new("") {
            // The disks in it are unmounted already.
            let _removed = std::fs::remove_dir_all(&self.0);
        }
    }
}
