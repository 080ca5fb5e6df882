//! Whether a coordinator serves the requests that wait for it in the order in which they came, each
//! once. A step is held against what it sends, so that nobody need remember.

use turnstile_core::group::State;
use turnstile_core::group::message::{LockName, Message, Request, Says};
use turnstile_core::view::MemberId;
use turnstile_machines::group_lock_coordinator::State as At;

/// Whether a step that starts a coordinator's lock-handler answers every lock() of others that
/// waited for it, in order, and none twice; and one that leaves the round as it is keeps them all,
/// unless it ceases to be the coordinator.
pub(super) fn is_in_order<'m>(
    me: MemberId,
    (before, after): (&State, &State),
    sent: impl Iterator<Item = (MemberId, &'m Message)>,
) -> bool {
    let waited = waiting(me, before);
    let (was, is) = (before.server(), after.server());
    let ceases = after.server().at == At::Member;
    if waited.is_empty() || was.is_handling || was.round != is.round || ceases {
        return true;
    }
    if !is.is_handling {
        return waiting(me, after).starts_with(&waited);
    }
    let answered: Vec<(MemberId, LockName)> = sent
        .filter_map(|(to, message)| match message.says {
            Says::LockRsp { lock, is_successful: _ } => Some((to, lock)),
            Says::Asks(_)
            | Says::LockInfoReq
            | Says::LockInfoRsp(_)
            | Says::UnlockRsp(_)
            | Says::DuplicateLock(_)
            | Says::DuplicateLockRsp(_) => None,
        })
        .filter(|one| waited.contains(one))
        .collect();
    // Who waits may have asked for the same in its response, before.
    let mut rest = answered.iter();
    waited.iter().all(|one| rest.any(|other| other == one))
}

/// The lock() calls of others that wait, in order.
fn waiting(me: MemberId, state: &State) -> Vec<(MemberId, LockName)> {
    let requests = state.server().requests().filter(|(from, _)| *from != me);
    let locks = requests.filter_map(|(from, request)| match request {
        Request::Lock(lock) => Some((from, lock)),
        Request::Unlock(_) => None,
    });
    locks.collect()
}
