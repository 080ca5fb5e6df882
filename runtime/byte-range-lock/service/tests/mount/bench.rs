//! Pairs of lock and unlock a second: through a mount, beside the file system behind it, a mount
//! whose locks stay in the kernel, and the library alone; hand-overs; SQLite.
//!
//! `cargo bench -p turnstile-byte-range-lock --features fuse-tests`, as root. All ways take turns;
//! each figure is the median of its rounds.

#[expect(dead_code, reason = "the tests use more of it")]
mod locks;
mod sqlite;
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use turnstile_byte_range_lock::local::LocalFile;
use turnstile_byte_range_lock::{
    ByteRange, FileServer, LockRequest, LockType, Manager, Options, Owner, PlainFile,
};

use self::locks::{Kind, lock_open_file, open};
use self::support::{ClaimServer, Folder, Mounted};

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(500);

fn main() {
    if let Err(missing) = support::needs() {
        eprintln!("this mounts file systems: {missing}");
        std::process::exit(1);
    }
    let (backing, server) = (Folder::new(), ClaimServer::start());
    let start = |arguments: &[&str]| Mounted::start(&backing.0, arguments);
    let (mount, kernel) = (start(&[]), start(&["--locks=kernel-for-tests"]));
    let bare = start(&["--locks=off-for-tests"]);
    let claims = start(&[&server.locks()]);
    let ways = [
        ("rangefs", mount.path.as_path()),
        ("rangefs, by claims", claims.path.as_path()),
        ("FUSE, every lock granted at once", bare.path.as_path()),
        ("FUSE, locks in the kernel", kernel.path.as_path()),
        ("the file system behind", backing.0.as_path()),
    ];
    println!("\n| pairs of lock and unlock a second | 1 caller | 4 callers | hand-overs |");
    println!("|---|---:|---:|---:|");
    let measure =
        |path: &Path| [pairs(path, 1, false), pairs(path, 4, false), pairs(path, 2, true)];
    for (name, figures) in turns(&ways, measure) {
        println!("| {name} | {} |", figures.map(thousands).join(" | "));
    }
    library(&backing);
    sqlite::report(&ways);
}

/// The medians of some figures, of ways that take turns.
fn turns<const N: usize>(
    ways: &[(&'static str, &Path)],
    mut measure: impl FnMut(&Path) -> [f64; N],
) -> Vec<(&'static str, [f64; N])> {
    let mut all: Vec<Vec<[f64; N]>> = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (way, rounds) in ways.iter().zip(&mut all) {
            rounds.push(measure(way.1));
        }
    }
    let median = |rounds: &[[f64; N]], n: usize| {
        let mut sorted: Vec<f64> = rounds.iter().map(|round| round[n]).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let medians = |rounds: &Vec<[f64; N]>| std::array::from_fn(|n| median(rounds, n));
    ways.iter().zip(&all).map(|(way, rounds)| (way.0, medians(rounds))).collect()
}

/// Pairs a second of callers, each with a file of its own, or all with the same byte.
fn pairs(folder: &Path, callers: usize, is_contended: bool) -> f64 {
    let barrier = Barrier::new(callers);
    let caller = |n: usize| {
        let name = if is_contended { "same".into() } else { format!("own-{n}") };
        let file = open(&folder.join(name));
        barrier.wait();
        let (started, mut count) = (Instant::now(), 0_u32);
        while started.elapsed() < ROUND {
            for _ in 0..20 {
                lock_open_file(&file, Kind::Write, 0, 1).expect("it is granted");
                lock_open_file(&file, Kind::Unlock, 0, 1).expect("it is released");
                count += 1;
            }
        }
        f64::from(count) / started.elapsed().as_secs_f64()
    };
    thread::scope(|scope| {
        let callers: Vec<_> = (0..callers).map(|n| scope.spawn(move || caller(n))).collect();
        callers.into_iter().map(|caller| caller.join().expect("it ends")).sum()
    })
}

/// The calls of the library alone: with the locks of the system, and with a server in memory.
fn library(backing: &Folder) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _entered = runtime.enter();
    let path = backing.join("library");
    drop(open(&path));
    let mut local: Vec<f64> = Vec::new();
    let mut memory: Vec<f64> = Vec::new();
    for _ in 0..ROUNDS {
        local.push(calls(LocalFile::new(PlainFile(path.clone()))));
        memory.push(calls(Generous));
    }
    for (name, figures) in
        [("locks of the system", &mut local), ("a server in memory", &mut memory)]
    {
        figures.sort_unstable_by(f64::total_cmp);
        println!("| library, {name} | {} | | |", thousands(figures[figures.len() / 2]));
    }
}

struct Generous;

impl FileServer for Generous {
    fn lock(
        &self,
        lock: turnstile_byte_range_lock::ServerLock,
        reply: turnstile_byte_range_lock::Reply,
    ) {
        reply.granted(lock, 0, None);
    }

    fn extend(&self, reply: turnstile_byte_range_lock::Reply) {
        reply.extended(0, None);
    }

    fn release(&self, reply: turnstile_byte_range_lock::Reply) {
        reply.released();
    }
}

fn calls(server: impl FileServer) -> f64 {
    let manager = Manager::start(Options::default());
    let file = manager.open(server);
    let (owner, range) = (Owner(1), ByteRange::byte(0));
    let request = LockRequest { owner, process: 1, range, kind: LockType::Exclusive, waits: false };
    let (started, mut count) = (Instant::now(), 0_u32);
    while started.elapsed() < ROUND {
        for _ in 0..100 {
            manager.request(&file, request, |outcome| outcome.expect("it is granted"));
            manager.unlock(&file, owner, range).expect("it is kept");
            count += 1;
        }
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}

/// A number with a comma before its thousands.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
