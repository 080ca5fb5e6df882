//! Injects faults into the members of a replicated log: a seed decides which, when and for how
//! long. A member may be replaced under load, and one disk be lost.

use std::time::Duration;

use turmoil::Sim;
use turnstile_host::simulation;
use turnstile_host::store::Faults;

use crate::cluster::{Cluster, Process, name};
use crate::counts::Counts;
use crate::faults::{Fault, cut, spoil};
use crate::loss::{Fate, LosingDisk, Loss, Part};
use crate::net::Trace;
use crate::run::{Run, Simulation, Times, mend};

/// Until a leader whose disk syncs nothing loses its power.
const TAIL_MOST: Duration = Duration::from_millis(150);
/// Then the member that has its tail is not heard for so long: the others elect a leader.
const TAIL_APART: Duration = Duration::from_millis(1_200);
/// How long a leader hears nobody: longer than leases last.
const DEAF: [Duration; 2] = [Duration::from_millis(1_200), Duration::from_millis(2_000)];
/// The processes of all members but one begin again within this time.
const SOON: Duration = Duration::from_millis(200);
/// Out of how many one fault is chosen, beside those of the service.
const CHOICES: u64 = 24;

/// What the members serve, and who uses it.
pub trait Service: Sized {
    /// What runs in the process of a member.
    type Process: Process;
    /// What is counted.
    type Event: Copy + Ord + std::fmt::Debug;
    /// The times of a simulation.
    const TIMES: Times;
    /// Out of how many one fault of its own is chosen, beside [`CHOICES`].
    const OWN: u64 = 0;

    /// Hosts the members and their users.
    fn begin(sim: &mut Sim<'_>, cluster: &Cluster<Self::Process>) -> Self;

    /// What becomes of a disk, and from when on.
    fn loss(seed: u64) -> (Option<Loss>, Duration) {
        (Loss::of_seed(seed), Duration::ZERO)
    }

    /// Looks at the members before a step, unless a disk is being lost.
    fn watch(&mut self, _run: &mut Run<'_, '_>) {}

    /// Begins a fault of its own, the one with this number, near this member.
    fn disturb(&mut self, _run: &mut Run<'_, '_>, _number: u64, _id: u64) {}

    /// The process of a member is about to end.
    fn is_killed(&mut self, _id: u64) {}

    /// A disk is rolled back: what users are told from now on may be wrong.
    fn is_rolled_back(&mut self, _run: &mut Run<'_, '_>) {}

    /// Whether all is as it should be while all members run, nothing goes wrong any more and no
    /// disk is to be lost; and if one was rolled back, that was not noticed.
    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool;

    /// What is wrong with what users were told.
    fn wrong(&self) -> Option<String> {
        None
    }

    /// What has happened, once the simulation is over.
    fn outcome(self) -> Counts<Self::Event>;
}

/// What has happened in one simulation, or in several.
#[derive(Debug)]
pub struct Outcome<E> {
    /// What went wrong.
    pub faults: Counts<Fault>,
    /// What the users make of it.
    pub events: Counts<E>,
    /// All of it, if it was traced.
    pub trace: Vec<String>,
}

impl<E> Default for Outcome<E> {
    fn default() -> Self {
        Self { faults: Counts::default(), events: Counts::default(), trace: Vec::new() }
    }
}

impl<E: Copy + Ord + std::fmt::Debug> Outcome<E> {
    /// Adds what has happened in another simulation.
    pub fn add(&mut self, other: &Self) {
        self.faults.add(&other.faults);
        self.events.add(&other.events);
    }
}

/// Runs a whole simulation of a service.
pub fn simulate<S: Service>(seed: u64, is_traced: bool) -> Outcome<S::Event> {
    let _simulated = simulation::simulate(seed);
    let mut sim = S::TIMES.build(seed);
    let trace = Trace::new(is_traced);
    let cluster = Cluster::new(seed, &trace);
    let service = S::begin(&mut sim, &cluster);
    let mut run = Run::new(&mut sim, seed, S::TIMES);
    let (loss, loses) = S::loss(seed);
    let mut injection = FaultInjection {
        cluster: cluster.clone(),
        service,
        replaced: (seed % 4 == 1)
            .then(|| run.rng.between(S::TIMES.disturbed / 16, S::TIMES.disturbed / 2)),
        removed: None,
        loss,
        loses,
        losing: None,
        wiped: None,
        is_rolled_back: false,
    };
    run.drive(&mut injection);
    drop(sim);
    let events = injection.service.outcome();
    cluster.faults.add(Fault::MessageLost, cluster.net.lost());
    Outcome { faults: cluster.faults.counts(), events, trace: trace.lines() }
}

/// Injects faults into members and what they serve.
struct FaultInjection<S: Service> {
    cluster: Cluster<S::Process>,
    service: S,
    /// When a member is replaced.
    replaced: Option<Duration>,
    /// The member that is to be removed, and then its process.
    removed: Option<u64>,
    /// A disk that is to be lost, once a member was replaced and at this time.
    loss: Option<Loss>,
    loses: Duration,
    losing: Option<LosingDisk>,
    /// The member whose disk is empty.
    wiped: Option<u64>,
    /// Acknowledged operations may be lost, as long as a member notices it.
    is_rolled_back: bool,
}

impl<S: Service> Simulation for FaultInjection<S> {
    fn is_over(&mut self, run: &mut Run<'_, '_>) -> bool {
        self.end_the_dead(run);
        self.end_the_removed(run);
        if self.replaced.take_if(|at| *at <= run.now()).is_some() {
            let old = 1 + run.rng.number() % self.cluster.first;
            self.replace(old, false);
        }
        if let Some(disk) = self.losing.take() {
            self.lose(disk, run);
        } else {
            self.service.watch(run);
            self.begin_loss(run);
        }
        self.is_noticed()
    }

    fn disturb(&mut self, run: &mut Run<'_, '_>) {
        if self.losing.is_some() {
            return;
        }
        let started: Vec<u64> = self.cluster.started.borrow().iter().copied().collect();
        let id = run.choose(&started);
        match run.rng.number() % (CHOICES + S::OWN) {
            0..6 => self.end_member(run, id),
            6 => self.end_others(run, id),
            7..18 => self.cut(run, id),
            18..21 => self.spoil(run, id),
            21 => deafen(&self.cluster, run),
            22 | 23 => self.lose_tail(run),
            own => self.service.disturb(run, own - CHOICES, id),
        }
    }

    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool {
        for status in self.cluster.statuses() {
            assert_eq!(status.failure, None, "seed {}: member {}", run.seed, status.id);
        }
        let is_calm = self.loss.is_none() && self.cluster.is_complete();
        let is_at_rest = is_calm && self.service.is_at_rest(run);
        if is_at_rest {
            self.cluster.running.borrow().values().for_each(|process| process.check(run.seed));
        }
        is_at_rest
    }

    fn wrong(&self) -> Option<String> {
        self.service.wrong().filter(|_| !self.is_rolled_back)
    }

    fn states(&self) -> String {
        format!("{:#?}", self.cluster.statuses())
    }
}

impl<S: Service> FaultInjection<S> {
    /// The members whose fuse has burnt down end in the middle of a write.
    fn end_the_dead(&mut self, run: &mut Run<'_, '_>) {
        let dead = self.cluster.media.iter().filter(|(_, medium)| medium.is_dead());
        for id in dead.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.cluster.faults.note(Fault::KilledInWrite);
            let later = run.later();
            self.kill(run, later, id, false);
        }
    }

    /// A member that was removed ends, but not at once.
    fn end_the_removed(&mut self, run: &mut Run<'_, '_>) {
        if self.cluster.changes.borrow().is_empty()
            && let Some(id) = self.removed.take()
        {
            if self.wiped == Some(id) {
                let status =
                    self.cluster.running.borrow().get(&id).map(|one| one.member().status());
                let log = status.and_then(|status| status.last_log_index);
                assert_eq!(log, None, "seed {}: a member without its disk is refused", run.seed);
            }
            let (cluster, later) = (self.cluster.clone(), run.later());
            run.at(later, move |run| {
                cluster.started.borrow_mut().remove(&id);
                cluster.end(run.sim, id, false);
            });
        }
    }

    fn replace(&mut self, old: u64, is_lost: bool) {
        self.removed = Some(old);
        self.cluster.replace(old, is_lost);
    }

    /// Begins to lose the disk of the newest member, or of the leader, if three run and one leads.
    fn begin_loss(&mut self, run: &mut Run<'_, '_>) {
        let is_replaced = self.replaced.is_none() && self.removed.is_none();
        let is_due = is_replaced && run.is_mended() && run.now() >= self.loses;
        let Some(loss) = self.loss.filter(|_| is_due && self.cluster.is_complete()) else { return };
        let Some(leader) = self.cluster.settled_leader() else { return };
        let running = self.cluster.running.borrow();
        let others = running.keys().rev().copied().filter(|id| *id != leader.id);
        let others = others.collect::<Vec<_>>().try_into().expect("three run");
        let (now, world) = (run.now(), (&self.cluster.net, &self.cluster.media));
        self.losing = Some(LosingDisk::begin(world, (leader.id, others), loss, now, &mut run.rng));
    }

    fn lose(&mut self, mut disk: LosingDisk, run: &mut Run<'_, '_>) {
        let (cluster, now) = (&self.cluster, run.now());
        let part = disk.strike((&cluster.net, &cluster.media), now, |id, fate| match fate {
            Fate::Ends => cluster.end(run.sim, id, false),
            Fate::Begins => run.sim.bounce(name(id)),
        });
        if part == Some(Part::Loss) {
            self.cluster.faults.note(match disk.loss {
                Loss::Wiped => Fault::DiskWiped,
                Loss::RolledBack => Fault::DiskRolledBack,
                Loss::LedTwice => Fault::LeaderRolledBack,
            });
            self.is_rolled_back = disk.loss != Loss::Wiped;
            if self.is_rolled_back {
                self.service.is_rolled_back(run);
            }
        }
        if part != Some(Part::Over) {
            self.losing = Some(disk);
        } else if self.loss.take() == Some(Loss::Wiped) {
            self.wiped = Some(disk.lost);
            self.replace(disk.lost, true);
        }
    }

    /// Whether a member has stopped since what it has answered for is lost.
    fn is_noticed(&self) -> bool {
        let is_noticed = self.is_rolled_back
            && self
                .cluster
                .statuses()
                .iter()
                .any(|status| Loss::is_noticed(status.failure.as_ref()));
        self.cluster.faults.add(Fault::LossNoticed, u64::from(is_noticed));
        is_noticed
    }

    /// Members do not hear each other.
    fn cut(&self, run: &mut Run<'_, '_>, id: u64) {
        let cluster = self.cluster.clone();
        let all: Vec<u64> = cluster.media.keys().copied().collect();
        let leader = cluster.leader().map(|status| status.id);
        let Some(fault) = cut(&cluster.net, &mut run.rng, id, &all, leader) else { return };
        cluster.trace.note(format_args!("{fault:?}, {id}, {leader:?}"));
        cluster.faults.note(fault);
        heal_at(&cluster, run.later(), run);
    }

    /// The disk of a member refuses writes for a while.
    fn spoil(&self, run: &mut Run<'_, '_>, id: u64) {
        let medium = self.cluster.media[&id].clone();
        let fault = spoil(&medium, &mut run.rng);
        self.cluster.trace.note(format_args!("disk of {id}: {fault:?}"));
        self.cluster.faults.note(fault);
        let later = run.later();
        run.at(later, move |_| mend(&medium));
    }

    /// A leader's disk syncs nothing, and one member hears nothing. Then it loses its power, and
    /// the member that has the tail of its log is not heard.
    fn lose_tail(&self, run: &mut Run<'_, '_>) {
        let Some(leader) = self.cluster.settled_leader() else { return };
        let (leader, others) = (leader.id, leader.members.into_keys());
        let others: Vec<u64> = others.filter(|id| *id != leader).collect();
        let other = run.choose(&others);
        let cluster = self.cluster.clone();
        for deaf in others.into_iter().filter(|id| *id != other) {
            cluster.net.isolate(deaf, cluster.media.keys().copied());
        }
        cluster.media[&leader].set_faults(Faults { syncs: 1, ..Faults::default() });
        let ends = run.now() + run.rng.between(Duration::ZERO, TAIL_MOST);
        run.quiet_until = ends + TAIL_APART;
        heal_at(&cluster, run.quiet_until, run);
        let soon = ends + run.rng.between(Duration::ZERO, SOON);
        run.at(ends, move |run| {
            cluster.net.heal();
            let is_running = cluster.running.borrow().contains_key(&leader);
            if is_running {
                cluster.end(run.sim, leader, true);
                cluster.net.isolate(other, cluster.media.keys().copied());
                cluster.faults.note(Fault::TailLost);
                run.at(soon, move |run| run.sim.bounce(name(leader)));
            }
            mend(&cluster.media[&leader]);
        });
    }

    /// A member's process ends: at once, with its machine, or in mid-write.
    fn end_member(&mut self, run: &mut Run<'_, '_>, id: u64) {
        if !self.cluster.running.borrow().contains_key(&id) {
            return;
        }
        let later = run.later();
        match run.rng.number() % 3 {
            0 => self.kill(run, later, id, false),
            1 => self.kill(run, later, id, true),
            _ => {
                let medium = self.cluster.media[&id].clone();
                medium.light_fuse(run.rng.number() % 30);
                run.at(later, move |_| mend(&medium));
            }
        }
    }

    /// The processes of all members but this one end, and begin again at once.
    fn end_others(&mut self, run: &mut Run<'_, '_>, id: u64) {
        let others: Vec<u64> = self.cluster.running.borrow().keys().copied().collect();
        if !others.contains(&id) || (others.len() as u64) < self.cluster.first {
            return;
        }
        for other in others.into_iter().filter(|other| *other != id) {
            let soon = run.now() + run.rng.between(Duration::ZERO, SOON);
            self.kill(run, soon, other, false);
        }
        self.cluster.faults.note(Fault::OneStayed);
    }

    /// The process of a member ends, and begins again later.
    fn kill(&mut self, run: &mut Run<'_, '_>, later: Duration, id: u64, is_powerless: bool) {
        let (faults, leader) = (&self.cluster.faults, self.cluster.leader());
        faults.note(Fault::MemberKilled);
        faults.add(Fault::LeaderKilled, u64::from(leader.is_some_and(|leader| leader.id == id)));
        faults.add(Fault::PowerLost, u64::from(is_powerless));
        self.service.is_killed(id);
        self.cluster.end(run.sim, id, is_powerless);
        run.at(later, move |run| run.sim.bounce(name(id)));
    }
}

/// The leader hears nobody, for longer than leases last. The others hear it, and so elect no
/// other one.
pub fn deafen<P: Process>(cluster: &Cluster<P>, run: &mut Run<'_, '_>) {
    let Some(leader) = cluster.settled_leader() else { return };
    for other in cluster.media.keys().filter(|other| **other != leader.id) {
        cluster.net.cut(*other, leader.id);
    }
    cluster.faults.note(Fault::LeaderDeafened);
    run.quiet_until = run.now() + run.rng.between(DEAF[0], DEAF[1]);
    heal_at(cluster, run.quiet_until, run);
}

/// Repairs the links between members, unless something goes on that is to be left alone.
fn heal_at<P: Process>(cluster: &Cluster<P>, at: Duration, run: &mut Run<'_, '_>) {
    let cluster = cluster.clone();
    run.at(at, move |run| {
        if run.now() >= run.quiet_until {
            cluster.heal();
        }
    });
}
