//! Peers that are not known: their ids say their addresses.

use turnstile_host::transport::tcp::{Address, Limits, Options, Tls};
use turnstile_host::transport::{Refusal, Transport, UnsentReason};

use super::certificates::Authority;
use super::inbox::LONG;
use super::pipes::{PROTOCOL, Pair, Pipes};

fn address(id: &u32) -> Address {
    let port = u16::try_from(*id).expect("the tests have few nodes");
    Address::new(format!("node-{id}"), port)
}

fn start(pipes: &Pipes, id: u16, tls: Option<Tls>) -> Pair {
    let options = Options::new(u32::from(id), PROTOCOL).addresses_by_id(address);
    let options = options.limits(Limits::default());
    pipes.start(if let Some(tls) = tls { options.tls(tls) } else { options }, id, 10)
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_is_heard_and_is_answered_once_it_is_known() {
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, None);
    let (second, mut second_seen) = start(&pipes, 2, None);
    let unsent = second.send(1, (2, 0, Vec::new())).expect_err("it is not known");
    assert_eq!(unsent.why, UnsentReason::UnknownPeer);
    second.set_peer(1, Some(address(&1)));
    second.send(1, (2, 1, Vec::new())).expect("there is room");
    first_seen.expect(2, [1]).await;
    first.set_peer(2, Some(address(&2)));
    first.send(2, (1, 2, Vec::new())).expect("there is room");
    second_seen.expect(1, [2]).await;
    // It goes, and comes again.
    second.close(LONG).await;
    let (again, _) = start(&pipes, 2, None);
    again.set_peer(1, Some(address(&1)));
    again.send(1, (2, 3, Vec::new())).expect("there is room");
    first_seen.expect(2, [3]).await;
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_needs_a_certificate_for_the_address_that_its_id_says() {
    let (pipes, authority) = (Pipes::default(), Authority::new());
    let (first, mut first_seen) = start(&pipes, 1, Some(authority.tls("node-1")));
    let (good, _good_seen) = start(&pipes, 2, Some(authority.tls("node-2")));
    good.set_peer(1, Some(address(&1)));
    good.send(1, (2, 0, Vec::new())).expect("there is room");
    first_seen.expect(2, [0]).await;
    let (liar, mut liar_seen) = start(&pipes, 3, Some(authority.tls("node-2")));
    liar.set_peer(1, Some(address(&1)));
    liar.send(1, (3, 0, Vec::new())).expect("there is room");
    assert_eq!(liar_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    first_seen.assert_empty();
    assert!(first.counts().refused[&Refusal::Certificate] > 0);
}
