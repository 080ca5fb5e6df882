//! When the core was told what its commands follow from.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnstile_replicated_lock_core::Member;
use turnstile_replicated_lock_core::message::Message;
use turnstile_step::{Effect, OutOf};

use crate::operation::Sent;

/// When the core was told something last, and when it has sent each command that has not left: it
/// leaves later than the step that sends it, and the core may have been told more in between.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<Mutex<ToldState>>);

#[derive(Default)]
struct ToldState {
    last: Sent,
    sent: VecDeque<Sent>,
}

impl Told {
    /// The core is told something now.
    pub(crate) fn tell(&self, now: Sent) {
        self.lock().last = now;
    }

    /// Notes the commands of a step.
    pub(crate) fn stepped(&self, out: &OutOf<Member>) {
        for effect in &out.effects {
            if let Effect::Send { message: Message::Execute(_), .. } = effect {
                let mut state = self.lock();
                let last = state.last;
                state.sent.push_back(last);
            }
        }
    }

    /// When the next command that leaves was sent.
    pub(crate) fn next(&self) -> Sent {
        self.lock().sent.pop_front().expect("each command that leaves was sent by a step")
    }

    fn lock(&self) -> MutexGuard<'_, ToldState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
