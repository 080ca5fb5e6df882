//! One fault, some times, against one service under load; and what must be true afterwards.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use turnstile_host::Rng;

use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::history::{longest_gap, violations, violations_in_parts};
use crate::load::claims::Claims;
use crate::load::hold;
use crate::load::users::Users;
use crate::place::Programs;
use crate::service::Service;
use crate::traces;

/// The members of parts that have one view again collect their locks for less than this, and a
/// command that was granted one before begins within it.
const SETTLED: Duration = Duration::from_secs(1);

/// How often, on how many members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) members: u8,
    pub(crate) times: u32,
    pub(crate) seed: u64,
}

/// The folder of a run, removed unless something failed.
pub(crate) struct Folder(PathBuf);

/// What the rounds of a fault were like.
#[derive(Default)]
struct Tally {
    /// The longest time without a grant, of each round.
    gaps: Vec<Duration>,
    /// The time from the end of the fault until all members were ready.
    recoveries: Vec<Duration>,
    grants: usize,
    answers: usize,
    last_claim: u64,
}

/// Strikes a group that begins for each round, and has no users: its fault is its end.
pub(crate) fn strike_anew(
    service: Service,
    programs: &Programs,
    fault: Fault,
    plan: Plan,
) -> io::Result<()> {
    let mut rng = Rng::seeded(plan.seed);
    for round in 1..=plan.times {
        let folder = Folder::new(&format!("{service:?}-{fault:?}-{round}"))?;
        let (programs, options) = (programs.clone(), service.quick());
        let started = Cluster::start(service, programs, plan.members, &folder.0, options);
        let struck = started.and_then(|mut cluster| {
            fault.strike(&mut cluster, &mut rng)?;
            cluster.end()
        });
        struck.map_err(|error| {
            let (seed, folder) = (plan.seed, folder.keep());
            io::Error::other(format!(
                "{service:?}, {fault:?}, round {round}, seed {seed}: {error}; the logs are in \
                 {folder}"
            ))
        })?;
    }
    println!("{service:?} {fault:?}: {} times", plan.times);
    Ok(())
}

/// Starts a service, strikes it, and checks what its users saw.
pub(crate) fn strike(
    service: Service,
    programs: &Programs,
    fault: Fault,
    plan: Plan,
) -> io::Result<()> {
    let folder = Folder::new(&format!("{service:?}-{fault:?}"))?;
    let mut rng = Rng::seeded(plan.seed);
    let mut tally = Tally::default();
    let mut cluster =
        Cluster::start(service, programs.clone(), plan.members, &folder.0, service.quick())?;
    for round in 1..=plan.times {
        if let Err(error) = one_round(&mut cluster, fault, &folder.0, &mut rng, &mut tally) {
            let (seed, folder) = (plan.seed, folder.keep());
            return Err(io::Error::other(format!(
                "{service:?}, {fault:?}, round {round}, seed {seed}: {error}; the logs are in \
                 {folder}"
            )));
        }
    }
    let ended = cluster.end().and_then(|()| traces::check(&cluster));
    let traced = ended.map_err(|error| {
        let (seed, folder) = (plan.seed, folder.keep());
        io::Error::other(format!("{service:?}, {fault:?}, seed {seed}: {error}; see {folder}"))
    })?;
    println!(
        "{service:?} {fault:?}: {} times, {} grants, {} answers about claims; longest time \
         without a grant: {}; all ready again after: {}",
        plan.times,
        tally.grants,
        tally.answers,
        median_and_most(tally.gaps),
        median_and_most(tally.recoveries),
    );
    if let Some(said) = traced {
        println!("  its traces: {said}");
    }
    Ok(())
}

/// Strikes once, and checks.
fn one_round(
    cluster: &mut Cluster,
    fault: Fault,
    folder: &Path,
    rng: &mut Rng,
    tally: &mut Tally,
) -> io::Result<()> {
    let users = Users::new(cluster, &folder.join("holds"))?;
    let claims = Claims::start(cluster, &folder.join("claims"), rng.number())?;
    let from = hold::now();
    let met = std::thread::scope(|scope| {
        users.start(scope, rng.number());
        let struck = await_grants(&users, 3)
            .and_then(|()| fault.strike(cluster, rng))
            .and_then(|()| {
                let repaired = Instant::now();
                cluster.await_ready()?;
                tally.recoveries.push(repaired.elapsed());
                Ok(())
            })
            .and_then(|()| {
                if cluster.service.grants_in_parts() {
                    std::thread::sleep(SETTLED);
                }
                let met = hold::now();
                await_grants(&users, users.holds().len() + 10).map(|()| met)
            });
        users.stop();
        struck
    })?;
    let until = hold::now();
    check(cluster, &users, met)?;
    tally.answers += claims.check(cluster, &mut tally.last_claim)?;
    cluster.members.keys().try_for_each(|id| cluster.grant(*id))?;
    let holds = users.holds();
    tally.gaps.push(Duration::from_nanos(longest_gap(&holds, from, until)));
    tally.grants += holds.len();
    Ok(())
}

fn median_and_most(mut all: Vec<Duration>) -> String {
    all.sort_unstable();
    let at = |place: usize| all.get(place).map_or(0.0, Duration::as_secs_f64);
    let (median, most) = (at(all.len() / 2), at(all.len().saturating_sub(1)));
    format!("median {median:.1} s, most {most:.1} s")
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
fn check(cluster: &mut Cluster, users: &Users, met: u64) -> io::Result<()> {
    let found = match cluster.service.grants_in_parts() {
        true => violations_in_parts(&users.holds(), met),
        false => violations(&users.holds()),
    };
    if let Some(first) = found.first() {
        return Err(io::Error::other(format!("{} violations, the first: {first:?}", found.len())));
    }
    let unexpected = users.unexpected().into_iter().chain(cluster.broken()?).next();
    unexpected.map_or(Ok(()), |first| Err(io::Error::other(first)))
}

impl Folder {
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let name = format!("turnstile-faults-{}-{name}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        std::fs::create_dir_all(&folder.0)?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

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
