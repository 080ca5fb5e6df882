//! One simulation: three members or five, users at each, what goes wrong with them, and what must
//! hold in the end. A seed decides.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use turnstile_group_lock::{GroupStatus, Member};
use turnstile_host::simulation;
use turnstile_host::store::Medium;
use turnstile_members_simulation::counts::Counts;
use turnstile_members_simulation::run::{Run, Simulation, Times, end_process};

use super::event::Event;
use super::member::{Group, name, run_member};
use super::state::Transfers;
use super::traces::Traces;
use super::witness::Witness;

const TIMES: Times = Times {
    disturbed: Duration::from_secs(20),
    end: Duration::from_secs(120),
    tick: Duration::from_millis(5),
    seldom: 120,
    lasts: Duration::from_secs(5),
};
/// The members have had one view for so long before it counts: a round takes five seconds at most.
const SETTLED: Duration = Duration::from_secs(6);

/// Runs a whole simulation.
pub(crate) fn simulate(seed: u64) -> Counts<Event> {
    let _simulated = simulation::simulate(seed);
    let mut sim = TIMES.build(seed);
    let count = if seed.is_multiple_of(4) { 5 } else { 3 };
    let media: BTreeMap<u64, Medium> =
        (1..=count).map(|id| (id, Medium::new(seed ^ id << 40))).collect();
    let group = Group {
        witness: Witness::default(),
        traces: Traces::new(media.keys().copied()),
        media,
        transfers: Transfers::default(),
        running: Rc::default(),
        lives: Rc::default(),
        is_over: Rc::default(),
    };
    for id in 1..=count {
        let group = group.clone();
        sim.host(name(id), move || run_member(id, group.clone()));
    }
    let Group { witness, traces, transfers, .. } = group.clone();
    Run::new(&mut sim, seed, TIMES).drive(&mut Members { group, since: None });
    drop(sim);
    let (received, lost) = traces.replay(seed);
    let Transfers { whole, failed, wrong } = transfers;
    let [whole, failed, wrong] = [whole, failed, wrong].map(|count| count.load(Ordering::Relaxed));
    assert_eq!(wrong, 0, "seed {seed}: a state arrives whole or not at all");
    let mut counts = witness.tally.counts();
    counts.note(Event::Received, received);
    counts.note(Event::MessageLost, lost);
    counts.note(Event::StateArrived, whole);
    counts.note(Event::StateFailed, failed);
    counts
}

/// Whether a member knows the addresses of all members of its view.
fn knows_its_view(status: &GroupStatus) -> bool {
    status.members.iter().all(|one| one.address.is_some())
}

/// The members that are disturbed.
struct Members {
    group: Group,
    /// Since when all of them have one view.
    since: Option<Duration>,
}

impl Simulation for Members {
    fn disturb(&mut self, run: &mut Run<'_, '_>) {
        let all: Vec<u64> = self.group.media.keys().copied().collect();
        let (one, other, later) = (run.choose(&all), run.choose(&all), run.later());
        match run.rng.number() % 8 {
            0..=2 => self.part(run, &all),
            3 if one != other => {
                self.note(Event::OneWay);
                run.sim.partition_oneway(name(one), name(other));
                run.at(later, move |run| run.sim.repair(name(one), name(other)));
            }
            4 if one != other => {
                self.note(Event::Held);
                run.sim.hold(name(one), name(other));
                run.at(later, move |run| run.sim.release(name(one), name(other)));
            }
            5 => {
                let coordinates = |status: &GroupStatus| {
                    status.coordinator().map(|first| first.number) == Some(status.member)
                };
                let running = self.group.running.borrow().clone();
                let first = running.iter().find(|(_, member)| coordinates(&member.status()));
                if let Some((first, _)) = first {
                    self.note(Event::CoordinatorKilled);
                    self.kill(run, *first);
                }
            }
            6 => {
                self.note(Event::MemberKilled);
                self.kill(run, one);
            }
            7 if run.rng.chance(0.3) => {
                self.note(Event::AllKilled);
                all.into_iter().for_each(|id| self.kill(run, id));
            }
            _ => {}
        }
    }

    /// Whether all members have one view, each user has had each lock since, and nobody holds one.
    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool {
        let statuses = self.statuses();
        let count = self.group.media.len();
        let is_whole = |one: &GroupStatus| {
            one.view.is_some() && one.members.len() == count && one.members == statuses[0].members
        };
        if statuses.len() != count || !statuses.iter().all(is_whole) {
            self.since = None;
            return false;
        }
        if run.now() - *self.since.get_or_insert(run.now()) < SETTLED {
            return false;
        }
        self.group.witness.calm_down();
        if self.group.witness.are_served(self.group.media.keys().copied()) {
            self.group.is_over.set(true);
        }
        self.group.is_over.get() && self.group.witness.are_free()
    }

    fn wrong(&self) -> Option<String> {
        let unknown = || self.statuses().into_iter().find(|one| !knows_its_view(one));
        let say = |unknown| format!("all addresses are known: {unknown:?}");
        self.group.witness.wrong().or_else(|| unknown().map(say))
    }

    fn states(&self) -> String {
        format!("{:#?}", self.statuses())
    }
}

impl Members {
    fn statuses(&self) -> Vec<GroupStatus> {
        self.group.running.borrow().values().map(Member::status).collect()
    }

    fn note(&self, event: Event) {
        self.group.witness.tally.note(event);
    }

    /// Parts the members in two.
    fn part(&self, run: &mut Run<'_, '_>, all: &[u64]) {
        let (some, others): (Vec<u64>, Vec<u64>) = all.iter().partition(|_| run.rng.chance(0.5));
        if some.is_empty() || others.is_empty() {
            return;
        }
        self.note(Event::Parted);
        let later = run.later();
        for (one, other) in some.iter().flat_map(|one| others.iter().map(move |other| (one, other)))
        {
            let (one, other) = (name(*one), name(*other));
            run.sim.partition(&*one, &*other);
            run.at(later, move |run| run.sim.repair(one, other));
        }
    }

    /// Ends the process of a member, with or without its machine.
    fn kill(&self, run: &mut Run<'_, '_>, id: u64) {
        if !run.sim.is_host_running(name(id)) {
            return;
        }
        let is_powerless = run.rng.chance(0.5);
        end_process(run.sim, &self.group.media[&id], &name(id), is_powerless);
        self.group.running.borrow_mut().remove(&id);
        self.group.witness.ended(id);
        self.group.witness.tally.add(Event::PowerLost, u64::from(is_powerless));
        let later = run.later();
        run.at(later, move |run| {
            if !run.sim.is_host_running(name(id)) {
                run.sim.bounce(name(id));
            }
        });
    }
}
