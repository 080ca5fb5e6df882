//! Histories of a log on a disk that forgets: the process ends at any operation of the disk, and
//! the power may be lost with it.
//!
//! What was reported as durable is there after each start, the log has no gap, and no entry is
//! purged without a snapshot that covers it. A seed decides everything, because only writes that
//! are waited for are synced; a failing one prints the command that repeats it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use bytes::Bytes;
use tokio::runtime::{Builder, Runtime};
use turnstile_host::Rng;
use turnstile_host::store::{LogStore, Medium};
use turnstile_random::seeds;

use super::{Log, Mark};

/// The number of seeds, unless TURNSTILE_SEEDS has another.
const SEEDS: u64 = 300;
const REPEAT: &str = "-p turnstile-raft --lib log::crash::";
/// Starts in a history.
const LIVES: u64 = 8;
const OPERATIONS: u64 = 40;
/// The size of the store's files: small, so that they are compacted.
const LOG_MAX: u64 = 3_000;

/// What happened, in one history or in many.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    appended: u64,
    votes: u64,
    truncated: u64,
    snapshots: u64,
    installed: u64,
    crashes: u64,
    crashed_starts: u64,
    /// Crashes between the purge of an installed snapshot and the snapshot.
    crashed_installs: u64,
    power_losses: u64,
}

/// What must be in the log.
#[derive(Debug, Default)]
struct Durable {
    vote: u64,
    entries: BTreeMap<u64, Bytes>,
    committed: Option<u64>,
    snapshot: Option<u64>,
}

struct History {
    seed: u64,
    rng: Rng,
    medium: Medium,
    runtime: Runtime,
    durable: Durable,
    /// The last vote that was written, perhaps in vain.
    vote: u64,
    outcome: Outcome,
}

fn open(medium: &Medium) -> io::Result<Log> {
    let store = LogStore::open_on(Arc::new(medium.clone()), Path::new("disk"), LOG_MAX)?;
    let log = Log::open(Box::new(store), 7)?;
    // A disk that has failed stays so: its writes are reported as failed at once.
    log.give_up();
    Ok(log)
}

fn mark(index: u64) -> Mark {
    Mark { index, id: Bytes::from(format!("id {index}")) }
}

fn snapshot(upto: u64) -> Bytes {
    let len = (upto * 97) % 1500;
    (0..len).map(|at| (at ^ upto) as u8).collect()
}

fn vote_bytes(vote: u64) -> Bytes {
    Bytes::copy_from_slice(&vote.to_le_bytes())
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            rng: Rng::seeded(seed.rotate_left(17)),
            medium: Medium::new(seed),
            runtime: Builder::new_current_thread().build().expect("a runtime can be built"),
            durable: Durable::default(),
            vote: 0,
            outcome: Outcome::default(),
        }
    }

    fn run(mut self) -> Outcome {
        for _ in 0..LIVES {
            let log = self.start();
            if !self.below(4).eq(&0) {
                let fuse = self.below(150);
                self.medium.light_fuse(fuse);
            }
            for _ in 0..OPERATIONS {
                self.operate(&log);
                if self.medium.is_dead() {
                    break;
                }
            }
            self.medium.kill();
            log.close();
            self.end();
        }
        self.outcome
    }

    fn below(&mut self, most: u64) -> u64 {
        self.rng.number() % most
    }

    fn start(&mut self) -> Log {
        loop {
            if self.below(3) == 0 {
                let fuse = self.below(40);
                self.medium.light_fuse(fuse);
            }
            match open(&self.medium) {
                Ok(log) => {
                    self.check(&log);
                    return log;
                }
                Err(_) if self.medium.is_dead() => {
                    self.outcome.crashed_starts += 1;
                    self.end();
                }
                Err(error) => panic!("seed {}: the log does not start: {error}", self.seed),
            }
        }
    }

    /// The process has ended; the disk may lose its power.
    fn end(&mut self) {
        self.outcome.crashes += 1;
        if self.below(2) == 0 {
            self.medium.lose_power();
            self.outcome.power_losses += 1;
        }
        self.medium.revive();
    }

    fn check(&mut self, log: &Log) {
        let (seed, durable) = (self.seed, &mut self.durable);
        let vote = log.vote().map_or(0, |vote| {
            u64::from_le_bytes(vote.as_ref().try_into().expect("a vote has eight bytes"))
        });
        assert!(vote >= durable.vote && vote <= self.vote, "seed {seed}: vote {vote}, {durable:?}");
        let covered = log.lock().snapshot.as_ref().and_then(|snapshot| snapshot.record.upto);
        assert!(covered >= durable.snapshot, "seed {seed}: snapshot {covered:?}, {durable:?}");
        assert_eq!(log.snapshot(), covered.map(snapshot), "seed {seed}");
        let entries = log.lock().entries.clone();
        for (index, entry) in &durable.entries {
            let is_covered = covered >= Some(*index);
            let found = entries.get(index);
            let is_there = found == Some(entry) || (found.is_none() && is_covered);
            assert!(is_there, "seed {seed}: entry {index} is lost; covered: {covered:?}");
        }
        if let Some(first) = entries.keys().next() {
            let next = covered.map_or(0, |covered| covered + 1);
            assert!(*first <= next, "seed {seed}: a gap before entry {first}");
        }
        let committed = log.committed().map(|mark| mark.index);
        let last = log.lock().last_index();
        assert!(committed <= last.max(covered), "seed {seed}: committed {committed:?} of {last:?}");
        durable.committed = durable.committed.max(covered);
        (durable.vote, durable.entries, durable.snapshot) = (vote, entries, covered);
        self.vote = vote;
    }

    fn operate(&mut self, log: &Log) {
        match self.below(10) {
            0 | 1 => self.vote(log),
            2..=5 => self.append_and_wait(log),
            6 => self.truncate(log),
            7 => self.commit(log),
            8 => self.make_snapshot(log),
            9.. => self.install_snapshot(log),
        }
    }

    fn vote(&mut self, log: &Log) {
        self.vote += 1;
        if self.runtime.block_on(log.put_vote(vote_bytes(self.vote))).is_ok() {
            self.durable.vote = self.vote;
            self.outcome.votes += 1;
        }
    }

    /// Appends some entries; the receiver hears when they are durable.
    fn append(&mut self, log: &Log) -> (Vec<(u64, Bytes)>, Receiver<io::Result<()>>) {
        let first = log.lock().last_index().map_or(0, |last| last + 1);
        let entries: Vec<(u64, Bytes)> = (first..=first + self.below(3))
            .map(|index| {
                let len = self.below(200);
                let salt = self.below(256) as u8;
                (index, (0..len).map(|at| at as u8 ^ salt).collect())
            })
            .collect();
        let (done, is_done) = channel();
        // The test does not wait after a crash.
        let done = Box::new(move |result| drop(done.send(result)));
        log.append(entries.clone(), done);
        (entries, is_done)
    }

    fn acknowledge(&mut self, entries: Vec<(u64, Bytes)>, is_done: &Receiver<io::Result<()>>) {
        if is_done.recv().expect("it is called once").is_ok() {
            self.durable.entries.extend(entries);
            self.outcome.appended += 1;
        }
    }

    fn append_and_wait(&mut self, log: &Log) {
        let (entries, is_done) = self.append(log);
        self.acknowledge(entries, &is_done);
    }

    fn truncate(&mut self, log: &Log) {
        let Some(last) = log.lock().last_index() else { return };
        let first = self.durable.committed.map_or(0, |committed| committed + 1);
        if first > last {
            return;
        }
        let from = first + self.below(last - first + 1);
        log.truncate(from);
        self.durable.entries.split_off(&from);
        self.outcome.truncated += 1;
        self.append_and_wait(log);
    }

    fn commit(&mut self, log: &Log) {
        let last = log.lock().last_index();
        if last > self.durable.committed {
            self.durable.committed = last;
            log.put_committed(last.map(mark));
        }
    }

    fn make_snapshot(&mut self, log: &Log) {
        let Some(upto) = self.durable.committed else { return };
        if self.runtime.block_on(log.put_snapshot(Some(upto), snapshot(upto))).is_ok() {
            self.durable.snapshot = self.durable.snapshot.max(Some(upto));
            self.outcome.snapshots += 1;
            let kept = self.below(3);
            let (purged, _) = log.ends();
            let upto = upto.saturating_sub(kept);
            if purged.is_none_or(|purged| purged.index < upto) {
                log.purge(mark(upto));
            }
        }
    }

    /// The order of a follower: the purge is called before the snapshot is written, and entries may
    /// follow it.
    fn install_snapshot(&mut self, log: &Log) {
        let last = log.lock().last_index().map_or(0, |last| last + 1);
        // Some lie within the log, if they are committed.
        let (is_within, ahead) = (self.below(3) == 0, self.below(4));
        let upto = match self.durable.committed {
            Some(committed) if is_within => committed,
            Some(_) | None => last + ahead,
        };
        if log.ends().0.is_some_and(|purged| purged.index >= upto) {
            return;
        }
        log.put_committed(Some(mark(upto)));
        log.purge(mark(upto));
        let appended = (self.below(2) == 0).then(|| self.append(log));
        // Its sync takes along whatever is not held back.
        self.vote(log);
        if self.medium.is_dead() {
            self.outcome.crashed_installs += 1;
            // Writes that are held back are never called back: so they are not acknowledged.
            return;
        }
        let written = self.runtime.block_on(log.put_snapshot(Some(upto), snapshot(upto)));
        if written.is_ok() {
            self.durable.snapshot = self.durable.snapshot.max(Some(upto));
            self.durable.committed = self.durable.committed.max(Some(upto));
            self.outcome.installed += 1;
        } else {
            self.outcome.crashed_installs += 1;
        }
        if let Some((entries, is_done)) = appended
            && written.is_ok()
        {
            self.acknowledge(entries, &is_done);
        }
    }
}

#[test]
fn nothing_that_was_acknowledged_is_lost() {
    let history = |seed| History::new(seed).run();
    let add = |sum: &mut Outcome, one: &Outcome| {
        sum.appended += one.appended;
        sum.votes += one.votes;
        sum.truncated += one.truncated;
        sum.snapshots += one.snapshots;
        sum.installed += one.installed;
        sum.crashes += one.crashes;
        sum.crashed_starts += one.crashed_starts;
        sum.crashed_installs += one.crashed_installs;
        sum.power_losses += one.power_losses;
    };
    let Some((seeds, sum)) = seeds::run(SEEDS, REPEAT, history, add) else { return };
    assert!(sum.appended > 10 * seeds, "{sum:?}");
    assert!(sum.truncated > seeds && sum.snapshots > seeds && sum.installed > seeds, "{sum:?}");
    assert!(sum.crashed_installs > seeds / 4 && sum.power_losses > seeds, "{sum:?}");
}
