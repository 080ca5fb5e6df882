//! What goes wrong in a simulation, and when it is mended. A seed decides.

use std::sync::atomic::Ordering;
use std::time::Duration;

use turnstile_host::store::Faults;
use turnstile_members_simulation::run::{Run, Simulation, end_process, mend};

use super::outcome::{Event, Tally};
use super::run::{CLIENTS, Machine, SLEPT, Seen, WALL_OFF_US};

const SERVER: &str = "server";
const HOUR_US: i64 = 3_600_000_000;
/// What wall clocks are wrong by.
pub(crate) const WALLS_OFF_US: [i64; 5] = [-HOUR_US, HOUR_US, 24 * HOUR_US, 24_000 * HOUR_US, 0];

/// Disturbs a simulation; clones share what they disturb.
#[derive(Clone)]
pub(super) struct Trouble {
    pub(super) machine: Machine,
    pub(super) world: Seen,
    pub(super) tally: Tally,
}

impl Simulation for Trouble {
    fn is_over(&mut self, run: &mut Run<'_, '_>) -> bool {
        if self.machine.medium.is_dead() {
            self.tally.note(Event::ServerKilledInWrite);
            self.crash_server(run, false);
        }
        false
    }

    fn disturb(&mut self, run: &mut Run<'_, '_>) {
        let (later, number) = (run.later(), (run.rng.number() % 3) as usize);
        let client = CLIENTS[number];
        match run.rng.number() % 14 {
            0..3 => self.end_server(run),
            3..5 => {
                if run.sim.is_host_running(client) {
                    run.sim.crash(client);
                    self.tally.note(Event::ClientKilled);
                    let has_waited = std::mem::take(&mut self.world.borrow_mut().waits[number]);
                    self.tally.add(Event::ClientKilledWaiting, u64::from(has_waited));
                    run.at(later, move |run| run.sim.bounce(client));
                }
            }
            5..9 => {
                run.sim.partition(client, SERVER);
                self.tally.note(Event::Partitioned);
                run.at(later, move |run| run.sim.repair(client, SERVER));
            }
            9 => self.spoil(run, Event::DiskFull),
            10 => match run.rng.number().is_multiple_of(2) {
                true => self.spoil(run, Event::SyncsFail),
                false => self.spoil(run, Event::WritesFail),
            },
            11 => self.spoil(run, Event::DescriptorsSpent),
            12 => sleep(run, number, &self.tally),
            _ => {
                WALL_OFF_US.set(run.choose(&WALLS_OFF_US));
                self.tally.note(Event::WallClockSet);
            }
        }
    }

    fn is_at_rest(&mut self, _run: &mut Run<'_, '_>) -> bool {
        let mut world = self.world.borrow_mut();
        world.is_calm = true;
        !world.calm_turns.contains(&0)
    }

    fn states(&self) -> String {
        format!("the turns of each client: {:?}", self.world.borrow().calm_turns)
    }
}

/// The machine of a client sleeps.
pub(crate) fn sleep(run: &mut Run<'_, '_>, number: usize, tally: &Tally) {
    let mut slept = SLEPT.get();
    slept[number] += Duration::from_millis(run.rng.number() % 1_000);
    SLEPT.set(slept);
    tally.note(Event::ClientSlept);
}

impl Trouble {
    /// The server's process ends: at once, with the machine or before it, or in mid-write.
    fn end_server(&self, run: &mut Run<'_, '_>) {
        if !run.sim.is_host_running(SERVER) {
            return;
        }
        match run.rng.number() % 4 {
            0 => drop(self.crash_server(run, false)),
            1 => drop(self.crash_server(run, true)),
            2 => {
                self.machine.medium.light_fuse(run.rng.number() % 30);
                self.mend_later(run);
            }
            _ => {
                let restart = self.crash_server(run, false);
                let soon = restart + Duration::from_millis(run.rng.number() % 60);
                let trouble = self.clone();
                run.at(soon, move |run| {
                    if run.sim.is_host_running(SERVER) {
                        trouble.tally.note(Event::PowerLostAfterRestart);
                        trouble.crash_server(run, true);
                    }
                });
            }
        }
    }

    /// Ends the server's process. Returns when it begins again.
    fn crash_server(&self, run: &mut Run<'_, '_>, is_powerless: bool) -> Duration {
        end_process(run.sim, &self.machine.medium, SERVER, is_powerless);
        self.tally.note(Event::ServerKilled);
        self.tally.add(Event::PowerLost, u64::from(is_powerless));
        let later = run.later();
        run.at(later, |run| run.sim.bounce(SERVER));
        later
    }

    /// The server's machine lacks something for a while.
    fn spoil(&self, run: &mut Run<'_, '_>, what: Event) {
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
        self.mend_later(run);
    }

    /// The disk and the descriptors are as they should be after a while.
    fn mend_later(&self, run: &mut Run<'_, '_>) {
        let (later, machine) = (run.later(), self.machine.clone());
        run.at(later, move |_| {
            machine.has_no_descriptors.store(false, Ordering::Relaxed);
            mend(&machine.medium);
        });
    }
}
