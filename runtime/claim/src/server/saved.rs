//! What the store's keys hold: the server's counters, and for each claim the core's part and ours.
//!
//! Little-endian integers one after the other, behind a version. A value that does not read whole
//! is a fault of the store, never passed over. A lease's end is written without the outages before
//! it, so that an outage changes the counters alone. Older versions are still read: up to version 4
//! resources were numbered afresh at each start, version 3 had no outages, and version 2 one time
//! for durations and dates and no owners.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use serde_json::value::RawValue;
use turnstile_core::claim::message::ResourceName;
use turnstile_core::claim::record::{Kept, Status};
use turnstile_core::number::{ClaimId, IdempotencyKey, Token};
use turnstile_machines::claim_record as machine;

use super::book::Book;
use super::call::NewClaim;
use super::entry::Entry;
use turnstile_host::Moment;
use turnstile_host::store::{Batch, Key, Store};

/// The server's own counters and its clock.
const META: u8 = 1;
/// What the core saved of a claim, its history and its lease.
const CLAIM: u8 = 2;
/// What a claim's owner said of it; written once.
const DATA: u8 = 3;

const META_KEY: Key = Key::single(META);

const VERSION: u8 = 5;
const VERSION_FOUR: u8 = 4;
const VERSION_TWO: u8 = 2;
/// What a status and when it began are, at most.
const MOMENT_BYTES: usize = 1 + 8 + 8;

/// The server's counters and its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub last_claim: u64,
    pub last_token: u64,
    /// When this was written: the server was alive.
    pub alive: Moment,
    /// How long it was not, in all.
    pub outages_us: u64,
}

/// Everything that a start finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// None: the store is new.
    pub meta: Option<Meta>,
    pub book: Book,
    /// What the core saved.
    pub claims: BTreeMap<ClaimId, Option<Kept>>,
    /// Claims of older versions, whose resources get numbers that no other has.
    unnumbered: Vec<(u64, String, Claim)>,
}

pub(crate) fn put_meta(batch: &mut Batch, meta: Meta) {
    let mut out = vec![VERSION];
    let Meta { last_claim, last_token, alive, outages_us } = meta;
    for number in [last_claim, last_token, alive.at_us, alive.date_us, outages_us] {
        put_u64(&mut out, number);
    }
    batch.put(&META_KEY, &out);
}

pub(crate) fn put_claim(batch: &mut Batch, id: u64, kept: &Kept, entry: &Entry, outages_us: u64) {
    let mut out = vec![VERSION];
    let at = kept.at.name();
    out.push(at.len() as u8);
    out.extend_from_slice(at.as_bytes());
    put_option(&mut out, kept.token.map(Token::number));
    put_option(&mut out, kept.key.map(IdempotencyKey::number));
    put_u64(&mut out, entry.ttl_us);
    // One of them at most: a claim waits or holds the lock.
    let due_us = entry.due_us.map(|due_us| due_us.saturating_sub(outages_us));
    put_option(&mut out, due_us.or(entry.until_us));
    for (status, at) in &entry.history {
        out.push(*status as u8);
        put_u64(&mut out, at.at_us);
        put_u64(&mut out, at.date_us);
    }
    batch.put(&claim_key(id), &out);
}

/// What never changes of a claim.
pub(crate) fn put_data(batch: &mut Batch, id: u64, entry: &Entry) {
    let mut out = vec![VERSION];
    out.extend_from_slice(&entry.number.to_le_bytes());
    put_u64(&mut out, entry.digest);
    // No name is empty.
    let owner = entry.owner.as_deref().unwrap_or("");
    out.push(u8::try_from(owner.len()).expect("names are limited"));
    out.extend_from_slice(owner.as_bytes());
    let len = u32::try_from(entry.resource.len()).expect("names are limited");
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(entry.resource.as_bytes());
    out.extend_from_slice(entry.user_data.as_deref().map_or("", RawValue::get).as_bytes());
    batch.put(&data_key(id), &out);
}

pub(crate) fn remove_claim(batch: &mut Batch, id: u64) {
    batch.remove(&claim_key(id));
    batch.remove(&data_key(id));
}

/// Reads a whole store. Its claims come first, and then what they are of: in the same order.
pub(crate) fn read(store: &mut dyn Store) -> io::Result<Found> {
    let mut found = Found::default();
    let mut changing = VecDeque::new();
    store.read(&mut |key, value| {
        let read = match (key.kind(), key.number()) {
            (META, None) => read_meta(value).map(|meta| found.meta = Some(meta)),
            (CLAIM, Some(id)) => read_changing(value).map(|read| changing.push_back((id, read))),
            (DATA, Some(id)) => match changing.pop_front_if(|(first, _)| *first == id) {
                Some((_, first)) => {
                    if found.claims.is_empty() {
                        found.book.reserve(changing.len());
                    }
                    found.add(id, first, value)
                }
                // It is of no claim, or another is without.
                None => changing.front().is_none_or(|(first, _)| *first > id).then_some(()),
            },
            _ => None,
        };
        read.ok_or_else(|| damaged(key))
    })?;
    if let Some((id, _)) = changing.front() {
        return Err(damaged(&data_key(*id)));
    }
    let unnumbered = std::mem::take(&mut found.unnumbered);
    found.book.close_gaps().ok_or_else(|| damaged(&Key::single(DATA)))?;
    for (id, resource, claim) in unnumbered {
        let (number, resource) = found.book.number(&resource);
        found.insert(id, number, resource, claim);
    }
    Ok(found)
}

const fn claim_key(id: u64) -> Key {
    Key::numbered(CLAIM, id)
}

const fn data_key(id: u64) -> Key {
    Key::numbered(DATA, id)
}

fn damaged(key: &Key) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the store's {key:?} is damaged"))
}

fn read_meta(value: &[u8]) -> Option<Meta> {
    let (version, mut rest) = versioned(value)?;
    let (last_claim, last_token) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
    let alive = take_moment(&mut rest, version)?;
    let outages_us = if version >= VERSION_FOUR { take_u64(&mut rest)? } else { 0 };
    Some(Meta { last_claim, last_token, alive, outages_us })
}

impl Found {
    /// Adds a claim: what changes of it was read, and this is the rest.
    fn add(&mut self, id: u64, changing: Changing, data: &[u8]) -> Option<()> {
        let (version, mut data) = versioned(data)?;
        let number = u32::from_le_bytes(take(&mut data)?);
        let digest = take_u64(&mut data)?;
        let owner = if version == VERSION_TWO { None } else { take_owner(&mut data)? };
        let len = u32::from_le_bytes(take(&mut data)?);
        let (resource, user_data) = data.split_at_checked(len as usize)?;
        let resource = std::str::from_utf8(resource).ok()?;
        let user_data = match std::str::from_utf8(user_data).ok()? {
            "" => None,
            text => Some(RawValue::from_string(text.to_owned()).ok()?),
        };
        let claim = Claim { changing, digest, owner, user_data };
        if version <= VERSION_FOUR {
            self.unnumbered.push((id, resource.to_owned(), claim));
        } else {
            let resource = self.book.numbered(resource, number)?;
            self.insert(id, number, resource, claim);
        }
        Some(())
    }

    fn insert(&mut self, id: u64, number: u32, resource: Arc<str>, claim: Claim) {
        let Claim { changing, digest, owner, user_data } = claim;
        let Changing { at, token, key, ttl_us, time_us, history } = changing;
        let kept = Kept {
            resource: ResourceName(number),
            at,
            token: token.map(Token::new),
            key: key.map(IdempotencyKey::new),
        };
        let waits = history.last().is_some_and(|(status, _)| *status == Status::Waiting);
        let (until_us, due_us) = if waits { (time_us, None) } else { (None, time_us) };
        let new = NewClaim { number, resource, ttl_us, user_data, digest, owner };
        self.book.add(id, Entry { due_us, until_us, token, ..Entry::new(new, history) });
        self.claims.insert(ClaimId::new(id), Some(kept));
    }
}

/// What is read of a claim beside its resource.
#[derive(Debug)]
struct Claim {
    changing: Changing,
    digest: u64,
    owner: Option<Arc<str>>,
    user_data: Option<Box<RawValue>>,
}

/// What changes of a claim.
#[derive(Debug)]
struct Changing {
    at: machine::State,
    token: Option<u64>,
    key: Option<u64>,
    ttl_us: u64,
    time_us: Option<u64>,
    history: Vec<(Status, Moment)>,
}

fn read_changing(value: &[u8]) -> Option<Changing> {
    let (version, mut rest) = versioned(value)?;
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
        history.push((*Status::ALL.get(usize::from(status))?, take_moment(&mut rest, version)?));
    }
    let changing = Changing { at, token, key, ttl_us, time_us, history };
    (!changing.history.is_empty()).then_some(changing)
}

/// A value's version, and what is behind it.
fn versioned(value: &[u8]) -> Option<(u8, &[u8])> {
    let (version, rest) = value.split_first()?;
    (VERSION_TWO..=VERSION).contains(version).then_some((*version, rest))
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

fn take_moment(rest: &mut &[u8], version: u8) -> Option<Moment> {
    let at_us = take_u64(rest)?;
    let date_us = if version == VERSION_TWO { at_us } else { take_u64(rest)? };
    Some(Moment { at_us, date_us })
}

fn take_option(rest: &mut &[u8]) -> Option<Option<u64>> {
    let [is_there] = take(rest)?;
    let number = take_u64(rest)?;
    Some((is_there == 1).then_some(number))
}
