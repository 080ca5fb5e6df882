//! On a network without faults each message arrives once, in order, and nothing is handed back.

use std::time::Duration;

use tokio::net::TcpListener;
use turnstile_host::transport::local::Local;
use turnstile_host::transport::simulated::{Conditions, Faults, Simulated};
use turnstile_host::transport::tcp::{Address, Limits, Options, SystemTcp};
use turnstile_host::transport::{Transport, Unsent, UnsentReason};

use super::certificates::Authority;
use super::inbox::{LONG, Outbox, Text, inbox};
use super::pipes::{PROTOCOL, Pipes};

/// The messages that each node sends.
pub(crate) const MESSAGES: u64 = 5000;

/// Sends so many messages of different lengths, and waits where the queue is full.
pub(crate) async fn send_all(node: u32, transport: &impl Transport<u32, Text>, to: u32) {
    for number in 0..MESSAGES {
        let load = vec![0; usize::try_from(number % 300).expect("it is small")];
        let mut message = (node, number, load);
        while let Err(Unsent { message: back, why, .. }) = transport.send(to, message) {
            assert_eq!(why, UnsentReason::QueueFull);
            message = back;
            // Paused time goes on only where every task waits.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Two nodes send each other all at once.
async fn both_ways(
    (first, first_box): (&impl Transport<u32, Text>, &mut Outbox),
    (second, second_box): (&impl Transport<u32, Text>, &mut Outbox),
) {
    tokio::join!(
        send_all(1, first, 2),
        send_all(2, second, 1),
        first_box.expect(2, 0..MESSAGES),
        second_box.expect(1, 0..MESSAGES),
    );
    tokio::join!(first.close(LONG), second.close(LONG));
    first_box.assert_empty();
    second_box.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn in_this_process() {
    let switchboard = Local::new();
    let ((first, mut first_box), (second, mut second_box)) = (inbox(10), inbox(10));
    let (first, second) = (switchboard.join(1, first), switchboard.join(2, second));
    both_ways((&first, &mut first_box), (&second, &mut second_box)).await;
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.sent, counts.received), (MESSAGES, MESSAGES));
    }
}

#[tokio::test(start_paused = true)]
async fn over_streams_in_memory() {
    let mut nodes = Pipes::default().nodes(2, &Limits::default(), 10);
    let (second, mut second_box) = nodes.pop().expect("there are two");
    let (first, mut first_box) = nodes.pop().expect("there are two");
    both_ways((&first, &mut first_box), (&second, &mut second_box)).await;
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.sent, counts.received), (MESSAGES, MESSAGES));
        assert_eq!((counts.dialed, counts.accepted, counts.lost, counts.failed), (1, 1, 0, 0));
    }
}

/// Over the loopback interface, with certificates or without.
async fn over_real_tcp(authority: Option<Authority>) {
    let first_listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let second_listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = |listener: &TcpListener, name| {
        let port = listener.local_addr().expect("it is bound").port();
        Address::new("127.0.0.1", port).named(name)
    };
    let addresses = [address(&first_listener, "node-1"), address(&second_listener, "node-2")];
    let options = |own: u32| {
        let [first, second] = addresses.clone();
        let options = Options::new(own, PROTOCOL).peer(1, first).peer(2, second);
        match &authority {
            Some(authority) => options.tls(authority.tls(&format!("node-{own}"))),
            None => options,
        }
    };
    let ((first, mut first_box), (second, mut second_box)) = (inbox(10), inbox(10));
    let first = options(1).start(first_listener, SystemTcp, first).expect("it begins");
    let second = options(2).start(second_listener, SystemTcp, second).expect("it begins");
    both_ways((&first, &mut first_box), (&second, &mut second_box)).await;
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.sent, counts.received), (MESSAGES, MESSAGES));
        // Whether the first that ends loses the other its connection is a matter of threads.
        assert_eq!((counts.dialed, counts.accepted, counts.failed), (1, 1, 0));
        assert!(counts.lost <= 1 && counts.refused.is_empty(), "{counts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_the_tcp_of_this_machine() {
    over_real_tcp(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_the_tcp_of_this_machine_with_tls() {
    over_real_tcp(Some(Authority::new())).await;
}

#[tokio::test]
async fn a_node_binds_and_names_an_address_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = taken.local_addr().expect("it is bound").to_string();
    let bound = Options::new(1, PROTOCOL).bind::<Text, _>(&address, inbox(1).0).await;
    let error = bound.expect_err("it is taken").to_string();
    assert!(error.contains(&address), "{error}");
    let bound = Options::new(1, PROTOCOL).bind::<Text, _>("127.0.0.1:0", inbox(1).0).await;
    bound.expect("a port is free").close(LONG).await;
}

#[tokio::test(start_paused = true)]
async fn over_the_simulated_network() {
    let net = Simulated::new(7, Conditions::default());
    let ((first, mut first_box), (second, mut second_box)) = (inbox(10), inbox(10));
    let (first, second) = (net.join(1, first), net.join(2, second));
    both_ways((&first, &mut first_box), (&second, &mut second_box)).await;
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.sent, counts.received), (MESSAGES, MESSAGES));
    }
    assert_eq!(net.faults(), Faults::default());
}
