//! A leader whose disk is slower than those of the others.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::store::{Batch, Disk, Note, NoteValue, Store, Visitor};
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Member, Members, Options, Role, Status};

use super::group::PATIENCE;
use crate::register::Register;

const HEARTBEAT: Duration = Duration::from_millis(400);

/// Whether syncs have to wait.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn close(&self, is_closed: bool) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = is_closed;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let is_closed = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = self.0.1.wait_while(is_closed, |is_closed| *is_closed);
        drop(passed.unwrap_or_else(PoisonError::into_inner));
    }
}

/// A store whose syncs wait at a gate.
struct Gated<S>(S, Gate);

impl<S: Store> Store for Gated<S> {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.0.read(each)
    }

    fn write(&mut self, batch: &Batch) {
        self.0.write(batch);
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.0.note()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.1.pass();
        self.0.sync()
    }
}

/// Three members, the gates of their stores, and the place of the leader among them.
async fn gated() -> (Vec<Member>, Vec<Gate>, usize) {
    let (hub, mut members, mut gates) = (Hub::new(), Vec::new(), Vec::new());
    for id in 1..=3 {
        let options = Options::with_heartbeat(id, HEARTBEAT);
        let gate = Gate::default();
        let store = Box::new(Gated(Disk::default().open(), gate.clone()));
        let member = Member::start(options, store, Register::default(), hub.join(id)).await;
        members.push(member.expect("its disk is empty"));
        gates.push(gate);
    }
    let list: Members = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    members[0].initialize(&list).await.expect("it is one of them");
    let is_led = |status: &Status| status.leader.is_some() && status.applied_index > Some(0);
    let led = members[0].wait_for(PATIENCE, is_led).await.expect("one is elected");
    (members, gates, led.leader.expect("it was waited for") as usize - 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_whose_store_does_not_sync_for_too_long_is_replaced() {
    let (members, gates, place) = gated().await;
    let leads = |status: &Status| status.role == Role::Leader;
    let term = members[place].wait_for(PATIENCE, leads).await.expect("it leads").term;
    gates[place].close(true);
    let leader = members[place].clone();
    let proposed = tokio::spawn(async move { leader.propose("a").await });
    let next = |status: &Status| leads(status) && status.term > term;
    let others = [(place + 1) % 3, (place + 2) % 3].map(|other| members[other].clone());
    let [one, other] = &others;
    tokio::select! {
        led = one.wait_for(PATIENCE, next) => led,
        led = other.wait_for(PATIENCE, next) => led,
    }
    .expect("one of the others is elected");
    gates[place].close(false);
    // It may be on the others, and be committed by the next leader.
    let _unknown = proposed.await.expect("no panic");
    for member in members {
        member.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_waits_for_the_sync_of_what_was_written_before() {
    let (members, gates, place) = gated().await;
    let (leader, gate) = (members[place].clone(), &gates[place]);
    let leads = |status: &Status| status.role == Role::Leader;
    let before = leader.wait_for(PATIENCE, leads).await.expect("it leads").last_log_index;

    gate.close(true);
    let proposed = tokio::spawn({
        let leader = leader.clone();
        async move { leader.propose("a").await }
    });
    for member in &members {
        let has = |status: &Status| status.last_log_index > before;
        member.wait_for(PATIENCE, has).await.expect("it is sent before the leader's sync");
        assert!(member.status().applied_index <= before, "it is not committed");
    }
    let mut read = tokio::spawn(async move { leader.read_index().await });
    // Longer than the time in which a majority has to confirm it.
    let early = timeout(HEARTBEAT * 3 / 2, &mut read).await;
    assert!(early.is_err(), "{early:?}");
    assert!(!proposed.is_finished());
    gate.close(false);
    let index = read.await.expect("no panic").expect("a majority confirms it");
    assert!(index > before, "{index:?} {before:?}");
    assert_eq!(proposed.await.expect("no panic").expect("it is synced"), "1");
    for member in members {
        member.stop().await;
    }
}
