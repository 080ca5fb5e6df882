//! A member of the replicated lock service.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::message::{
    Cluster, Command, Connectivity, ElectionReason, Message, Notice,
};
use turnstile_replicated_lock_core::types::{
    Address, CommandId, LockName, LockStatus, LogEntry, LogOperation, ServiceRequest, Timer,
};
use turnstile_replicated_lock_core::{Locks, Member, State};
use turnstile_replicated_lock_machines::lock_mutex::State as Mutex;
use turnstile_simulation::steps::{knows_what_is_armed, step};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf};

const ME: Address = Address(1);

fn lock() -> impl Strategy<Value = LockName> {
    (5_u64..7).prop_map(LockName)
}

fn address() -> impl Strategy<Value = Address> {
    (1_u64..5).prop_map(Address)
}

fn request() -> impl Strategy<Value = ServiceRequest> {
    prop_oneof![
        lock().prop_map(ServiceRequest::Lock),
        lock().prop_map(ServiceRequest::TryLock),
        lock().prop_map(ServiceRequest::Unlock),
        Just(ServiceRequest::UnlockAll),
    ]
}

fn entry() -> impl Strategy<Value = LogEntry> {
    let operation = prop_oneof![
        4 => request().prop_map(LogOperation::from),
        1 => vec(address(), 0..3).prop_map(LogOperation::Reset),
    ];
    (address(), proptest::option::of((0_u64..4).prop_map(CommandId)), operation)
        .prop_map(|(by, call, operation)| LogEntry { by, call, operation })
}

fn token() -> impl Strategy<Value = Token> {
    (1_u64..9).prop_map(Token::new)
}

/// Whatever comes, in whatever order: also what only members say.
fn message() -> impl Strategy<Value = Message> {
    let is = prop_oneof![
        Just(Connectivity::Minority),
        Just(Connectivity::Left),
        Just(Connectivity::Joined)
    ];
    let because = prop_oneof![
        Just(ElectionReason::MajorityIsJustReached),
        Just(ElectionReason::TheLeaderLeft),
        Just(ElectionReason::TheCoordinatorChanged)
    ];
    let status =
        prop_oneof![Just(LockStatus::None), Just(LockStatus::Waiting), Just(LockStatus::Holding)];
    let call = || (0_u64..4).prop_map(CommandId);
    prop_oneof![
        2 => (is, vec(address(), 0..4)).prop_map(|(is, members)| Message::View { is, members }),
        1 => because.prop_map(Message::Elected),
        1 => Just(Message::AnotherIsElected),
        6 => (token(), entry()).prop_map(|(index, entry)| Message::Apply { index, entry }),
        1 => Just(Message::Snapshot { index: None, locks: Locks::new() }),
        4 => (lock(), call(), token(), status, proptest::option::of(token())).prop_map(
            |(lock, call, index, status, token)| Message::Result {
                lock, call, index, status, token
            }
        ),
        1 => (lock(), call()).prop_map(|(lock, call)| Message::Failed { lock, call }),
        1 => entry().prop_map(Message::Execute),
    ]
}

fn timer() -> impl Strategy<Value = Timer> {
    prop_oneof![lock().prop_map(Timer::Timeout), lock().prop_map(Timer::Retry)]
}

fn input() -> impl Strategy<Value = InputOf<Member>> {
    prop_oneof![
        6 => message().prop_map(|message| Input::Message { from: Cluster, message }),
        2 => timer().prop_map(Input::Fired),
        1 => lock().prop_map(|lock| Input::Command(Command::Lock(lock))),
        1 => lock().prop_map(|lock| Input::Command(Command::TryLock(lock))),
        1 => lock().prop_map(|lock| Input::Command(Command::Unlock(lock))),
        1 => request().prop_map(|request| Input::Command(Command::Serve(request))),
    ]
}

/// What the states of the mutexes hold.
fn held(state: &State) -> BTreeSet<Timer> {
    let held = state.mutexes().filter_map(|(lock, mutex)| match mutex.at {
        Mutex::Locking | Mutex::Unlocking => Some(Timer::Timeout(lock)),
        Mutex::Releasing => Some(Timer::Retry(lock)),
        Mutex::Unlocked | Mutex::Waiting | Mutex::Locked => None,
    });
    held.collect()
}

/// A member of a cluster that has begun.
fn begun() -> (Member, State) {
    let member = Member::new(ME);
    let mut state = member.start();
    let message = Message::View { is: Connectivity::Joined, members: vec![ME, Address(2)] };
    step(&member, &mut state, Input::Message { from: Cluster, message });
    (member, state)
}

proptest! {
    #[test]
    fn a_member_knows_what_is_armed(inputs in vec(input(), 0..80)) {
        let (member, state) = begun();
        knows_what_is_armed(&member, state, BTreeSet::new(), inputs, held)?;
    }

    #[test]
    fn a_result_that_comes_twice_or_to_nobody_is_not_heeded(
        (call, status) in ((0_u64..3).prop_map(CommandId), prop_oneof![
            Just(LockStatus::None), Just(LockStatus::Waiting), Just(LockStatus::Holding)
        ]),
        is_failed in any::<bool>(),
    ) {
        let (member, mut state) = begun();
        let lock = LockName(5);
        step(&member, &mut state, Input::Command(Command::Lock(lock)));
        let (index, token) = (Token::new(1), None);
        let message = if is_failed {
            Message::Failed { lock, call }
        } else {
            Message::Result { lock, call, index, status, token }
        };
        let result = || Input::Message { from: Cluster, message: message.clone() };
        step(&member, &mut state, result());
        let before = state.clone();
        let after = step(&member, &mut state, result());
        let is_told = |effect: &EffectOf<Member>| {
            matches!(effect, Effect::Notify(Notice::Mutex { .. }))
        };
        prop_assert!(!after.iter().any(is_told), "{:?}", after);
        prop_assert_eq!(before, state);
    }

    #[test]
    fn what_strangers_lock_is_no_members_lock(entries in vec(entry(), 0..40)) {
        let (member, mut state) = begun();
        let entries = entries.into_iter().filter(|entry| entry.by != ME);
        for (index, entry) in (1..).map(Token::new).zip(entries) {
            let message = Message::Apply { index, entry };
            let input = Input::Message { from: Cluster, message };
            prop_assert_eq!(step(&member, &mut state, input), []);
        }
        prop_assert_eq!(held(&state), BTreeSet::new());
        prop_assert_eq!(state.mutexes().count(), 0);
    }
}
