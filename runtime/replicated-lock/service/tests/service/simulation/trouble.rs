//! What goes wrong in a simulation, and when it is mended; and what must hold in the end. A seed
//! decides.

use std::time::Duration;

use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_raft::MemberChange;
use turnstile_replicated_lock::LockService;

use super::member::{Cluster, USERS};
use super::outcome::Event;
use super::run::{DISTURBED, END, TICK};
use super::witness::LOCKS;
use turnstile_members_simulation::cluster::{
    Cut, Spoiled, cut, dead, end_process, have_equal_states, leader, leader_and_newest, mend, name,
    replacement, replacement_of_lost, spoil,
};
use turnstile_members_simulation::loss::{Fate, LosingDisk, Loss, Part};

/// There is one disturbance in so many ticks.
const SELDOM: u64 = 110;

/// Disturbs a simulation.
pub(crate) struct Trouble<'a, 'sim> {
    sim: &'a mut Sim<'sim>,
    seed: u64,
    rng: Rng,
    cluster: Cluster,
    mends: Vec<(Duration, Mend)>,
    /// The member that is to be removed, and then the process.
    gone: Option<u64>,
    is_lined_up: bool,
    /// A disk that is to be lost, once a member was replaced.
    loss: Option<Loss>,
    losing: Option<LosingDisk>,
    /// Whether acknowledged locks may be lost, as long as a member notices it.
    is_rolled_back: bool,
}

/// What ends a disturbance.
#[derive(Clone, Copy)]
enum Mend {
    /// The process of a member begins again.
    Bounce(u64),
    /// The process of a member that was removed ends for good.
    End(u64),
    /// The links between members.
    Net,
    /// The disk of a member.
    Disk(u64),
}

impl<'a, 'sim> Trouble<'a, 'sim> {
    pub(crate) fn new(sim: &'a mut Sim<'sim>, seed: u64, cluster: &Cluster) -> Self {
        let (rng, cluster) = (Rng::seeded(seed.rotate_left(31)), cluster.clone());
        Self {
            sim,
            seed,
            rng,
            cluster,
            mends: Vec::new(),
            gone: None,
            is_lined_up: false,
            loss: Loss::of_seed(seed),
            losing: None,
            is_rolled_back: false,
        }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest.
    pub(crate) fn run(mut self) {
        let replaced = Duration::from_millis(500 + self.rng.number() % 5_000);
        let mut replaces = self.seed % 4 == 1;
        loop {
            let now = self.sim.elapsed();
            self.mend(now);
            self.end_the_dead(now);
            self.part(now);
            if replaces && now >= replaced {
                replaces = false;
                let old = 1 + self.rng.number() % self.cluster.first;
                let new = self.cluster.first + 1;
                self.replace(replacement(new, old), new, old);
            }
            if !replaces && self.losing.is_none() {
                self.begin_loss(now);
            }
            if self.is_noticed() {
                return;
            }
            let is_calm = self.loss.is_none() && self.losing.is_none() && self.mends.is_empty();
            if let Some(disk) = self.losing.take() {
                self.lose(disk, now);
            } else if now >= DISTURBED && is_calm && self.is_at_rest() {
                return self.check_each();
            } else if now < DISTURBED && self.rng.number().is_multiple_of(SELDOM) {
                self.disturb(now);
            }
            let stepped = self.sim.step();
            stepped.unwrap_or_else(|error| panic!("seed {}: no node fails: {error}", self.seed));
            let wrong = self.cluster.witness.wrong().filter(|_| !self.is_rolled_back);
            assert!(wrong.is_none(), "seed {}: {wrong:?} at {now:?}", self.seed);
            let running = self.cluster.running.borrow();
            let all = || running.values().map(LockService::status).collect::<Vec<_>>();
            assert!(now < END - 3 * TICK, "seed {}: all comes to rest: {:#?}", self.seed, all());
        }
    }

    /// Whether each user has had each lock, each member has had its turn at each in a line, nobody
    /// holds a lock or waits for one, and the members have equal states.
    fn is_at_rest(&mut self) -> bool {
        let (cluster, witness) = (&self.cluster, &self.cluster.witness);
        let running: Vec<u64> = cluster.running.borrow().keys().copied().collect();
        if running.len() as u64 != cluster.first || !cluster.changes.borrow().is_empty() {
            return false;
        }
        witness.calm_down();
        let mut users = running.iter().flat_map(|id| (0..USERS).map(move |user| (*id, user)));
        if !users.all(|user| witness.is_served(user)) {
            return false;
        }
        if !std::mem::replace(&mut self.is_lined_up, true) {
            witness.line_up(&running);
        }
        let is_over = |lock: &&str| witness.line(lock, |line| line.is_over()) == Some(true);
        if !LOCKS.iter().all(is_over) {
            return false;
        }
        cluster.is_over.set(true);
        let all = cluster.running.borrow();
        let are_free = all.values().all(|service| service.status().locks.is_empty());
        are_free && have_equal_states(&running, &cluster.states, self.seed)
    }

    /// No member has failed, nor seen what its tables do not handle.
    fn check_each(&self) {
        for service in self.cluster.running.borrow().values() {
            assert_eq!(service.raft().status().failure, None, "seed {}", self.seed);
            self.check_handled(service);
        }
    }

    fn check_handled(&self, service: &LockService) {
        assert_eq!(service.status().unhandled, [""; 0], "seed {}", self.seed);
    }

    fn mend(&mut self, now: Duration) {
        let due: Vec<_> = self.mends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, due) in due {
            match due {
                Mend::Bounce(id) => self.sim.bounce(name(id)),
                Mend::End(id) => {
                    self.cluster.started.borrow_mut().remove(&id);
                    self.end(id, false);
                }
                Mend::Net => {
                    self.note_the_late();
                    self.cluster.witness.trace.note(format_args!("the links are mended"));
                    self.cluster.net.heal();
                }
                Mend::Disk(id) => mend(&self.cluster.media[&id]),
            }
        }
    }

    /// The members whose fuse has burnt down end in the middle of a write.
    fn end_the_dead(&mut self, now: Duration) {
        for id in dead(&self.cluster.media) {
            self.cluster.witness.tally.note(Event::KilledInWrite);
            let later = self.later(now);
            self.kill(later, id, false);
        }
    }

    /// A member that was removed ends, but not at once.
    fn part(&mut self, now: Duration) {
        if self.cluster.changes.borrow().is_empty()
            && let Some(id) = self.gone.take()
        {
            let later = self.later(now);
            self.mends.push((later, Mend::End(id)));
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
        let is_replaced = self.cluster.changes.borrow().is_empty() && self.gone.is_none();
        let Some(leader) = self.leader() else { return };
        let members = leader_and_newest(&running, leader);
        let is_due = is_replaced && self.mends.is_empty();
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
            self.is_rolled_back = disk.loss != Loss::Wiped;
            self.cluster.witness.tally.note(match disk.loss {
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
        }
    }

    /// Whether a member has stopped since what it has answered for is lost.
    fn is_noticed(&self) -> bool {
        let running = self.cluster.running.borrow();
        let mut failures = running.values().map(|service| service.raft().status().failure);
        let is_noticed = self.is_rolled_back && failures.any(|why| Loss::is_noticed(why.as_ref()));
        self.cluster.witness.tally.add(Event::LossNoticed, u64::from(is_noticed));
        is_noticed
    }

    fn later(&mut self, now: Duration) -> Duration {
        now + Duration::from_millis(50 + self.rng.number() % 3_000)
    }

    fn disturb(&mut self, now: Duration) {
        let later = self.later(now);
        let started: Vec<u64> = self.cluster.started.borrow().iter().copied().collect();
        let id = started[self.rng.number() as usize % started.len()];
        match self.rng.number() % 17 {
            0..5 => self.end_member(later, id),
            16 => self.end_others(now, id),
            5..14 => {
                self.cut(id);
                self.mends.push((later, Mend::Net));
            }
            _ => {
                let what = spoil(&self.cluster.media[&id], &mut self.rng);
                self.cluster.witness.trace.note(format_args!("disk of {id}: {what:?}"));
                self.cluster.witness.tally.note(match what {
                    Spoiled::Full => Event::DiskFull,
                    Spoiled::Syncs => Event::SyncsFail,
                    Spoiled::Writes => Event::WritesFail,
                });
                self.mends.push((later, Mend::Disk(id)));
            }
        }
    }

    fn leader(&self) -> Option<u64> {
        leader(self.cluster.running.borrow().values().map(|service| service.raft().status()))
    }

    /// Members do not hear each other.
    fn cut(&mut self, id: u64) {
        let all: Vec<u64> = self.cluster.media.keys().copied().collect();
        let leader = self.leader();
        let Some(cut) = cut(&self.cluster.net, &mut self.rng, id, &all, leader) else { return };
        self.cluster.witness.trace.note(format_args!("{cut:?}, {id}, {leader:?}"));
        self.cluster.witness.tally.note(match cut {
            Cut::Leader => Event::LeaderCutOff,
            Cut::Member => Event::MemberCutOff,
            Cut::Bridge => Event::Bridged,
            Cut::OneWay => Event::OneWay,
            Cut::Held => Event::Held,
            Cut::Slow => Event::Slowed,
        });
    }

    /// Counts the members that have missed what the others no longer have in their logs.
    fn note_the_late(&self) {
        let running = self.cluster.running.borrow();
        let statuses = || running.values().map(|service| service.raft().status());
        let purged = statuses().filter_map(|status| status.purged_index).max();
        let late = statuses().filter(|status| status.last_log_index < purged).count();
        self.cluster.witness.tally.add(Event::SnapshotNeeded, late as u64);
    }

    /// A member's process ends: at once, with its machine, or in mid-write.
    fn end_member(&mut self, later: Duration, id: u64) {
        if !self.cluster.running.borrow().contains_key(&id) {
            return;
        }
        match self.rng.number() % 3 {
            0 => self.kill(later, id, false),
            1 => self.kill(later, id, true),
            _ => {
                self.cluster.media[&id].light_fuse(self.rng.number() % 30);
                self.mends.push((later, Mend::Disk(id)));
            }
        }
    }

    /// The processes of all members but this one end, and begin again at once.
    fn end_others(&mut self, now: Duration, id: u64) {
        let others: Vec<u64> = self.cluster.running.borrow().keys().copied().collect();
        if !others.contains(&id) || (others.len() as u64) < self.cluster.first {
            return;
        }
        for other in others.into_iter().filter(|other| *other != id) {
            let later = now + Duration::from_millis(self.rng.number() % 200);
            self.kill(later, other, false);
        }
        self.cluster.witness.tally.note(Event::OneStayed);
    }

    /// The process of a member ends, and begins again later.
    fn kill(&mut self, later: Duration, id: u64, is_powerless: bool) {
        let tally = self.cluster.witness.tally.clone();
        tally.note(Event::MemberKilled);
        tally.add(Event::LeaderKilled, u64::from(self.leader() == Some(id)));
        tally.add(Event::HolderKilled, u64::from(self.cluster.witness.holds(id)));
        tally.add(Event::PowerLost, u64::from(is_powerless));
        self.end(id, is_powerless);
        self.mends.push((later, Mend::Bounce(id)));
    }

    fn end(&mut self, id: u64, is_powerless: bool) {
        self.cluster.witness.trace.note(format_args!("end of member {id}"));
        if let Some(service) = self.cluster.running.borrow_mut().remove(&id) {
            self.check_handled(&service);
        }
        end_process(self.sim, &self.cluster.media[&id], id, is_powerless);
    }
}
