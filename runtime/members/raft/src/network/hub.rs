//! A network in one process, whose links can be cut: for tests and examples.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::{Boxed, CallError, Handler, Network};

/// Connects members of one process. Clones share it.
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<HubState>>);

#[derive(Default)]
struct HubState {
    handlers: BTreeMap<u64, Arc<dyn Handler>>,
    /// The links that lose everything: from, to.
    cut: BTreeSet<(u64, u64)>,
}

impl Hub {
    /// A hub without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The network of a member.
    #[must_use]
    pub fn join(&self, own: u64) -> Arc<HubPort> {
        Arc::new(HubPort { own, hub: self.clone() })
    }

    /// Loses all that one member sends to another from now on, requests and answers.
    pub fn cut(&self, from: u64, to: u64) {
        self.lock().cut.insert((from, to));
    }

    /// Cuts a member off from all others, in both directions.
    pub fn isolate(&self, member: u64) {
        let mut state = self.lock();
        let others: Vec<u64> = state.handlers.keys().copied().filter(|id| *id != member).collect();
        for other in others {
            state.cut.extend([(member, other), (other, member)]);
        }
    }

    /// Repairs all links.
    pub fn heal(&self) {
        self.lock().cut.clear();
    }

    fn carries(&self, from: u64, to: u64) -> bool {
        !self.lock().cut.contains(&(from, to))
    }

    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A member's end of a [`Hub`].
pub struct HubPort {
    own: u64,
    hub: Hub,
}

impl HubPort {
    async fn carry(&self, to: u64, request: Bytes) -> Result<Bytes, CallError> {
        let lost = || CallError::new(format!("the link from {} to {to} is cut", self.own));
        if !self.hub.carries(self.own, to) {
            return Err(lost());
        }
        let handler = self.hub.lock().handlers.get(&to).cloned();
        let handler = handler.ok_or_else(|| CallError::new(format!("{to} has not joined")))?;
        let answer = handler.handle(request).await;
        if !self.hub.carries(to, self.own) {
            return Err(lost());
        }
        answer.ok_or_else(|| CallError::new(format!("{to} has stopped")))
    }
}

impl Network for HubPort {
    fn serve(&self, handler: Arc<dyn Handler>) {
        self.hub.lock().handlers.insert(self.own, handler);
    }

    fn set_members(&self, _members: &BTreeMap<u64, String>) {}

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        Box::pin(self.carry(to, request))
    }

    fn close(&self) -> Boxed<'_, ()> {
        self.hub.lock().handlers.remove(&self.own);
        Box::pin(std::future::ready(()))
    }
}
