//! Who is granted a lock that the callers of three members want again and again: the grants of each
//! member, Jain's index over the members that have callers, and the longest wait of a member beside
//! its bound; and how many pairs of lock and unlock are made that hold it for no time. All in one
//! process, over the loopback.
//!
//! `cargo bench -p turnstile-group-lock --bench fairness`

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use turnstile_group_lock::Member;

const MEMBERS: usize = 3;
/// The callers of each member.
const CALLERS: [[usize; MEMBERS]; 5] = [[3, 3, 3], [10, 1, 0], [1, 0, 10], [2, 1, 1], [2, 0, 0]];
/// For how long a lock is held, in milliseconds; all of these are measured at the same time.
const HOLDS: [u64; 3] = [5, 50, 200];
const MEASURED: Duration = Duration::from_secs(40);
/// How long locks that are held for no time are measured.
const PAIRS_MEASURED: Duration = Duration::from_secs(2);
/// The grants of a member in a row, by default, and the longest poll.
const GRANTS_MAX: f64 = 8.0;
const POLL_MAX: Duration = Duration::from_millis(200);

/// What one member is granted.
#[derive(Clone, Copy, Default)]
struct Share {
    grants: u32,
    /// Since when it waits.
    since: Option<Instant>,
    longest: Duration,
    /// From grants to the next ones that follow without a wait.
    held: Duration,
}

/// Three members of one group.
async fn group() -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for _ in 0..MEMBERS {
        let mut builder = Member::builder("bench").period(Duration::from_millis(200));
        for seed in &members {
            builder = builder.seed(seed.address());
        }
        members.push(builder.start().await.expect("a port is free"));
    }
    for member in &members {
        let mut views = member.views();
        let whole = views.wait_for(|view| view.members.len() == MEMBERS);
        whole.await.expect("the member runs");
    }
    members
}

/// Has the callers use one lock until the time is over; returns the shares of the members.
async fn shares(
    members: Vec<Member>,
    callers: [usize; MEMBERS],
    hold: Duration,
    measured: Duration,
) -> Vec<Share> {
    let begun = Instant::now();
    let shares = Arc::new(Mutex::new(vec![Share::default(); MEMBERS]));
    let mut all = JoinSet::new();
    let each = (0..MEMBERS).flat_map(|own| std::iter::repeat_n(own, callers[own]));
    for own in each {
        let (member, shares) = (members[own].clone(), Arc::clone(&shares));
        let name = format!("{callers:?} {hold:?}");
        all.spawn(async move {
            let share = |change: &mut dyn FnMut(&mut Share)| {
                change(&mut shares.lock().unwrap_or_else(PoisonError::into_inner)[own]);
            };
            while begun.elapsed() < measured {
                share(&mut |share| _ = share.since.get_or_insert_with(Instant::now));
                let guard = member.lock(&name).await;
                let granted = Instant::now();
                share(&mut |share| {
                    let waited = share.since.take().map_or(Duration::ZERO, |since| granted - since);
                    share.longest = share.longest.max(waited);
                    share.grants += 1;
                });
                if hold > Duration::ZERO {
                    tokio::time::sleep(hold).await;
                }
                share(&mut |share| {
                    share.since = Some(Instant::now());
                    share.held += granted.elapsed();
                });
                drop(guard);
            }
        });
    }
    while let Some(one) = all.join_next().await {
        one.expect("it does not panic");
    }
    drop(all);
    let shares = shares.lock().unwrap_or_else(PoisonError::into_inner);
    shares.clone()
}

fn print(callers: [usize; MEMBERS], shares: &[Share]) {
    let used: Vec<&Share> = shares.iter().filter(|share| share.grants > 0).collect();
    let count = used.len() as f64;
    let (mut sum, mut squares, mut held) = (0.0, 0.0, 0.0);
    for share in &used {
        sum += f64::from(share.grants);
        squares += f64::from(share.grants).powi(2);
        held += share.held.as_secs_f64();
    }
    let bound = (count - 1.0) * (GRANTS_MAX * held / sum + POLL_MAX.as_secs_f64()) * 1e3;
    let longest = shares.iter().map(|share| share.longest).max().unwrap_or_default();
    let text = |numbers: Vec<String>| numbers.join("/");
    println!(
        "{:>9} {:>9.1} {:>16} {:>6.3} {:>13.0} {bound:>7.0}",
        text(callers.iter().map(ToString::to_string).collect()),
        held / sum * 1e3,
        text(shares.iter().map(|share| share.grants.to_string()).collect()),
        sum.powi(2) / (count * squares),
        longest.as_secs_f64() * 1e3,
    );
}

#[tokio::main]
async fn main() {
    let members = group().await;
    println!("callers   pairs/s that hold the lock for no time");
    for callers in CALLERS {
        let shares = shares(members.clone(), callers, Duration::ZERO, PAIRS_MEASURED).await;
        let grants = shares.iter().map(|share| f64::from(share.grants)).sum::<f64>();
        println!("{callers:?} {:>9.0}", grants / PAIRS_MEASURED.as_secs_f64());
    }
    let mut all = JoinSet::new();
    for hold in HOLDS {
        for callers in CALLERS {
            let (members, hold) = (members.clone(), Duration::from_millis(hold));
            all.spawn(
                async move { (hold, callers, shares(members, callers, hold, MEASURED).await) },
            );
        }
    }
    let mut measured = all.join_all().await;
    measured.sort_by_key(|(hold, callers, _)| (*hold, std::cmp::Reverse(*callers)));
    println!("  callers   held (ms)           grants   Jain   longest (ms)   bound");
    for (_, callers, shares) in measured {
        print(callers, &shares);
    }
}
