//! Many nodes, each of which sends to all others; and what is queued leaves before the end.

use turnstile_host::transport::Transport;
use turnstile_host::transport::tcp::Limits;

use super::inbox::LONG;
use super::pipes::Pipes;

#[tokio::test(start_paused = true)]
async fn fifty_nodes_send_to_each_other() {
    const NODES: u16 = 50;
    const MESSAGES: u64 = 20;
    let mut nodes = Pipes::default().nodes(NODES, &Limits::default(), 100_000);
    for number in 0..MESSAGES {
        for (from, (node, _)) in (1..).zip(&nodes) {
            for to in (1..=u32::from(NODES)).filter(|to| *to != from) {
                node.send(to, (from, number, vec![0; 50])).expect("there is room");
            }
        }
    }
    let ends = nodes.iter().map(|(node, _)| node.close(LONG));
    let mut ends: Vec<_> = ends.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        ends.retain_mut(|end| end.as_mut().poll(context).is_pending());
        if ends.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    drop(ends);
    let others = u64::from(NODES) - 1;
    for (own, (node, heard)) in (1..).zip(&mut nodes) {
        let mut next = vec![0; usize::from(NODES) + 1];
        for _ in 0..others * MESSAGES {
            let (from, (_, number, _)) = heard.arrived.try_recv().expect("all have arrived");
            let next = &mut next[usize::try_from(from).expect("it is small")];
            assert_eq!(number, *next, "from {from} to {own}");
            *next += 1;
        }
        heard.assert_empty();
        let counts = node.counts();
        assert_eq!((counts.sent, counts.received), (others * MESSAGES, others * MESSAGES));
        assert_eq!((counts.dialed, counts.accepted, counts.lost), (others, others, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_queued_leaves_before_the_end() {
    let mut nodes = Pipes::default().nodes(2, &Limits::default(), 1);
    let (second, mut heard) = nodes.pop().expect("there are two");
    let (first, mut seen) = nodes.pop().expect("there are two");
    for number in 0..1000 {
        first.send(2, (1, number, Vec::new())).expect("there is room");
    }
    tokio::join!(first.close(LONG), heard.expect(1, 0..1000));
    assert!(first.send(2, (1, 1000, Vec::new())).is_err(), "it is closed");
    seen.assert_empty();
    second.close(LONG).await;
    let (first, second) = (first.counts(), second.counts());
    assert_eq!((first.sent, first.lost, second.received, second.lost), (1000, 0, 1000, 0));
}
