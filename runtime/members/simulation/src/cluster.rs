//! The members of a replicated log in a simulation, as only a test sees them: what runs, who leads,
//! changes of the members, and their states in the end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};
use turmoil::Sim;
use turnstile_host::store::Medium;
use turnstile_raft::{Member, MemberChange, MemberError, Members, Role, Status};

use crate::counts::Tally;
use crate::faults::Fault;
use crate::net::{Net, Trace, watch};
use crate::run::{self, RESTART_PAUSE};

/// How long a change of the members takes at most.
const CHANGE_MOST: Duration = Duration::from_secs(3);
/// How often a member looks whether there is a change to be made.
const CHANGES_EVERY: Duration = Duration::from_millis(60);
/// How often a member tells its state in the end.
const STATE_EVERY: Duration = Duration::from_millis(240);
/// So many may be added in a simulation.
const ADDED_MAX: u64 = 2;

/// The name of a member's host, and its address for the others.
pub fn name(id: u64) -> String {
    format!("member-{id}")
}

/// What runs in the process of a member.
pub trait Process: Clone + 'static {
    /// Its part of the replicated log.
    fn member(&self) -> &Member;

    /// Fails if anything has happened in it that must not.
    fn check(&self, _seed: u64) {}
}

impl Process for Member {
    fn member(&self) -> &Member {
        self
    }
}

/// The index of the last entry that a member has applied, and its state.
type LastState = (Option<u64>, Vec<u8>);

/// The members; clones share them.
#[derive(Clone)]
pub struct Cluster<P> {
    /// What decides about the simulation.
    pub seed: u64,
    /// Their network.
    pub net: Net,
    /// What happens.
    pub trace: Trace,
    /// What goes wrong.
    pub faults: Tally<Fault>,
    /// How many begin the cluster.
    pub first: u64,
    /// Their disks, with those of members that may be added.
    pub media: BTreeMap<u64, Medium>,
    /// The members that have been started, those that are added included.
    pub started: Rc<RefCell<BTreeSet<u64>>>,
    /// What runs.
    pub running: Rc<RefCell<BTreeMap<u64, P>>>,
    /// Nothing is written any more.
    pub is_over: Rc<Cell<bool>>,
    /// The changes of the members that are to be made, the next one first.
    pub(crate) changes: Rc<RefCell<Vec<MemberChange>>>,
    /// The state of each member, once nothing is written any more.
    states: Rc<RefCell<BTreeMap<u64, LastState>>>,
}

impl<P: Process> Cluster<P> {
    /// Three members or five, none of which runs yet.
    pub fn new(seed: u64, trace: &Trace) -> Self {
        let first = if seed.is_multiple_of(4) { 5 } else { 3 };
        let media = (1..=first + ADDED_MAX).map(|id| (id, Medium::new(seed ^ id << 40)));
        Self {
            seed,
            net: Net::new(seed.rotate_left(7), trace),
            trace: trace.clone(),
            faults: Tally::default(),
            first,
            media: media.collect(),
            started: Rc::new(RefCell::new((1..=first).collect())),
            running: Rc::default(),
            is_over: Rc::default(),
            changes: Rc::default(),
            states: Rc::default(),
        }
    }

    /// Gives each member a host, which runs this.
    pub fn host<F: Future<Output = turmoil::Result> + 'static>(
        &self,
        sim: &mut Sim<'_>,
        process: impl Fn(u64, Self) -> F + Clone + 'static,
    ) {
        for id in self.media.keys().copied() {
            let (cluster, process) = (self.clone(), process.clone());
            sim.host(name(id), move || {
                let (cluster, process) = (cluster.clone(), process.clone());
                async move {
                    while !cluster.started.borrow().contains(&id) {
                        sleep(RESTART_PAUSE).await;
                    }
                    process(id, cluster).await
                }
            });
        }
    }

    /// A member runs: it begins the cluster with the others, and makes changes of the members.
    pub fn add(&self, id: u64, process: P) {
        let member = process.member().clone();
        self.running.borrow_mut().insert(id, process);
        if id <= self.first {
            let list: Members = (1..=self.first).map(|id| (id, name(id))).collect();
            let member = member.clone();
            // As in the programs: it goes on when all have run.
            spawn_local(async move { member.initialize(&list).await });
        }
        let faults = self.faults.clone();
        let count = move |status: &Status| {
            if status.role == Role::Leader && status.term > 1 {
                faults.note(Fault::TermBegun);
            }
        };
        spawn_local(watch(id, member.clone(), self.trace.clone(), count));
        spawn_local(self.clone().make_changes(member.clone()));
        spawn_local(self.clone().tell_state(member));
    }

    /// The states of the members that run.
    pub fn statuses(&self) -> Vec<Status> {
        self.running.borrow().values().map(|process| process.member().status()).collect()
    }

    /// The member that leads in the greatest term.
    pub fn leader(&self) -> Option<Status> {
        let leads = self.statuses().into_iter().filter(|status| status.role == Role::Leader);
        leads.max_by_key(|status| status.term)
    }

    /// That one, once what it begins its term with is applied.
    pub fn settled_leader(&self) -> Option<Status> {
        self.leader().filter(|status| status.applied_term == Some(status.term))
    }

    /// Whether as many run as have begun, and no change is to be made.
    pub fn is_complete(&self) -> bool {
        self.running.borrow().len() as u64 == self.first && self.changes.borrow().is_empty()
    }

    /// Whether all that run have told their states at the same index: then they are equal.
    pub fn has_equal_states(&self) -> bool {
        let (states, running) = (self.states.borrow(), self.running.borrow());
        let mut states = running.keys().map(|id| states.get(id));
        let Some(Some((index, state))) = states.next() else { return false };
        states.all(|other| {
            let is_at_index = other.filter(|(at, _)| at == index);
            let is_equal = is_at_index.is_none_or(|(_, other)| other == state);
            assert!(is_equal, "seed {}: the members' states differ at {index:?}", self.seed);
            is_at_index.is_some()
        })
    }

    /// A member is added under load, and another removed: this one first, if it has lost its disk,
    /// since together with the lost one more of them would have to run.
    pub(crate) fn replace(&self, old: u64, is_lost: bool) {
        let new = *self.started.borrow().last().expect("some are started") + 1;
        self.started.borrow_mut().insert(new);
        let add = MemberChange::Add { id: new, address: name(new) };
        let remove = MemberChange::Remove { id: old };
        *self.changes.borrow_mut() = if is_lost { vec![remove, add] } else { vec![add, remove] };
    }

    /// The process of a member ends, alone or with its machine.
    pub(crate) fn end(&self, sim: &mut Sim<'_>, id: u64, is_powerless: bool) {
        self.trace.note(format_args!("end of member {id}"));
        if let Some(process) = self.running.borrow_mut().remove(&id) {
            process.check(self.seed);
        }
        run::end_process(sim, &self.media[&id], &name(id), is_powerless);
    }

    /// Repairs all links between members. Counts those that have missed what the others no longer
    /// have in their logs.
    pub(crate) fn heal(&self) {
        let statuses = self.statuses();
        let purged = statuses.iter().filter_map(|status| status.purged_index).max();
        let late = statuses.iter().filter(|status| status.last_log_index < purged).count();
        self.faults.add(Fault::SnapshotNeeded, late as u64);
        self.trace.note(format_args!("the links are mended"));
        self.net.heal();
    }

    /// Makes the changes that are to be made, if this member leads.
    async fn make_changes(self, member: Member) {
        loop {
            sleep(CHANGES_EVERY).await;
            let next = self.changes.borrow().first().cloned();
            let Some(change) = next.filter(|_| member.status().role == Role::Leader) else {
                continue;
            };
            let made = timeout(CHANGE_MOST, member.change_members(&change)).await;
            let is_made = match (&change, made) {
                // It was made when the outcome was unknown.
                (MemberChange::Remove { id }, Ok(Err(MemberError::Membership { .. }))) => {
                    !member.status().members.contains_key(id)
                }
                (_, made) => matches!(made, Ok(Ok(()))),
            };
            let mut changes = self.changes.borrow_mut();
            if is_made && changes.first() == Some(&change) {
                changes.remove(0);
                self.trace.note(format_args!("{change:?}"));
                self.faults.note(match change {
                    MemberChange::Add { .. } => Fault::MemberAdded,
                    MemberChange::Remove { .. } => Fault::MemberRemoved,
                });
            }
        }
    }

    /// Tells the state of a member again and again, once nothing is written any more.
    async fn tell_state(self, member: Member) {
        loop {
            sleep(STATE_EVERY).await;
            if self.is_over.get()
                && let Ok(backup) = member.backup().await
            {
                let status = member.status();
                let state = (status.snapshot_index, backup.state().to_vec());
                self.states.borrow_mut().insert(status.id, state);
            }
        }
    }
}
