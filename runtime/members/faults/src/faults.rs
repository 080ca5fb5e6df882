//! How the faults strike: each a running service under load, and it is over at its end.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use turnstile_host::Rng;

use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::losses;
use crate::schedule;
use crate::service::{HEARTBEAT, Start};

/// The packets that are lost, in a hundred.
const LOST: u8 = 20;

/// A lease, after which a member that is cut off has lost its locks: 28 heartbeats.
fn lease() -> Duration {
    Duration::from_secs_f64(28.0 * HEARTBEAT)
}

impl Fault {
    /// Strikes, and takes it back.
    pub(crate) fn strike(self, cluster: &mut Cluster, rng: &mut Rng) -> io::Result<()> {
        let leader = cluster.leader()?;
        let short = rng.between(Duration::from_millis(100), Duration::from_secs(2));
        let long = lease() + short;
        match self {
            Self::KillLeader => {
                cluster.kill(leader)?;
                sleep(short);
                cluster.start_member(leader, Start::Again, 0)
            }
            Self::KillAll => {
                let ids = cluster.ids();
                ids.iter().try_for_each(|id| cluster.kill(*id))?;
                sleep(short);
                ids.iter().try_for_each(|id| cluster.start_member(*id, Start::Again, 0))
            }
            Self::CutLeader
            | Self::Mute
            | Self::Deaf
            | Self::Bridge
            | Self::Halves
            | Self::OneWay => {
                let is_cut = self.directions(cluster, rng, leader);
                cut(cluster, long, is_cut)
            }
            Self::Loss => {
                let mut ids = cluster.members.keys();
                ids.try_for_each(|id| cluster.network.lose(*id, LOST))?;
                sleep(long);
                cluster.network.heal()
            }
            Self::PauseLeader => {
                cluster.signal(leader, Signal::STOP)?;
                sleep(long);
                cluster.signal(leader, Signal::CONT)
            }
            Self::FullDisk => {
                cluster.member(leader)?.disk.fill()?;
                cluster.await_unready(leader)?;
                sleep(short);
                cluster.member(leader)?.disk.free()
            }
            Self::TornLog => {
                let one = any(cluster, rng);
                cluster.kill(one)?;
                cluster.member(one)?.disk.tear()?;
                cluster.start_member(one, Start::Again, 0)
            }
            Self::Clock => [1, -1].into_iter().try_for_each(|hours| {
                let one = any(cluster, rng);
                set_clock(cluster, one, hours, short)
            }),
            Self::FlippedLog => replace_damaged(cluster, rng),
            Self::LostDisk => losses::lose_disk(cluster, short, long),
            Self::RolledBack => losses::roll_back(cluster, rng),
            Self::RollingRestart => restart_all(cluster),
            Self::Schedule => schedule::run(cluster, rng),
        }
    }

    /// From whom nothing reaches whom, if the fault is a cut.
    fn directions(
        self,
        cluster: &Cluster,
        rng: &mut Rng,
        leader: u8,
    ) -> Box<dyn Fn(u8, u8) -> bool> {
        let one = any(cluster, rng);
        match self {
            Self::CutLeader => Box::new(move |from, to| from == leader || to == leader),
            Self::Mute => Box::new(move |from, _| from == one),
            Self::Deaf => Box::new(move |_, to| to == one),
            Self::Bridge => {
                Box::new(move |from, to| ![from, to].contains(&one) && (from ^ to) & 1 == 1)
            }
            Self::Halves => {
                let middle = cluster.members.keys().copied().nth(cluster.members.len() / 2);
                let is_upper = move |id| Some(id) >= middle;
                Box::new(move |from, to| is_upper(from) != is_upper(to))
            }
            Self::OneWay => {
                let other = any_but(cluster, rng, leader);
                let one = if rng.chance(0.5) { (leader, other) } else { (other, leader) };
                Box::new(move |from, to| (from, to) == one)
            }
            Self::KillLeader
            | Self::KillAll
            | Self::Loss
            | Self::PauseLeader
            | Self::FullDisk
            | Self::TornLog
            | Self::Clock
            | Self::FlippedLog
            | Self::LostDisk
            | Self::RolledBack
            | Self::RollingRestart
            | Self::Schedule => Box::new(|_, _| false),
        }
    }
}

/// A member starts again with its clock so many hours ahead.
fn set_clock(cluster: &mut Cluster, one: u8, hours: i8, lasts: Duration) -> io::Result<()> {
    cluster.kill(one)?;
    cluster.start_member(one, Start::Again, hours)?;
    sleep(lasts);
    cluster.await_ready()
}

/// Each member ends, and starts again.
fn restart_all(cluster: &mut Cluster) -> io::Result<()> {
    cluster.ids().into_iter().try_for_each(|id| {
        cluster.stop(id)?;
        cluster.start_member(id, Start::Again, 0)?;
        cluster.await_ready()
    })
}

/// A member with a damaged log refuses to start, and another one takes its place.
fn replace_damaged(cluster: &mut Cluster, rng: &mut Rng) -> io::Result<()> {
    let one = any(cluster, rng);
    cluster.kill(one)?;
    cluster.member(one)?.disk.flip()?;
    cluster.start_member(one, Start::Again, 0)?;
    let status = cluster.await_end(one)?;
    if status.success() {
        return Err(io::Error::other(format!("member {one} ended well with a damaged log")));
    }
    let by = any_but(cluster, rng, one);
    losses::replace(cluster, one, by).map(|_| ())
}

/// Cuts some directions between the hosts for some time.
fn cut(cluster: &Cluster, lasts: Duration, is_cut: impl Fn(u8, u8) -> bool) -> io::Result<()> {
    for from in cluster.members.keys() {
        for to in cluster.members.keys().filter(|to| *to != from && is_cut(*from, **to)) {
            cluster.network.cut(*from, *to)?;
        }
    }
    sleep(lasts);
    cluster.network.heal()
}

/// One of the members.
fn any(cluster: &Cluster, rng: &mut Rng) -> u8 {
    any_but(cluster, rng, 0)
}

/// One of the other members.
fn any_but(cluster: &Cluster, rng: &mut Rng, one: u8) -> u8 {
    let ids: Vec<u8> = cluster.members.keys().copied().filter(|id| *id != one).collect();
    ids[(rng.number() % ids.len() as u64) as usize]
}
