//! What the tasks of a member share: the sessions, the presence, and the core's inbox.
//!
//! One mutex covers the decision to tell the core something and the telling, so that the core hears
//! of views, elections and applied commands in the order in which they were decided.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use turnstile_host::{Bell, Inbox};
use turnstile_raft::network::{Boxed, Handler};
use turnstile_replicated_lock_core::message::{Cluster, Message};
use turnstile_replicated_lock_core::types::{CommandId, LockName, LogEntry};
use turnstile_replicated_lock_core::{Member, State};

use crate::operation::{Sent, SessionId, decode, encode, lock_of};
use crate::presence::{Presence, RaftView, Reply, Report};
use crate::sessions::Sessions;
use crate::told::Told;

/// The session, for the task that sends commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) session: SessionId,
    /// Whether commands of this session are applied, as far as this member has applied the log.
    pub(crate) is_live: bool,
    /// The UNLOCK_ALL that the core executed when it joined: what it executed before is over.
    pub(crate) opened_by: Option<CommandId>,
    /// Whether the core takes commands: its last view is one of a majority, and it hears the log.
    pub(crate) is_ready: bool,
}

pub(crate) struct Shared {
    inbox: Inbox<Member>,
    data: Mutex<Data>,
    standing: Mutex<Standing>,
    /// Rings when the standing has changed.
    news: Bell,
    told: Told,
    start: Instant,
}

/// The data behind the mutex.
pub(crate) struct Data {
    pub(crate) sessions: Sessions,
    /// The ids of the locks with a holder or a waiter.
    pub(crate) ids: BTreeMap<LockName, String>,
    pub(crate) presence: Presence,
}

impl Shared {
    pub(crate) fn new(inbox: Inbox<Member>, told: Told, presence: Presence) -> Arc<Self> {
        let session = presence.session();
        let standing = Standing { session, is_live: false, opened_by: None, is_ready: false };
        let (sessions, ids) = (Sessions::default(), BTreeMap::new());
        let data = Mutex::new(Data { sessions, ids, presence });
        let (standing, news) = (Mutex::new(standing), Bell::default());
        Arc::new(Self { inbox, data, standing, news, told, start: Instant::now() })
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn standing(&self) -> Standing {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for such a standing.
    pub(crate) async fn standing_where(&self, is_it: impl Fn(&Standing) -> bool) -> Standing {
        self.news.until(|| Some(self.standing()).filter(&is_it)).await
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the data; the change tells the core what it has to. Then the standing is published.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Data, &Inbox<Member>) -> T) -> T {
        let mut data = self.lock();
        let result = change(&mut data, &self.inbox);
        let Data { sessions, presence, .. } = &*data;
        let session = presence.session();
        let core = self.read(|state| (state.unlock_all, state.hears));
        let (opened_by, hears) = core.filter(|_| presence.is_joined()).unwrap_or_default();
        let is_live = sessions.is_live(session);
        let now = Standing { session, is_live, opened_by, is_ready: hears };
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *standing, now) != now {
            drop(standing);
            self.news.ring();
        }
        result
    }

    /// Has the presence decide, and tells the core.
    fn decide(&self, decide: impl FnOnce(&mut Presence, &Sessions) -> Vec<Message>) {
        self.with(|data, inbox| {
            let messages = decide(&mut data.presence, &data.sessions);
            let sent = Sent { term: data.presence.term(), after: data.sessions.count() };
            self.told.tell(sent);
            for message in messages {
                tell(inbox, message);
            }
        });
    }

    pub(crate) fn tick(&self, raft: &RaftView) {
        let now = self.now();
        self.decide(|presence, sessions| presence.tick(now, raft, sessions));
    }

    pub(crate) fn replied(&self, sent: Duration, report: Report, reply: Reply) {
        self.decide(|presence, sessions| presence.replied(sent, report, reply, sessions));
    }

    /// Gives up a session.
    pub(crate) fn abandon(&self, session: SessionId) {
        self.decide(|presence, _| presence.abandon(session));
    }

    /// Gives up the current session.
    pub(crate) fn give_up(&self) {
        self.decide(|presence, _| presence.abandon(presence.session()));
    }

    /// Tells the core of a result or a failure, which is not ordered with the rest.
    pub(crate) fn answer(&self, message: Message) {
        // A node that has ended has no use for it.
        let _told = self.inbox.take(Cluster, message, |_| ());
    }

    /// Tells the core that a command failed, if someone waits for it.
    pub(crate) fn fail(&self, entry: &LogEntry) {
        if let (Some(lock), Some(call)) = (lock_of(&entry.operation), entry.call) {
            self.answer(Message::Failed { lock, call });
        }
    }

    /// Reads the core's state; `None`: the node has ended.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&State) -> T) -> Option<T> {
        self.inbox.read(read)
    }
}

pub(crate) fn tell(inbox: &Inbox<Member>, message: Message) {
    // The presence of a node that has ended concerns nobody.
    let _told = inbox.take(Cluster, message, |_| ());
}

/// Answers the reports of other members.
pub(crate) struct Reports(pub(crate) Arc<Shared>);

impl Handler for Reports {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        let reply = decode(&request).and_then(|report| {
            let now = self.0.now();
            self.0.with(|data, _| data.presence.heard(now, report, &data.sessions))
        });
        Box::pin(std::future::ready(reply.map(|reply| encode(&reply).into())))
    }
}
