//! The channels of a member at given times: who is remembered, and what is doubted.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::time::Instant;
use turnstile_group_lock::router::{KNOWN_MAX, REMEMBERED, Router};
use turnstile_group_lock::wire::Packet;
use turnstile_group_lock_core::stack::Message;
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, MemberId, View};

fn at(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[tokio::test(start_paused = true)]
async fn strangers_do_not_fill_the_memory_and_make_room_again() {
    let mut router = Router::new((MemberId(0), at(1)), 0);
    router.is_up((MemberId(1), at(2)));
    let strangers = 2..2 * KNOWN_MAX as u64;
    for stranger in strangers.map(MemberId) {
        router.arrived((stranger, at(3)), (1, 0), &[(MemberId(stranger.0 << 32), at(4))]);
    }
    assert_eq!(router.known(), KNOWN_MAX);
    router.tick(Instant::now());
    let (is_next, _) = router.arrived((MemberId(1), at(2)), (1, 0), &[]);
    assert!(is_next, "who was known before is heard");
    tokio::time::advance(REMEMBERED).await;
    router.tick(Instant::now());
    let (is_next, _) = router.arrived((MemberId(u64::MAX), at(5)), (1, 0), &[]);
    assert!(is_next, "there is room again");
    assert_eq!(router.known(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_one_has_sent_that_seemed_to_be_gone_is_remembered_for_a_while() {
    let other = (MemberId(1), at(2));
    let mut router = Router::new((MemberId(0), at(1)), 0);
    router.is_up(other);
    assert!(router.arrived(other, (7, 0), &[]).0);
    router.is_down(other.0, Instant::now());
    router.is_up(other);
    let (own, channel) = (router.own(), 7);
    let doubt = Packet::Doubt { from: own, to: other.0, channel };
    assert_eq!(router.arrived(other, (7, 1), &[]), (false, Some((other.1, doubt))));
    router.confirmed(other.0, channel);
    assert!(router.arrived(other, (7, 1), &[]).0, "its channel goes on");
    router.is_down(other.0, Instant::now());
    tokio::time::advance(REMEMBERED).await;
    router.is_down(other.0, Instant::now());
    assert_eq!(router.known(), 0, "nothing is kept of who is gone");
}

#[tokio::test(start_paused = true)]
async fn a_view_comes_with_the_addresses_of_its_members_each_time() {
    let all = [1, 2, 3].map(|member| (MemberId(member.into()), at(member)));
    let [coordinator, member, third] = all;
    let (mut sender, mut receiver) = (Router::new(coordinator, 0), Router::new(member, 0));
    sender.is_up(member);
    for view in [1, 2] {
        // The receiver's detector has not found the third one yet.
        sender.is_up(third);
        let whole = View::new(ViewId::new(view), all.map(|one| one.0));
        assert!(sender.push(member.0, Message::Views(view::Message::View(whole.clone()))));
        for (_, packet) in sender.due(member.0, Instant::now()) {
            let Packet::Message { channel, place, members, .. } = packet else { continue };
            receiver.arrived(coordinator, (channel, place), &members);
        }
        receiver.is_down(MemberId(4), Instant::now());
        receiver.installed(whole, Instant::now());
        assert_eq!(receiver.address(third.0), Some(third.1), "in view {view}");
        // It is gone, for both of them.
        let rest = View::new(ViewId::new(view), [coordinator.0, member.0]);
        for router in [&mut sender, &mut receiver] {
            router.installed(rest.clone(), Instant::now());
            router.is_down(third.0, Instant::now());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_is_confirmed_until_its_sender_has_given_it_up() {
    let (own, other) = ((MemberId(0), at(1)), (MemberId(1), at(2)));
    let mut router = Router::new(own, 0);
    let message = Message::Views(view::Message::Installed(ViewId::new(1)));
    let sent = |router: &mut Router| {
        router.is_up(other);
        assert!(router.push(other.0, message.clone()));
        let due = router.due(other.0, Instant::now());
        let channel = due.iter().filter_map(|(_, packet)| {
            let Packet::Message { channel, .. } = packet else { return None };
            Some(*channel)
        });
        channel.collect::<Vec<u64>>()
    };
    let before = sent(&mut router);
    let channel = before[0];
    let confirm = Packet::Confirm { from: own.0, to: other.0, channel };
    assert_eq!(router.doubted(other, channel), Some((other.1, confirm)));
    assert_eq!(router.due(other.0, Instant::now()).len(), 1, "it is sent again");
    router.is_down(other.0, Instant::now());
    let after = sent(&mut router);
    assert!(after.len() == 1 && after[0] > channel, "what was sent before is lost");
    assert_eq!(router.doubted(other, channel), None);
}
