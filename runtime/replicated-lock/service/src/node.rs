//! The node of the core: its timers, and when its commands were sent.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use turnstile_host::{Inbox, Node, Notices, Options};
use turnstile_replicated_lock_core::Member;
use turnstile_replicated_lock_core::types::{Address, Timer};
use turnstile_step::RowOutcome;

use crate::sender::{Queue, SenderTransport};
use crate::told::Told;

/// The number of unhandled events that the status shows.
const UNHANDLED_MAX: usize = 16;

/// The node that runs the core.
pub(crate) type CoreNode = Node<Member, SenderTransport>;

/// Unhandled events and failed actions of the core, as text.
pub(crate) type Unhandled = Arc<Mutex<Vec<String>>>;

/// A node that has started, and what belongs to it.
pub(crate) struct StartedNode {
    pub(crate) node: Arc<CoreNode>,
    pub(crate) inbox: Inbox<Member>,
    pub(crate) notices: Notices<Member>,
    pub(crate) queue: Queue,
    pub(crate) told: Told,
    pub(crate) unhandled: Unhandled,
}

impl StartedNode {
    pub(crate) async fn start(
        address: Address,
        command_timeout: Duration,
        retry: Duration,
    ) -> io::Result<Self> {
        let mut options = Options::new(move |_, timer| match timer {
            Timer::Timeout(_) => command_timeout,
            Timer::Retry(_) => retry,
        });
        let (told, unhandled) = (Told::default(), Unhandled::default());
        let (sent, list) = (told.clone(), Arc::clone(&unhandled));
        options.observer = Some(Box::new(move |input, out| {
            sent.stepped(out);
            for row in out.rows.iter().filter(|row| is_unhandled(row)) {
                let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
                if list.len() < UNHANDLED_MAX {
                    list.push(format!("{row:?} of {input:?}"));
                }
            }
        }));
        let (transport, queue) = SenderTransport::new(told.clone());
        let mut inbox = None;
        let (node, notices) = Node::start(Member::new(address), options, async |given| {
            inbox = Some(given);
            Ok(transport)
        })
        .await?;
        let inbox = inbox.expect("the node has given it for its transport");
        Ok(Self { node: Arc::new(node), inbox, notices, queue, told, unhandled })
    }
}

const fn is_unhandled(row: &RowOutcome) -> bool {
    match row {
        RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => false,
        RowOutcome::Unexpected { .. } | RowOutcome::ActionFailed { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use turnstile_replicated_lock_core::message::{Connectivity, ElectionReason, Message};
    use turnstile_replicated_lock_core::types::LogOperation;

    use super::*;
    use crate::operation::Sent;
    use crate::shared::tell;

    /// In one thread nothing leaves before the test waits.
    #[tokio::test]
    async fn a_reset_is_of_the_time_at_which_its_leader_decided() {
        let me = Address(1);
        let second = Duration::from_secs(1);
        let mut started = StartedNode::start(me, second, second).await.expect("it has no store");
        let decided = Sent { term: 5, after: 10 };
        started.told.tell(decided);
        let members = vec![me, Address(2)];
        tell(&started.inbox, Message::View { is: Connectivity::Joined, members: members.clone() });
        tell(&started.inbox, Message::Elected(ElectionReason::TheLeaderLeft));
        started.told.tell(Sent { term: 9, after: 20 });
        let sent = async {
            loop {
                let command = started.queue.recv().await.expect("the node runs");
                if matches!(command.entry.operation, LogOperation::Reset(_)) {
                    return command.sent;
                }
            }
        };
        assert_eq!(sent.await, decided);
    }
}
