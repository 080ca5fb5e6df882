//! What a manager's driver knows of one claim beyond the core: its name, its pace, its user.

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use turnstile_core::claim::client::Notice;
use turnstile_core::number::Token;
use turnstile_machines::claim::Resource;

use super::call::Answer;
use super::error::Cause;
use super::order::{New, Refusal, View};
use super::pace::Pace;
use super::place::Place;
use super::request::no_answer;
use super::sent::{Failure, NoAnswer};

/// A claim that the core has begun, or is asked to.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) resource: String,
    pub(super) key: u64,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) pace: Pace,
    pub(super) view: watch::Sender<View>,
    /// Dropped with the first notice.
    refused: Option<oneshot::Sender<Refusal>>,
    /// How often a timer was armed since another kind of timer was.
    attempts: (Option<Resource>, u32),
    /// The timeout of the waiting has been armed.
    pub(super) has_waited: bool,
    /// Its user needs it no longer.
    pub(super) is_left: bool,
    /// The request that waits until the claim is over.
    watch: Option<AbortHandle>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.watch(None);
    }
}

impl Entry {
    pub(super) fn new(new: New) -> Self {
        let New { resource, key, user_data, pace, view, refused } = new;
        Self {
            resource,
            key,
            user_data,
            pace,
            view,
            refused: Some(refused),
            attempts: (None, 0),
            has_waited: false,
            is_left: false,
            watch: None,
        }
    }

    /// From now on this request waits until the claim is over, or none.
    pub(super) fn watch(&mut self, watch: Option<AbortHandle>) {
        if let Some(before) = std::mem::replace(&mut self.watch, watch) {
            before.abort();
        }
    }

    /// How often this timer was armed before, since another kind of timer was.
    pub(super) fn attempt(&mut self, timer: Resource) -> u32 {
        let attempt = match self.attempts {
            (Some(last), attempt) if last == timer => attempt + 1,
            _ => 0,
        };
        self.attempts = (Some(timer), attempt);
        attempt
    }

    /// Whether the last that its user was told is that the lock is held.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.view.borrow().notice, Some(Notice::Acquired { .. }))
    }

    /// What the core tells.
    pub(super) fn tell(&mut self, notice: Notice) {
        self.refused = None;
        self.view.send_modify(|view| {
            if let Notice::Acquired { token } = notice {
                view.token = token.map(Token::number);
            }
            view.notice = Some(notice);
        });
    }

    /// What an answer tells beyond the core, or that there is none.
    pub(super) fn note_answer(
        &mut self,
        claim: Option<u64>,
        answer: Result<Answer, NoAnswer>,
        place: &Place,
    ) {
        self.view.send_if_modified(|view| {
            view.claim = claim.or(view.claim);
            match answer {
                Ok(answer) if answer.status >= 400 => view.reason = answer.reason(),
                Ok(_) => {}
                Err(NoAnswer { kind: Failure::Untrusted, why }) => {
                    view.reason = format!("{place} is not spoken to: {why}");
                }
                Err(NoAnswer { kind: Failure::Refused | Failure::Unknown, why }) => {
                    let why = no_answer(place, &why);
                    // Once is enough.
                    if view.unanswered.replace(why.clone()).is_none() {
                        tracing::warn!(resource = self.resource, "{why}: it is asked again");
                    }
                    return false;
                }
            }
            view.unanswered = None;
            false
        });
    }

    /// What someone is told who claims the same resource.
    pub(super) fn refusal(&self, place: &Place) -> Refusal {
        let view = self.view.borrow();
        if self.is_left || !matches!(view.notice, None | Some(Notice::Acquired { .. })) {
            return Refusal::Ending(self.view.subscribe());
        }
        let first = view.claim.map(|id| place.claim_url(id));
        let first = first.unwrap_or_else(|| "a claim not yet answered".into());
        Refusal::Final(Cause::Claimed { first })
    }

    /// The core has not begun it.
    pub(super) fn refuse(mut self, refusal: Refusal) {
        if let Some(refused) = self.refused.take() {
            // Whoever asked may have gone away.
            let _gone = refused.send(refusal);
        }
    }
}
