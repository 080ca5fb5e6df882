//! The whole replicated state as bytes: the values of a store as a single server writes them, and
//! what such a server loses: timers, and the requests that wait.
//!
//! The encoding of equal states is equal, and a state that was installed is encoded again and
//! compared.

use std::collections::HashMap;
use std::hash::Hasher as _;
use std::io;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use turnstile_claim_core::message::Caller;
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{OpenRequest, Records, Timer};
use turnstile_host::store::Batch;
use turnstile_host::{Engine, unsupported_version};
use turnstile_ids::number::CallId;

use super::operation::{EncodedOrigin, decode, encode};
use super::replica::{Head, Replica, host};
use crate::server::state::entries::Entries;
use crate::server::state::index::ClaimIndex;
use crate::server::state::reply::CallKind;
use crate::server::state::saved::{self, Loaded, Meta};
use crate::server::state::service::ClaimService;
use crate::server::web::call::{Call, FIRST_WATCH};

/// The version of the encoding.
const VERSION: u8 = 1;
/// The version, the checksum of what follows them, and the length of the part before the claims.
const HEAD_BYTES: usize = 1 + 8 + 8;
/// The size of the parts in which values are encoded.
const PART_BYTES: usize = 1 << 20;

/// What a store of a single server does not have.
#[derive(Debug, Serialize, Deserialize)]
struct Volatile {
    head: Head,
    last_caller: u64,
    timers: Vec<(Timer, u64)>,
    calls: Vec<WaitingCall>,
}

/// A request that waits.
#[derive(Debug, Serialize, Deserialize)]
struct WaitingCall {
    caller: u64,
    claim: u64,
    resource: Option<u32>,
    is_post: bool,
    origin: EncodedOrigin,
}

/// A state as it was at one time, while the replica goes on: its claims are shared with it.
pub(super) struct Captured {
    volatile: Volatile,
    meta: Meta,
    claims: Entries,
}

impl Captured {
    /// A state in which no request waits. Its timers are armed when a term begins, since the core
    /// starts again then.
    pub(super) fn at_rest(head: Head, index: &ClaimIndex, meta: Meta) -> Self {
        let volatile = Volatile { head, last_caller: 0, timers: Vec::new(), calls: Vec::new() };
        Self { volatile, meta, claims: index.entries() }
    }

    /// Appends the encoded state.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        let volatile = encode(&self.volatile);
        out.push(VERSION);
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&(volatile.len() as u64).to_le_bytes());
        self.visit(&volatile, |bytes| out.extend_from_slice(bytes));
        let (head, rest) = out[begin..].split_at_mut(HEAD_BYTES);
        head[1..9].copy_from_slice(&checksum(rest).to_le_bytes());
    }

    /// The checksum of the encoded state, which needs no memory for it.
    fn checksum(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        self.visit(&encode(&self.volatile), |bytes| hasher.write(bytes));
        hasher.finish()
    }

    /// Visits the bytes after the head, in parts.
    fn visit(&self, volatile: &[u8], mut each: impl FnMut(&[u8])) {
        each(volatile);
        put_all(&self.claims, self.meta, |part| {
            each(part.as_bytes());
            part.clear();
        });
    }
}

impl Replica {
    /// Captures the state.
    pub(super) fn capture(&self) -> Captured {
        let engine = &self.host.engine;
        let service = &engine.service;
        let volatile = Volatile {
            head: self.head.clone(),
            last_caller: service.last_caller,
            timers: engine.timers().collect(),
            calls: waiting_calls(service),
        };
        let meta = Meta { alive: self.last(), ..service.meta };
        Captured { volatile, meta, claims: service.index.entries() }
    }

    /// Replaces the state by one that was captured. Requests of this process of which nothing is
    /// known any more get no reply.
    ///
    /// # Errors
    /// When the bytes are no state, or the state is not exactly that of the bytes.
    pub(super) fn install(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (sum, volatile, claims) = split(bytes)?;
        let found = saved::read_from(|each| Batch::read(claims, each))?;
        let Volatile { head, last_caller, timers, calls } = volatile;
        self.check_cluster(&head)?;
        self.head = head;
        let now = self.last();
        self.drop_waiters();
        let before = std::mem::take(&mut self.host.engine.service.calls);
        let Loaded { meta, mut index, claims, .. } = found;
        let meta = meta.unwrap_or_default();
        index.prolong(meta.outages_us);
        let open = calls.iter().map(open_request).collect();
        let saved = meta.saved(claims);
        let retention = self.limits().retention(self.outlet.0.is_some());
        let mut service = ClaimService::new(index, meta, retention);
        service.last_caller = last_caller;
        self.take_over(&mut service, calls, before);
        let core = Records::new(retention.limits);
        let engine = Engine::resume(core, saved.resume(&open), service, timers);
        self.host = host(engine, now);
        self.clock.applied(self.head.term, self.head.last_us);
        if self.capture().checksum() != sum {
            return Err(refuse("is not what this program makes of it: its version is another one"));
        }
        self.with(|engine| engine.end_watches_now());
        Ok(())
    }

    /// The requests that wait in the new state: those of this process keep their tasks.
    fn take_over(
        &mut self,
        service: &mut ClaimService,
        calls: Vec<WaitingCall>,
        mut before: HashMap<u64, Call>,
    ) {
        for WaitingCall { caller, claim, resource, is_post, origin } in calls {
            let is_own = origin.received_by == self.own;
            let reply = before.remove(&caller).and_then(|call| call.reply).filter(|_| is_own);
            if is_own && reply.is_none() {
                // Its task has no reply, and will get none.
                self.orphans.push(caller);
            }
            let kind = if is_post { CallKind::Post } else { CallKind::PATCH_STATUS };
            let (claim, origin) = (Some(claim), origin.decode());
            service.calls.insert(caller, Call { kind, claim, resource, origin, reply });
        }
        let old = &mut self.host.engine.service;
        service.metrics = std::mem::take(&mut old.metrics);
        service.last_watch = old.last_watch;
        service.watches = std::mem::take(&mut old.watches);
        service.calls.extend(before.into_iter().filter(|(caller, _)| *caller >= FIRST_WATCH));
    }
}

/// The values of a store in an encoded state, as the bytes of a batch.
///
/// # Errors
/// When the bytes are no state.
pub(super) fn claims_of(bytes: &[u8]) -> io::Result<&[u8]> {
    split(bytes).map(|(_, _, claims)| claims)
}

/// All values of a store, in their order: each part of them is taken out of the batch.
pub(super) fn put_all(claims: &Entries, meta: Meta, mut take: impl FnMut(&mut Batch)) {
    let mut part = Batch::default();
    saved::put_meta(&mut part, meta);
    for (id, entry) in claims.iter() {
        saved::put_claim(&mut part, id, entry, meta.outages_us);
        if part.len() >= PART_BYTES {
            take(&mut part);
        }
    }
    for (id, entry) in claims.iter() {
        saved::put_data(&mut part, id, entry);
        if part.len() >= PART_BYTES {
            take(&mut part);
        }
    }
    take(&mut part);
}

fn waiting_calls(service: &ClaimService) -> Vec<WaitingCall> {
    let calls = service.calls.iter().filter(|(caller, _)| **caller < FIRST_WATCH);
    let mut calls: Vec<WaitingCall> = calls
        .filter_map(|(caller, call)| {
            Some(WaitingCall {
                caller: *caller,
                claim: call.claim?,
                resource: call.resource,
                is_post: call.kind == CallKind::Post,
                origin: EncodedOrigin::new(&call.origin, call.origin.received_by?),
            })
        })
        .collect();
    calls.sort_unstable_by_key(|call| call.caller);
    calls
}

fn open_request(call: &WaitingCall) -> (ClaimId, OpenRequest) {
    let (from, is_post) = (Caller(call.caller), call.is_post);
    (ClaimId::new(call.claim), OpenRequest { from, call: CallId::new(0), is_post })
}

fn split(bytes: &[u8]) -> io::Result<(u64, Volatile, &[u8])> {
    let damaged = || refuse("is damaged");
    let ([version], rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    if *version != VERSION {
        let remedy = "use the program that saved it";
        return Err(unsupported_version("the snapshot of claims", *version, VERSION, remedy));
    }
    let (sum, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (sum, len) = (u64::from_le_bytes(*sum), u64::from_le_bytes(*len));
    if checksum(rest) != sum {
        return Err(damaged());
    }
    let len = usize::try_from(len).map_err(|_| damaged())?;
    let (volatile, claims) = rest.split_at_checked(len).ok_or_else(damaged)?;
    Ok((sum, decode(volatile).ok_or_else(damaged)?, claims))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

fn refuse(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the snapshot of claims {why}"))
}

/// The parts of a snapshot as text, so that a test can show a difference.
#[cfg(test)]
pub(super) fn describe(bytes: &[u8]) -> Vec<String> {
    let (_, Volatile { head, last_caller, timers, calls }, claims) = split(bytes).expect("whole");
    let mut parts = vec![format!("{head:?}, last caller {last_caller}")];
    parts.extend(timers.iter().map(|timer| format!("{timer:?}")));
    parts.extend(calls.iter().map(|call| format!("{call:?}")));
    let put = &mut |key: &turnstile_host::store::Key, value: &[u8]| {
        parts.push(format!("{key:?} {value:?}"));
        Ok(())
    };
    Batch::read(claims, put).expect("whole");
    parts
}
