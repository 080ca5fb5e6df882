//! Histories of a store on a disk that forgets: processes that end anywhere, power losses, disks
//! that are full, descriptors that run out, writes and syncs that fail.
//!
//! Whatever was answered before is there after, tokens never go back, the next process always
//! starts, and a store whose trouble is over takes everything again. A seed decides everything; a
//! failing one prints the command that repeats it.

use std::path::Path;
use std::sync::Arc;

use turnstile_host::Rng;
use turnstile_host::store::{Batch, Faults, Image, Key, LogStore, Medium, Store as _};
use turnstile_random::seeds;

/// How many seeds a run of the tests takes, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 150;
/// What of cargo's repeats a seed.
const REPEAT: &str = "-p turnstile-host --test host power::";
/// Starts in a history.
const LIVES: u64 = 8;
const LOG_MAX: u64 = 1_500;

/// What happened, in one history or in many.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    answered: u64,
    crashes: u64,
    crashed_starts: u64,
    power_losses: u64,
    failed: u64,
    recovered: u64,
    unanswered_kept: u64,
}

/// A store's writes as the test remembers them.
type Writes = Vec<(Key, Option<Vec<u8>>)>;

struct History {
    seed: u64,
    rng: Rng,
    medium: Medium,
    answered: Image,
    pending: Vec<Writes>,
    token: u64,
    outcome: Outcome,
}

pub(crate) fn open(medium: &Medium) -> std::io::Result<LogStore> {
    LogStore::open_on(Arc::new(medium.clone()), Path::new("disk"), LOG_MAX)
}

fn apply(image: &mut Image, writes: &Writes) {
    for (key, value) in writes {
        match value {
            Some(value) => drop(image.insert(*key, value.clone())),
            None => drop(image.remove(key)),
        }
    }
}

fn batch(writes: &Writes) -> Batch {
    let mut batch = Batch::default();
    for (key, value) in writes {
        match value {
            Some(value) => batch.put(key, value),
            None => batch.remove(key),
        }
    }
    batch
}

fn token(image: &Image) -> u64 {
    let bytes = image.get(&Key::single(1)).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            rng: Rng::seeded(seed.rotate_left(23)),
            medium: Medium::new(seed),
            answered: Image::new(),
            pending: Vec::new(),
            token: 0,
            outcome: Outcome::default(),
        }
    }

    fn run(mut self) -> Outcome {
        for _ in 0..LIVES {
            let mut store = self.start();
            self.live(&mut store);
            if self.rng.number().is_multiple_of(4) {
                drop(store);
            } else {
                self.medium.kill();
                drop(store);
            }
            self.end();
        }
        self.outcome.failed = self.medium.failed();
        self.outcome
    }

    /// A process starts, and may end while it does.
    fn start(&mut self) -> LogStore {
        loop {
            if self.rng.number().is_multiple_of(3) {
                self.medium.light_fuse(self.rng.number() % 60);
            }
            // A store that is there is opened on a full disk, too.
            if !self.answered.is_empty() && self.rng.number().is_multiple_of(8) {
                self.medium.set_faults(Faults { is_full: true, ..Faults::default() });
            }
            let read = |mut store: LogStore| Ok((store.load()?, store));
            match open(&self.medium).and_then(read) {
                Ok((found, store)) => {
                    self.check(&found);
                    return store;
                }
                Err(_) if self.medium.is_dead() => {
                    self.outcome.crashed_starts += 1;
                    self.end();
                }
                Err(error) => panic!("seed {}: the store does not start: {error}", self.seed),
            }
        }
    }

    /// What was answered is there, and then a first part of what was not.
    fn check(&mut self, found: &Image) {
        let mut expected = self.answered.clone();
        let mut kept = 0;
        for writes in &self.pending {
            if *found == expected && token(found) == token(&expected) {
                break;
            }
            apply(&mut expected, writes);
            kept += 1;
        }
        assert!(
            *found == expected,
            "seed {}: token {} after {} was answered; {} claims of {}",
            self.seed,
            token(found),
            token(&self.answered),
            found.len(),
            self.answered.len(),
        );
        self.outcome.unanswered_kept += kept;
        self.answered = expected;
        self.pending.clear();
        self.token = token(found);
    }

    /// A process writes, and may end while it does.
    fn live(&mut self, store: &mut LogStore) {
        if self.rng.number().is_multiple_of(2) {
            self.medium.light_fuse(self.rng.number() % 200);
        }
        for _ in 0..self.rng.number() % 40 {
            self.disturb();
            let writes = self.writes();
            store.write(&batch(&writes));
            self.pending.push(writes);
            self.sync(store);
            if self.medium.is_dead() {
                return;
            }
        }
        self.medium.set_faults(Faults::default());
        let was_refused = !self.pending.is_empty();
        self.sync(store);
        if !self.medium.is_dead() {
            assert!(self.pending.is_empty(), "seed {}: the trouble is over", self.seed);
            self.outcome.recovered += u64::from(was_refused);
        }
    }

    fn sync(&mut self, store: &mut LogStore) {
        if store.sync().is_ok() {
            for writes in self.pending.drain(..) {
                apply(&mut self.answered, &writes);
                self.outcome.answered += 1;
            }
        }
    }

    /// Now and then something begins to go wrong, or ends to.
    fn disturb(&mut self) {
        let faults = match self.rng.number() % 24 {
            0 => Faults { is_full: true, ..Faults::default() },
            1 => Faults { has_no_descriptors: true, ..Faults::default() },
            2 => Faults { writes: 3, ..Faults::default() },
            3 => Faults { syncs: 3, ..Faults::default() },
            4 => {
                Faults { is_full: true, room: 9_999, has_no_descriptors: true, writes: 5, syncs: 5 }
            }
            5..12 => Faults::default(),
            _ => return,
        };
        self.medium.set_faults(faults);
    }

    fn writes(&mut self) -> Writes {
        self.token += 1;
        let mut writes = vec![(Key::single(1), Some(self.token.to_le_bytes().to_vec()))];
        for _ in 0..self.rng.number() % 4 {
            let key = Key::numbered(2, self.rng.number() % 20);
            let value = match self.rng.number() % 4 {
                0 => None,
                1 => Some(self.imitation()),
                _ => Some(vec![self.token as u8; (self.rng.number() % 200) as usize]),
            };
            writes.push((key, value));
        }
        writes
    }

    /// A part of what is on the disk, which a client may know.
    fn imitation(&mut self) -> Vec<u8> {
        let (file, from) = (self.rng.number() as usize, self.rng.number() as usize % 900);
        self.medium.part(file, from, 300)
    }

    /// The process has ended, and maybe the machine.
    fn end(&mut self) {
        self.outcome.crashes += u64::from(self.medium.is_dead());
        if self.rng.number().is_multiple_of(2) {
            self.medium.lose_power();
            self.outcome.power_losses += 1;
        }
        self.medium.revive();
    }
}

impl Outcome {
    fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.crashes += other.crashes;
        self.crashed_starts += other.crashed_starts;
        self.power_losses += other.power_losses;
        self.failed += other.failed;
        self.recovered += other.recovered;
        self.unanswered_kept += other.unanswered_kept;
    }
}

#[test]
fn what_was_answered_survives_every_order_of_crashes_and_power_losses() {
    let ran = seeds::run(SEEDS, REPEAT, |seed| History::new(seed).run(), Outcome::add);
    let Some((seeds, sum)) = ran else { return };
    // Each of these has happened, or nothing was tested.
    assert!(sum.answered > seeds && sum.power_losses > seeds && sum.crashes > seeds, "{sum:?}");
    assert!(sum.crashed_starts > 0 && sum.failed > seeds, "{sum:?}");
    assert!(sum.recovered > 0 && sum.unanswered_kept > 0, "{sum:?}");
}
