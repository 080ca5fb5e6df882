//! How many pairs of lock and unlock the callers of two members make whose coordinator is a third
//! one, all in one process, over the loopback: beside as many round trips of 64 bytes, and beside
//! JGroups' LockService with CENTRAL_LOCK, if it is installed.
//!
//! `cargo bench -p turnstile-group-lock --bench pairs`

mod jgroups;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use turnstile_group_lock::Member;

use crate::jgroups::JGroups;

/// Debian's packages of JGroups.
const NEEDED: &str = "default-jre-headless, libjgroups-java and libcommons-logging-java of Debian";

/// How long each number of callers is measured, and how often.
const MEASURED: Duration = Duration::from_millis(800);
const ROUNDS: usize = 7;

/// Three members of one group.
async fn group() -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for _ in 0..3 {
        let mut builder = Member::builder("bench").period(Duration::from_millis(200));
        for seed in &members {
            builder = builder.seed(seed.address());
        }
        members.push(builder.start().await.expect("a port is free"));
    }
    for member in &members {
        let mut views = member.views();
        let whole = views.wait_for(|view| view.members.len() == 3);
        whole.await.expect("the member runs");
    }
    members
}

/// Pairs a second of so many callers, each at one of the members, with a lock of its own.
async fn pairs(members: &[Member], callers: usize) -> f64 {
    let begun = Instant::now();
    let mut all = JoinSet::new();
    for caller in 0..callers {
        let member = members[caller % members.len()].clone();
        all.spawn(async move {
            let (name, mut count) = (format!("lock {caller}"), 0_u32);
            while begun.elapsed() < MEASURED {
                drop(member.lock(&name).await);
                count += 1;
            }
            count
        });
    }
    let mut count = 0;
    while let Some(one) = all.join_next().await {
        count += one.expect("it does not panic");
    }
    f64::from(count) / begun.elapsed().as_secs_f64()
}

/// Round trips a second of so many connections over the loopback: the bare limit.
async fn echoes(callers: usize) -> f64 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let at: SocketAddr = listener.local_addr().expect("it is bound");
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut bytes = [0; 64];
                while stream.read_exact(&mut bytes).await.is_ok() {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    let begun = Instant::now();
    let mut all = JoinSet::new();
    for _ in 0..callers {
        all.spawn(async move {
            let mut stream = TcpStream::connect(at).await.expect("it listens");
            stream.set_nodelay(true).expect("it is a socket");
            let (mut bytes, mut count) = ([0; 64], 0_u32);
            while begun.elapsed() < MEASURED {
                stream.write_all(&bytes).await.expect("it is open");
                stream.read_exact(&mut bytes).await.expect("it is open");
                count += 1;
            }
            count
        });
    }
    let mut count = 0;
    while let Some(one) = all.join_next().await {
        count += one.expect("it does not panic");
    }
    serving.abort();
    f64::from(count) / begun.elapsed().as_secs_f64()
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

#[tokio::main]
async fn main() {
    let all = group().await;
    let status = all[0].status();
    let first = status.coordinator().and_then(|one| one.address);
    let members: Vec<Member> =
        all.iter().filter(|member| Some(member.address()) != first).cloned().collect();
    let mut peer = JGroups::start();
    if peer.is_none() {
        println!("without JGroups: it needs {NEEDED}");
    }
    println!(
        "callers   pairs/s   loopback round trips/s   JGroups pairs/s   pairs per JGroups pair"
    );
    for callers in [1, 3, 8, 64] {
        let (mut own, mut bare, mut theirs, mut ratio) = (vec![], vec![], vec![], vec![]);
        for _ in 0..ROUNDS {
            let one = pairs(&members, callers).await;
            own.push(one);
            bare.push(echoes(callers).await);
            let other = peer.as_mut().map_or(f64::NAN, |peer| peer.pairs(callers));
            theirs.push(other);
            ratio.push(one / other);
        }
        let (own, bare, theirs) = (median(own), median(bare), median(theirs));
        let ratio = median(ratio);
        println!("{callers:>7} {own:>9.0} {bare:>24.0} {theirs:>17.0} {ratio:>24.1}");
    }
}
