//! What goes wrong in a simulation, and when it is mended. A seed decides.

use std::sync::atomic::Ordering;
use std::time::Duration;

use turmoil::Sim;
use turnstile_claim::client::Rng;

use super::outcome::{Event, Tally};
use super::run::{CLIENTS, DISTURBED, END, Machine, SLEPT, Seen, TICK, WALL_OFF_US};
use turnstile_host::store::Faults;

const SERVER: &str = "server";
const HOUR_US: i64 = 3_600_000_000;

/// Disturbs a simulation.
pub(super) struct Trouble<'a, 'sim> {
    sim: &'a mut Sim<'sim>,
    rng: Rng,
    machine: Machine,
    world: Seen,
    tally: Tally,
    mends: Vec<(Duration, Mend)>,
}

/// What ends a disturbance, or begins the next.
#[derive(Clone, Copy)]
enum Mend {
    Bounce(&'static str),
    Repair(&'static str),
    /// The disk and the descriptors are as they should be.
    Machine,
    /// The server's machine loses its power.
    PowerLoss,
}

impl<'a, 'sim> Trouble<'a, 'sim> {
    pub(super) fn new(
        sim: &'a mut Sim<'sim>,
        seed: u64,
        machine: &Machine,
        world: &Seen,
        tally: &Tally,
    ) -> Self {
        let (machine, world, tally) = (machine.clone(), world.clone(), tally.clone());
        let rng = Rng::seeded(seed.rotate_left(31));
        Self { sim, rng, machine, world, tally, mends: Vec::new() }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest.
    pub(super) fn run(mut self) {
        loop {
            let now = self.sim.elapsed();
            self.mend(now);
            if self.machine.medium.is_dead() {
                self.tally.note(Event::ServerKilledInWrite);
                self.crash_server(now, false);
            }
            let is_over = now >= DISTURBED;
            if is_over && self.mends.is_empty() {
                let mut world = self.world.borrow_mut();
                world.is_calm = true;
                if world.calm_turns.iter().all(|turns| *turns > 0) {
                    return;
                }
                let turns = world.calm_turns;
                assert!(now < END - TICK, "everyone gets a turn in the end: {turns:?}");
            }
            if !is_over && self.rng.number().is_multiple_of(70) {
                self.disturb(now);
            }
            self.sim.step().expect("no node fails");
        }
    }

    fn mend(&mut self, now: Duration) {
        let due: Vec<_> = self.mends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, mend) in due {
            match mend {
                Mend::Bounce(host) => self.sim.bounce(host),
                Mend::Repair(client) => self.sim.repair(client, SERVER),
                Mend::Machine => {
                    self.machine.medium.set_faults(Faults::default());
                    self.machine.has_no_descriptors.store(false, Ordering::Relaxed);
                    // A fuse that burns is out.
                    if !self.machine.medium.is_dead() {
                        self.machine.medium.revive();
                    }
                }
                Mend::PowerLoss => {
                    if self.sim.is_host_running(SERVER) {
                        self.tally.note(Event::PowerLostAfterRestart);
                        self.crash_server(now, true);
                    }
                }
            }
        }
    }

    fn later(&mut self, now: Duration) -> Duration {
        now + Duration::from_millis(20 + self.rng.number() % 800)
    }

    fn disturb(&mut self, now: Duration) {
        let later = self.later(now);
        let number = (self.rng.number() % 3) as usize;
        let client = CLIENTS[number];
        match self.rng.number() % 14 {
            0..3 => self.end_server(now, later),
            3..5 => {
                if self.sim.is_host_running(client) {
                    self.crash_client(number);
                    self.mends.push((later, Mend::Bounce(client)));
                }
            }
            5..9 => {
                self.sim.partition(client, SERVER);
                self.tally.note(Event::Partitioned);
                self.mends.push((later, Mend::Repair(client)));
            }
            9 => self.spoil(later, Event::DiskFull),
            10 => match self.rng.number().is_multiple_of(2) {
                true => self.spoil(later, Event::SyncsFail),
                false => self.spoil(later, Event::WritesFail),
            },
            11 => self.spoil(later, Event::DescriptorsSpent),
            12 => {
                let mut slept = SLEPT.get();
                slept[number] += Duration::from_millis(self.rng.number() % 1_000);
                SLEPT.set(slept);
                self.tally.note(Event::ClientSlept);
            }
            _ => {
                let choices = [-HOUR_US, HOUR_US, 24 * HOUR_US, 24_000 * HOUR_US, 0];
                WALL_OFF_US.set(choices[(self.rng.number() % 5) as usize]);
                self.tally.note(Event::WallClockSet);
            }
        }
    }

    /// The server's process ends: at once, with the machine or before it, or in mid-write.
    fn end_server(&mut self, now: Duration, later: Duration) {
        if !self.sim.is_host_running(SERVER) {
            return;
        }
        match self.rng.number() % 4 {
            0 => self.crash_server(now, false),
            1 => self.crash_server(now, true),
            2 => {
                self.machine.medium.light_fuse(self.rng.number() % 30);
                self.mends.push((later, Mend::Machine));
            }
            _ => {
                self.crash_server(now, false);
                let (restart, _) = self.mends.last().copied().expect("just pushed");
                let soon = Duration::from_millis(self.rng.number() % 60);
                self.mends.push((restart + soon, Mend::PowerLoss));
            }
        }
    }

    fn crash_server(&mut self, now: Duration, is_power_lost: bool) {
        let medium = self.machine.medium.clone();
        medium.kill();
        self.sim.crash(SERVER);
        self.tally.note(Event::ServerKilled);
        if is_power_lost {
            medium.lose_power();
            self.tally.note(Event::PowerLost);
        }
        medium.revive();
        let later = self.later(now);
        self.mends.push((later, Mend::Bounce(SERVER)));
    }

    fn crash_client(&mut self, number: usize) {
        self.sim.crash(CLIENTS[number]);
        self.tally.note(Event::ClientKilled);
        if std::mem::take(&mut self.world.borrow_mut().waits[number]) {
            self.tally.note(Event::ClientKilledWaiting);
        }
    }

    /// The server's machine lacks something for a while.
    fn spoil(&mut self, until: Duration, what: Event) {
        let share = |fault: Event| if what == fault { 2 } else { 0 };
        let has_no_descriptors = what == Event::DescriptorsSpent;
        self.machine.medium.set_faults(Faults {
            is_full: what == Event::DiskFull,
            room: 0,
            has_no_descriptors,
            writes: share(Event::WritesFail),
            syncs: share(Event::SyncsFail),
        });
        self.machine.has_no_descriptors.store(has_no_descriptors, Ordering::Relaxed);
        self.tally.note(what);
        self.mends.push((until, Mend::Machine));
    }
}
