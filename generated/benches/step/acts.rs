//! The actions of the hand-written matches, each with what it does to resources.

use turnstile_machines::claim::{Action as A, Do, Op, Resource as R};

pub(crate) const SEND_POST: Do<'static> =
    Do { action: A::SendPost, ops: &[Op::Create(R::RegisterPostRequest)] };
pub(crate) const SEND_PATCH_STATUS_ACTIVE: Do<'static> =
    Do { action: A::SendPatchStatusActive, ops: &[Op::Create(R::ActivatePatchRequest)] };
pub(crate) const SEND_PATCH_STATUS_ABORTED: Do<'static> =
    Do { action: A::SendPatchStatusAborted, ops: &[Op::Create(R::AbortPatchRequest)] };
pub(crate) const SEND_PATCH_STATUS_RELEASED: Do<'static> =
    Do { action: A::SendPatchStatusReleased, ops: &[Op::Create(R::ReleasePatchRequest)] };
pub(crate) const SEND_PATCH_STATUS_WITHDRAWN: Do<'static> =
    Do { action: A::SendPatchStatusWithdrawn, ops: &[Op::Create(R::WithdrawPatchRequest)] };
pub(crate) const SEND_PATCH_TTL: Do<'static> =
    Do { action: A::SendPatchTtl, ops: &[Op::Create(R::RenewPatchRequest)] };
pub(crate) const CREATE_TIMEOUT_TIMER: Do<'static> =
    Do { action: A::CreateTimeoutTimer, ops: &[Op::Create(R::TimeoutTimer)] };
pub(crate) const CREATE_ACTIVATE_TIMER: Do<'static> =
    Do { action: A::CreateActivateTimer, ops: &[Op::Create(R::ActivateTimer)] };
pub(crate) const CREATE_RENEW_TIMER: Do<'static> =
    Do { action: A::CreateRenewTimer, ops: &[Op::Create(R::RenewTimer)] };
pub(crate) const CREATE_RETRY_ABORT_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryAbortTimer)] };
pub(crate) const CREATE_RETRY_ACTIVATE_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryActivateTimer)] };
pub(crate) const CREATE_RETRY_REGISTER_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryRegisterTimer)] };
pub(crate) const CREATE_RETRY_RELEASE_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryReleaseTimer)] };
pub(crate) const CREATE_RETRY_RENEW_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryRenewTimer)] };
pub(crate) const CREATE_RETRY_WITHDRAW_TIMER: Do<'static> =
    Do { action: A::CreateRetryTimer, ops: &[Op::Create(R::RetryWithdrawTimer)] };
pub(crate) const DELETE_TIMEOUT_TIMER: Do<'static> =
    Do { action: A::DeleteTimeoutTimer, ops: &[Op::Delete(R::TimeoutTimer)] };
pub(crate) const DELETE_ACTIVATE_TIMER: Do<'static> =
    Do { action: A::DeleteActivateTimer, ops: &[Op::Delete(R::ActivateTimer)] };
pub(crate) const DELETE_RENEW_TIMER: Do<'static> =
    Do { action: A::DeleteRenewTimer, ops: &[Op::Delete(R::RenewTimer)] };
pub(crate) const DELETE_RETRY_ABORT_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryAbortTimer)] };
pub(crate) const DELETE_RETRY_ACTIVATE_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryActivateTimer)] };
pub(crate) const DELETE_RETRY_REGISTER_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryRegisterTimer)] };
pub(crate) const DELETE_RETRY_RELEASE_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryReleaseTimer)] };
pub(crate) const DELETE_RETRY_RENEW_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryRenewTimer)] };
pub(crate) const DELETE_RETRY_WITHDRAW_TIMER: Do<'static> =
    Do { action: A::DeleteRetryTimer, ops: &[Op::Delete(R::RetryWithdrawTimer)] };
pub(crate) const NOTIFY_CLIENT_LOCK_IS_ACQUIRED: Do<'static> =
    Do { action: A::NotifyClientLockIsAcquired, ops: &[] };
pub(crate) const NOTIFY_CLIENT_LOCK_IS_RELEASED: Do<'static> =
    Do { action: A::NotifyClientLockIsReleased, ops: &[] };
pub(crate) const NOTIFY_CLIENT_OF_TIMEOUT: Do<'static> =
    Do { action: A::NotifyClientOfTimeout, ops: &[] };
pub(crate) const TERMINATE_CLIENT: Do<'static> = Do { action: A::TerminateClient, ops: &[] };
pub(crate) const ABANDON_ABORT_PATCH_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::AbortPatchRequest)] };
pub(crate) const ABANDON_ACTIVATE_PATCH_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::ActivatePatchRequest)] };
pub(crate) const ABANDON_REGISTER_POST_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::RegisterPostRequest)] };
pub(crate) const ABANDON_RELEASE_PATCH_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::ReleasePatchRequest)] };
pub(crate) const ABANDON_RENEW_PATCH_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::RenewPatchRequest)] };
pub(crate) const ABANDON_WITHDRAW_PATCH_REQUEST: Do<'static> =
    Do { action: A::AbandonRequest, ops: &[Op::Abandon(R::WithdrawPatchRequest)] };
pub(crate) const START_LEASE_TIMER: Do<'static> =
    Do { action: A::StartLeaseTimer, ops: &[Op::Create(R::LeaseTimer)] };
pub(crate) const RESTART_LEASE_TIMER: Do<'static> =
    Do { action: A::RestartLeaseTimer, ops: &[Op::Restart(R::LeaseTimer)] };
pub(crate) const DELETE_LEASE_TIMER: Do<'static> =
    Do { action: A::DeleteLeaseTimer, ops: &[Op::Delete(R::LeaseTimer)] };
pub(crate) const NOTIFY_CLIENT_LOCK_IS_LOST: Do<'static> =
    Do { action: A::NotifyClientLockIsLost, ops: &[] };
pub(crate) const DRAW_IDEMPOTENCY_KEY: Do<'static> = Do { action: A::DrawIdempotencyKey, ops: &[] };
pub(crate) const ASK_FOR_A_FRESH_KEY: Do<'static> = Do { action: A::AskForAFreshKey, ops: &[] };
pub(crate) const RESTART_TIMEOUT_TIMER: Do<'static> =
    Do { action: A::RestartTimeoutTimer, ops: &[Op::Restart(R::TimeoutTimer)] };
