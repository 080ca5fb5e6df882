//! A schedule of faults by chance, several of them at a time.

use std::collections::BTreeSet;
use std::io;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use turnstile_host::Rng;

use crate::cluster::Cluster;
use crate::service::Start;

/// The number of its steps, at least and below.
const STEPS: [u64; 2] = [8, 16];
/// The pause after a step, at least and at most.
const PAUSE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(1200)];
/// The packets that a host loses, in a hundred, at least and below.
const LOST: [u64; 2] = [5, 40];

/// What is not repaired yet.
struct Schedule<'a> {
    cluster: &'a mut Cluster,
    rng: &'a mut Rng,
    stopped: BTreeSet<u8>,
    killed: BTreeSet<u8>,
}

/// Runs one, and repairs everything.
pub(crate) fn run(cluster: &mut Cluster, rng: &mut Rng) -> io::Result<()> {
    let (stopped, killed) = (BTreeSet::new(), BTreeSet::new());
    let mut schedule = Schedule { cluster, rng, stopped, killed };
    for _ in 0..schedule.number(STEPS) {
        schedule.step()?;
        let pause = schedule.rng.between(PAUSE[0], PAUSE[1]);
        sleep(pause);
    }
    schedule.repair()
}

impl Schedule<'_> {
    fn number(&mut self, [least, below]: [u64; 2]) -> u64 {
        least + self.rng.number() % (below - least)
    }

    fn one_of(&mut self, members: &BTreeSet<u8>) -> Option<u8> {
        let count = u64::try_from(members.len()).ok().filter(|count| *count > 0)?;
        members.iter().nth(usize::try_from(self.rng.number() % count).ok()?).copied()
    }

    /// The members that are neither stopped nor killed.
    fn running(&self) -> BTreeSet<u8> {
        let is_running = |id: &u8| !self.stopped.contains(id) && !self.killed.contains(id);
        self.cluster.ids().into_iter().filter(is_running).collect()
    }

    /// Does something to one of some members, if there is one.
    fn strike_one(
        &mut self,
        members: &BTreeSet<u8>,
        how: fn(&mut Self, u8) -> io::Result<()>,
    ) -> io::Result<()> {
        self.one_of(members).map_or(Ok(()), |one| how(self, one))
    }

    fn step(&mut self) -> io::Result<()> {
        let all: BTreeSet<u8> = self.cluster.ids().into_iter().collect();
        match self.rng.number() % 9 {
            0 => self.strike_one(&self.running(), Self::kill),
            1 => self.strike_one(&self.killed.clone(), Self::start),
            2 => self.strike_one(&self.running(), Self::stop),
            3 => self.strike_one(&self.stopped.clone(), Self::go_on),
            4 => {
                let (from, to) = (self.one_of(&all), self.one_of(&all));
                let pair = from.zip(to).filter(|(from, to)| from != to);
                pair.map_or(Ok(()), |(from, to)| self.cut(from, to))
            }
            5 | 6 => {
                let some: BTreeSet<u8> =
                    all.iter().copied().filter(|_| self.rng.chance(0.5)).collect();
                for one in &some {
                    for other in all.difference(&some) {
                        self.cut(*one, *other)?;
                        self.cut(*other, *one)?;
                    }
                }
                Ok(())
            }
            7 => {
                let percent = u8::try_from(self.number(LOST)).unwrap_or(u8::MAX);
                let Some(one) = self.one_of(&all) else { return Ok(()) };
                self.cluster.note(&format!("member {one} loses {percent} % of what it sends"))?;
                self.cluster.network.lose(one, percent)
            }
            _ => self.heal(),
        }
    }

    fn kill(&mut self, one: u8) -> io::Result<()> {
        self.killed.insert(one);
        self.cluster.note(&format!("member {one} is killed"))?;
        self.cluster.kill(one)
    }

    fn start(&mut self, one: u8) -> io::Result<()> {
        self.killed.remove(&one);
        self.cluster.note(&format!("member {one} starts again"))?;
        self.cluster.start_member(one, Start::Again, 0)
    }

    fn stop(&mut self, one: u8) -> io::Result<()> {
        self.stopped.insert(one);
        self.cluster.note(&format!("member {one} is stopped"))?;
        self.cluster.signal(one, Signal::STOP)
    }

    fn go_on(&mut self, one: u8) -> io::Result<()> {
        self.stopped.remove(&one);
        self.cluster.note(&format!("member {one} goes on"))?;
        self.cluster.signal(one, Signal::CONT)
    }

    fn cut(&self, from: u8, to: u8) -> io::Result<()> {
        self.cluster.note(&format!("what member {from} sends to {to} is lost"))?;
        self.cluster.network.cut(from, to)
    }

    fn heal(&self) -> io::Result<()> {
        self.cluster.note("the network is repaired")?;
        self.cluster.network.heal()
    }

    fn repair(mut self) -> io::Result<()> {
        self.heal()?;
        for one in self.stopped.clone() {
            self.go_on(one)?;
        }
        for one in self.killed.clone() {
            self.start(one)?;
        }
        Ok(())
    }
}
