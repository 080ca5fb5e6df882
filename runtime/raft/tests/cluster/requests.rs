//! Requests of the application, past the log.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstile_host::Bell;
use turnstile_host::store::Disk;
use turnstile_host::transport::tcp::Address;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::network::tcp::{TcpNetwork, TcpOptions};
use turnstile_raft::network::{Boxed, Handler};
use turnstile_raft::{Member, MemberError, Members, Role, Status};

use crate::group::{PATIENCE, options};
use crate::register::Register;

/// Answers with the request, but for an empty one.
struct Echo;

impl Handler for Echo {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(std::future::ready(Some(request).filter(|request| !request.is_empty())))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_answered_by_the_handler_of_the_other_member() {
    let hub = Hub::new();
    let start = |id| {
        let store = Box::new(Disk::default().open());
        let (machine, network) = (Register::default(), hub.join(id));
        Member::start_with(options(id), store, machine, network, Arc::new(Echo))
    };
    let first = start(1).await.expect("its disk is empty");
    let second = start(2).await.expect("its disk is empty");
    assert_eq!(first.call(2, b"whole").await.as_deref(), Ok(&b"whole"[..]));
    let refused = first.call(2, b"").await;
    assert!(matches!(refused, Err(MemberError::Lost { .. })), "{refused:?}");
    hub.cut(2, 1);
    let lost = first.call(2, b"lost").await;
    assert!(matches!(lost, Err(MemberError::Lost { .. })), "{lost:?}");
    first.stop().await;
    second.stop().await;
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
    let mut listeners = Vec::new();
    let mut list = Members::new();
    for id in 1..=2 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        list.insert(id, listener.local_addr().expect("it is bound").to_string());
        listeners.push((id, listener));
    }
    let deaf = Arc::new(Deaf::default());
    let mut members = Vec::new();
    for (id, listener) in listeners {
        let peers = list.iter().map(|(id, address)| (*id, address.parse::<Address>()));
        let network = peers.fold(TcpOptions::new(id), |network, (id, address)| {
            network.peer(id, address.expect("it is one"))
        });
        let network = TcpNetwork::start(network, listener).expect("the transport starts");
        let (store, register) = (Box::new(Disk::default().open()), Register::default());
        let member =
            Member::start_with(options(id), store, register, network, Arc::clone(&deaf) as _);
        members.push(member.await.expect("its disk is empty"));
    }
    members[0].initialize(&list).await.expect("it is one of them");
    let leads = |status: &Status| status.leader.is_some() && status.applied_index.is_some();
    let status = members[1].wait_for(PATIENCE, leads).await.expect("one is elected");
    let (leader, other) = match status.leader {
        Some(1) => (&members[0], &members[1]),
        _ => (&members[1], &members[0]),
    };
    let leads = |status: &Status| status.role == Role::Leader;
    leader.wait_for(PATIENCE, leads).await.expect("it leads");
    let mut calls = JoinSet::new();
    let arrived = async {
        // The queue of the connection is as long as that: the rest follows when it is empty.
        while deaf.0.count() < WAITING {
            let before = deaf.0.count();
            for _ in 0..WAITING - before {
                let (from, to) = (other.clone(), leader.status().id);
                calls.spawn(async move { from.call(to, b"").await });
            }
            let are_there = deaf.0.until(|| (deaf.0.count() >= WAITING).then_some(()));
            let _all = timeout(Duration::from_secs(1), are_there).await;
        }
    };
    timeout(PATIENCE, arrived).await.expect("all of them arrive");
    leader.propose("a").await.expect("the log goes on");
    drop(calls);
    for member in members {
        member.stop().await;
    }
}
