//! A member that loses its disk while the leader is away: the others that are left must not go on
//! with it, since they may lack what it has acknowledged.

use std::collections::BTreeSet;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, late};
use crate::service::{Change, Start};

/// Replaces one member by another, as one that is lost for good.
pub(crate) fn replace(cluster: &mut Cluster, lost: u8, by: u8) -> io::Result<u8> {
    cluster.remove_host(lost)?;
    cluster.change(by, Change::Remove(lost))?;
    let new = cluster.unused();
    cluster.add_host(new)?;
    cluster.start_member(new, Start::Join, 0)?;
    cluster.change(by, Change::Add(new))?;
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
