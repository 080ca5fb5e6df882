//! Whose turn it is at the server: what a step made of the queue, as the properties are told of it.
//!
//! Looks at the server from outside, before and after a step. The server never sees this.

use turnstile_core::claim::message::{Ask, Asked, Caller, Message, ResourceName};
use turnstile_core::claim::record::{Notice, Records, State, Status};
use turnstile_core::number::ClaimId;
use turnstile_core::step::{Effect, EffectOf, Input, InputOf};
use turnstile_machines::claim_record;

use super::RecordRules;

/// The claims that waited before a step, oldest first.
pub(super) struct Queue {
    waited: Vec<Waiter>,
    /// Somebody asks for a lock. Then all that wait are alike; where a lock only becomes free, it
    /// goes to one whose request is open.
    is_asked: bool,
}

#[derive(Clone, Copy)]
struct Waiter {
    claim: ClaimId,
    resource: ResourceName,
    listens: bool,
}

impl Queue {
    pub(super) fn before(state: &State, input: &InputOf<Records<RecordRules>>) -> Self {
        let waited = state.claims().filter(|(_, record)| record.status() == Some(Status::Waiting));
        let waited = waited.map(|(claim, record)| Waiter {
            claim,
            resource: record.resource,
            listens: record.at == claim_record::State::Listening,
        });
        Self { waited: waited.collect(), is_asked: asks(input) }
    }

    /// A claim that the step has made active before an older one whose turn it was.
    pub(super) fn passed_over(
        &self,
        after: &State,
        effects: &[EffectOf<Records<RecordRules>>],
    ) -> Option<ClaimId> {
        let granted = effects.iter().filter_map(|effect| match effect {
            Effect::Notify(Notice::Became { claim, status: Status::Active, token: _ }) => {
                Some(*claim)
            }
            Effect::Notify(_)
            | Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(_) => None,
        });
        let still_waits = |claim| {
            let record = after.claim(claim);
            record.is_some_and(|record| record.status() == Some(Status::Waiting))
        };
        let mut granted = granted.filter(|granted| {
            let listened = self.waited.iter().any(|one| one.claim == *granted && one.listens);
            let resource = after.claim(*granted).map(|record| record.resource);
            let mut older = self.waited.iter().filter(|one| {
                one.claim < *granted && Some(one.resource) == resource && still_waits(one.claim)
            });
            older.any(|older| self.is_asked || older.listens || !listened)
        });
        granted.next()
    }
}

/// Whether a request wants a lock.
fn asks(input: &Input<Caller, Message, impl Sized, impl Sized, impl Sized>) -> bool {
    let Input::Message { message: Message::Request(request), .. } = input else { return false };
    matches!(request.ask, Ask::Post { .. } | Ask::Status { to: Asked::Active { .. }, .. })
}
