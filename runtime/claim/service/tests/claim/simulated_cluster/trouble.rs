//! What goes wrong in a simulation, and when it is mended; and what must hold in the end. A seed
//! decides.

use std::time::Duration;

use turmoil::Sim;
use turnstile_claim::client::Rng;
use turnstile_raft::{Member, MemberChange, Status};

use super::member::{Cluster, WALL_OFF_US};
use super::run::{DISTURBED, END, KEEPER, TENANT, TICK};
use crate::simulation::outcome::Event;
use crate::simulation::run::{CLIENTS, SLEPT, Seen};
use turnstile_members_simulation::cluster::{
    Cut, Spoiled, cut, dead, end_process, have_equal_states, leader, leader_and_newest, mend, name,
    newest_leader, replacement, replacement_of_lost, spoil,
};
use turnstile_members_simulation::loss::{Fate, LosingDisk, Loss, Part};

const HOUR_US: i64 = 3_600_000_000;

/// Disturbs a simulation.
pub(super) struct Trouble<'a, 'sim> {
    sim: &'a mut Sim<'sim>,
    seed: u64,
    rng: Rng,
    cluster: Cluster,
    world: Seen,
    mends: Vec<(Duration, Mend)>,
    /// The member that was removed: its process has ended.
    gone: Option<u64>,
    /// The last leader that was seen, and its term.
    led: Option<(u64, u64)>,
    /// Until then a leader hears nobody, and nothing else happens.
    deaf_until: Duration,
    /// A disk that is to be lost, once a member was replaced.
    loss: Option<Loss>,
    losing: Option<LosingDisk>,
    /// A disk was rolled back: the run ends by then, or when the loss is noticed.
    ends: Option<Duration>,
}

/// How long after its return the member that led may take to notice what is lost.
const NOTICED_MOST: Duration = Duration::from_secs(8);

/// What ends a disturbance.
#[derive(Clone)]
enum Mend {
    Bounce(String),
    /// A client and a member hear each other.
    Repair(&'static str, u64),
    /// The links between members.
    Net,
    /// The disk of a member.
    Disk(u64),
}

impl<'a, 'sim> Trouble<'a, 'sim> {
    pub(super) fn new(sim: &'a mut Sim<'sim>, seed: u64, cluster: &Cluster, world: &Seen) -> Self {
        let rng = Rng::seeded(seed.rotate_left(31));
        let (cluster, world) = (cluster.clone(), world.clone());
        Self {
            sim,
            seed,
            rng,
            cluster,
            world,
            mends: Vec::new(),
            gone: None,
            led: None,
            deaf_until: Duration::ZERO,
            loss: Loss::of_seed(seed),
            losing: None,
            ends: None,
        }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest.
    pub(super) fn run(mut self) {
        let replaced = Duration::from_millis(500 + self.rng.number() % 3_000);
        let mut replaces = self.seed % 4 == 1;
        loop {
            let now = self.sim.elapsed();
            self.mend(now);
            self.end_the_dead(now);
            self.end_the_removed();
            if replaces && now >= replaced {
                replaces = false;
                let (new, old) =
                    (self.cluster.first + 1, 1 + self.rng.number() % self.cluster.first);
                self.replace(replacement(new, old), new, old);
            }
            if !replaces && self.losing.is_none() {
                self.begin_loss(now);
            }
            if self.cluster.is_loss_noticed.get() {
                assert!(self.ends.is_some(), "seed {}: nothing was lost", self.seed);
                return self.cluster.tally.note(Event::LossNoticed);
            }
            if self.ends.is_some_and(|ends| now >= ends) {
                return;
            }
            let is_calm = self.loss.is_none() && self.losing.is_none() && self.mends.is_empty();
            assert!(now < END - 2 * TICK, "seed {}: all comes to rest", self.seed);
            if let Some(disk) = self.losing.take() {
                self.lose(disk, now);
            } else if now >= DISTURBED && is_calm && self.ends.is_none() && self.is_at_rest() {
                return;
            } else if now < DISTURBED && now >= self.deaf_until {
                self.deafen_the_new(now);
                if self.rng.number().is_multiple_of(60) {
                    self.disturb(now);
                }
            }
            let stepped = self.sim.step();
            stepped.unwrap_or_else(|error| panic!("seed {}: no node fails: {error}", self.seed));
        }
    }

    /// Whether each client has had its turn, everything that was written is found, and the members
    /// have equal states.
    fn is_at_rest(&mut self) -> bool {
        let cluster = &self.cluster;
        {
            let mut world = self.world.borrow_mut();
            world.is_calm = true;
            let has_turns = world.calm_turns.iter().all(|turns| *turns > 0);
            if !has_turns || !cluster.changes.borrow().is_empty() {
                return false;
            }
        }
        cluster.is_over.set(true);
        if self.sim.is_host_running(KEEPER) {
            return false;
        }
        let running: Vec<u64> = cluster.running.borrow().keys().copied().collect();
        running.len() as u64 == cluster.first
            && have_equal_states(&running, &cluster.states, self.seed)
    }

    fn mend(&mut self, now: Duration) {
        let due: Vec<_> = self.mends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, due) in due {
            match due {
                Mend::Bounce(host) => self.sim.bounce(host),
                Mend::Repair(client, member) => self.sim.repair(client, name(member)),
                // The end of that mends the others, too.
                Mend::Net if now < self.deaf_until => {}
                Mend::Net => self.cluster.net.heal(),
                Mend::Disk(id) => mend(&self.cluster.media[&id]),
            }
        }
    }

    /// The members whose fuse has burnt down end in the middle of a write.
    fn end_the_dead(&mut self, now: Duration) {
        for id in dead(&self.cluster.media) {
            self.cluster.tally.note(Event::MemberKilledInWrite);
            self.kill(now, id, false);
        }
    }

    /// The process of a member that was removed is stopped for good.
    fn end_the_removed(&mut self) {
        let Some(id) = self.gone else { return };
        if self.cluster.changes.borrow().is_empty() && self.sim.is_host_running(name(id)) {
            self.cluster.started.borrow_mut().remove(&id);
            self.cluster.running.borrow_mut().remove(&id);
            end_process(self.sim, &self.cluster.media[&id], id, false);
        }
    }

    /// A member is added under load, and another removed.
    fn replace(&mut self, changes: Vec<MemberChange>, new: u64, old: u64) {
        self.cluster.started.borrow_mut().insert(new);
        self.gone = Some(old);
        *self.cluster.changes.borrow_mut() = changes;
    }

    /// Begins to lose the disk of the new member, or of another, once it has replaced another.
    fn begin_loss(&mut self, now: Duration) {
        let Some(loss) = self.loss else { return };
        let running: Vec<u64> = self.cluster.running.borrow().keys().copied().collect();
        let Some((_, leader)) = self.newest_leader() else { return };
        let is_replaced = self.cluster.changes.borrow().is_empty();
        let members = leader_and_newest(&running, leader);
        let is_due = is_replaced && self.mends.is_empty() && now >= self.deaf_until;
        let Some(members) = members.filter(|_| is_due) else { return };
        let world = (&self.cluster.net, &self.cluster.media);
        self.losing = Some(LosingDisk::begin(world, members, loss, now, &mut self.rng));
    }

    fn lose(&mut self, mut disk: LosingDisk, now: Duration) {
        let cluster = self.cluster.clone();
        let part = disk.strike((&cluster.net, &cluster.media), now, |id, fate| match fate {
            Fate::Ends => self.end(id, false),
            Fate::Begins => self.sim.bounce(name(id)),
        });
        if part == Some(Part::Loss) {
            if disk.loss != Loss::Wiped {
                // What clients are told from now on may be wrong.
                CLIENTS.iter().chain(&[KEEPER, TENANT]).for_each(|one| self.sim.crash(*one));
            }
            self.cluster.tally.note(match disk.loss {
                Loss::Wiped => Event::DiskWiped,
                Loss::RolledBack => Event::DiskRolledBack,
                Loss::LedTwice => Event::LeaderRolledBack,
            });
        }
        if part != Some(Part::Over) {
            self.losing = Some(disk);
        } else if self.loss.take() == Some(Loss::Wiped) {
            let new = self.cluster.first + 2;
            self.replace(replacement_of_lost(new, disk.lost), new, disk.lost);
        } else {
            self.ends = Some(now + NOTICED_MOST);
        }
    }

    fn later(&mut self, now: Duration) -> Duration {
        now + Duration::from_millis(50 + self.rng.number() % 1_500)
    }

    fn disturb(&mut self, now: Duration) {
        let later = self.later(now);
        let started: Vec<u64> = self.cluster.started.borrow().iter().copied().collect();
        let id = started[self.rng.number() as usize % started.len()];
        let number = (self.rng.number() % CLIENTS.len() as u64) as usize;
        let client = CLIENTS[number];
        match self.rng.number() % 22 {
            0..4 => self.end_member(now, later, id),
            4 if self.sim.is_host_running(client) => {
                self.sim.crash(client);
                self.world.borrow_mut().waits[number] = false;
                self.cluster.tally.note(Event::ClientKilled);
                self.mends.push((later, Mend::Bounce(client.into())));
            }
            4 | 5 => {
                self.sim.partition(client, name(id));
                self.cluster.tally.note(Event::Partitioned);
                self.mends.push((later, Mend::Repair(client, id)));
            }
            6 => {
                for id in 1..=self.cluster.first {
                    self.sim.partition(client, name(id));
                    self.mends.push((later, Mend::Repair(client, id)));
                }
                self.cluster.tally.note(Event::ClientCutOff);
            }
            7..15 => {
                self.cut(id);
                self.mends.push((later, Mend::Net));
            }
            15..18 => self.spoil(later, id),
            18 => {
                let mut slept = SLEPT.get();
                slept[number] += Duration::from_millis(self.rng.number() % 1_000);
                SLEPT.set(slept);
                self.cluster.tally.note(Event::ClientSlept);
            }
            19 | 20 => self.deafen(now),
            _ => {
                let mut off = WALL_OFF_US.get();
                let choices = [-HOUR_US, HOUR_US, 24 * HOUR_US, 24_000 * HOUR_US, 0];
                off[id as usize - 1] = choices[(self.rng.number() % 5) as usize];
                WALL_OFF_US.set(off);
                self.cluster.tally.note(Event::WallClockSet);
            }
        }
    }

    /// A leader that begins its term may become deaf.
    fn deafen_the_new(&mut self, now: Duration) {
        let leads = self.newest_leader();
        if leads.is_some() && leads != self.led {
            self.led = leads;
            if self.rng.number().is_multiple_of(3) {
                self.deafen(now);
            }
        }
    }

    /// The leader hears nobody, for longer than leases last. The others hear it, and so elect no
    /// other one.
    fn deafen(&mut self, now: Duration) {
        let Some((_, id)) = self.newest_leader() else { return };
        for other in self.cluster.media.keys().filter(|other| **other != id) {
            self.cluster.net.cut(*other, id);
        }
        self.cluster.tally.note(Event::LeaderDeafened);
        self.deaf_until = now + Duration::from_millis(1_200 + self.rng.number() % 800);
        self.mends.push((self.deaf_until, Mend::Net));
    }

    /// The greatest term in which one leads, and that one. What it begins its term with may be on
    /// its way.
    fn newest_leader(&self) -> Option<(u64, u64)> {
        let has_begun = |status: &Status| status.applied_term == Some(status.term);
        let running = self.cluster.running.borrow();
        let newest = newest_leader(running.values().map(Member::status).filter(has_begun))?;
        Some((newest.term, newest.id))
    }

    /// Members do not hear each other.
    fn cut(&mut self, id: u64) {
        let all: Vec<u64> = self.cluster.media.keys().copied().collect();
        let leader = leader(self.cluster.running.borrow().values().map(Member::status));
        let Some(cut) = cut(&self.cluster.net, &mut self.rng, id, &all, leader) else { return };
        self.cluster.tally.note(match cut {
            Cut::Leader => Event::LeaderCutOff,
            Cut::Member => Event::MemberCutOff,
            Cut::Bridge => Event::Bridged,
            Cut::OneWay => Event::OneWay,
            Cut::Held => Event::Held,
            Cut::Slow => Event::Slowed,
        });
    }

    /// A member's process ends: at once, with its machine, or in mid-write.
    fn end_member(&mut self, now: Duration, later: Duration, id: u64) {
        if !self.cluster.running.borrow().contains_key(&id) {
            return;
        }
        match self.rng.number() % 3 {
            0 => self.kill(now, id, false),
            1 => self.kill(now, id, true),
            _ => {
                let medium = &self.cluster.media[&id];
                medium.light_fuse(self.rng.number() % 30);
                self.mends.push((later, Mend::Disk(id)));
            }
        }
    }

    fn end(&mut self, id: u64, is_powerless: bool) {
        self.cluster.running.borrow_mut().remove(&id);
        self.cluster.trace.note(format_args!("end of member {id}"));
        end_process(self.sim, &self.cluster.media[&id], id, is_powerless);
    }

    fn kill(&mut self, now: Duration, id: u64, is_powerless: bool) {
        self.end(id, is_powerless);
        self.cluster.tally.note(Event::MemberKilled);
        self.cluster.tally.add(Event::MemberPowerLost, u64::from(is_powerless));
        let later = self.later(now);
        self.mends.push((later, Mend::Bounce(name(id))));
    }

    /// The disk of a member refuses writes for a while.
    fn spoil(&mut self, until: Duration, id: u64) {
        self.cluster.tally.note(match spoil(&self.cluster.media[&id], &mut self.rng) {
            Spoiled::Full => Event::DiskFull,
            Spoiled::Syncs => Event::SyncsFail,
            Spoiled::Writes => Event::WritesFail,
        });
        self.mends.push((until, Mend::Disk(id)));
    }
}
