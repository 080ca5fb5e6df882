//! The actions of the hand-written matches, each with what it does to resources.

use turnstile_claim_machines::claim::{Action as A, ActionCall, Op, Resource as R};

pub(crate) const SEND_POST: ActionCall<'static> =
    ActionCall { action: A::SendPost, ops: &[Op::Create(R::RegisterPostRequest)], each: None };
pub(crate) const SEND_PATCH_STATUS_ACTIVE: ActionCall<'static> = ActionCall {
    action: A::SendPatchStatusActive,
    ops: &[Op::Create(R::ActivatePatchRequest)],
    each: None,
};
pub(crate) const SEND_PATCH_STATUS_ABORTED: ActionCall<'static> = ActionCall {
    action: A::SendPatchStatusAborted,
    ops: &[Op::Create(R::AbortPatchRequest)],
    each: None,
};
pub(crate) const SEND_PATCH_STATUS_RELEASED: ActionCall<'static> = ActionCall {
    action: A::SendPatchStatusReleased,
    ops: &[Op::Create(R::ReleasePatchRequest)],
    each: None,
};
pub(crate) const SEND_PATCH_STATUS_WITHDRAWN: ActionCall<'static> = ActionCall {
    action: A::SendPatchStatusWithdrawn,
    ops: &[Op::Create(R::WithdrawPatchRequest)],
    each: None,
};
pub(crate) const SEND_PATCH_TTL: ActionCall<'static> =
    ActionCall { action: A::SendPatchTtl, ops: &[Op::Create(R::RenewPatchRequest)], each: None };
pub(crate) const CREATE_TIMEOUT_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateTimeoutTimer, ops: &[Op::Create(R::TimeoutTimer)], each: None };
pub(crate) const CREATE_ACTIVATE_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateActivateTimer, ops: &[Op::Create(R::ActivateTimer)], each: None };
pub(crate) const CREATE_RENEW_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateRenewTimer, ops: &[Op::Create(R::RenewTimer)], each: None };
pub(crate) const CREATE_RETRY_ABORT_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryAbortTimer)], each: None };
pub(crate) const CREATE_RETRY_ACTIVATE_TIMER: ActionCall<'static> = ActionCall {
    action: A::CreateRetryTimer,
    ops: &[Op::Create(R::RetryActivateTimer)],
    each: None,
};
pub(crate) const CREATE_RETRY_REGISTER_TIMER: ActionCall<'static> = ActionCall {
    action: A::CreateRetryTimer,
    ops: &[Op::Create(R::RetryRegisterTimer)],
    each: None,
};
pub(crate) const CREATE_RETRY_RELEASE_TIMER: ActionCall<'static> = ActionCall {
    action: A::CreateRetryTimer,
    ops: &[Op::Create(R::RetryReleaseTimer)],
    each: None,
};
pub(crate) const CREATE_RETRY_RENEW_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryRenewTimer)], each: None };
pub(crate) const CREATE_RETRY_WITHDRAW_TIMER: ActionCall<'static> = ActionCall {
    action: A::CreateRetryTimer,
    ops: &[Op::Create(R::RetryWithdrawTimer)],
    each: None,
};
pub(crate) const DELETE_TIMEOUT_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteTimeoutTimer, ops: &[Op::Delete(R::TimeoutTimer)], each: None };
pub(crate) const DELETE_ACTIVATE_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteActivateTimer, ops: &[Op::Delete(R::ActivateTimer)], each: None };
pub(crate) const DELETE_RENEW_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteRenewTimer, ops: &[Op::Delete(R::RenewTimer)], each: None };
pub(crate) const DELETE_RETRY_ABORT_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryAbortTimer)], each: None };
pub(crate) const DELETE_RETRY_ACTIVATE_TIMER: ActionCall<'static> = ActionCall {
    action: A::DeleteRetryTimer,
    ops: &[Op::Delete(R::RetryActivateTimer)],
    each: None,
};
pub(crate) const DELETE_RETRY_REGISTER_TIMER: ActionCall<'static> = ActionCall {
    action: A::DeleteRetryTimer,
    ops: &[Op::Delete(R::RetryRegisterTimer)],
    each: None,
};
pub(crate) const DELETE_RETRY_RELEASE_TIMER: ActionCall<'static> = ActionCall {
    action: A::DeleteRetryTimer,
    ops: &[Op::Delete(R::RetryReleaseTimer)],
    each: None,
};
pub(crate) const DELETE_RETRY_RENEW_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryRenewTimer)], each: None };
pub(crate) const DELETE_RETRY_WITHDRAW_TIMER: ActionCall<'static> = ActionCall {
    action: A::DeleteRetryTimer,
    ops: &[Op::Delete(R::RetryWithdrawTimer)],
    each: None,
};
pub(crate) const NOTIFY_CLIENT_LOCK_IS_ACQUIRED: ActionCall<'static> =
    ActionCall { action: A::NotifyClientLockIsAcquired, ops: &[], each: None };
pub(crate) const NOTIFY_CLIENT_LOCK_IS_RELEASED: ActionCall<'static> =
    ActionCall { action: A::NotifyClientLockIsReleased, ops: &[], each: None };
pub(crate) const NOTIFY_CLIENT_OF_TIMEOUT: ActionCall<'static> =
    ActionCall { action: A::NotifyClientOfTimeout, ops: &[], each: None };
pub(crate) const TERMINATE_CLIENT: ActionCall<'static> =
    ActionCall { action: A::TerminateClient, ops: &[], each: None };
pub(crate) const ABANDON_ABORT_PATCH_REQUEST: ActionCall<'static> =
    ActionCall { action: A::AbandonRequest, ops: &[Op::Abandon(R::AbortPatchRequest)], each: None };
pub(crate) const ABANDON_ACTIVATE_PATCH_REQUEST: ActionCall<'static> = ActionCall {
    action: A::AbandonRequest,
    ops: &[Op::Abandon(R::ActivatePatchRequest)],
    each: None,
};
pub(crate) const ABANDON_REGISTER_POST_REQUEST: ActionCall<'static> = ActionCall {
    action: A::AbandonRequest,
    ops: &[Op::Abandon(R::RegisterPostRequest)],
    each: None,
};
pub(crate) const ABANDON_RELEASE_PATCH_REQUEST: ActionCall<'static> = ActionCall {
    action: A::AbandonRequest,
    ops: &[Op::Abandon(R::ReleasePatchRequest)],
    each: None,
};
pub(crate) const ABANDON_RENEW_PATCH_REQUEST: ActionCall<'static> =
    ActionCall { action: A::AbandonRequest, ops: &[Op::Abandon(R::RenewPatchRequest)], each: None };
pub(crate) const ABANDON_WITHDRAW_PATCH_REQUEST: ActionCall<'static> = ActionCall {
    action: A::AbandonRequest,
    ops: &[Op::Abandon(R::WithdrawPatchRequest)],
    each: None,
};
pub(crate) const START_LEASE_TIMER: ActionCall<'static> =
    ActionCall { action: A::StartLeaseTimer, ops: &[Op::Create(R::LeaseTimer)], each: None };
pub(crate) const RESTART_LEASE_TIMER: ActionCall<'static> =
    ActionCall { action: A::RestartLeaseTimer, ops: &[Op::Restart(R::LeaseTimer)], each: None };
pub(crate) const DELETE_LEASE_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteLeaseTimer, ops: &[Op::Delete(R::LeaseTimer)], each: None };
pub(crate) const NOTIFY_CLIENT_LOCK_IS_LOST: ActionCall<'static> =
    ActionCall { action: A::NotifyClientLockIsLost, ops: &[], each: None };
pub(crate) const DRAW_IDEMPOTENCY_KEY: ActionCall<'static> =
    ActionCall { action: A::DrawIdempotencyKey, ops: &[], each: None };
pub(crate) const ASK_FOR_A_FRESH_KEY: ActionCall<'static> =
    ActionCall { action: A::AskForAFreshKey, ops: &[], each: None };
pub(crate) const RESTART_TIMEOUT_TIMER: ActionCall<'static> =
    ActionCall { action: A::RestartTimeoutTimer, ops: &[Op::Restart(R::TimeoutTimer)], each: None };
pub(crate) const CREATE_CONFIRM_TIMER: ActionCall<'static> =
    ActionCall { action: A::CreateConfirmTimer, ops: &[Op::Create(R::ConfirmTimer)], each: None };
pub(crate) const DELETE_CONFIRM_TIMER: ActionCall<'static> =
    ActionCall { action: A::DeleteConfirmTimer, ops: &[Op::Delete(R::ConfirmTimer)], each: None };
pub(crate) const NOTIFY_CLIENT_OF_SLOWNESS: ActionCall<'static> =
    ActionCall { action: A::NotifyClientThatResponsesAreTooSlow, ops: &[], each: None };
