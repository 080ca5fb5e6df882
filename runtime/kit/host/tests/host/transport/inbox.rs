//! A receiver that keeps what it is given, for a test to look at.

use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use turnstile_host::transport::{Receiver, Unsent, UnsentReason};

/// Longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// What the nodes of these tests send each other: who sends, what number, and a load.
pub(crate) type Text = (u32, u64, Vec<u8>);

/// The end that a transport sees.
#[derive(Clone)]
pub(crate) struct Inbox {
    arrived: mpsc::Sender<(u32, Text)>,
    unsent: UnboundedSender<Unsent<u32, Text>>,
}

/// The end that a test sees.
pub(crate) struct Outbox {
    pub(crate) arrived: mpsc::Receiver<(u32, Text)>,
    pub(crate) unsent: UnboundedReceiver<Unsent<u32, Text>>,
}

/// A receiver that takes so many messages before it is busy.
pub(crate) fn inbox(room: usize) -> (Inbox, Outbox) {
    let (arrived, seen) = mpsc::channel(room);
    let (unsent, returned) = mpsc::unbounded_channel();
    (Inbox { arrived, unsent }, Outbox { arrived: seen, unsent: returned })
}

impl Receiver<u32, Text> for Inbox {
    async fn deliver(&self, from: u32, message: Text) {
        // Where no test looks any more, nobody misses it.
        let _taken = self.arrived.send((from, message)).await;
    }

    fn unsent(&self, unsent: Unsent<u32, Text>) {
        let _taken = self.unsent.send(unsent);
    }
}

impl Outbox {
    /// The number of the next message, which comes from this node.
    pub(crate) async fn next_of(&mut self, node: u32) -> u64 {
        let next = tokio::time::timeout(LONG, self.arrived.recv()).await;
        let (from, (said, number, _)) = next.expect("it comes").expect("the transport lives");
        assert_eq!((from, said), (node, node), "a message comes from who sent it");
        number
    }

    /// Waits for the messages of a node with these numbers, in this order.
    pub(crate) async fn expect(&mut self, node: u32, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            assert_eq!(self.next_of(node).await, number);
        }
    }

    /// The number of the next message that is handed back, and why.
    pub(crate) async fn next_unsent(&mut self) -> (u64, UnsentReason) {
        let next = tokio::time::timeout(LONG, self.unsent.recv()).await;
        let unsent = next.expect("it comes").expect("the transport lives");
        (unsent.message.1, unsent.why)
    }

    /// Neither a message has arrived nor one come back that was not looked at.
    pub(crate) fn assert_empty(&mut self) {
        assert!(self.arrived.try_recv().is_err(), "a message more than were sent");
        assert!(self.unsent.try_recv().is_err(), "a message came back");
    }
}
