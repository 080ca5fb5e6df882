//! Members over TCP, with their logs in folders.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstile_host::Bell;
use turnstile_host::store::LogStore;
use turnstile_host::transport::tcp::{self, Address, Limits, SystemTcp, Tcp, Tls};
use turnstile_host::transport::{Receiver, Refusal, Transport as _, Unsent, UnsentReason};
use turnstile_raft::network::tcp::{TcpNetwork, TcpOptions};
use turnstile_raft::network::{Boxed, Handler};
use turnstile_raft::{Member, Members, Options, Role, Status};
use turnstile_simulation::Folder;

use super::group::{PATIENCE, options};
use crate::register::Register;

/// A member that runs.
struct Running {
    member: Member,
    register: Register,
    network: Arc<TcpNetwork>,
}

/// The members' ports and folders, which outlive them.
struct Site {
    listeners: BTreeMap<u64, TcpListener>,
    ports: BTreeMap<u64, u16>,
    folders: BTreeMap<u64, Folder>,
    authority: Option<CertifiedIssuer<'static, KeyPair>>,
}

impl Site {
    async fn new(count: u64, has_tls: bool) -> Self {
        let (mut listeners, mut ports) = (BTreeMap::new(), BTreeMap::new());
        for id in 1..=count {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
            ports.insert(id, listener.local_addr().expect("it is bound").port());
            listeners.insert(id, listener);
        }
        let folders = (1..=count).map(|id| (id, Folder::new("tcp"))).collect();
        Self { listeners, ports, folders, authority: has_tls.then(authority) }
    }

    fn members(&self, count: u64) -> Members {
        let address = |id| format!("127.0.0.1:{}", self.ports[id]);
        self.ports.keys().filter(|id| **id <= count).map(|id| (*id, address(id))).collect()
    }

    fn network_options(&self, id: u64, known: u64) -> TcpOptions {
        let mut options = TcpOptions::new(id);
        for peer in 1..=known {
            let address = Address::new("127.0.0.1", self.ports[&peer]);
            options = options.peer(peer, address.named(format!("member-{peer}")));
        }
        match &self.authority {
            Some(authority) => options.tls(tls(authority, &format!("member-{id}"))),
            None => options,
        }
    }

    /// Starts a member that knows the first members from its options.
    async fn start(&mut self, options: Options, known: u64) -> Running {
        // It makes no requests of its own.
        self.start_with(options, known, Arc::new(Deaf::default())).await
    }

    /// The same, with the handler of the application's requests.
    async fn start_with(
        &mut self,
        options: Options,
        known: u64,
        application: Arc<Deaf>,
    ) -> Running {
        let id = options.id;
        let listener = match self.listeners.remove(&id) {
            Some(listener) => listener,
            None => {
                let address = ("127.0.0.1", self.ports[&id]);
                TcpListener::bind(address).await.expect("its port is free again")
            }
        };
        let network = TcpNetwork::start(self.network_options(id, known), listener);
        let network = network.expect("the transport starts");
        let store = LogStore::open(self.folders[&id].path()).expect("the folder is whole");
        let register = Register::default();
        let handle = Arc::clone(&network);
        let member =
            Member::start_with(options, Box::new(store), register.clone(), handle, application);
        let member = member.await;
        Running { member: member.expect("its log is whole"), register, network }
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate().expect("a key can be made");
    CertifiedIssuer::self_signed(params, key).expect("it can be signed")
}

fn tls(authority: &CertifiedIssuer<'static, KeyPair>, name: &str) -> Tls {
    let mut params = CertificateParams::new([name.to_owned()]).expect("it is a name");
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = params.signed_by(&key, authority).expect("it can be signed");
    let chain = vec![certificate.der().clone()];
    Tls::new(chain, key.into(), vec![authority.der().clone()]).expect("the key is the chain's")
}

async fn leader(running: &BTreeMap<u64, Running>) -> u64 {
    let leads = |status: &Status| {
        status.leader.is_some_and(|leader| running.contains_key(&leader))
            && status.applied_index.is_some()
    };
    let first = running.values().next().expect("one runs");
    let status = first.member.wait_for(PATIENCE, leads).await.expect("one is elected");
    let leader = status.leader.expect("it was waited for");
    let leads = |status: &Status| status.role == Role::Leader;
    running[&leader].member.wait_for(PATIENCE, leads).await.expect("it leads");
    leader
}

async fn agree(running: &BTreeMap<u64, Running>, with: u64) {
    let index = running[&with].member.status().applied_index;
    for Running { member, register, .. } in running.values() {
        let is_applied = |status: &Status| status.applied_index >= index;
        member.wait_for(PATIENCE, is_applied).await.expect("it catches up");
        assert_eq!(register.operations(), running[&with].register.operations());
    }
}

async fn propose(running: &Running, operation: &str) {
    running.member.propose(operation.to_owned()).await.expect("there is a majority");
}

#[tokio::test(flavor = "multi_thread")]
async fn members_over_tcp_fail_over_restart_and_grow() {
    let mut site = Site::new(4, false).await;
    let mut running = BTreeMap::new();
    for id in 1..=3 {
        running.insert(id, site.start(options(id), 3).await);
    }
    running[&1].member.initialize(&site.members(3)).await.expect("it is one of them");
    let old = leader(&running).await;
    propose(&running[&old], "a").await;
    // The leader stops; the others elect another.
    let stopped = running.remove(&old).expect("it runs");
    stopped.member.stop().await;
    drop(stopped);
    let new = leader(&running).await;
    propose(&running[&new], "b").await;
    running[&new].member.snapshot().await.expect("it is made");
    propose(&running[&new], "c").await;
    // It starts again, in its folder.
    running.insert(old, site.start(options(old), 3).await);
    agree(&running, new).await;
    // A fourth member, whose address the others have from the log alone; it knows the first.
    running.insert(4, site.start(options(4), 3).await);
    let leader = leader(&running).await;
    let address = &site.members(4)[&4];
    let added = running[&leader].member.add_member(4, address).await;
    added.expect("it receives the log");
    let answer = running[&4].member.forward("d").await.expect("it knows the leader");
    assert_eq!(answer, "4");
    agree(&running, leader).await;
    assert_eq!(running[&4].register.operations(), ["a", "b", "c", "d"]);
    for Running { member, .. } in running.values() {
        member.stop().await;
    }
}

/// They share a host, so their names are in the options, and not those of their addresses.
#[tokio::test(flavor = "multi_thread")]
async fn members_with_certificates_replicate() {
    let mut site = Site::new(4, true).await;
    let mut running = BTreeMap::new();
    for id in 1..=4 {
        running.insert(id, site.start(options(id), 4).await);
    }
    running[&1].member.initialize(&site.members(3)).await.expect("it is one of them");
    let leader = leader(&running).await;
    propose(&running[&leader], "a").await;
    let address = &site.members(4)[&4];
    running[&leader].member.add_member(4, address).await.expect("it receives the log");
    agree(&running, leader).await;
    for Running { member, .. } in running.values() {
        member.stop().await;
    }
}

/// The version is a part of the protocol's name.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_of_another_version_is_rejected() {
    let mut site = Site::new(2, false).await;
    let running = site.start(options(1), 2).await;
    let later = tcp::Options::new(2, "turnstile-raft/later")
        .peer(1, Address::new("127.0.0.1", site.ports[&1]))
        .limits(Limits { timeout: Duration::from_secs(1), ..Limits::default() });
    let listener = site.listeners.remove(&2).expect("it is not used");
    let (unsent, mut back) = mpsc::unbounded_channel();
    let later: Tcp<u64, Vec<u8>> =
        later.start(listener, SystemTcp, Back(unsent)).expect("the transport starts");
    later.send(1, Vec::new()).expect("there is room");
    let handed_back = timeout(PATIENCE, back.recv()).await.expect("it is rejected");
    assert_eq!(handed_back, Some(UnsentReason::Unreachable));
    assert!(later.counts().dials_refused[&Refusal::Protocol] > 0);
    assert!(running.network.counts().refused[&Refusal::Protocol] > 0);
    later.close(PATIENCE).await;
    running.member.stop().await;
}

/// Hears why messages are handed back.
#[derive(Clone)]
struct Back(mpsc::UnboundedSender<UnsentReason>);

impl Receiver<u64, Vec<u8>> for Back {
    async fn deliver(&self, from: u64, _message: Vec<u8>) {
        panic!("{from} is of another version");
    }

    fn unsent(&self, unsent: Unsent<u64, Vec<u8>>) {
        self.0.send(unsent.why).expect("the test waits");
    }
}

/// Asserts what is said of a third member that cannot be added at an address of the site.
async fn is_not_added(address: impl FnOnce(&mut Site) -> String, why: &str) {
    let mut site = Site::new(3, false).await;
    let quick = |id| Options { timeout: Duration::from_secs(4), ..options(id) };
    let first = site.start(quick(1), 1).await;
    first.member.initialize(&site.members(1)).await.expect("it is one of them");
    let second = site.start(quick(2), 1).await;
    let leads = |status: &Status| status.role == Role::Leader;
    first.member.wait_for(PATIENCE, leads).await.expect("it leads");
    let address = address(&mut site);
    let refused = first.member.add_member(3, &address).await.expect_err("it is not there");
    let why = why.replace("ADDRESS", &address);
    assert!(refused.to_string().contains(&why), "{why}: {refused}");
    // Nothing of it stays.
    assert_eq!(first.member.status().members, site.members(1));
    propose(&first, "goes on").await;
    for Running { member, .. } in [first, second] {
        member.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_on_an_unknown_host_is_not_added() {
    is_not_added(|_| format!("{}:1", "x".repeat(64)), "the host of ADDRESS is not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_not_started_is_not_added() {
    let freed = |site: &mut Site| {
        drop(site.listeners.remove(&3));
        site.members(3)[&3].clone()
    };
    is_not_added(freed, "start member 3 first, or check its address").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_not_added_at_the_address_of_another() {
    let of_another = |site: &mut Site| site.members(3)[&2].clone();
    is_not_added(of_another, "another member than 3 answers at ADDRESS").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_not_added_at_the_address_of_the_leader() {
    let of_the_leader = |site: &mut Site| site.members(3)[&1].clone();
    is_not_added(of_the_leader, "this member itself answers at ADDRESS").await;
}

/// Its log has the address of the first process: the answers of the others go there.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_with_a_copy_of_the_data_of_a_member_is_told_and_so_is_the_member() {
    let mut site = Site::new(3, false).await;
    let mut running = BTreeMap::new();
    for id in 1..=3 {
        running.insert(id, site.start(options(id), 3).await);
    }
    running[&1].member.initialize(&site.members(3)).await.expect("it is one of them");
    let leader = leader(&running).await;
    propose(&running[&leader], "a").await;
    agree(&running, leader).await;
    let twice = if leader == 3 { 2 } else { 3 };
    running.remove(&twice).expect("it runs").member.stop().await;
    let copy = Folder::new("tcp-copy");
    std::fs::create_dir_all(copy.path()).expect("the temporary folder can be written");
    for file in std::fs::read_dir(site.folders[&twice].path()).expect("it is there") {
        let file = file.expect("it can be read");
        let to = copy.path().join(file.file_name());
        std::fs::copy(file.path(), to).expect("the temporary folder can be written");
    }
    running.insert(twice, site.start(options(twice), 3).await);
    site.folders.insert(twice, copy);
    site.listeners.insert(twice, TcpListener::bind("127.0.0.1:0").await.expect("a port is free"));
    let second = site.start(options(twice), 3).await;
    for Running { member, .. } in [&second, &running[&twice]] {
        let is_told = |status: &Status| status.refused.contains_key(&twice);
        let refused = member.wait_for(PATIENCE, is_told).await.expect("it is told").refused;
        let why = &refused[&twice];
        assert!(why.contains(&format!("another process of member {twice} runs")), "{why}");
        assert!(why.contains(&site.members(3)[&twice]), "{why}");
    }
    second.member.stop().await;
    for Running { member, .. } in running.values() {
        member.stop().await;
    }
}

/// The others know its address from the log alone, and take no connection of it any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_was_removed_while_it_was_down_hears_of_it() {
    let mut site = Site::new(4, false).await;
    let mut running = BTreeMap::new();
    for id in 1..=4 {
        running.insert(id, site.start(options(id), 3).await);
    }
    running[&1].member.initialize(&site.members(3)).await.expect("it is one of them");
    let leader = leader(&running).await;
    let address = &site.members(4)[&4];
    running[&leader].member.add_member(4, address).await.expect("it receives the log");
    propose(&running[&leader], "a").await;
    agree(&running, leader).await;
    running.remove(&4).expect("it runs").member.stop().await;
    running[&leader].member.remove_member(4).await.expect("a majority remains");
    propose(&running[&leader], "b").await;
    let removed = site.start(options(4), 3).await;
    removed.member.wait_for(PATIENCE, Status::is_removed).await.expect("it hears of it");
    removed.member.stop().await;
    for Running { member, .. } in running.values() {
        member.stop().await;
    }
}

/// Counts the requests that arrive, and answers none.
#[derive(Default)]
struct Deaf(Bell);

impl Handler for Deaf {
    fn handle(&self, _request: Bytes) -> Boxed<'_, Option<Bytes>> {
        self.0.ring();
        Box::pin(std::future::pending())
    }
}

/// They share a connection with what the log needs.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_wait_do_not_keep_the_log_from_growing() {
    const WAITING: u64 = 4096;
    let (mut site, deaf) = (Site::new(2, false).await, Arc::new(Deaf::default()));
    let mut running = BTreeMap::new();
    for id in 1..=2 {
        running.insert(id, site.start_with(options(id), 2, Arc::clone(&deaf)).await);
    }
    running[&1].member.initialize(&site.members(2)).await.expect("it is one of them");
    let leader = leader(&running).await;
    let other = &running[&(3 - leader)].member;
    let mut calls = JoinSet::new();
    let arrived = async {
        // The queue of the connection is as long as that: the rest follows when it is empty.
        while deaf.0.count() < WAITING {
            for _ in 0..WAITING - deaf.0.count() {
                let from = other.clone();
                calls.spawn(async move { from.call(leader, b"").await });
            }
            let are_there = deaf.0.until(|| (deaf.0.count() >= WAITING).then_some(()));
            let _all = timeout(Duration::from_secs(1), are_there).await;
        }
    };
    timeout(PATIENCE, arrived).await.expect("all of them arrive");
    propose(&running[&leader], "a").await;
    drop(calls);
    for Running { member, .. } in running.into_values() {
        member.stop().await;
    }
}
