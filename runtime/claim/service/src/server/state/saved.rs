//! The encoding of the store's values: the server's counters, and the core's and the server's data
//! of each claim.
//!
//! Little-endian integers after a version. A value that cannot be decoded is an error, and so is
//! one of another version. Leases are stored without outages, so that an outage changes the
//! counters only.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use serde_json::value::RawValue;
use turnstile_claim_core::message::ResourceName;
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Saved, SavedClaim, Status};
use turnstile_claim_machines::claim_record as machine;
use turnstile_ids::number::Token;

use crate::server::state::index::ClaimIndex;
use crate::server::state::record::{ClaimRecord, NewClaim};
use turnstile_host::store::{Batch, Key, Store, Visitor};
use turnstile_host::{Moment, unsupported_version};

/// The server's own counters and its clock.
const META: u8 = 1;
/// The core's data of a claim, its history and its lease.
const CLAIM: u8 = 2;
/// The immutable data of a claim; written once.
const DATA: u8 = 3;

/// The id of the server; written once.
const SERVER: u8 = 4;

const META_KEY: Key = Key::single(META);
const SERVER_KEY: Key = Key::single(SERVER);

/// The size of the value that the log of a member of a cluster has at the key of the counters.
const MEMBER_BYTES: usize = 1 + 8 + 8;

/// The version of the counters and of both data of a claim, their first byte.
const VERSION: u8 = 5;
/// The maximum encoded size of a status and its time.
const MOMENT_BYTES: usize = 1 + 8 + 8;

/// The server's counters and its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub last_claim: u64,
    pub last_token: u64,
    /// When this was written: the last time at which the server is known to have been alive.
    pub alive: Moment,
    /// The total duration of all outages, in microseconds.
    pub outages_us: u64,
}

/// The content of a store.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// `None`: the store is new.
    pub meta: Option<Meta>,
    /// The id of the server; `None`: the store is new, or was restored from a snapshot.
    pub server: Option<u128>,
    pub index: ClaimIndex,
    /// The core's data of the claims.
    pub claims: Vec<(ClaimId, Option<SavedClaim>)>,
    /// The server's data of claims that are not in the index yet.
    records: Vec<(u64, Arc<ClaimRecord>)>,
}

pub(crate) fn put_meta(batch: &mut Batch, meta: Meta) {
    let Meta { last_claim, last_token, alive, outages_us } = meta;
    batch.put_with(&META_KEY, |out| {
        out.push(VERSION);
        for number in [last_claim, last_token, alive.at_us, alive.date_us, outages_us] {
            put_u64(out, number);
        }
    });
}

pub(crate) fn put_server(batch: &mut Batch, server: u128) {
    batch.put(&SERVER_KEY, &server.to_le_bytes());
}

pub(crate) fn put_claim(batch: &mut Batch, id: u64, entry: &ClaimRecord, outages_us: u64) {
    batch.put_with(&claim_key(id), |out| {
        let at = entry.at.name();
        out.extend_from_slice(&[VERSION, at.len() as u8]);
        out.extend_from_slice(at.as_bytes());
        put_option(out, entry.token);
        put_option(out, entry.key.map(IdempotencyKey::number));
        put_u64(out, entry.ttl_us);
        // At most one of the two: a claim is either waiting or active.
        let due_us = entry.due_us.map(|due_us| due_us.saturating_sub(outages_us));
        put_option(out, due_us.or(entry.until_us));
        for (status, at) in &entry.history {
            out.push(*status as u8);
            put_u64(out, at.at_us);
            put_u64(out, at.date_us);
        }
    });
}

/// The immutable data of a claim.
pub(crate) fn put_data(batch: &mut Batch, id: u64, entry: &ClaimRecord) {
    // An empty name means none.
    let owner = entry.owner.as_deref().unwrap_or("");
    let owner_len = u8::try_from(owner.len()).expect("names are limited");
    let len = u32::try_from(entry.resource.len()).expect("names are limited");
    batch.put_with(&data_key(id), |out| {
        out.push(VERSION);
        out.extend_from_slice(&entry.number.to_le_bytes());
        put_u64(out, entry.digest);
        out.push(owner_len);
        out.extend_from_slice(owner.as_bytes());
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(entry.resource.as_bytes());
        out.extend_from_slice(entry.user_data.as_deref().map_or("", RawValue::get).as_bytes());
    });
}

pub(crate) fn remove_claim(batch: &mut Batch, id: u64) {
    batch.remove(&claim_key(id));
    batch.remove(&data_key(id));
}

/// Reads a store: first the changing data of all claims, then their immutable data, in the same
/// order.
pub(crate) fn read(store: &mut dyn Store) -> io::Result<Loaded> {
    read_from(|each| store.read(each))
}

/// Reads what a function visits: the values of a store, in their order.
pub(crate) fn read_from(visit: impl FnOnce(Visitor<'_>) -> io::Result<()>) -> io::Result<Loaded> {
    let mut found = Loaded::default();
    let mut changing = VecDeque::new();
    visit(&mut |key, value| {
        let read = match (key.kind(), key.number()) {
            (SERVER, None) => {
                found.server = value.try_into().ok().map(u128::from_le_bytes);
                found.server.map(drop)
            }
            (META, None) => read_meta(value).map(|meta| found.meta = Some(meta)),
            (CLAIM, Some(id)) => read_changing(value).map(|read| changing.push_back((id, read))),
            (DATA, Some(id)) => match changing.pop_front_if(|(first, _)| *first == id) {
                Some((_, first)) => {
                    if found.claims.is_empty() {
                        found.reserve(changing.len() + 1);
                    }
                    found.add(id, first, value)
                }
                // Data without a claim, or a claim without data.
                None => changing.front().is_none_or(|(first, _)| *first > id).then_some(()),
            },
            _ => None,
        };
        read.ok_or_else(|| unreadable(key, value))
    })?;
    if let Some((id, _)) = changing.front() {
        return Err(damaged(&data_key(*id)));
    }
    found.index.fill(std::mem::take(&mut found.records));
    found.index.close_gaps().ok_or_else(|| damaged(&Key::single(DATA)))?;
    Ok(found)
}

const fn claim_key(id: u64) -> Key {
    Key::numbered(CLAIM, id)
}

const fn data_key(id: u64) -> Key {
    Key::numbered(DATA, id)
}

/// Why a value cannot be read.
fn unreadable(key: &Key, value: &[u8]) -> io::Error {
    match (*key, value) {
        (META_KEY, value) if value.len() == MEMBER_BYTES => of_a_member(),
        (SERVER_KEY, _) | (_, [] | [VERSION, ..]) => damaged(key),
        (_, [version, ..]) => of_version(key, *version),
    }
}

fn of_version(key: &Key, version: u8) -> io::Error {
    let remedy = "start the program that wrote it, or start with an empty store";
    unsupported_version(format_args!("the store's entry {key:?}"), version, VERSION, remedy)
}

fn damaged(key: &Key) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the store's entry {key:?} is corrupt"))
}

fn of_a_member() -> io::Error {
    let text = "it is that of a member of a cluster, which --cluster serves: `turnstiled snapshot \
                save FILE --url URL` at a member that runs, and `turnstiled snapshot restore FILE \
                --data DIR`, make one of a single server";
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn read_meta(value: &[u8]) -> Option<Meta> {
    let mut rest = after_version(value)?;
    let (last_claim, last_token) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
    let alive = take_moment(&mut rest)?;
    let outages_us = take_u64(&mut rest)?;
    Some(Meta { last_claim, last_token, alive, outages_us })
}

impl Meta {
    /// What the core saved of these claims.
    pub(crate) fn saved(
        &self,
        claims: impl IntoIterator<Item = (ClaimId, Option<SavedClaim>)>,
    ) -> Saved {
        let (last_claim, last_token) = (ClaimId::new(self.last_claim), Token::new(self.last_token));
        Saved { claims: claims.into_iter().collect(), last_claim, last_token }
    }
}

impl Loaded {
    /// Reserves memory for this many claims.
    fn reserve(&mut self, claims: usize) {
        self.index.reserve(claims);
        self.claims.reserve_exact(claims);
        self.records.reserve_exact(claims);
    }

    /// Adds a claim from its changing and its immutable data.
    fn add(&mut self, id: u64, changing: ClaimProgress, data: &[u8]) -> Option<()> {
        let mut data = after_version(data)?;
        let number = u32::from_le_bytes(take(&mut data)?);
        let digest = take_u64(&mut data)?;
        let owner = take_owner(&mut data)?;
        let len = u32::from_le_bytes(take(&mut data)?);
        let (resource, user_data) = data.split_at_checked(len as usize)?;
        let resource = std::str::from_utf8(resource).ok()?;
        let user_data = match std::str::from_utf8(user_data).ok()? {
            "" => None,
            text => Some(RawValue::from_string(text.to_owned()).ok()?),
        };
        let resource = self.index.numbered(resource, number)?;
        let ClaimProgress { at, token, key, ttl_us, time_us, history } = changing;
        let kept = SavedClaim {
            resource: ResourceName(number),
            at,
            token: token.map(Token::new),
            key: key.map(IdempotencyKey::new),
        };
        let waits = history.last().is_some_and(|(status, _)| *status == Status::Waiting);
        let (until_us, due_us) = if waits { (time_us, None) } else { (None, time_us) };
        let new = NewClaim { number, resource, ttl_us, user_data, digest, owner };
        let mut record = ClaimRecord { due_us, until_us, token, ..ClaimRecord::new(new, history) };
        record.keep(kept);
        self.records.push((id, Arc::new(record)));
        self.claims.push((ClaimId::new(id), Some(kept)));
        Some(())
    }
}

/// The changing data of a claim.
#[derive(Debug)]
struct ClaimProgress {
    at: machine::State,
    token: Option<u64>,
    key: Option<u64>,
    ttl_us: u64,
    time_us: Option<u64>,
    history: Vec<(Status, Moment)>,
}

fn read_changing(value: &[u8]) -> Option<ClaimProgress> {
    let mut rest = after_version(value)?;
    let [len] = take(&mut rest)?;
    let (at, mut rest) = rest.split_at_checked(usize::from(len))?;
    let at = machine::State::from_name(std::str::from_utf8(at).ok()?)?;
    let token = take_option(&mut rest)?;
    let key = take_option(&mut rest)?;
    let ttl_us = take_u64(&mut rest)?;
    let time_us = take_option(&mut rest)?;
    let mut history = Vec::with_capacity(rest.len().div_ceil(MOMENT_BYTES));
    while !rest.is_empty() {
        let [status] = take(&mut rest)?;
        history.push((*Status::ALL.get(usize::from(status))?, take_moment(&mut rest)?));
    }
    let changing = ClaimProgress { at, token, key, ttl_us, time_us, history };
    (!changing.history.is_empty()).then_some(changing)
}

/// A value without its version; `None` if it has another one.
fn after_version(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(&[VERSION])
}

fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_option(out: &mut Vec<u8>, number: Option<u64>) {
    out.push(u8::from(number.is_some()));
    put_u64(out, number.unwrap_or(0));
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    take(rest).map(u64::from_le_bytes)
}

fn take_owner(rest: &mut &[u8]) -> Option<Option<Arc<str>>> {
    let [len] = take(rest)?;
    let (owner, left) = rest.split_at_checked(usize::from(len))?;
    *rest = left;
    let owner = std::str::from_utf8(owner).ok()?;
    Some((!owner.is_empty()).then(|| owner.into()))
}

fn take_moment(rest: &mut &[u8]) -> Option<Moment> {
    Some(Moment { at_us: take_u64(rest)?, date_us: take_u64(rest)? })
}

fn take_option(rest: &mut &[u8]) -> Option<Option<u64>> {
    let [is_there] = take(rest)?;
    let number = take_u64(rest)?;
    Some((is_there == 1).then_some(number))
}
