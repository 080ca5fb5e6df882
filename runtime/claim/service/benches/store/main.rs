//! The default store beside redb: sequential durable commits of one and of many writes, measured in
//! turns.
//!
//! `cargo bench -p turnstile-claim --bench store -- [SECONDS]` prints the table of `LOAD.md`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redb::{Database, TableDefinition};
use turnstile_host::store::{Batch, Key, LogStore, Store as _};

/// The numbers of writes per commit.
const SIZES: [u64; 3] = [1, 16, 64];
/// The approximate size of a claim in the store, in bytes.
const VALUE: [u8; 120] = [7; 120];
/// The number of claims, which are rewritten as if they were renewed.
const CLAIMS: u64 = 10_000;
const SECONDS_MAX: f64 = 60.0;
/// The number of turns of each store per row.
const SLICES: u32 = 20;

const META: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("meta");
const CLAIM: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("claim");

fn main() {
    // Cargo itself passes `--bench`.
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(2.0_f64);
    let time = Duration::from_secs_f64(seconds.clamp(0.1, SECONDS_MAX));
    println!("one commit after the other, {} s a row\n", time.as_secs_f64());
    println!("| store | writes in a commit | commits a second | p50 ms | p99 ms |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for writes in SIZES {
        let (mut log, mut redb) = (log(&dir("log"), writes), redb(&dir("redb"), writes));
        let (mut of_log, mut of_redb) = (Vec::new(), Vec::new());
        // In turns, so that what else the disk does falls on both alike.
        for _ in 0..SLICES {
            commit(time / SLICES, &mut of_log, &mut log);
            commit(time / SLICES, &mut of_redb, &mut redb);
        }
        print_row("append-only log, `fdatasync`", writes, &mut of_log);
        print_row("redb, immediate durability", writes, &mut of_redb);
    }
}

fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    std::fs::create_dir_all(&dir).expect("the directory is ours");
    dir
}

/// One commit of the store of turnstiled.
fn log(dir: &Path, writes: u64) -> impl FnMut() + use<> {
    let mut store = LogStore::open(dir).expect("the store opens");
    store.load().expect("an empty store is read");
    let (mut batch, mut next) = (Batch::default(), 0);
    move || {
        batch.clear();
        for _ in 0..writes {
            next = (next + 1) % CLAIMS;
            batch.put(&Key::numbered(2, next), &VALUE);
        }
        batch.put(&Key::single(1), &VALUE[..40]);
        store.write(&batch);
        store.sync().expect("the disk takes it");
    }
}

/// The same writes in one transaction of redb.
fn redb(dir: &Path, writes: u64) -> impl FnMut() + use<> {
    let database = Database::create(dir.join("claims.redb")).expect("the store opens");
    let mut next = 0;
    move || {
        let transaction = database.begin_write().expect("nobody else writes");
        {
            let mut claims = transaction.open_table(CLAIM).expect("a table of ours");
            for _ in 0..writes {
                next = (next + 1) % CLAIMS;
                claims.insert(next, &VALUE[..]).expect("there is room");
            }
            let mut meta = transaction.open_table(META).expect("a table of ours");
            meta.insert(0, &VALUE[..40]).expect("there is room");
        }
        transaction.commit().expect("the disk takes it");
    }
}

/// Commits for this time. Returns the latency of each commit.
fn commit(time: Duration, took: &mut Vec<Duration>, commit: &mut dyn FnMut()) {
    let started = Instant::now();
    while started.elapsed() < time {
        let before = Instant::now();
        commit();
        took.push(before.elapsed());
    }
}

fn print_row(name: &str, writes: u64, took: &mut [Duration]) {
    let all: Duration = took.iter().sum();
    took.sort_unstable();
    let at = |percent: usize| took[(took.len() * percent / 100).min(took.len() - 1)];
    println!(
        "| {name} | {writes} | {:.0} | {:.2} | {:.2} |",
        took.len() as f64 / all.as_secs_f64(),
        at(50).as_secs_f64() * 1e3,
        at(99).as_secs_f64() * 1e3,
    );
}
