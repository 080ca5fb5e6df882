//! What a simulation of a cluster does to its members and asks of them: broken links, disks that
//! refuse, changes of the members, and their states in the end.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_host::store::{Faults, Medium};
use turnstile_raft::{Member, MemberChange, MemberError, Role, Status};

use crate::net::Net;

/// The name of a member's host, and its address for the others.
pub fn name(id: u64) -> String {
    format!("member-{id}")
}

/// How long a change of the members takes at most.
const CHANGE_MOST: Duration = Duration::from_secs(3);

/// Which links are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The leader is cut off from all others.
    Leader,
    /// A member is cut off from all others.
    Member,
    /// Two sides hear only the member between them.
    Bridge,
    /// A member is heard by others that it does not hear, or the other way round.
    OneWay,
    /// All that a member sends and receives is held.
    Held,
    /// Some of what a member sends and receives is late.
    Slow,
}

/// Breaks links, of this member or of the leader; `None` if it was to be a leader and none leads.
pub fn cut(net: &Net, rng: &mut Rng, id: u64, all: &[u64], leader: Option<u64>) -> Option<Cut> {
    match rng.number() % 7 {
        0 | 1 => {
            net.isolate(leader?, all.iter().copied());
            Some(Cut::Leader)
        }
        2 => {
            net.isolate(id, all.iter().copied());
            Some(Cut::Member)
        }
        3 => {
            let sides = all.iter().filter(|other| **other != id);
            let (left, right): (Vec<u64>, Vec<u64>) = sides.partition(|other| *other % 2 == 0);
            for (one, other) in left.iter().flat_map(|one| right.iter().map(move |r| (one, r))) {
                net.cut(*one, *other);
                net.cut(*other, *one);
            }
            Some(Cut::Bridge)
        }
        4 => {
            let is_deaf = rng.number().is_multiple_of(2);
            for other in all.iter().copied().filter(|other| *other != id) {
                let (from, to) = if is_deaf { (other, id) } else { (id, other) };
                net.cut(from, to);
            }
            Some(Cut::OneWay)
        }
        5 => {
            net.hold(id);
            Some(Cut::Held)
        }
        _ => {
            net.slow(id);
            Some(Cut::Slow)
        }
    }
}

/// The member that leads in the greatest term.
pub fn leader(statuses: impl Iterator<Item = Status>) -> Option<u64> {
    newest_leader(statuses).map(|status| status.id)
}

/// Its status.
pub fn newest_leader(statuses: impl Iterator<Item = Status>) -> Option<Status> {
    let leads = statuses.filter(|status| status.role == Role::Leader);
    leads.max_by_key(|status| status.term)
}

/// What a disk refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// It is full.
    Full,
    /// It syncs nothing.
    Syncs,
    /// It writes nothing.
    Writes,
}

/// The disk of a member refuses writes until it is mended.
pub fn spoil(medium: &Medium, rng: &mut Rng) -> Spoiled {
    let what = match rng.number() % 3 {
        0 => Spoiled::Full,
        1 => Spoiled::Syncs,
        _ => Spoiled::Writes,
    };
    medium.set_faults(Faults {
        is_full: what == Spoiled::Full,
        syncs: if what == Spoiled::Syncs { 2 } else { 0 },
        writes: if what == Spoiled::Writes { 2 } else { 0 },
        ..Faults::default()
    });
    what
}

/// The disk refuses nothing any more.
pub fn mend(medium: &Medium) {
    medium.set_faults(Faults::default());
    // A fuse that burns is out.
    if !medium.is_dead() {
        medium.revive();
    }
}

/// The members whose fuse has burnt down.
pub fn dead(media: &BTreeMap<u64, Medium>) -> Vec<u64> {
    media.iter().filter(|(_, medium)| medium.is_dead()).map(|(id, _)| *id).collect()
}

/// The process of a member ends, alone or with its machine.
pub fn end_process(sim: &mut Sim<'_>, medium: &Medium, id: u64, is_powerless: bool) {
    medium.kill();
    sim.crash(name(id));
    if is_powerless {
        medium.lose_power();
    }
    medium.revive();
}

/// A new member is added, and another removed.
pub fn replacement(new: u64, old: u64) -> Vec<MemberChange> {
    vec![MemberChange::Add { id: new, address: name(new) }, MemberChange::Remove { id: old }]
}

/// A member that has lost its disk is removed, and a new one added: together with the lost one more
/// of them would have to run.
pub fn replacement_of_lost(new: u64, lost: u64) -> Vec<MemberChange> {
    let mut changes = replacement(new, lost);
    changes.reverse();
    changes
}

/// Of three members that run, the leader and the others: the newest first, which they know least.
pub fn leader_and_newest(running: &[u64], leader: u64) -> Option<(u64, [u64; 2])> {
    let mut others: Vec<u64> = running.iter().copied().filter(|id| *id != leader).collect();
    others.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
    let others = others.try_into().ok()?;
    running.contains(&leader).then_some((leader, others))
}

/// The changes of the members that are to be made, the next one first.
pub type Changes = Rc<RefCell<Vec<MemberChange>>>;

/// Makes the changes that are to be made, if this member leads; tells of each.
pub async fn make_changes(
    member: Member,
    every: Duration,
    changes: Changes,
    tell: impl Fn(&MemberChange),
) {
    loop {
        sleep(every).await;
        let next = changes.borrow().first().cloned();
        let Some(change) = next.filter(|_| member.status().role == Role::Leader) else { continue };
        let made = timeout(CHANGE_MOST, member.change_members(&change)).await;
        let is_made = match (&change, made) {
            // It was made when the outcome was unknown.
            (MemberChange::Remove { id }, Ok(Err(MemberError::Membership { .. }))) => {
                !member.status().members.contains_key(id)
            }
            (_, made) => matches!(made, Ok(Ok(()))),
        };
        let mut changes = changes.borrow_mut();
        if is_made && changes.first() == Some(&change) {
            changes.remove(0);
            tell(&change);
        }
    }
}

/// The index of the last entry that a member has applied, and its state.
type LastState = (Option<u64>, Vec<u8>);

/// The state of each member, once nothing is written any more.
pub type States = Rc<RefCell<BTreeMap<u64, LastState>>>;

/// Tells the state of a member again and again, once nothing is written any more.
pub async fn tell_state(member: Member, every: Duration, is_over: Rc<Cell<bool>>, states: States) {
    loop {
        sleep(every).await;
        if is_over.get()
            && let Ok(backup) = member.backup().await
        {
            let status = member.status();
            let state = (status.snapshot_index, backup.state().to_vec());
            states.borrow_mut().insert(status.id, state);
        }
    }
}

/// Whether all these members have told their states at the same index: then they are equal.
pub fn have_equal_states(members: &[u64], states: &States, seed: u64) -> bool {
    let states = states.borrow();
    let mut states = members.iter().map(|id| states.get(id));
    let Some(Some((index, state))) = states.next() else { return false };
    states.all(|other| {
        let is_at_index = other.filter(|(at, _)| at == index);
        let is_equal = is_at_index.is_none_or(|(_, other)| other == state);
        assert!(is_equal, "seed {seed}: the members' states differ at {index:?}");
        is_at_index.is_some()
    })
}
