/// The machine `claim` of “Client lock library requirements”.
///
/// 17 states, 8 events, 57 rows. Written by `machine!` from the table; the names are the document's.
pub mod claim {
    /// A state of the machine.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum State {
        /// `new` (line 13).
        ///
        /// Initial state.
        ///
        /// Holds: timeout timer.
        ///
        /// Initial.
        New,
        /// `Aborting` (line 14).
        ///
        /// Waiting for response to PATCH (status=aborted).
        ///
        /// Holds: abort PATCH request.
        Aborting,
        /// `Activating` (line 15).
        ///
        /// Waiting for response to PATCH (status=active).
        ///
        /// Holds: timeout timer, activate PATCH request.
        Activating,
        /// `Registering` (line 16).
        ///
        /// Waiting for response to POST.
        ///
        /// Holds: timeout timer, register POST request.
        Registering,
        /// `Releasing` (line 17).
        ///
        /// Waiting for response to PATCH (status=released).
        ///
        /// Holds: release PATCH request.
        Releasing,
        /// `Renewing` (line 18).
        ///
        /// Waiting for response to PATCH (ttl=...).
        ///
        /// Holds: renew PATCH request.
        Renewing,
        /// `Withdrawing` (line 19).
        ///
        /// Waiting for response to PATCH (status=withdrawn).
        ///
        /// Holds: withdraw PATCH request.
        Withdrawing,
        /// `active` (line 20).
        ///
        /// Waiting to send next heartbeat.
        ///
        /// Holds: renew timer.
        Active,
        /// `done` (line 21).
        ///
        /// Final state, an un-actionable event has occurred.
        ///
        /// Final.
        Done,
        /// `fail` (line 22).
        ///
        /// Final state, an error has occurred.
        ///
        /// Final.
        Fail,
        /// `retrying abort` (line 23).
        ///
        /// Abort PATCH request failed, waiting to retry.
        ///
        /// Holds: retry abort timer.
        RetryingAbort,
        /// `retrying activate` (line 24).
        ///
        /// Activate PATCH request failed, waiting to retry.
        ///
        /// Holds: timeout timer, retry activate timer.
        RetryingActivate,
        /// `retrying register` (line 25).
        ///
        /// Register POST request failed, waiting to retry.
        ///
        /// Holds: timeout timer, retry register timer.
        RetryingRegister,
        /// `retrying release` (line 26).
        ///
        /// Release PATCH request failed, waiting to retry.
        ///
        /// Holds: retry release timer.
        RetryingRelease,
        /// `retrying renew` (line 27).
        ///
        /// Renew PATCH request failed, waiting to retry.
        ///
        /// Holds: retry renew timer.
        RetryingRenew,
        /// `retrying withdraw` (line 28).
        ///
        /// Withdraw PATCH request failed, waiting to retry.
        ///
        /// Holds: retry withdraw timer.
        RetryingWithdraw,
        /// `waiting` (line 29).
        ///
        /// Waiting until next activate attempt.
        ///
        /// Holds: timeout timer, activate timer.
        Waiting,
        /// `aborted`.
        ///
        /// Not a state of the table as amended.
        Aborted,
        /// `Aborted`.
        ///
        /// Not a state of the table as amended.
        AbortedCapital,
        /// `released`.
        ///
        /// Not a state of the table as amended.
        Released,
        /// `withdrawn`.
        ///
        /// Not a state of the table as amended.
        Withdrawn,
    }
    impl State {
        /// Every one, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::New,
            Self::Aborting,
            Self::Activating,
            Self::Registering,
            Self::Releasing,
            Self::Renewing,
            Self::Withdrawing,
            Self::Active,
            Self::Done,
            Self::Fail,
            Self::RetryingAbort,
            Self::RetryingActivate,
            Self::RetryingRegister,
            Self::RetryingRelease,
            Self::RetryingRenew,
            Self::RetryingWithdraw,
            Self::Waiting,
            Self::Aborted,
            Self::AbortedCapital,
            Self::Released,
            Self::Withdrawn,
        ];
        /// The document's spelling.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::New => "new",
                Self::Aborting => "Aborting",
                Self::Activating => "Activating",
                Self::Registering => "Registering",
                Self::Releasing => "Releasing",
                Self::Renewing => "Renewing",
                Self::Withdrawing => "Withdrawing",
                Self::Active => "active",
                Self::Done => "done",
                Self::Fail => "fail",
                Self::RetryingAbort => "retrying abort",
                Self::RetryingActivate => "retrying activate",
                Self::RetryingRegister => "retrying register",
                Self::RetryingRelease => "retrying release",
                Self::RetryingRenew => "retrying renew",
                Self::RetryingWithdraw => "retrying withdraw",
                Self::Waiting => "waiting",
                Self::Aborted => "aborted",
                Self::AbortedCapital => "Aborted",
                Self::Released => "released",
                Self::Withdrawn => "withdrawn",
            }
        }
        /// The one that the document spells so.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "new" => ::core::option::Option::Some(Self::New),
                "Aborting" => ::core::option::Option::Some(Self::Aborting),
                "Activating" => ::core::option::Option::Some(Self::Activating),
                "Registering" => ::core::option::Option::Some(Self::Registering),
                "Releasing" => ::core::option::Option::Some(Self::Releasing),
                "Renewing" => ::core::option::Option::Some(Self::Renewing),
                "Withdrawing" => ::core::option::Option::Some(Self::Withdrawing),
                "active" => ::core::option::Option::Some(Self::Active),
                "done" => ::core::option::Option::Some(Self::Done),
                "fail" => ::core::option::Option::Some(Self::Fail),
                "retrying abort" => ::core::option::Option::Some(Self::RetryingAbort),
                "retrying activate" => ::core::option::Option::Some(Self::RetryingActivate),
                "retrying register" => ::core::option::Option::Some(Self::RetryingRegister),
                "retrying release" => ::core::option::Option::Some(Self::RetryingRelease),
                "retrying renew" => ::core::option::Option::Some(Self::RetryingRenew),
                "retrying withdraw" => ::core::option::Option::Some(Self::RetryingWithdraw),
                "waiting" => ::core::option::Option::Some(Self::Waiting),
                "aborted" => ::core::option::Option::Some(Self::Aborted),
                "Aborted" => ::core::option::Option::Some(Self::AbortedCapital),
                "released" => ::core::option::Option::Some(Self::Released),
                "withdrawn" => ::core::option::Option::Some(Self::Withdrawn),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::core::fmt::Display for State {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl State {
        /// Where a machine begins.
        pub const INITIAL: Self = State::New;
        /// What the state always holds.
        #[must_use]
        pub const fn holds(self) -> &'static [Resource] {
            match self {
                Self::New => &[Resource::TimeoutTimer],
                Self::Aborting => &[Resource::AbortPatchRequest],
                Self::Activating => &[Resource::TimeoutTimer, Resource::ActivatePatchRequest],
                Self::Registering => &[Resource::TimeoutTimer, Resource::RegisterPostRequest],
                Self::Releasing => &[Resource::ReleasePatchRequest],
                Self::Renewing => &[Resource::RenewPatchRequest],
                Self::Withdrawing => &[Resource::WithdrawPatchRequest],
                Self::Active => &[Resource::RenewTimer],
                Self::Done => &[],
                Self::Fail => &[],
                Self::RetryingAbort => &[Resource::RetryAbortTimer],
                Self::RetryingActivate => &[Resource::TimeoutTimer, Resource::RetryActivateTimer],
                Self::RetryingRegister => &[Resource::TimeoutTimer, Resource::RetryRegisterTimer],
                Self::RetryingRelease => &[Resource::RetryReleaseTimer],
                Self::RetryingRenew => &[Resource::RetryRenewTimer],
                Self::RetryingWithdraw => &[Resource::RetryWithdrawTimer],
                Self::Waiting => &[Resource::TimeoutTimer, Resource::ActivateTimer],
                Self::Aborted => &[],
                Self::AbortedCapital => &[],
                Self::Released => &[],
                Self::Withdrawn => &[],
            }
        }
        /// What the state holds only sometimes.
        #[must_use]
        pub const fn may_hold(self) -> &'static [Resource] {
            match self {
                Self::New => &[],
                Self::Aborting => &[],
                Self::Activating => &[],
                Self::Registering => &[],
                Self::Releasing => &[],
                Self::Renewing => &[],
                Self::Withdrawing => &[],
                Self::Active => &[],
                Self::Done => &[],
                Self::Fail => &[],
                Self::RetryingAbort => &[],
                Self::RetryingActivate => &[],
                Self::RetryingRegister => &[],
                Self::RetryingRelease => &[],
                Self::RetryingRenew => &[],
                Self::RetryingWithdraw => &[],
                Self::Waiting => &[],
                Self::Aborted => &[],
                Self::AbortedCapital => &[],
                Self::Released => &[],
                Self::Withdrawn => &[],
            }
        }
        /// Whether a machine ends here.
        #[must_use]
        pub const fn is_final(self) -> bool {
            match self {
                Self::New => false,
                Self::Aborting => false,
                Self::Activating => false,
                Self::Registering => false,
                Self::Releasing => false,
                Self::Renewing => false,
                Self::Withdrawing => false,
                Self::Active => false,
                Self::Done => true,
                Self::Fail => true,
                Self::RetryingAbort => false,
                Self::RetryingActivate => false,
                Self::RetryingRegister => false,
                Self::RetryingRelease => false,
                Self::RetryingRenew => false,
                Self::RetryingWithdraw => false,
                Self::Waiting => false,
                Self::Aborted => false,
                Self::AbortedCapital => false,
                Self::Released => false,
                Self::Withdrawn => false,
            }
        }
    }
    /// What a row does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// `send POST` (lines 155-156).
        SendPost,
        /// `send PATCH (status=active)` (lines 160-164).
        SendPatchStatusActive,
        /// `send PATCH (status=aborted)`.
        SendPatchStatusAborted,
        /// `send PATCH (status=released)`.
        SendPatchStatusReleased,
        /// `send PATCH (status=withdrawn)`.
        SendPatchStatusWithdrawn,
        /// `send PATCH (ttl=...)`.
        SendPatchTtl,
        /// `create timeout timer`.
        CreateTimeoutTimer,
        /// `create activate timer`.
        CreateActivateTimer,
        /// `create renew timer`.
        CreateRenewTimer,
        /// `create retry timer`.
        CreateRetryTimer,
        /// `delete timeout timer`.
        DeleteTimeoutTimer,
        /// `delete activate timer`.
        DeleteActivateTimer,
        /// `delete renew timer`.
        DeleteRenewTimer,
        /// `delete retry timer`.
        DeleteRetryTimer,
        /// `notify client lock is acquired`.
        NotifyClientLockIsAcquired,
        /// `notify client lock is released`.
        NotifyClientLockIsReleased,
        /// `notify client of timeout`.
        NotifyClientOfTimeout,
        /// `terminate client`.
        TerminateClient,
    }
    impl Action {
        /// Every one, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::SendPost,
            Self::SendPatchStatusActive,
            Self::SendPatchStatusAborted,
            Self::SendPatchStatusReleased,
            Self::SendPatchStatusWithdrawn,
            Self::SendPatchTtl,
            Self::CreateTimeoutTimer,
            Self::CreateActivateTimer,
            Self::CreateRenewTimer,
            Self::CreateRetryTimer,
            Self::DeleteTimeoutTimer,
            Self::DeleteActivateTimer,
            Self::DeleteRenewTimer,
            Self::DeleteRetryTimer,
            Self::NotifyClientLockIsAcquired,
            Self::NotifyClientLockIsReleased,
            Self::NotifyClientOfTimeout,
            Self::TerminateClient,
        ];
        /// The document's spelling.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::SendPost => "send POST",
                Self::SendPatchStatusActive => "send PATCH (status=active)",
                Self::SendPatchStatusAborted => "send PATCH (status=aborted)",
                Self::SendPatchStatusReleased => "send PATCH (status=released)",
                Self::SendPatchStatusWithdrawn => "send PATCH (status=withdrawn)",
                Self::SendPatchTtl => "send PATCH (ttl=...)",
                Self::CreateTimeoutTimer => "create timeout timer",
                Self::CreateActivateTimer => "create activate timer",
                Self::CreateRenewTimer => "create renew timer",
                Self::CreateRetryTimer => "create retry timer",
                Self::DeleteTimeoutTimer => "delete timeout timer",
                Self::DeleteActivateTimer => "delete activate timer",
                Self::DeleteRenewTimer => "delete renew timer",
                Self::DeleteRetryTimer => "delete retry timer",
                Self::NotifyClientLockIsAcquired => "notify client lock is acquired",
                Self::NotifyClientLockIsReleased => "notify client lock is released",
                Self::NotifyClientOfTimeout => "notify client of timeout",
                Self::TerminateClient => "terminate client",
            }
        }
        /// The one that the document spells so.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "send POST" => ::core::option::Option::Some(Self::SendPost),
                "send PATCH (status=active)" => {
                    ::core::option::Option::Some(Self::SendPatchStatusActive)
                }
                "send PATCH (status=aborted)" => {
                    ::core::option::Option::Some(Self::SendPatchStatusAborted)
                }
                "send PATCH (status=released)" => {
                    ::core::option::Option::Some(Self::SendPatchStatusReleased)
                }
                "send PATCH (status=withdrawn)" => {
                    ::core::option::Option::Some(Self::SendPatchStatusWithdrawn)
                }
                "send PATCH (ttl=...)" => ::core::option::Option::Some(Self::SendPatchTtl),
                "create timeout timer" => ::core::option::Option::Some(Self::CreateTimeoutTimer),
                "create activate timer" => ::core::option::Option::Some(Self::CreateActivateTimer),
                "create renew timer" => ::core::option::Option::Some(Self::CreateRenewTimer),
                "create retry timer" => ::core::option::Option::Some(Self::CreateRetryTimer),
                "delete timeout timer" => ::core::option::Option::Some(Self::DeleteTimeoutTimer),
                "delete activate timer" => ::core::option::Option::Some(Self::DeleteActivateTimer),
                "delete renew timer" => ::core::option::Option::Some(Self::DeleteRenewTimer),
                "delete retry timer" => ::core::option::Option::Some(Self::DeleteRetryTimer),
                "notify client lock is acquired" => {
                    ::core::option::Option::Some(Self::NotifyClientLockIsAcquired)
                }
                "notify client lock is released" => {
                    ::core::option::Option::Some(Self::NotifyClientLockIsReleased)
                }
                "notify client of timeout" => {
                    ::core::option::Option::Some(Self::NotifyClientOfTimeout)
                }
                "terminate client" => ::core::option::Option::Some(Self::TerminateClient),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::core::fmt::Display for Action {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    /// What a state holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Resource {
        /// `timeout timer`.
        ///
        /// A timer.
        TimeoutTimer,
        /// `activate timer`.
        ///
        /// A timer.
        ActivateTimer,
        /// `renew timer`.
        ///
        /// A timer.
        RenewTimer,
        /// `retry abort timer`.
        ///
        /// A timer.
        RetryAbortTimer,
        /// `retry activate timer`.
        ///
        /// A timer.
        RetryActivateTimer,
        /// `retry register timer`.
        ///
        /// A timer.
        RetryRegisterTimer,
        /// `retry release timer`.
        ///
        /// A timer.
        RetryReleaseTimer,
        /// `retry renew timer`.
        ///
        /// A timer.
        RetryRenewTimer,
        /// `retry withdraw timer`.
        ///
        /// A timer.
        RetryWithdrawTimer,
        /// `abort PATCH request`.
        ///
        /// A request.
        AbortPatchRequest,
        /// `activate PATCH request`.
        ///
        /// A request.
        ActivatePatchRequest,
        /// `register POST request`.
        ///
        /// A request.
        RegisterPostRequest,
        /// `release PATCH request`.
        ///
        /// A request.
        ReleasePatchRequest,
        /// `renew PATCH request`.
        ///
        /// A request.
        RenewPatchRequest,
        /// `withdraw PATCH request`.
        ///
        /// A request.
        WithdrawPatchRequest,
    }
    impl Resource {
        /// Every one, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::TimeoutTimer,
            Self::ActivateTimer,
            Self::RenewTimer,
            Self::RetryAbortTimer,
            Self::RetryActivateTimer,
            Self::RetryRegisterTimer,
            Self::RetryReleaseTimer,
            Self::RetryRenewTimer,
            Self::RetryWithdrawTimer,
            Self::AbortPatchRequest,
            Self::ActivatePatchRequest,
            Self::RegisterPostRequest,
            Self::ReleasePatchRequest,
            Self::RenewPatchRequest,
            Self::WithdrawPatchRequest,
        ];
        /// The document's spelling.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::TimeoutTimer => "timeout timer",
                Self::ActivateTimer => "activate timer",
                Self::RenewTimer => "renew timer",
                Self::RetryAbortTimer => "retry abort timer",
                Self::RetryActivateTimer => "retry activate timer",
                Self::RetryRegisterTimer => "retry register timer",
                Self::RetryReleaseTimer => "retry release timer",
                Self::RetryRenewTimer => "retry renew timer",
                Self::RetryWithdrawTimer => "retry withdraw timer",
                Self::AbortPatchRequest => "abort PATCH request",
                Self::ActivatePatchRequest => "activate PATCH request",
                Self::RegisterPostRequest => "register POST request",
                Self::ReleasePatchRequest => "release PATCH request",
                Self::RenewPatchRequest => "renew PATCH request",
                Self::WithdrawPatchRequest => "withdraw PATCH request",
            }
        }
        /// The one that the document spells so.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "timeout timer" => ::core::option::Option::Some(Self::TimeoutTimer),
                "activate timer" => ::core::option::Option::Some(Self::ActivateTimer),
                "renew timer" => ::core::option::Option::Some(Self::RenewTimer),
                "retry abort timer" => ::core::option::Option::Some(Self::RetryAbortTimer),
                "retry activate timer" => ::core::option::Option::Some(Self::RetryActivateTimer),
                "retry register timer" => ::core::option::Option::Some(Self::RetryRegisterTimer),
                "retry release timer" => ::core::option::Option::Some(Self::RetryReleaseTimer),
                "retry renew timer" => ::core::option::Option::Some(Self::RetryRenewTimer),
                "retry withdraw timer" => ::core::option::Option::Some(Self::RetryWithdrawTimer),
                "abort PATCH request" => ::core::option::Option::Some(Self::AbortPatchRequest),
                "activate PATCH request" => {
                    ::core::option::Option::Some(Self::ActivatePatchRequest)
                }
                "register POST request" => ::core::option::Option::Some(Self::RegisterPostRequest),
                "release PATCH request" => ::core::option::Option::Some(Self::ReleasePatchRequest),
                "renew PATCH request" => ::core::option::Option::Some(Self::RenewPatchRequest),
                "withdraw PATCH request" => {
                    ::core::option::Option::Some(Self::WithdrawPatchRequest)
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::core::fmt::Display for Resource {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl Resource {
        /// Timer, request or note.
        #[must_use]
        pub const fn kind(self) -> ResourceKind {
            match self {
                Self::TimeoutTimer => ResourceKind::Timer,
                Self::ActivateTimer => ResourceKind::Timer,
                Self::RenewTimer => ResourceKind::Timer,
                Self::RetryAbortTimer => ResourceKind::Timer,
                Self::RetryActivateTimer => ResourceKind::Timer,
                Self::RetryRegisterTimer => ResourceKind::Timer,
                Self::RetryReleaseTimer => ResourceKind::Timer,
                Self::RetryRenewTimer => ResourceKind::Timer,
                Self::RetryWithdrawTimer => ResourceKind::Timer,
                Self::AbortPatchRequest => ResourceKind::Request,
                Self::ActivatePatchRequest => ResourceKind::Request,
                Self::RegisterPostRequest => ResourceKind::Request,
                Self::ReleasePatchRequest => ResourceKind::Request,
                Self::RenewPatchRequest => ResourceKind::Request,
                Self::WithdrawPatchRequest => ResourceKind::Request,
            }
        }
        /// Whether it is armed, then fires or is disarmed.
        #[must_use]
        pub const fn is_timer(self) -> bool {
            ::core::matches!(self.kind(), ResourceKind::Timer)
        }
        /// Whether it is sent, then answered, lost or abandoned.
        #[must_use]
        pub const fn is_request(self) -> bool {
            ::core::matches!(self.kind(), ResourceKind::Request)
        }
    }
    /// What the core is asked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Guard {}
    impl Guard {
        /// Every one, in the document's order.
        pub const ALL: &'static [Self] = &[];
        /// The document's spelling.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {}
        }
        /// The one that the document spells so.
        #[must_use]
        pub fn from_name(_name: &str) -> ::core::option::Option<Self> {
            ::core::option::Option::None
        }
    }
    impl ::core::fmt::Display for Guard {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    /// An event without what it carries.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EventKind {
        /// `start` (line 36).
        ///
        /// The row's condition is \"-\": the machine is started.
        Start,
        /// `signal received`.
        SignalReceived,
        /// `client requests release`.
        ClientRequestsRelease,
        /// `response`.
        Response,
        /// `timeout timer triggers`.
        TimeoutTimerTriggers,
        /// `renew timer triggers`.
        RenewTimerTriggers,
        /// `activate timer triggers`.
        ActivateTimerTriggers,
        /// `retry timer triggers`.
        RetryTimerTriggers,
    }
    impl EventKind {
        /// Every one, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::Start,
            Self::SignalReceived,
            Self::ClientRequestsRelease,
            Self::Response,
            Self::TimeoutTimerTriggers,
            Self::RenewTimerTriggers,
            Self::ActivateTimerTriggers,
            Self::RetryTimerTriggers,
        ];
        /// The document's spelling.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::Start => "start",
                Self::SignalReceived => "signal received",
                Self::ClientRequestsRelease => "client requests release",
                Self::Response => "response",
                Self::TimeoutTimerTriggers => "timeout timer triggers",
                Self::RenewTimerTriggers => "renew timer triggers",
                Self::ActivateTimerTriggers => "activate timer triggers",
                Self::RetryTimerTriggers => "retry timer triggers",
            }
        }
        /// The one that the document spells so.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "start" => ::core::option::Option::Some(Self::Start),
                "signal received" => ::core::option::Option::Some(Self::SignalReceived),
                "client requests release" => {
                    ::core::option::Option::Some(Self::ClientRequestsRelease)
                }
                "response" => ::core::option::Option::Some(Self::Response),
                "timeout timer triggers" => {
                    ::core::option::Option::Some(Self::TimeoutTimerTriggers)
                }
                "renew timer triggers" => ::core::option::Option::Some(Self::RenewTimerTriggers),
                "activate timer triggers" => {
                    ::core::option::Option::Some(Self::ActivateTimerTriggers)
                }
                "retry timer triggers" => ::core::option::Option::Some(Self::RetryTimerTriggers),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::core::fmt::Display for EventKind {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl EventKind {
        /// The least and the greatest number of the payload; 0 and 0 where there is none.
        #[must_use]
        pub const fn bounds(self) -> (u16, u16) {
            match self {
                Self::Start => (0, 0),
                Self::SignalReceived => (0, 0),
                Self::ClientRequestsRelease => (0, 0),
                Self::Response => (100, 599),
                Self::TimeoutTimerTriggers => (0, 0),
                Self::RenewTimerTriggers => (0, 0),
                Self::ActivateTimerTriggers => (0, 0),
                Self::RetryTimerTriggers => (0, 0),
            }
        }
        /// The event that carries a number; a number out of bounds is taken as the nearest.
        #[must_use]
        pub const fn event(self, number: u16) -> Event {
            let (least, greatest) = self.bounds();
            let number = if number < least {
                least
            } else if number > greatest {
                greatest
            } else {
                number
            };
            match self {
                Self::Start => Event::Start,
                Self::SignalReceived => Event::SignalReceived,
                Self::ClientRequestsRelease => Event::ClientRequestsRelease,
                Self::Response => Event::Response { status: number },
                Self::TimeoutTimerTriggers => Event::TimeoutTimerTriggers,
                Self::RenewTimerTriggers => Event::RenewTimerTriggers,
                Self::ActivateTimerTriggers => Event::ActivateTimerTriggers,
                Self::RetryTimerTriggers => Event::RetryTimerTriggers,
            }
        }
    }
    /// What happens to the machine.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Event {
        /// `start` (line 36).
        ///
        /// The row's condition is \"-\": the machine is started.
        Start,
        /// `signal received`.
        SignalReceived,
        /// `client requests release`.
        ClientRequestsRelease,
        /// `response`.
        Response {
            /// 100 to 599.
            status: u16,
        },
        /// `timeout timer triggers`.
        TimeoutTimerTriggers,
        /// `renew timer triggers`.
        RenewTimerTriggers,
        /// `activate timer triggers`.
        ActivateTimerTriggers,
        /// `retry timer triggers`.
        RetryTimerTriggers,
    }
    impl Event {
        /// The event without what it carries.
        #[must_use]
        pub const fn kind(self) -> EventKind {
            match self {
                Self::Start => EventKind::Start,
                Self::SignalReceived => EventKind::SignalReceived,
                Self::ClientRequestsRelease => EventKind::ClientRequestsRelease,
                Self::Response { .. } => EventKind::Response,
                Self::TimeoutTimerTriggers => EventKind::TimeoutTimerTriggers,
                Self::RenewTimerTriggers => EventKind::RenewTimerTriggers,
                Self::ActivateTimerTriggers => EventKind::ActivateTimerTriggers,
                Self::RetryTimerTriggers => EventKind::RetryTimerTriggers,
            }
        }
        /// What it carries, as a number; 0 for an event that carries nothing.
        #[must_use]
        pub const fn number(self) -> u16 {
            match self {
                Self::Start => 0,
                Self::SignalReceived => 0,
                Self::ClientRequestsRelease => 0,
                Self::Response { status } => status,
                Self::TimeoutTimerTriggers => 0,
                Self::RenewTimerTriggers => 0,
                Self::ActivateTimerTriggers => 0,
                Self::RetryTimerTriggers => 0,
            }
        }
    }
    /// A row as written, by its place in the file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct RowId(pub u16);
    impl RowId {
        /// new → Registering: start; send POST, create timeout timer (line 36).
        pub const R36: Self = Self(0);
        /// Aborting → aborted: response (204) (line 37).
        pub const R37: Self = Self(1);
        /// Aborting → done: signal received (line 38).
        pub const R38: Self = Self(2);
        /// Aborting → done: timeout timer triggers (line 39).
        pub const R39: Self = Self(3);
        /// Aborting → fail: response (4xx); terminate client (line 40).
        pub const R40: Self = Self(4);
        /// Aborting → retrying abort: response (5xx); create retry timer (line 41).
        pub const R41: Self = Self(5);
        /// Activating → Aborted: signal received; send PATCH (status=aborted) (line 42).
        pub const R42: Self = Self(6);
        /// Activating → Withdrawing: timeout timer triggers; send PATCH (status=withdrawn) (line 43).
        pub const R43: Self = Self(7);
        /// Activating → active: response (200); create renew timer, delete timeout timer, notify client lock is acquired (line 44).
        pub const R44: Self = Self(8);
        /// Activating → fail: response (4xx); terminate client (line 45).
        pub const R45: Self = Self(9);
        /// Activating → retrying activate: response (5xx); create retry timer (line 46).
        pub const R46: Self = Self(10);
        /// Activating → waiting: response (409); create activate timer (line 47).
        pub const R47: Self = Self(11);
        /// Registering → done: signal received; delete timeout timer (line 48).
        pub const R48: Self = Self(12);
        /// Registering → done: timeout timer triggers; notify client of timeout (line 49).
        pub const R49: Self = Self(13);
        /// Registering → fail: response (4xx except 404); terminate client (line 50).
        pub const R50: Self = Self(14);
        /// Registering → retrying register: response (5xx, 404); create retry timer (line 51).
        pub const R51: Self = Self(15);
        /// Registering → waiting: response (201); create renew timer (line 52).
        pub const R52: Self = Self(16);
        /// Registering → waiting: response (202); create activate timer (line 53).
        pub const R53: Self = Self(17);
        /// Releasing → done: signal received (line 54).
        pub const R54: Self = Self(18);
        /// Releasing → done: timeout timer triggers (line 55).
        pub const R55: Self = Self(19);
        /// Releasing → fail: response (4xx); terminate client (line 56).
        pub const R56: Self = Self(20);
        /// Releasing → released: response (204); notify client lock is released (line 57).
        pub const R57: Self = Self(21);
        /// Releasing → retrying release: response (5xx); create retry timer (line 58).
        pub const R58: Self = Self(22);
        /// Renewing → Aborting: signal received; send PATCH (status=aborted) (line 59).
        pub const R59: Self = Self(23);
        /// Renewing → Releasing: client requests release; send PATCH (status=released) (line 60).
        pub const R60: Self = Self(24);
        /// Renewing → active: response (200); create renew timer (line 61).
        pub const R61: Self = Self(25);
        /// Renewing → fail: response (4xx); terminate client (line 62).
        pub const R62: Self = Self(26);
        /// Renewing → retrying renew: response (5xx); create retry timer (line 63).
        pub const R63: Self = Self(27);
        /// Withdrawing → done: signal received (line 64).
        pub const R64: Self = Self(28);
        /// Withdrawing → done: timeout timer triggers (line 65).
        pub const R65: Self = Self(29);
        /// Withdrawing → fail: response (4xx); terminate client (line 66).
        pub const R66: Self = Self(30);
        /// Withdrawing → retrying withdraw: response (5xx); create retry timer (line 67).
        pub const R67: Self = Self(31);
        /// Withdrawing → withdrawn: response (204) (line 68).
        pub const R68: Self = Self(32);
        /// active → Aborting: signal received; send PATCH (status=aborted), delete renew timer (line 69).
        pub const R69: Self = Self(33);
        /// active → Releasing: client requests release; send PATCH (status=released), delete renew timer (line 70).
        pub const R70: Self = Self(34);
        /// active → Renewing: renew timer triggers; send PATCH (ttl=...) (line 71).
        pub const R71: Self = Self(35);
        /// retrying abort → Aborting: retry timer triggers; send PATCH (status=aborted) (line 72).
        pub const R72: Self = Self(36);
        /// retrying abort → done: signal received (line 73).
        pub const R73: Self = Self(37);
        /// retrying abort → done: timeout timer triggers (line 74).
        pub const R74: Self = Self(38);
        /// retrying activate → Aborting: signal received; send PATCH (status=aborted), delete retry timer (line 75).
        pub const R75: Self = Self(39);
        /// retrying activate → Activating: retry timer triggers; send PATCH (status=active) (line 76).
        pub const R76: Self = Self(40);
        /// retrying activate → Withdrawing: timeout timer triggers; send PATCH (status=withdrawn), delete retry timer (line 77).
        pub const R77: Self = Self(41);
        /// retrying register → Registering: retry timer triggers; send POST (line 78).
        pub const R78: Self = Self(42);
        /// retrying register → done: signal received; delete timeout timer (line 79).
        pub const R79: Self = Self(43);
        /// retrying register → done: timeout timer triggers; notify client of timeout (line 80).
        pub const R80: Self = Self(44);
        /// retrying release → Releasing: retry timer triggers; send PATCH (status=released) (line 81).
        pub const R81: Self = Self(45);
        /// retrying release → done: signal received (line 82).
        pub const R82: Self = Self(46);
        /// retrying release → done: timeout timer triggers (line 83).
        pub const R83: Self = Self(47);
        /// retrying renew → Aborting: signal received; send PATCH (status=aborted), delete retry timer (line 84).
        pub const R84: Self = Self(48);
        /// retrying renew → Releasing: client requests release; send PATCH (status=released), delete retry timer (line 85).
        pub const R85: Self = Self(49);
        /// retrying renew → Renewing: retry timer triggers; send PATCH (ttl=...) (line 86).
        pub const R86: Self = Self(50);
        /// retrying withdraw → Withdrawing: retry timer triggers; send PATCH (status=withdrawn) (line 87).
        pub const R87: Self = Self(51);
        /// retrying withdraw → done: signal received (line 88).
        pub const R88: Self = Self(52);
        /// retrying withdraw → done: timeout timer triggers (line 89).
        pub const R89: Self = Self(53);
        /// waiting → Aborting: signal received; send PATCH (status=aborted), delete activate timer (line 90).
        pub const R90: Self = Self(54);
        /// waiting → Activating: activate timer triggers; send PATCH (status=active) (line 91).
        pub const R91: Self = Self(55);
        /// waiting → Withdrawing: timeout timer triggers; send PATCH (status=withdrawn), delete activate timer (line 92).
        pub const R92: Self = Self(56);
        /// Every row, in the order of the file.
        pub const ALL: &'static [Self] = &[
            Self::R36,
            Self::R37,
            Self::R38,
            Self::R39,
            Self::R40,
            Self::R41,
            Self::R42,
            Self::R43,
            Self::R44,
            Self::R45,
            Self::R46,
            Self::R47,
            Self::R48,
            Self::R49,
            Self::R50,
            Self::R51,
            Self::R52,
            Self::R53,
            Self::R54,
            Self::R55,
            Self::R56,
            Self::R57,
            Self::R58,
            Self::R59,
            Self::R60,
            Self::R61,
            Self::R62,
            Self::R63,
            Self::R64,
            Self::R65,
            Self::R66,
            Self::R67,
            Self::R68,
            Self::R69,
            Self::R70,
            Self::R71,
            Self::R72,
            Self::R73,
            Self::R74,
            Self::R75,
            Self::R76,
            Self::R77,
            Self::R78,
            Self::R79,
            Self::R80,
            Self::R81,
            Self::R82,
            Self::R83,
            Self::R84,
            Self::R85,
            Self::R86,
            Self::R87,
            Self::R88,
            Self::R89,
            Self::R90,
            Self::R91,
            Self::R92,
        ];
        const NAMES: [&'static str; 57] = [
            "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49",
            "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63",
            "64", "65", "66", "67", "68", "69", "70", "71", "72", "73", "74", "75", "76", "77",
            "78", "79", "80", "81", "82", "83", "84", "85", "86", "87", "88", "89", "90", "91",
            "92",
        ];
        /// The row's stable id: the line that it cites; empty for a row of another table.
        #[must_use]
        pub const fn name(self) -> &'static str {
            if (self.0 as usize) < Self::NAMES.len() { Self::NAMES[self.0 as usize] } else { "" }
        }
        /// The row of that id.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::ALL.iter().copied().find(|row| row.name() == name)
        }
    }
    impl ::core::fmt::Display for RowId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    /// What sort of thing a state holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ResourceKind {
        /// Armed, then fires once or is disarmed.
        Timer,
        /// Sent, then answered once, lost or abandoned.
        Request,
        /// A fact that is remembered.
        Note,
    }
    /// What an action does to a resource.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Op {
        /// It comes to be held.
        Create(Resource),
        /// It is held no longer.
        Delete(Resource),
        /// It is held and stays so, counted anew.
        Restart(Resource),
        /// An outstanding request is given up: its answer no longer comes here.
        Abandon(Resource),
    }
    impl Op {
        /// The resource that it is done to.
        #[must_use]
        pub const fn resource(self) -> Resource {
            match self {
                Self::Create(resource)
                | Self::Delete(resource)
                | Self::Restart(resource)
                | Self::Abandon(resource) => resource,
            }
        }
    }
    /// One action of a row, with what it does to resources.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Do<'t> {
        /// The action.
        pub action: Action,
        /// What it does to resources, in order.
        pub ops: &'t [Op],
    }
    /// What the table says of a cell.
    #[must_use]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Step<'t> {
        /// The row that is taken. `None`: the event changes nothing here.
        pub row: ::core::option::Option<RowId>,
        /// The state that is entered; the same one where nothing changes.
        pub to: State,
        /// What the event itself uses up: the timer that fired, the request that is answered.
        pub consumes: &'t [Resource],
        /// What is done, in order.
        pub does: &'t [Do<'t>],
    }
    /// A step without its actions, which went into a sink.
    #[must_use]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Moved {
        /// The row that is taken. `None`: the event changes nothing here.
        pub row: ::core::option::Option<RowId>,
        /// The state that is entered; the same one where nothing changes.
        pub to: State,
    }
    /// An event that the table has no row for: the machine stays as it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Unexpected {
        /// Where the machine is.
        pub state: State,
        /// What happened.
        pub event: Event,
        /// Whether the table says that this cannot happen, and not merely nothing.
        pub impossible: bool,
    }
    impl ::core::fmt::Display for Unexpected {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            let why = if self.impossible { "impossible" } else { "no row" };
            let (state, event) = (self.state.name(), self.event.kind().name());
            ::core::write!(f, "{state}: {event} ({}): {why}", self.event.number())
        }
    }
    impl ::core::error::Error for Unexpected {}
    /// A table that can be run. A core is generic over it: the table baked in
    /// ([`Compiled`]) and any other one of the same names ([`Interpreted`]) run through the
    /// same core.
    pub trait Rules: Clone {
        /// Where a machine begins.
        fn initial(&self) -> State;
        /// What a state always holds.
        fn holds(&self, state: State) -> &[Resource];
        /// What a state holds only sometimes.
        fn may_hold(&self, state: State) -> &[Resource];
        /// Whether a machine ends in a state.
        fn is_final(&self, state: State) -> bool;
        /// What the table says of a state and an event; `guards` answers the named booleans.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row.
        fn step(
            &self,
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'_>, Unexpected>;
    }
    /// What a state is in one table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Place<'t> {
        /// What it always holds.
        pub holds: &'t [Resource],
        /// What it holds only sometimes.
        pub may_hold: &'t [Resource],
        /// Whether a machine ends here.
        pub is_final: bool,
    }
    /// One source state, one event, one destination.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Row<'t> {
        /// The row as written.
        pub id: RowId,
        /// The state that it leaves.
        pub from: State,
        /// The state that it enters.
        pub to: State,
        /// The event that takes it.
        pub event: EventKind,
        /// The payload numbers that take it: ranges, both ends included.
        pub pattern: &'t [(u16, u16)],
        /// The condition beside the event.
        pub guard: Condition<'t>,
        /// What the event itself uses up.
        pub consumes: &'t [Resource],
        /// What is done, in order.
        pub does: &'t [Do<'t>],
    }
    /// What is said of a cell that has no row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Cell<'t> {
        /// The state.
        pub state: State,
        /// The event.
        pub event: EventKind,
        /// The payload numbers: ranges, both ends included.
        pub pattern: &'t [(u16, u16)],
        /// Claimed to be impossible; otherwise the event is ignored.
        pub impossible: bool,
    }
    /// Whether a number is in one of the ranges.
    fn matches(pattern: &[(u16, u16)], number: u16) -> bool {
        pattern.iter().any(|&(least, greatest)| least <= number && number <= greatest)
    }
    /// A condition over named booleans.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Condition<'t> {
        /// A named boolean.
        Is(Guard),
        /// Every one of these; nothing means true.
        All(&'t [Condition<'t>]),
        /// At least one of these; nothing means false.
        Any(&'t [Condition<'t>]),
        /// The opposite.
        Not(&'t Condition<'t>),
    }
    impl Condition<'_> {
        /// Whether it is true under an answer for each guard.
        pub fn holds(&self, guards: &impl Fn(Guard) -> bool) -> bool {
            match self {
                Self::Is(guard) => guards(*guard),
                Self::All(parts) => parts.iter().all(|part| part.holds(guards)),
                Self::Any(parts) => parts.iter().any(|part| part.holds(guards)),
                Self::Not(part) => !part.holds(guards),
            }
        }
    }
    /// A table as plain data: as written, edited, or mutated.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Interpreted<'t> {
        /// Where a machine begins.
        pub initial: State,
        /// What each state is, in the order of [`State::ALL`]; one that is missing holds
        /// nothing.
        pub places: &'t [Place<'t>],
        /// The rows, in the order written.
        pub rows: &'t [Row<'t>],
        /// What is said of the cells without a row.
        pub cells: &'t [Cell<'t>],
        /// Which one is taken of several rows that match, counted from 0; the last one where
        /// there are not so many.
        pub choice: u8,
    }
    impl<'t> Interpreted<'t> {
        /// The rows that an event takes in a state, in the order written.
        pub fn matching<'a>(
            &'a self,
            state: State,
            event: Event,
            guards: &'a impl Fn(Guard) -> bool,
        ) -> impl Iterator<Item = &'t Row<'t>> + 'a {
            let (kind, number) = (event.kind(), event.number());
            let rows: &'t [Row<'t>] = self.rows;
            rows.iter().filter(move |row| {
                row.from == state
                    && row.event == kind
                    && matches(row.pattern, number)
                    && row.guard.holds(guards)
            })
        }
        fn place(&self, state: State) -> ::core::option::Option<&Place<'t>> {
            self.places.get(state as usize)
        }
    }
    /// A table with its name and origin.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Table<'t> {
        /// The machine's name.
        pub machine: &'t str,
        /// The content hash of the file that it was read from.
        pub hash: u64,
        /// The table itself.
        pub rules: Interpreted<'t>,
        /// The document's lines that each row cites, in the order of [`RowId::ALL`]: ranges,
        /// both ends included.
        pub cites: &'t [&'t [(u32, u32)]],
    }
    impl Rules for Interpreted<'_> {
        fn initial(&self) -> State {
            self.initial
        }
        fn holds(&self, state: State) -> &[Resource] {
            self.place(state).map_or(&[], |place| place.holds)
        }
        fn may_hold(&self, state: State) -> &[Resource] {
            self.place(state).map_or(&[], |place| place.may_hold)
        }
        fn is_final(&self, state: State) -> bool {
            self.place(state).is_some_and(|place| place.is_final)
        }
        fn step(
            &self,
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'_>, Unexpected> {
            let mut taken = ::core::option::Option::None;
            for row in self.matching(state, event, guards).take(usize::from(self.choice) + 1) {
                taken = ::core::option::Option::Some(row);
            }
            if let ::core::option::Option::Some(row) = taken {
                return ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(row.id),
                    to: row.to,
                    consumes: row.consumes,
                    does: row.does,
                });
            }
            let (kind, number) = (event.kind(), event.number());
            let said = self.cells.iter().find(|cell| {
                cell.state == state && cell.event == kind && matches(cell.pattern, number)
            });
            match said {
                ::core::option::Option::Some(Cell { impossible: false, .. }) => {
                    ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::None,
                        to: state,
                        consumes: &[],
                        does: &[],
                    })
                }
                ::core::option::Option::Some(_) => {
                    ::core::result::Result::Err(Unexpected { state, event, impossible: true })
                }
                ::core::option::Option::None => {
                    ::core::result::Result::Err(Unexpected { state, event, impossible: false })
                }
            }
        }
    }
    /// What the table says of a state and an event; `guards` answers the named booleans.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] where the table has no row.
    #[inline]
    pub fn step(
        state: State,
        event: Event,
        _guards: &impl Fn(Guard) -> bool,
    ) -> ::core::result::Result<Step<'static>, Unexpected> {
        match state {
            State::New => match event {
                Event::Start => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R36),
                    to: State::Registering,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPost,
                            ops: &[Op::Create(Resource::RegisterPostRequest)],
                        },
                        Do {
                            action: Action::CreateTimeoutTimer,
                            ops: &[Op::Create(Resource::TimeoutTimer)],
                        },
                    ],
                }),
                Event::SignalReceived
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Aborting => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R38),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::Response { status } => match status {
                    204 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R37),
                        to: State::Aborted,
                        consumes: &[Resource::AbortPatchRequest],
                        does: &[],
                    }),
                    400..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R40),
                        to: State::Fail,
                        consumes: &[Resource::AbortPatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R41),
                        to: State::RetryingAbort,
                        consumes: &[Resource::AbortPatchRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryAbortTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R39),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Activating => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R42),
                    to: State::AbortedCapital,
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                }),
                Event::Response { status } => match status {
                    200 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R44),
                        to: State::Active,
                        consumes: &[Resource::ActivatePatchRequest],
                        does: &[
                            Do {
                                action: Action::CreateRenewTimer,
                                ops: &[Op::Create(Resource::RenewTimer)],
                            },
                            Do {
                                action: Action::DeleteTimeoutTimer,
                                ops: &[Op::Delete(Resource::TimeoutTimer)],
                            },
                            Do { action: Action::NotifyClientLockIsAcquired, ops: &[] },
                        ],
                    }),
                    400..=408 | 410..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R45),
                        to: State::Fail,
                        consumes: &[Resource::ActivatePatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    409 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R45),
                        to: State::Fail,
                        consumes: &[Resource::ActivatePatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R46),
                        to: State::RetryingActivate,
                        consumes: &[Resource::ActivatePatchRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryActivateTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R43),
                    to: State::Withdrawing,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Registering => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R48),
                    to: State::Done,
                    consumes: &[],
                    does: &[Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    }],
                }),
                Event::Response { status } => match status {
                    201 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R52),
                        to: State::Waiting,
                        consumes: &[Resource::RegisterPostRequest],
                        does: &[Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        }],
                    }),
                    202 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R53),
                        to: State::Waiting,
                        consumes: &[Resource::RegisterPostRequest],
                        does: &[Do {
                            action: Action::CreateActivateTimer,
                            ops: &[Op::Create(Resource::ActivateTimer)],
                        }],
                    }),
                    400..=403 | 405..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R50),
                        to: State::Fail,
                        consumes: &[Resource::RegisterPostRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    404 | 500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R51),
                        to: State::RetryingRegister,
                        consumes: &[Resource::RegisterPostRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryRegisterTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R49),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do { action: Action::NotifyClientOfTimeout, ops: &[] }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Releasing => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R54),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::Response { status } => match status {
                    204 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R57),
                        to: State::Released,
                        consumes: &[Resource::ReleasePatchRequest],
                        does: &[Do { action: Action::NotifyClientLockIsReleased, ops: &[] }],
                    }),
                    400..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R56),
                        to: State::Fail,
                        consumes: &[Resource::ReleasePatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R58),
                        to: State::RetryingRelease,
                        consumes: &[Resource::ReleasePatchRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryReleaseTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R55),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Renewing => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R59),
                    to: State::Aborting,
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                }),
                Event::ClientRequestsRelease => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R60),
                    to: State::Releasing,
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    }],
                }),
                Event::Response { status } => match status {
                    200 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R61),
                        to: State::Active,
                        consumes: &[Resource::RenewPatchRequest],
                        does: &[Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        }],
                    }),
                    400..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R62),
                        to: State::Fail,
                        consumes: &[Resource::RenewPatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R63),
                        to: State::RetryingRenew,
                        consumes: &[Resource::RenewPatchRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryRenewTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::Start
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Withdrawing => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R64),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::Response { status } => match status {
                    204 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R68),
                        to: State::Withdrawn,
                        consumes: &[Resource::WithdrawPatchRequest],
                        does: &[],
                    }),
                    400..=499 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R66),
                        to: State::Fail,
                        consumes: &[Resource::WithdrawPatchRequest],
                        does: &[Do { action: Action::TerminateClient, ops: &[] }],
                    }),
                    500..=599 => ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(RowId::R67),
                        to: State::RetryingWithdraw,
                        consumes: &[Resource::WithdrawPatchRequest],
                        does: &[Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryWithdrawTimer)],
                        }],
                    }),
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R65),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Active => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R69),
                    to: State::Aborting,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRenewTimer,
                            ops: &[Op::Delete(Resource::RenewTimer)],
                        },
                    ],
                }),
                Event::ClientRequestsRelease => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R70),
                    to: State::Releasing,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusReleased,
                            ops: &[Op::Create(Resource::ReleasePatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRenewTimer,
                            ops: &[Op::Delete(Resource::RenewTimer)],
                        },
                    ],
                }),
                Event::RenewTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R71),
                    to: State::Renewing,
                    consumes: &[Resource::RenewTimer],
                    does: &[Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    }],
                }),
                Event::Start
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Done => refused(state, event, false),
            State::Fail => refused(state, event, false),
            State::RetryingAbort => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R73),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R74),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R72),
                    to: State::Aborting,
                    consumes: &[Resource::RetryAbortTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingActivate => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R75),
                    to: State::Aborting,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryActivateTimer)],
                        },
                    ],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R77),
                    to: State::Withdrawing,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusWithdrawn,
                            ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryActivateTimer)],
                        },
                    ],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R76),
                    to: State::Activating,
                    consumes: &[Resource::RetryActivateTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRegister => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R79),
                    to: State::Done,
                    consumes: &[],
                    does: &[Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    }],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R80),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do { action: Action::NotifyClientOfTimeout, ops: &[] }],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R78),
                    to: State::Registering,
                    consumes: &[Resource::RetryRegisterTimer],
                    does: &[Do {
                        action: Action::SendPost,
                        ops: &[Op::Create(Resource::RegisterPostRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRelease => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R82),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R83),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R81),
                    to: State::Releasing,
                    consumes: &[Resource::RetryReleaseTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRenew => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R84),
                    to: State::Aborting,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryRenewTimer)],
                        },
                    ],
                }),
                Event::ClientRequestsRelease => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R85),
                    to: State::Releasing,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusReleased,
                            ops: &[Op::Create(Resource::ReleasePatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryRenewTimer)],
                        },
                    ],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R86),
                    to: State::Renewing,
                    consumes: &[Resource::RetryRenewTimer],
                    does: &[Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    }],
                }),
                Event::Start
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingWithdraw => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R88),
                    to: State::Done,
                    consumes: &[],
                    does: &[],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R89),
                    to: State::Done,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                }),
                Event::RetryTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R87),
                    to: State::Withdrawing,
                    consumes: &[Resource::RetryWithdrawTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::Waiting => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R90),
                    to: State::Aborting,
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteActivateTimer,
                            ops: &[Op::Delete(Resource::ActivateTimer)],
                        },
                    ],
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R92),
                    to: State::Withdrawing,
                    consumes: &[Resource::TimeoutTimer],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusWithdrawn,
                            ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteActivateTimer,
                            ops: &[Op::Delete(Resource::ActivateTimer)],
                        },
                    ],
                }),
                Event::ActivateTimerTriggers => ::core::result::Result::Ok(Step {
                    row: ::core::option::Option::Some(RowId::R91),
                    to: State::Activating,
                    consumes: &[Resource::ActivateTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    }],
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Aborted => refused(state, event, false),
            State::AbortedCapital => refused(state, event, false),
            State::Released => refused(state, event, false),
            State::Withdrawn => refused(state, event, false),
        }
    }
    /// The same as [`step`], with the actions given to `sink` one by one.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] where the table has no row; the sink has then seen nothing.
    #[inline]
    pub fn step_into(
        state: State,
        event: Event,
        _guards: &impl Fn(Guard) -> bool,
        mut sink: impl FnMut(Do<'static>),
    ) -> ::core::result::Result<Moved, Unexpected> {
        match state {
            State::New => match event {
                Event::Start => {
                    sink(Do {
                        action: Action::SendPost,
                        ops: &[Op::Create(Resource::RegisterPostRequest)],
                    });
                    sink(Do {
                        action: Action::CreateTimeoutTimer,
                        ops: &[Op::Create(Resource::TimeoutTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R36),
                        to: State::Registering,
                    })
                }
                Event::SignalReceived
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Aborting => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R38),
                    to: State::Done,
                }),
                Event::Response { status } => match status {
                    204 => ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R37),
                        to: State::Aborted,
                    }),
                    400..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R40),
                            to: State::Fail,
                        })
                    }
                    500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryAbortTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R41),
                            to: State::RetryingAbort,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R39),
                    to: State::Done,
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Activating => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R42),
                        to: State::AbortedCapital,
                    })
                }
                Event::Response { status } => match status {
                    200 => {
                        sink(Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        });
                        sink(Do {
                            action: Action::DeleteTimeoutTimer,
                            ops: &[Op::Delete(Resource::TimeoutTimer)],
                        });
                        sink(Do { action: Action::NotifyClientLockIsAcquired, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R44),
                            to: State::Active,
                        })
                    }
                    400..=408 | 410..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R45),
                            to: State::Fail,
                        })
                    }
                    409 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R45),
                            to: State::Fail,
                        })
                    }
                    500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryActivateTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R46),
                            to: State::RetryingActivate,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R43),
                        to: State::Withdrawing,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Registering => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R48),
                        to: State::Done,
                    })
                }
                Event::Response { status } => match status {
                    201 => {
                        sink(Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R52),
                            to: State::Waiting,
                        })
                    }
                    202 => {
                        sink(Do {
                            action: Action::CreateActivateTimer,
                            ops: &[Op::Create(Resource::ActivateTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R53),
                            to: State::Waiting,
                        })
                    }
                    400..=403 | 405..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R50),
                            to: State::Fail,
                        })
                    }
                    404 | 500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryRegisterTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R51),
                            to: State::RetryingRegister,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => {
                    sink(Do { action: Action::NotifyClientOfTimeout, ops: &[] });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R49),
                        to: State::Done,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Releasing => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R54),
                    to: State::Done,
                }),
                Event::Response { status } => match status {
                    204 => {
                        sink(Do { action: Action::NotifyClientLockIsReleased, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R57),
                            to: State::Released,
                        })
                    }
                    400..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R56),
                            to: State::Fail,
                        })
                    }
                    500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryReleaseTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R58),
                            to: State::RetryingRelease,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R55),
                    to: State::Done,
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Renewing => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R59),
                        to: State::Aborting,
                    })
                }
                Event::ClientRequestsRelease => {
                    sink(Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R60),
                        to: State::Releasing,
                    })
                }
                Event::Response { status } => match status {
                    200 => {
                        sink(Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R61),
                            to: State::Active,
                        })
                    }
                    400..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R62),
                            to: State::Fail,
                        })
                    }
                    500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryRenewTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R63),
                            to: State::RetryingRenew,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::Start
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Withdrawing => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R64),
                    to: State::Done,
                }),
                Event::Response { status } => match status {
                    204 => ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R68),
                        to: State::Withdrawn,
                    }),
                    400..=499 => {
                        sink(Do { action: Action::TerminateClient, ops: &[] });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R66),
                            to: State::Fail,
                        })
                    }
                    500..=599 => {
                        sink(Do {
                            action: Action::CreateRetryTimer,
                            ops: &[Op::Create(Resource::RetryWithdrawTimer)],
                        });
                        ::core::result::Result::Ok(Moved {
                            row: ::core::option::Option::Some(RowId::R67),
                            to: State::RetryingWithdraw,
                        })
                    }
                    _ => refused(state, event, false),
                },
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R65),
                    to: State::Done,
                }),
                Event::Start
                | Event::ClientRequestsRelease
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Active => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRenewTimer,
                        ops: &[Op::Delete(Resource::RenewTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R69),
                        to: State::Aborting,
                    })
                }
                Event::ClientRequestsRelease => {
                    sink(Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRenewTimer,
                        ops: &[Op::Delete(Resource::RenewTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R70),
                        to: State::Releasing,
                    })
                }
                Event::RenewTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R71),
                        to: State::Renewing,
                    })
                }
                Event::Start
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::ActivateTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Done => refused(state, event, false),
            State::Fail => refused(state, event, false),
            State::RetryingAbort => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R73),
                    to: State::Done,
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R74),
                    to: State::Done,
                }),
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R72),
                        to: State::Aborting,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingActivate => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRetryTimer,
                        ops: &[Op::Delete(Resource::RetryActivateTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R75),
                        to: State::Aborting,
                    })
                }
                Event::TimeoutTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRetryTimer,
                        ops: &[Op::Delete(Resource::RetryActivateTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R77),
                        to: State::Withdrawing,
                    })
                }
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R76),
                        to: State::Activating,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRegister => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R79),
                        to: State::Done,
                    })
                }
                Event::TimeoutTimerTriggers => {
                    sink(Do { action: Action::NotifyClientOfTimeout, ops: &[] });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R80),
                        to: State::Done,
                    })
                }
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPost,
                        ops: &[Op::Create(Resource::RegisterPostRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R78),
                        to: State::Registering,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRelease => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R82),
                    to: State::Done,
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R83),
                    to: State::Done,
                }),
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R81),
                        to: State::Releasing,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingRenew => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRetryTimer,
                        ops: &[Op::Delete(Resource::RetryRenewTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R84),
                        to: State::Aborting,
                    })
                }
                Event::ClientRequestsRelease => {
                    sink(Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteRetryTimer,
                        ops: &[Op::Delete(Resource::RetryRenewTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R85),
                        to: State::Releasing,
                    })
                }
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R86),
                        to: State::Renewing,
                    })
                }
                Event::Start
                | Event::Response { .. }
                | Event::TimeoutTimerTriggers
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::RetryingWithdraw => match event {
                Event::SignalReceived => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R88),
                    to: State::Done,
                }),
                Event::TimeoutTimerTriggers => ::core::result::Result::Ok(Moved {
                    row: ::core::option::Option::Some(RowId::R89),
                    to: State::Done,
                }),
                Event::RetryTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R87),
                        to: State::Withdrawing,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::ActivateTimerTriggers => refused(state, event, false),
            },
            State::Waiting => match event {
                Event::SignalReceived => {
                    sink(Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteActivateTimer,
                        ops: &[Op::Delete(Resource::ActivateTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R90),
                        to: State::Aborting,
                    })
                }
                Event::TimeoutTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    });
                    sink(Do {
                        action: Action::DeleteActivateTimer,
                        ops: &[Op::Delete(Resource::ActivateTimer)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R92),
                        to: State::Withdrawing,
                    })
                }
                Event::ActivateTimerTriggers => {
                    sink(Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    });
                    ::core::result::Result::Ok(Moved {
                        row: ::core::option::Option::Some(RowId::R91),
                        to: State::Activating,
                    })
                }
                Event::Start
                | Event::ClientRequestsRelease
                | Event::Response { .. }
                | Event::RenewTimerTriggers
                | Event::RetryTimerTriggers => refused(state, event, false),
            },
            State::Aborted => refused(state, event, false),
            State::AbortedCapital => refused(state, event, false),
            State::Released => refused(state, event, false),
            State::Withdrawn => refused(state, event, false),
        }
    }
    const fn refused<T>(
        state: State,
        event: Event,
        impossible: bool,
    ) -> ::core::result::Result<T, Unexpected> {
        ::core::result::Result::Err(Unexpected { state, event, impossible })
    }
    /// The table baked in.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Compiled;
    impl Rules for Compiled {
        fn initial(&self) -> State {
            State::INITIAL
        }
        fn holds(&self, state: State) -> &[Resource] {
            state.holds()
        }
        fn may_hold(&self, state: State) -> &[Resource] {
            state.may_hold()
        }
        fn is_final(&self, state: State) -> bool {
            state.is_final()
        }
        #[inline]
        fn step(
            &self,
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'_>, Unexpected> {
            step(state, event, guards)
        }
    }
    /// The table as data: what [`Compiled`] has baked in.
    pub const TABLE: Table<'static> = Table {
        machine: "claim",
        hash: 0,
        rules: Interpreted {
            initial: State::New,
            places: &[
                Place { holds: &[Resource::TimeoutTimer], may_hold: &[], is_final: false },
                Place { holds: &[Resource::AbortPatchRequest], may_hold: &[], is_final: false },
                Place {
                    holds: &[Resource::TimeoutTimer, Resource::ActivatePatchRequest],
                    may_hold: &[],
                    is_final: false,
                },
                Place {
                    holds: &[Resource::TimeoutTimer, Resource::RegisterPostRequest],
                    may_hold: &[],
                    is_final: false,
                },
                Place { holds: &[Resource::ReleasePatchRequest], may_hold: &[], is_final: false },
                Place { holds: &[Resource::RenewPatchRequest], may_hold: &[], is_final: false },
                Place { holds: &[Resource::WithdrawPatchRequest], may_hold: &[], is_final: false },
                Place { holds: &[Resource::RenewTimer], may_hold: &[], is_final: false },
                Place { holds: &[], may_hold: &[], is_final: true },
                Place { holds: &[], may_hold: &[], is_final: true },
                Place { holds: &[Resource::RetryAbortTimer], may_hold: &[], is_final: false },
                Place {
                    holds: &[Resource::TimeoutTimer, Resource::RetryActivateTimer],
                    may_hold: &[],
                    is_final: false,
                },
                Place {
                    holds: &[Resource::TimeoutTimer, Resource::RetryRegisterTimer],
                    may_hold: &[],
                    is_final: false,
                },
                Place { holds: &[Resource::RetryReleaseTimer], may_hold: &[], is_final: false },
                Place { holds: &[Resource::RetryRenewTimer], may_hold: &[], is_final: false },
                Place { holds: &[Resource::RetryWithdrawTimer], may_hold: &[], is_final: false },
                Place {
                    holds: &[Resource::TimeoutTimer, Resource::ActivateTimer],
                    may_hold: &[],
                    is_final: false,
                },
                Place { holds: &[], may_hold: &[], is_final: false },
                Place { holds: &[], may_hold: &[], is_final: false },
                Place { holds: &[], may_hold: &[], is_final: false },
                Place { holds: &[], may_hold: &[], is_final: false },
            ],
            rows: &[
                Row {
                    id: RowId::R36,
                    from: State::New,
                    to: State::Registering,
                    event: EventKind::Start,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPost,
                            ops: &[Op::Create(Resource::RegisterPostRequest)],
                        },
                        Do {
                            action: Action::CreateTimeoutTimer,
                            ops: &[Op::Create(Resource::TimeoutTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R37,
                    from: State::Aborting,
                    to: State::Aborted,
                    event: EventKind::Response,
                    pattern: &[(204, 204)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::AbortPatchRequest],
                    does: &[],
                },
                Row {
                    id: RowId::R38,
                    from: State::Aborting,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R39,
                    from: State::Aborting,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R40,
                    from: State::Aborting,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::AbortPatchRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R41,
                    from: State::Aborting,
                    to: State::RetryingAbort,
                    event: EventKind::Response,
                    pattern: &[(500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::AbortPatchRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryAbortTimer)],
                    }],
                },
                Row {
                    id: RowId::R42,
                    from: State::Activating,
                    to: State::AbortedCapital,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R43,
                    from: State::Activating,
                    to: State::Withdrawing,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R44,
                    from: State::Activating,
                    to: State::Active,
                    event: EventKind::Response,
                    pattern: &[(200, 200)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ActivatePatchRequest],
                    does: &[
                        Do {
                            action: Action::CreateRenewTimer,
                            ops: &[Op::Create(Resource::RenewTimer)],
                        },
                        Do {
                            action: Action::DeleteTimeoutTimer,
                            ops: &[Op::Delete(Resource::TimeoutTimer)],
                        },
                        Do { action: Action::NotifyClientLockIsAcquired, ops: &[] },
                    ],
                },
                Row {
                    id: RowId::R45,
                    from: State::Activating,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ActivatePatchRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R46,
                    from: State::Activating,
                    to: State::RetryingActivate,
                    event: EventKind::Response,
                    pattern: &[(500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ActivatePatchRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryActivateTimer)],
                    }],
                },
                Row {
                    id: RowId::R47,
                    from: State::Activating,
                    to: State::Waiting,
                    event: EventKind::Response,
                    pattern: &[(409, 409)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ActivatePatchRequest],
                    does: &[Do {
                        action: Action::CreateActivateTimer,
                        ops: &[Op::Create(Resource::ActivateTimer)],
                    }],
                },
                Row {
                    id: RowId::R48,
                    from: State::Registering,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    }],
                },
                Row {
                    id: RowId::R49,
                    from: State::Registering,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do { action: Action::NotifyClientOfTimeout, ops: &[] }],
                },
                Row {
                    id: RowId::R50,
                    from: State::Registering,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 403), (405, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RegisterPostRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R51,
                    from: State::Registering,
                    to: State::RetryingRegister,
                    event: EventKind::Response,
                    pattern: &[(404, 404), (500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RegisterPostRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryRegisterTimer)],
                    }],
                },
                Row {
                    id: RowId::R52,
                    from: State::Registering,
                    to: State::Waiting,
                    event: EventKind::Response,
                    pattern: &[(201, 201)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RegisterPostRequest],
                    does: &[Do {
                        action: Action::CreateRenewTimer,
                        ops: &[Op::Create(Resource::RenewTimer)],
                    }],
                },
                Row {
                    id: RowId::R53,
                    from: State::Registering,
                    to: State::Waiting,
                    event: EventKind::Response,
                    pattern: &[(202, 202)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RegisterPostRequest],
                    does: &[Do {
                        action: Action::CreateActivateTimer,
                        ops: &[Op::Create(Resource::ActivateTimer)],
                    }],
                },
                Row {
                    id: RowId::R54,
                    from: State::Releasing,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R55,
                    from: State::Releasing,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R56,
                    from: State::Releasing,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ReleasePatchRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R57,
                    from: State::Releasing,
                    to: State::Released,
                    event: EventKind::Response,
                    pattern: &[(204, 204)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ReleasePatchRequest],
                    does: &[Do { action: Action::NotifyClientLockIsReleased, ops: &[] }],
                },
                Row {
                    id: RowId::R58,
                    from: State::Releasing,
                    to: State::RetryingRelease,
                    event: EventKind::Response,
                    pattern: &[(500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ReleasePatchRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryReleaseTimer)],
                    }],
                },
                Row {
                    id: RowId::R59,
                    from: State::Renewing,
                    to: State::Aborting,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R60,
                    from: State::Renewing,
                    to: State::Releasing,
                    event: EventKind::ClientRequestsRelease,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R61,
                    from: State::Renewing,
                    to: State::Active,
                    event: EventKind::Response,
                    pattern: &[(200, 200)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RenewPatchRequest],
                    does: &[Do {
                        action: Action::CreateRenewTimer,
                        ops: &[Op::Create(Resource::RenewTimer)],
                    }],
                },
                Row {
                    id: RowId::R62,
                    from: State::Renewing,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RenewPatchRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R63,
                    from: State::Renewing,
                    to: State::RetryingRenew,
                    event: EventKind::Response,
                    pattern: &[(500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RenewPatchRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryRenewTimer)],
                    }],
                },
                Row {
                    id: RowId::R64,
                    from: State::Withdrawing,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R65,
                    from: State::Withdrawing,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R66,
                    from: State::Withdrawing,
                    to: State::Fail,
                    event: EventKind::Response,
                    pattern: &[(400, 499)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::WithdrawPatchRequest],
                    does: &[Do { action: Action::TerminateClient, ops: &[] }],
                },
                Row {
                    id: RowId::R67,
                    from: State::Withdrawing,
                    to: State::RetryingWithdraw,
                    event: EventKind::Response,
                    pattern: &[(500, 599)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::WithdrawPatchRequest],
                    does: &[Do {
                        action: Action::CreateRetryTimer,
                        ops: &[Op::Create(Resource::RetryWithdrawTimer)],
                    }],
                },
                Row {
                    id: RowId::R68,
                    from: State::Withdrawing,
                    to: State::Withdrawn,
                    event: EventKind::Response,
                    pattern: &[(204, 204)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::WithdrawPatchRequest],
                    does: &[],
                },
                Row {
                    id: RowId::R69,
                    from: State::Active,
                    to: State::Aborting,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRenewTimer,
                            ops: &[Op::Delete(Resource::RenewTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R70,
                    from: State::Active,
                    to: State::Releasing,
                    event: EventKind::ClientRequestsRelease,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusReleased,
                            ops: &[Op::Create(Resource::ReleasePatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRenewTimer,
                            ops: &[Op::Delete(Resource::RenewTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R71,
                    from: State::Active,
                    to: State::Renewing,
                    event: EventKind::RenewTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RenewTimer],
                    does: &[Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R72,
                    from: State::RetryingAbort,
                    to: State::Aborting,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryAbortTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusAborted,
                        ops: &[Op::Create(Resource::AbortPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R73,
                    from: State::RetryingAbort,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R74,
                    from: State::RetryingAbort,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R75,
                    from: State::RetryingActivate,
                    to: State::Aborting,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryActivateTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R76,
                    from: State::RetryingActivate,
                    to: State::Activating,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryActivateTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R77,
                    from: State::RetryingActivate,
                    to: State::Withdrawing,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusWithdrawn,
                            ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryActivateTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R78,
                    from: State::RetryingRegister,
                    to: State::Registering,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryRegisterTimer],
                    does: &[Do {
                        action: Action::SendPost,
                        ops: &[Op::Create(Resource::RegisterPostRequest)],
                    }],
                },
                Row {
                    id: RowId::R79,
                    from: State::RetryingRegister,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[Do {
                        action: Action::DeleteTimeoutTimer,
                        ops: &[Op::Delete(Resource::TimeoutTimer)],
                    }],
                },
                Row {
                    id: RowId::R80,
                    from: State::RetryingRegister,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[Do { action: Action::NotifyClientOfTimeout, ops: &[] }],
                },
                Row {
                    id: RowId::R81,
                    from: State::RetryingRelease,
                    to: State::Releasing,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryReleaseTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusReleased,
                        ops: &[Op::Create(Resource::ReleasePatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R82,
                    from: State::RetryingRelease,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R83,
                    from: State::RetryingRelease,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R84,
                    from: State::RetryingRenew,
                    to: State::Aborting,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryRenewTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R85,
                    from: State::RetryingRenew,
                    to: State::Releasing,
                    event: EventKind::ClientRequestsRelease,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusReleased,
                            ops: &[Op::Create(Resource::ReleasePatchRequest)],
                        },
                        Do {
                            action: Action::DeleteRetryTimer,
                            ops: &[Op::Delete(Resource::RetryRenewTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R86,
                    from: State::RetryingRenew,
                    to: State::Renewing,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryRenewTimer],
                    does: &[Do {
                        action: Action::SendPatchTtl,
                        ops: &[Op::Create(Resource::RenewPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R87,
                    from: State::RetryingWithdraw,
                    to: State::Withdrawing,
                    event: EventKind::RetryTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::RetryWithdrawTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusWithdrawn,
                        ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R88,
                    from: State::RetryingWithdraw,
                    to: State::Done,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[],
                },
                Row {
                    id: RowId::R89,
                    from: State::RetryingWithdraw,
                    to: State::Done,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[],
                },
                Row {
                    id: RowId::R90,
                    from: State::Waiting,
                    to: State::Aborting,
                    event: EventKind::SignalReceived,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusAborted,
                            ops: &[Op::Create(Resource::AbortPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteActivateTimer,
                            ops: &[Op::Delete(Resource::ActivateTimer)],
                        },
                    ],
                },
                Row {
                    id: RowId::R91,
                    from: State::Waiting,
                    to: State::Activating,
                    event: EventKind::ActivateTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::ActivateTimer],
                    does: &[Do {
                        action: Action::SendPatchStatusActive,
                        ops: &[Op::Create(Resource::ActivatePatchRequest)],
                    }],
                },
                Row {
                    id: RowId::R92,
                    from: State::Waiting,
                    to: State::Withdrawing,
                    event: EventKind::TimeoutTimerTriggers,
                    pattern: &[(0, 0)],
                    guard: Condition::All(&[]),
                    consumes: &[Resource::TimeoutTimer],
                    does: &[
                        Do {
                            action: Action::SendPatchStatusWithdrawn,
                            ops: &[Op::Create(Resource::WithdrawPatchRequest)],
                        },
                        Do {
                            action: Action::DeleteActivateTimer,
                            ops: &[Op::Delete(Resource::ActivateTimer)],
                        },
                    ],
                },
            ],
            cells: &[],
            choice: 0,
        },
        cites: &[
            &[(36, 36)],
            &[(37, 37)],
            &[(38, 38)],
            &[(39, 39)],
            &[(40, 40)],
            &[(41, 41)],
            &[(42, 42)],
            &[(43, 43)],
            &[(44, 44)],
            &[(45, 45)],
            &[(46, 46)],
            &[(47, 47)],
            &[(48, 48)],
            &[(49, 49)],
            &[(50, 50)],
            &[(51, 51)],
            &[(52, 52)],
            &[(53, 53)],
            &[(54, 54)],
            &[(55, 55)],
            &[(56, 56)],
            &[(57, 57)],
            &[(58, 58)],
            &[(59, 59)],
            &[(60, 60)],
            &[(61, 61)],
            &[(62, 62)],
            &[(63, 63)],
            &[(64, 64)],
            &[(65, 65)],
            &[(66, 66)],
            &[(67, 67)],
            &[(68, 68)],
            &[(69, 69)],
            &[(70, 70)],
            &[(71, 71)],
            &[(72, 72)],
            &[(73, 73)],
            &[(74, 74)],
            &[(75, 75)],
            &[(76, 76)],
            &[(77, 77)],
            &[(78, 78)],
            &[(79, 79)],
            &[(80, 80)],
            &[(81, 81)],
            &[(82, 82)],
            &[(83, 83)],
            &[(84, 84)],
            &[(85, 85)],
            &[(86, 86)],
            &[(87, 87)],
            &[(88, 88)],
            &[(89, 89)],
            &[(90, 90)],
            &[(91, 91)],
            &[(92, 92)],
        ],
    };
}
