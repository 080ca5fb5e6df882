//! What goes wrong in a simulation, and when it is over. A seed decides.

use std::time::Duration;

use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_members_simulation::loss::{Fate, LosingDisk, Loss, Part};
use turnstile_raft::{Role, Status};

use super::tail::Tail;
use super::{CLIENTS_REST, DISTURBED, END, MEMBERS, Outcome, TICK, World, name};

/// Disturbs a simulation.
pub(super) struct Trouble<'a, 'sim> {
    sim: &'a mut Sim<'sim>,
    seed: u64,
    world: World,
    rng: Rng,
    /// The members that begin again, and when.
    restarts: Vec<(Duration, u64)>,
    tail: Option<Tail>,
    /// One disk is lost in a run, once nothing else goes wrong.
    loss: Option<Loss>,
    losing: Option<LosingDisk>,
    lost: Option<(u64, Loss)>,
}

impl<'a, 'sim> Trouble<'a, 'sim> {
    pub(super) fn new(sim: &'a mut Sim<'sim>, seed: u64, world: &World) -> Self {
        let loss = match seed % 4 {
            0 => None,
            1 => Some(Loss::Wiped),
            2 => Some(Loss::RolledBack),
            _ => Some(Loss::LedTwice),
        };
        Self {
            sim,
            seed,
            world: world.clone(),
            rng: Rng::seeded(seed.rotate_left(31)),
            restarts: Vec::new(),
            tail: None,
            loss,
            losing: None,
            lost: None,
        }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest. Returns whose disk was
    /// lost.
    pub(super) fn run(mut self, outcome: &mut Outcome) -> Option<(u64, Loss)> {
        let seed = self.seed;
        loop {
            let now = self.sim.elapsed();
            for (_, id) in self.restarts.extract_if(.., |(at, _)| *at <= now) {
                self.sim.bounce(name(id));
            }
            if let Some(disk) = self.losing.take() {
                self.lose(disk, now);
            } else if let Some(tail) = self.tail.take() {
                // Nothing else happens meanwhile.
                match tail.step(self.sim, &self.world) {
                    Some(id) => {
                        outcome.tails += 1;
                        self.restart(id, now, 300);
                    }
                    None => self.tail = Some(tail),
                }
            } else if now > DISTURBED {
                self.world.net.heal();
                if self.restarts.is_empty() && self.is_over(now, outcome) {
                    return self.lost;
                }
                let all = || self.world.statuses();
                assert!(now < END - TICK, "seed {seed}: the members come to rest: {:#?}", all());
            } else if self.rng.number().is_multiple_of(150) {
                self.disturb(now, outcome);
            }
            self.sim.step().unwrap_or_else(|error| panic!("seed {seed}: no member fails: {error}"));
        }
    }

    fn disturb(&mut self, now: Duration, outcome: &mut Outcome) {
        let id = 1 + self.rng.number() % MEMBERS;
        match self.rng.number() % 10 {
            0..3 if self.sim.is_host_running(name(id)) => {
                let is_powerless = self.rng.number().is_multiple_of(2);
                kill(self.sim, &self.world, id, is_powerless);
                outcome.killed += 1;
                outcome.powerless += u64::from(is_powerless);
                self.restart(id, now, 1_500);
            }
            0..3 => {}
            3 => {
                self.world.net.isolate(id, 1..=MEMBERS);
                outcome.cut += MEMBERS;
            }
            4 => {
                self.world.net.cut(id, 1 + self.rng.number() % MEMBERS);
                outcome.cut += 1;
            }
            5 => {
                self.world.net.hold(id);
                outcome.held += 1;
            }
            6 => {
                self.world.net.slow(id);
                outcome.slowed += 1;
            }
            7 => self.tail = Tail::begin(&self.world, now, &mut self.rng),
            8.. => self.world.net.heal(),
        }
    }

    fn restart(&mut self, id: u64, now: Duration, most_ms: u64) {
        self.restarts.push((now + Duration::from_millis(self.rng.number() % most_ms), id));
    }

    /// Whether nothing more is to happen; begins to lose the disk if it is to be lost.
    fn is_over(&mut self, now: Duration, outcome: &mut Outcome) -> bool {
        if has_noticed(&self.world) {
            let all = self.world.statuses();
            let is_older = self.lost.is_some_and(|(_, loss)| loss != Loss::Wiped);
            assert!(is_older, "seed {}: nothing was lost: {all:#?}", self.seed);
            return true;
        }
        let Some(loss) = self.loss else { return self.has_settled(now) };
        if let Some(disk) = self.begin_loss(loss, now) {
            (self.loss, self.lost) = (None, Some((disk.lost, loss)));
            self.losing = Some(disk);
            outcome.wiped += u64::from(loss == Loss::Wiped);
            outcome.rolled_back += u64::from(loss != Loss::Wiped);
        }
        false
    }

    /// Begins to lose a disk, if all run and one leads.
    fn begin_loss(&mut self, loss: Loss, now: Duration) -> Option<LosingDisk> {
        let statuses = self.world.statuses();
        let leads = statuses.iter().find(|status| status.role == Role::Leader);
        let leader = leads.filter(|_| statuses.len() as u64 == MEMBERS)?.id;
        let first = leader % MEMBERS + 1;
        let mut others = [first, first % MEMBERS + 1];
        others.rotate_left((self.rng.number() % 2) as usize);
        let world = (&self.world.net, &self.world.media);
        Some(LosingDisk::begin(world, (leader, others), loss, now, &mut self.rng))
    }

    fn lose(&mut self, mut disk: LosingDisk, now: Duration) {
        let (sim, world) = (&mut *self.sim, &self.world);
        let part = disk.strike((&world.net, &world.media), now, |id, fate| match fate {
            Fate::Ends if sim.is_host_running(name(id)) => kill(sim, world, id, false),
            Fate::Ends => {}
            Fate::Begins => sim.bounce(name(id)),
        });
        if part != Some(Part::Over) {
            self.losing = Some(disk);
        }
    }

    /// Whether all members have applied the whole log, and no client waits.
    fn has_settled(&self, now: Duration) -> bool {
        let ends = self.world.statuses();
        let is_equal = |status: &Status| {
            status.leader.is_some()
                && status.leader == ends[0].leader
                && status.applied_index == ends[0].last_log_index
                && status.last_log_index == ends[0].last_log_index
        };
        let refused = u64::from(self.lost.is_some_and(|(_, loss)| loss == Loss::Wiped));
        now > DISTURBED + CLIENTS_REST
            && ends.len() as u64 == MEMBERS - refused
            && ends.iter().all(is_equal)
    }
}

/// Whether a member has stopped since acknowledged operations are lost.
pub(super) fn has_noticed(world: &World) -> bool {
    world.statuses().iter().any(|status| Loss::is_noticed(status.failure.as_ref()))
}

/// The process of a member ends, alone or with its machine.
pub(super) fn kill(sim: &mut Sim<'_>, world: &World, id: u64, is_powerless: bool) {
    let medium = &world.media[&id];
    world.members.borrow_mut().remove(&id);
    medium.kill();
    sim.crash(name(id));
    if is_powerless {
        medium.lose_power();
    }
    medium.revive();
}
