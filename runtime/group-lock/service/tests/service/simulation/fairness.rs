//! Members whose callers want one lock again and again, without a pause: no member waits longer
//! than each other one takes for its share of grants.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::sleep;
use turmoil::Builder;
use turnstile_group_lock::Member;
use turnstile_host::simulation;
use turnstile_simulation::{Dialer, Listener};

const MEMBERS: usize = 3;
/// How often a lock is granted to the callers of a member in a row, by default.
const GRANTS_MAX: usize = 8;
/// How long a caller has the lock.
const HOLD: Duration = Duration::from_millis(20);
/// How long the callers are watched, once they have begun.
const WATCHED: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_millis(1);
const PORT: u16 = 7000;

/// The member of each grant, in their order.
type Grants = Rc<RefCell<Vec<usize>>>;

fn address(member: usize) -> SocketAddr {
    (turmoil::lookup(format!("m{member}")), PORT).into()
}

/// The process of a member, and its callers, once all members are there.
async fn run_member(own: usize, callers: usize, grants: Grants) -> turmoil::Result {
    let mut builder = Member::builder("simulated").period(Duration::from_millis(200));
    for seed in 0..MEMBERS {
        builder = builder.seed(address(seed));
    }
    let listener = Listener::bind(PORT).await?;
    let member = builder.start_on(address(own), own as u64 + 1, listener, Dialer).await?;
    let mut views = member.views();
    views.wait_for(|view| view.members.len() == MEMBERS).await?;
    for _ in 0..callers {
        let (member, grants) = (member.clone(), Rc::clone(&grants));
        spawn_local(async move {
            loop {
                let guard = member.lock("job").await;
                grants.borrow_mut().push(own);
                sleep(HOLD).await;
                drop(guard);
            }
        });
    }
    std::future::pending().await
}

/// The grants while the members have so many callers each.
fn grants(seed: u64, callers: [usize; MEMBERS]) -> Vec<usize> {
    let _simulated = simulation::simulate(seed);
    let mut sim = Builder::new()
        .rng_seed(seed)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(TICK)
        .simulation_duration(2 * WATCHED)
        .build();
    let grants = Grants::default();
    for (own, callers) in callers.into_iter().enumerate() {
        let grants = Rc::clone(&grants);
        sim.host(format!("m{own}"), move || run_member(own, callers, Rc::clone(&grants)));
    }
    let mut begun = None;
    loop {
        sim.step().unwrap_or_else(|error| panic!("seed {seed}: no node fails: {error}"));
        if !grants.borrow().is_empty() {
            begun.get_or_insert(sim.elapsed());
        }
        if begun.is_some_and(|begun| sim.elapsed() >= begun + WATCHED) {
            return grants.take();
        }
    }
}

/// The most grants to one other member between two of a member.
fn overtaken(grants: &[usize], own: usize) -> usize {
    let waits = grants.split(|member| *member == own);
    let of = |wait: &[usize], other| wait.iter().filter(|member| **member == other).count();
    waits.flat_map(|wait| (0..MEMBERS).map(move |other| of(wait, other))).max().unwrap_or(0)
}

/// Jain's index over the members that have callers: 1 if all have equally many grants.
fn jain(counts: &[usize]) -> f64 {
    let counts = || counts.iter().map(|count| f64::from(u32::try_from(*count).unwrap_or(u32::MAX)));
    let count = counts().fold(0.0, |count, _| count + 1.0);
    counts().sum::<f64>().powi(2) / (count * counts().map(|count| count * count).sum::<f64>())
}

#[test]
fn a_busy_member_is_granted_a_lock_eight_times_at_most_while_another_one_waits() {
    for callers in [[3, 3, 3], [10, 1, 0], [1, 0, 10], [2, 1, 1]] {
        let grants = grants(1, callers);
        let members = (0..MEMBERS).filter(|member| callers[*member] > 0);
        let members: Vec<usize> = members.collect();
        let of = |own: &usize| grants.iter().filter(|member| *member == own).count();
        let counts: Vec<usize> = members.iter().map(of).collect();
        let most = members.iter().map(|own| overtaken(&grants, *own)).max();
        println!("{callers:?}: {counts:?} grants, {most:?} in a wait, Jain {:.2}", jain(&counts));
        assert!(counts.iter().sum::<usize>() > 400, "the lock is used: {counts:?}");
        assert!(most <= Some(GRANTS_MAX), "{callers:?}: {most:?}");
        assert!(jain(&counts) >= 0.9, "{callers:?}: {counts:?}");
    }
}
