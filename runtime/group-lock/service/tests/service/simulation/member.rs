//! The process of a member and its users.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::task::spawn_local;
use turnstile_group_lock::Member;
use turnstile_host::Rng;
use turnstile_host::store::{LOG_MAX, LogStore, Medium};
use turnstile_members_simulation::run::start;
use turnstile_simulation::{Dialer, Listener};

use super::state::{Shared, Transfers};
use super::traces::Traces;
use super::user::User;
use super::witness::Witness;

/// The users of each member.
pub(crate) const USERS: u64 = 2;
/// The period of the failure detectors.
const PERIOD: Duration = Duration::from_millis(200);
const PORT: u16 = 7000;

/// The group, as only a test sees it.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) witness: Witness,
    pub(crate) media: BTreeMap<u64, Medium>,
    pub(crate) traces: Traces,
    pub(crate) transfers: Transfers,
    pub(crate) running: Rc<RefCell<BTreeMap<u64, Member>>>,
    /// How many processes have been started.
    pub(crate) lives: Rc<Cell<u64>>,
    /// Nobody wants a lock any more.
    pub(crate) is_over: Rc<Cell<bool>>,
}

/// The name of a member's host.
pub(crate) fn name(member: u64) -> String {
    format!("m{member}")
}

fn address(member: u64) -> SocketAddr {
    (turmoil::lookup(name(member)), PORT).into()
}

/// Starts the member.
async fn start_member(id: u64, group: &Group) -> turmoil::Result<Member> {
    let medium = || Arc::new(group.media[&id].clone());
    let store = start(async || LogStore::open_on(medium(), Path::new("disk"), LOG_MAX)).await;
    let mut builder = Member::builder("simulated").period(PERIOD).store(store);
    builder = builder.trace(group.traces.of(id));
    for seed in group.media.keys() {
        builder = builder.seed(address(*seed));
    }
    let age = group.lives.get() + 1;
    group.lives.set(age);
    let state = Shared { number: AtomicU64::new(age), transfers: group.transfers.clone() };
    builder = builder.state(state);
    Ok(builder.start_on(address(id), age << 20, Listener::bind(PORT).await?, Dialer).await?)
}

/// The process of a member.
pub(crate) async fn run_member(id: u64, group: Group) -> turmoil::Result {
    let member = start_member(id, &group).await?;
    group.running.borrow_mut().insert(id, member.clone());
    for number in 0..USERS {
        let (member, witness) = (member.clone(), group.witness.clone());
        let (running, is_over) = (Rc::clone(&group.running), Rc::clone(&group.is_over));
        let (own, rng) = ((id, number), Rng::from_entropy());
        spawn_local(User { own, member, witness, running, is_over, rng }.run());
    }
    std::future::pending().await
}
