//! What goes wrong in a simulation, and when it is mended; and what must hold in the end. A seed
//! decides.

use std::time::Duration;

use turmoil::Sim;
use turnstile_group_lock::{GroupStatus, Member};
use turnstile_host::Rng;

use super::member::{Group, name};
use super::outcome::Event;
use super::run::{DISTURBED, END};

/// There is one disturbance in so many ticks.
const SELDOM: u64 = 120;
/// The members have had one view for so long before it counts: a round takes five seconds at most.
const SETTLED: Duration = Duration::from_secs(6);

/// Whether a member knows the addresses of all members of its view.
fn knows_its_view(status: &GroupStatus) -> bool {
    status.members.iter().all(|one| one.address.is_some())
}

/// Disturbs a simulation.
pub(crate) struct Trouble<'a, 'sim> {
    sim: &'a mut Sim<'sim>,
    seed: u64,
    rng: Rng,
    group: Group,
    mends: Vec<(Duration, Mend)>,
    /// Since when all members have one view.
    since: Option<Duration>,
}

/// What ends a disturbance.
enum Mend {
    /// The process of a member begins again.
    Bounce(u64),
    /// A pair of members that did not reach each other does.
    Repair(u64, u64),
    /// What was held between two members arrives.
    Release(u64, u64),
}

impl<'a, 'sim> Trouble<'a, 'sim> {
    pub(crate) fn new(sim: &'a mut Sim<'sim>, seed: u64, group: Group) -> Self {
        let rng = Rng::seeded(seed.rotate_left(31));
        Self { sim, seed, rng, group, mends: Vec::new(), since: None }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest.
    pub(crate) fn run(mut self) {
        loop {
            let now = self.sim.elapsed();
            self.mend(now);
            if now >= DISTURBED && self.mends.is_empty() && self.is_at_rest(now) {
                return;
            }
            if now < DISTURBED && self.rng.number().is_multiple_of(SELDOM) {
                self.disturb(now);
            }
            let stepped = self.sim.step();
            stepped.unwrap_or_else(|error| panic!("seed {}: no node fails: {error}", self.seed));
            let wrong = self.group.witness.wrong();
            assert!(wrong.is_none(), "seed {}: {wrong:?} at {now:?}", self.seed);
            let unknown = self.statuses().into_iter().find(|one| !knows_its_view(one));
            assert_eq!(unknown, None, "seed {}: all addresses are known, {now:?}", self.seed);
            assert!(now < END, "seed {}: all comes to rest: {:#?}", self.seed, self.statuses());
        }
    }

    fn statuses(&self) -> Vec<GroupStatus> {
        self.group.running.borrow().values().map(Member::status).collect()
    }

    /// Whether all members have one view, each user has had each lock since, and nobody holds one.
    fn is_at_rest(&mut self, now: Duration) -> bool {
        let statuses = self.statuses();
        let count = self.group.media.len();
        let is_whole = |one: &GroupStatus| {
            one.view.is_some() && one.members.len() == count && one.members == statuses[0].members
        };
        if statuses.len() != count || !statuses.iter().all(is_whole) {
            self.since = None;
            return false;
        }
        if now - *self.since.get_or_insert(now) < SETTLED {
            return false;
        }
        self.group.witness.calm_down();
        if self.group.witness.are_served(self.group.media.keys().copied()) {
            self.group.is_over.set(true);
        }
        self.group.is_over.get() && self.group.witness.are_free()
    }

    fn mend(&mut self, now: Duration) {
        let due: Vec<_> = self.mends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, mend) in due {
            match mend {
                Mend::Bounce(id) => {
                    if !self.sim.is_host_running(name(id)) {
                        self.sim.bounce(name(id));
                    }
                }
                Mend::Repair(one, other) => self.sim.repair(name(one), name(other)),
                Mend::Release(one, other) => self.sim.release(name(one), name(other)),
            }
        }
    }

    /// Lets a disturbance end after a time.
    fn later(&mut self, now: Duration, mend: Mend) {
        let after = self.rng.between(Duration::from_millis(50), Duration::from_secs(5));
        self.mends.push((now + after, mend));
    }

    fn disturb(&mut self, now: Duration) {
        let all: Vec<u64> = self.group.media.keys().copied().collect();
        let mut one_of = || all[usize::try_from(self.rng.number() % all.len() as u64).unwrap_or(0)];
        let (one, other) = (one_of(), one_of());
        match self.rng.number() % 8 {
            0..=2 => self.part(now, &all),
            3 if one != other => {
                self.note(Event::OneWay);
                self.sim.partition_oneway(name(one), name(other));
                self.later(now, Mend::Repair(one, other));
            }
            4 if one != other => {
                self.note(Event::Held);
                self.sim.hold(name(one), name(other));
                self.later(now, Mend::Release(one, other));
            }
            5 => {
                let coordinates = |one: &u64| {
                    let running = self.group.running.borrow();
                    let status = running.get(one).map(Member::status);
                    status.is_some_and(|status| {
                        status.coordinator().map(|first| first.number) == Some(status.member)
                    })
                };
                if let Some(first) = all.iter().copied().find(coordinates) {
                    self.note(Event::CoordinatorKilled);
                    self.kill(now, first);
                }
            }
            6 => {
                self.note(Event::MemberKilled);
                self.kill(now, one);
            }
            7 if self.rng.chance(0.3) => {
                self.note(Event::AllKilled);
                all.into_iter().for_each(|id| self.kill(now, id));
            }
            _ => {}
        }
    }

    fn note(&self, event: Event) {
        self.group.witness.note(event);
    }

    /// Parts the members in two.
    fn part(&mut self, now: Duration, all: &[u64]) {
        let (mut some, mut others) = (Vec::new(), Vec::new());
        for id in all {
            if self.rng.chance(0.5) { some.push(*id) } else { others.push(*id) }
        }
        if some.is_empty() || others.is_empty() {
            return;
        }
        self.note(Event::Parted);
        let after = self.rng.between(Duration::from_millis(50), Duration::from_secs(6));
        for one in some {
            for other in others.iter().copied() {
                self.sim.partition(name(one), name(other));
                self.mends.push((now + after, Mend::Repair(one, other)));
            }
        }
    }

    /// Ends the process of a member, with or without its machine.
    fn kill(&mut self, now: Duration, id: u64) {
        if !self.sim.is_host_running(name(id)) {
            return;
        }
        let medium = &self.group.media[&id];
        medium.kill();
        self.sim.crash(name(id));
        self.group.running.borrow_mut().remove(&id);
        self.group.witness.ended(id);
        let medium = &self.group.media[&id];
        if self.rng.chance(0.5) {
            medium.lose_power();
            self.group.witness.note(Event::PowerLost);
        }
        medium.revive();
        self.later(now, Mend::Bounce(id));
    }
}
