//! A leader that loses its power with a tail of its log that one other member has, which is then
//! cut off: the members that are left have not heard of it.

use std::time::Duration;

use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_host::store::Faults;
use turnstile_raft::Role;

use super::{MEMBERS, World, kill, name};

/// Until the leader loses its power.
const MOST: Duration = Duration::from_millis(150);

pub(super) struct Tail {
    ends: Duration,
    leader: u64,
    /// The member that has the tail.
    other: u64,
}

impl Tail {
    /// The leader's disk syncs nothing from now on, and one member hears nothing.
    pub(super) fn begin(world: &World, now: Duration, rng: &mut Rng) -> Option<Self> {
        let leader = {
            let members = world.members.borrow();
            let mut statuses = members.values().map(|(member, _)| member.status());
            statuses.find(|status| status.role == Role::Leader)?.id
        };
        let first = leader % MEMBERS + 1;
        let second = first % MEMBERS + 1;
        let (other, deaf) =
            if rng.number().is_multiple_of(2) { (first, second) } else { (second, first) };
        world.net.isolate(deaf, 1..=MEMBERS);
        world.media[&leader].set_faults(Faults { syncs: 1, ..Faults::default() });
        Some(Self { ends: now + rng.between(Duration::ZERO, MOST), leader, other })
    }

    /// Returns whether it is over; then the leader is to be started again.
    pub(super) fn step(&self, sim: &mut Sim<'_>, world: &World) -> Option<u64> {
        if sim.elapsed() < self.ends {
            return None;
        }
        if sim.is_host_running(name(self.leader)) {
            kill(sim, world, self.leader, true);
        }
        world.media[&self.leader].set_faults(Faults::default());
        world.net.heal();
        world.net.isolate(self.other, 1..=MEMBERS);
        Some(self.leader)
    }
}
