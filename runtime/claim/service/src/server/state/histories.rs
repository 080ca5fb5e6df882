//! Core and context are one deterministic machine: random histories, each run by two replicas. One
//! keeps its context in memory at a restart, the other reads all of it back from what it has saved.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot::error::TryRecvError;
use turnstile_claim_core::message::TargetStatus;
use turnstile_claim_core::number::IdempotencyKey;
use turnstile_claim_core::record::{Limits, Records, Saved, State};
use turnstile_host::store::{Disk, Image, Store as _};
use turnstile_host::{HostState, Observer, Outbox};
use turnstile_step::{Core as _, Effect, OutOf};

use crate::client::Rng;
use crate::server::access::auth::Identity;
use crate::server::access::origin::RequestOrigin;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::reply::Reply;
use crate::server::state::restore::open;
use crate::server::state::retention::{Quotas, Retention};
use crate::server::state::saved::{self, Meta};
use crate::server::state::service::ClaimService;
use crate::server::web::call::{
    ClaimRequest, EngineReply, FIRST_WATCH, OutgoingReply, PendingReply,
};
use crate::wire::request::{Patch, Post};

const HISTORIES: u64 = 1_000;
const STEPS: u64 = 60;
const START_US: u64 = 1_700_000_000_000_000;
const RETENTION: Retention = Retention {
    limits: Limits { waiters_max: 3, finished_max: 6 },
    leave_us: 300_000,
    unasked_us: 4_000_000,
    lapse_us: 1_000_000,
    quotas: Quotas { claims_max: 12, claims_per_owner_max: 8 },
    waits_max: 4,
    is_volatile: false,
    is_audited: true,
};

/// What happens to a server.
#[derive(Clone, Debug)]
enum Event {
    Post(String, u64, Option<u64>, RequestOrigin),
    Patch(u64, Patch, RequestOrigin),
    Watch(u64, RequestOrigin),
    HangUp(u64),
    Tick,
    /// With a last word to the store, or without.
    Restart(bool),
}

/// A server without tasks, its disk, and what its core has saved.
struct Replica {
    state: HostState<ClaimService>,
    disk: Disk,
    kept: Arc<Mutex<Option<Saved>>>,
    /// The counters and the clock as they were last written.
    sealed: Meta,
    waiting: Vec<PendingReply>,
    replies: Vec<Reply>,
    /// The lines of the audit log.
    audit: Vec<u8>,
}

fn wall_us(epoch: tokio::time::Instant) -> u64 {
    START_US + epoch.elapsed().as_micros() as u64
}

/// Keeps what the core saves, as its own rule puts saves together.
fn keeper(kept: &Arc<Mutex<Option<Saved>>>) -> Observer<Records> {
    let kept = kept.clone();
    Box::new(move |_input, out: &OutOf<Records>| {
        for effect in &out.effects {
            if let Effect::Save(saved) = effect {
                <Records>::merge_saved(&mut kept.lock().expect("one thread"), saved.clone());
            }
        }
    })
}

impl Replica {
    fn new(epoch: tokio::time::Instant) -> Self {
        let (disk, kept) = (Disk::default(), Arc::default());
        let found = saved::read(&mut disk.open()).expect("an empty disk");
        let state = open(found, RETENTION, wall_us(epoch), Some(keeper(&kept)));
        let sealed = Meta::default();
        let (waiting, replies, audit) = (Vec::new(), Vec::new(), Vec::new());
        let mut replica = Self { state, disk, kept, sealed, waiting, replies, audit };
        // A clock that was never written starts from zero.
        replica.state.seal();
        replica.commit();
        replica
    }

    fn take(&mut self, event: &Event) {
        self.state.enter();
        let mut engine = ClaimEngine(&mut self.state);
        let turn = match event.clone() {
            Event::Post(resource, ttl_us, key, origin) => {
                let post = Post { resource, ttl_us, user_data: None };
                let key = key.map(IdempotencyKey::new);
                engine.execute(ClaimRequest::Post { post, key }, &origin)
            }
            Event::Patch(id, patch, origin) => {
                engine.execute(ClaimRequest::Patch { id, patch }, &origin)
            }
            Event::Watch(id, origin) => engine.watch(id, &origin),
            Event::HangUp(caller) => {
                engine.hang_up(caller);
                engine.read_nothing()
            }
            Event::Tick | Event::Restart(_) => engine.read_nothing(),
        };
        match turn {
            EngineReply::Ready(reply) => self.replies.push(reply),
            EngineReply::Pending(pending) => self.waiting.push(pending),
        }
        self.commit();
    }

    /// Writes the batch, and hears the answers that it lets out.
    fn commit(&mut self) {
        let Outbox { batch, outgoing, log } = self.state.take_outbox(Outbox::default());
        self.audit.extend(log);
        if !batch.is_empty() {
            self.sealed = self.state.engine.service.meta;
        }
        let mut store = self.disk.open();
        store.write(&batch);
        store.sync().expect("this disk takes it");
        for OutgoingReply(sender, reply) in outgoing {
            let _gone = sender.send(reply);
        }
        self.state.committed(true);
        let replies = &mut self.replies;
        self.waiting.retain_mut(|pending| match pending.reply.try_recv() {
            Ok(reply) => {
                replies.push(reply);
                false
            }
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Closed) => false,
        });
    }

    fn image(&self) -> Image {
        self.disk.open().load().expect("it was just written")
    }

    /// Starts again from the disk alone.
    fn restart_from_disk(&mut self, epoch: tokio::time::Instant) {
        let found = saved::read(&mut self.disk.open()).expect("it has written this");
        self.state = open(found, RETENTION, wall_us(epoch), Some(keeper(&self.kept)));
        self.waiting.clear();
        self.commit();
    }

    /// Starts the core again with what it has saved, and keeps the context as it is.
    fn restart_in_memory(&mut self) {
        let now = self.state.read_clock();
        let claims = &mut self.state.engine.service;
        (claims.calls, claims.watches, claims.last_caller) = Default::default();
        claims.last_watch = FIRST_WATCH;
        let outages_us = self.sealed.outages_us + now.at_us - self.sealed.alive.at_us;
        claims.index.prolong(outages_us - claims.meta.outages_us);
        (claims.meta.outages_us, claims.meta.alive) = (outages_us, self.sealed.alive);
        let kept = self.kept.lock().expect("one thread").clone();
        self.state.engine.restart(now, kept, 0);
        self.waiting.clear();
        self.commit();
    }

    /// All that decides what happens next.
    fn view(&self) -> (State, Vec<String>, Vec<String>) {
        let claims = &self.state.engine.service;
        let entries = (1..=claims.index.last()).filter_map(|id| claims.index.entry(id));
        let engine = &self.state.engine;
        let timers =
            engine.armed().map(|timer| format!("{timer:?} {:?}", engine.armed_until_us(timer)));
        (
            engine.state().clone(),
            entries.map(|entry| format!("{entry:?}")).collect(),
            timers.collect(),
        )
    }
}

fn event(rng: &mut Rng) -> Event {
    let mut roll = |sides: u64| rng.number() % sides;
    let name = [None, Some("a".into()), Some("b".into())][roll(3) as usize].clone();
    let origin = RequestOrigin {
        base: "http://h/v1/claims/".into(),
        wait_us: (roll(2) == 0).then_some(800_000),
        timeout_us: (roll(3) == 0).then_some(1_500_000),
        identity: Identity { name, has_all_rights: true, from: ([127, 0, 0, 1], 1).into() },
        received_by: None,
    };
    match roll(23) {
        0..=6 => {
            let key = (roll(3) == 0).then(|| roll(4));
            Event::Post(format!("r{}", roll(4)), 200_000 + roll(4) * 500_000, key, origin)
        }
        7..=14 => {
            let (id, wait) = (1 + roll(14), origin.wait_us.is_some());
            let patch = match roll(7) {
                0 => Patch::Ttl(300_000 + roll(3) * 400_000),
                1 | 2 => Patch::Status(TargetStatus::Active { wait }),
                3 => Patch::Status(TargetStatus::Released),
                4 => Patch::Status(TargetStatus::Aborted),
                5 => Patch::Status(TargetStatus::Withdrawn),
                _ => Patch::Status(TargetStatus::Revoked),
            };
            Event::Patch(id, patch, origin)
        }
        15 => Event::HangUp(1 + roll(20) + if roll(2) == 0 { FIRST_WATCH } else { 0 }),
        16 | 17 => Event::Tick,
        18..=20 => Event::Watch(1 + roll(14), origin),
        _ => Event::Restart(roll(2) == 0),
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_entries_give_equal_states_and_equal_bytes_over_restarts() {
    let (mut restarts, mut claims, mut replies, mut lines) = (0, 0, 0, 0);
    for seed in 0..HISTORIES {
        let mut rng = Rng::seeded(seed);
        let epoch = tokio::time::Instant::now();
        let (mut memory, mut disk) = (Replica::new(epoch), Replica::new(epoch));
        for step in 0..STEPS {
            tokio::time::advance(Duration::from_millis(rng.number() % 400)).await;
            let event = event(&mut rng);
            if let Event::Restart(is_told) = event {
                restarts += 1;
                for replica in [&mut memory, &mut disk] {
                    if is_told {
                        replica.state.enter();
                        ClaimEngine(&mut replica.state).end_waits();
                        replica.state.engine.service.is_ending = false;
                        replica.commit();
                    }
                }
                memory.restart_in_memory();
                disk.restart_from_disk(epoch);
            } else {
                memory.take(&event);
                disk.take(&event);
            }
            let at = format!("seed {seed}, step {step}: {event:?}");
            let ((state, entries, timers), other) = (memory.view(), disk.view());
            for (one, other) in entries.iter().zip(&other.1).chain(timers.iter().zip(&other.2)) {
                assert_eq!(one, other, "{at}");
            }
            assert_eq!((state, entries.len(), timers), (other.0, other.1.len(), other.2), "{at}");
            assert_eq!(memory.replies, disk.replies, "{at}");
            assert_eq!(memory.audit, disk.audit, "{at}");
            assert_eq!(memory.image(), disk.image(), "{at}");
        }
        claims += disk.state.engine.service.meta.last_claim;
        replies += disk.replies.len();
        lines += disk.audit.iter().filter(|byte| **byte == b'\n').count();
    }
    // What the histories are about has happened in them.
    let happened = (restarts > 3_000, claims > 5_000, replies > 40_000, lines > 5_000);
    assert_eq!(happened, (true, true, true, true), "{restarts} {claims} {replies} {lines}");
}
