//! Members that lose what they have acknowledged. One loses its disk while the leader is away: the
//! others that are left must not go on with it, since they may lack what it has acknowledged. Or a
//! majority goes back to older directories: a member that knows better must say so.

use std::collections::BTreeSet;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use turnstile_host::Rng;

use crate::cluster::{Cluster, PATIENCE, late};
use crate::service::{MembershipChange, Start};

/// The grants that are lost.
const GRANTS: usize = 6;
/// What a member says that knows of lost changes.
const LOSS: &str = "acknowledged changes are lost";
/// How long all members are ready before it is believed that none says so.
const SILENCE: Duration = Duration::from_secs(5);

/// Replaces one member by another, as one that is lost for good.
pub(crate) fn replace(cluster: &mut Cluster, lost: u8, by: u8) -> io::Result<u8> {
    cluster.remove_host(lost)?;
    cluster.change(by, MembershipChange::Remove(lost))?;
    let new = cluster.unused();
    cluster.add_host(new)?;
    cluster.start_member(new, Start::Join, 0)?;
    cluster.change(by, MembershipChange::Add(new))?;
    Ok(new)
}

/// A new member acknowledges with the leader what the rest does not hear, and loses its disk.
pub(crate) fn lose_disk(cluster: &mut Cluster, short: Duration, long: Duration) -> io::Result<()> {
    let leader = cluster.leader()?;
    let replaced = cluster.ids().into_iter().find(|id| *id != leader);
    let replaced = replaced.ok_or_else(|| io::Error::other("the leader is alone"))?;
    cluster.kill(replaced)?;
    let lost = replace(cluster, replaced, leader)?;
    cluster.await_ready()?;
    let leader = cluster.leader()?;
    // The least majority with both of them goes on alone.
    let ids = cluster.ids();
    let others: Vec<u8> = ids.iter().copied().filter(|id| ![leader, lost].contains(id)).collect();
    let (ahead, behind) = others.split_at((ids.len() / 2 + 1).saturating_sub(2));
    behind.iter().try_for_each(|id| cluster.kill(*id))?;
    sleep(short);
    let ahead: BTreeSet<u8> = ahead.iter().copied().chain([leader]).collect();
    ahead.iter().chain([&lost]).try_for_each(|id| cluster.kill(*id))?;
    cluster.member(lost)?.disk.wipe()?;
    cluster.note(&format!("member {lost} has lost its disk"))?;
    behind.iter().try_for_each(|id| cluster.start_member(*id, Start::Again, 0))?;
    // As a unit does.
    cluster.start_member(lost, Start::Join, 0)?;
    // One that stands for election asks it, and it may be told; the others need not.
    let (refusal, begun) = (format!("member {lost} has lost its log"), Instant::now());
    let says =
        |id: &u8| std::fs::read_to_string(cluster.log(*id)).is_ok_and(|log| log.contains(&refusal));
    while !behind.iter().any(says) {
        late(begun, || format!("no member of {behind:?} says: {refusal}"))?;
    }
    sleep(long);
    let ready = cluster.ready();
    if !ready.is_empty() {
        let text = format!("members {ready:?} are ready by the vote of the lost disk of {lost}");
        return Err(io::Error::other(text));
    }
    cluster.kill(lost)?;
    ahead.iter().try_for_each(|id| cluster.start_member(*id, Start::Again, 0))?;
    cluster.await_ready()?;
    let by = cluster.leader()?;
    replace(cluster, lost, by).map(|_| ())
}

/// A majority goes back to the directories of a moment after which another member has acknowledged
/// grants, and acknowledges more of its own before that one starts.
pub(crate) fn roll_back(cluster: &mut Cluster, rng: &mut Rng) -> io::Result<()> {
    let ids = cluster.ids();
    let mut older = ids.clone();
    while older.len() > ids.len() / 2 + 1 {
        older.swap_remove((rng.number() % older.len() as u64) as usize);
    }
    let kept: Vec<u8> = ids.iter().copied().filter(|id| !older.contains(id)).collect();
    cluster.grant(ids[0])?;
    let runs = rng.number().is_multiple_of(4);
    cluster.note(&format!("{older:?} are copied, while they run: {runs}"))?;
    if runs {
        older.iter().try_for_each(|id| cluster.signal(*id, Signal::STOP))?;
        older.iter().try_for_each(|id| cluster.member(*id)?.disk.copy())?;
        older.iter().try_for_each(|id| cluster.signal(*id, Signal::CONT))?;
    } else {
        ids.iter().try_for_each(|id| cluster.stop(*id))?;
        older.iter().try_for_each(|id| cluster.member(*id)?.disk.copy())?;
        start(cluster, &older)?;
        start(cluster, &kept)?;
    }
    cluster.await_ready()?;
    let before = cluster.reign()?;
    (0..GRANTS).try_for_each(|_| cluster.grant(kept[0]))?;
    ids.iter().try_for_each(|id| cluster.kill(*id))?;
    older.iter().try_for_each(|id| cluster.member(*id)?.disk.go_back())?;
    start(cluster, &older)?;
    let after = cluster.reign()?;
    (0..2 * GRANTS).try_for_each(|_| cluster.grant(older[0]))?;
    let what = format!("{older:?} went back: leader and term {before:?}, and then {after:?}");
    cluster.note(&what)?;
    kept.iter().try_for_each(|id| cluster.start_member(*id, Start::Again, 0))?;
    await_loss(cluster).map_err(|error| io::Error::other(format!("{error}; {what}")))
}

/// Starts members with what they have, and waits until all that run are ready.
fn start(cluster: &mut Cluster, ids: &[u8]) -> io::Result<()> {
    ids.iter().try_for_each(|id| cluster.start_member(*id, Start::Again, 0))?;
    cluster.await_ready()
}

/// Waits until a member says that changes are lost, and is not ready; or nobody is ready at all.
fn await_loss(cluster: &Cluster) -> io::Result<()> {
    let (ids, begun) = (cluster.ids(), Instant::now());
    let mut in_silence = Instant::now();
    loop {
        let says = |id: &u8| {
            let log = std::fs::read_to_string(cluster.log(*id));
            log.is_ok_and(|log| log.contains(LOSS))
        };
        let ready = cluster.ready();
        if ids.iter().any(|id| says(id) && !ready.contains(id)) {
            return Ok(());
        }
        if ready != ids {
            in_silence = Instant::now();
        }
        if in_silence.elapsed() > SILENCE {
            return Err(io::Error::other(format!("all are ready, and nobody says: {LOSS}")));
        }
        if begun.elapsed() > PATIENCE && ready.is_empty() {
            return Ok(());
        }
        late(begun, || format!("members {ready:?} are ready, and nobody says: {LOSS}"))?;
    }
}
