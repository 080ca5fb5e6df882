//! Checks that a coordinator serves pending requests in FIFO order, each once: compares each step
//! with the messages that it sends, so that no history is needed.

use turnstile_group_lock_core::State;
use turnstile_group_lock_core::message::{LockName, LockRequest, Message, MessageBody};
use turnstile_group_lock_machines::group_lock_coordinator::State as At;
use turnstile_view_handler_core::MemberId;

/// Whether a step that starts a coordinator's lock-handler answers every waiting lock() of the
/// others in FIFO order, none twice; and whether a step within a round keeps them all, unless the
/// member ceases to be the coordinator.
pub(super) fn is_in_order<'m>(
    me: MemberId,
    (before, after): (&State, &State),
    sent: impl Iterator<Item = (MemberId, &'m Message)>,
) -> bool {
    let waited = waiting(me, before);
    let (was, is) = (before.coordinator(), after.coordinator());
    let ceases = after.coordinator().at == At::Member;
    if waited.is_empty() || was.round != is.round || ceases {
        return true;
    }
    if !is.is_handling {
        return waiting(me, after).starts_with(&waited);
    }
    let answered: Vec<(MemberId, LockName)> = sent
        .filter_map(|(to, message)| match message.body {
            MessageBody::LockRsp { lock, is_successful: _, number: _ } => Some((to, lock)),
            MessageBody::Request(_)
            | MessageBody::LockInfoReq
            | MessageBody::LockInfoRsp(_)
            | MessageBody::UnlockRsp(_)
            | MessageBody::DuplicateLock(_)
            | MessageBody::DuplicateLockRsp(_) => None,
        })
        .filter(|one| waited.contains(one))
        .collect();
    // A waiting member may have sent the same request in its response before.
    let mut rest = answered.iter();
    waited.iter().all(|one| rest.any(|other| other == one))
}

/// The waiting lock() calls of the others, in order.
fn waiting(me: MemberId, state: &State) -> Vec<(MemberId, LockName)> {
    let requests = state.coordinator().requests().filter(|(from, _)| *from != me);
    let locks = requests.filter_map(|(from, request)| match request {
        LockRequest::Lock(lock) => Some((from, lock)),
        LockRequest::Unlock(_) => None,
    });
    locks.collect()
}
