//! A cache manager takes any input whatever: nothing panics, what is gone is given up once, and
//! what its locks are stays as the table's invariants say.

use proptest::prelude::*;
use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{
    CacheManager, Command, Notice, Operation, Outcome, Timer,
};
use turnstile_byte_range_lock_core::message::{
    FileId, FileServerPeer, Lease, Message, ServerLock, ServerReply,
};
use turnstile_byte_range_lock_core::number::{DataVersion, LockId};
use turnstile_byte_range_lock_machines::byte_range_lock::{Invariant, Machine, State as At};
use turnstile_ids::number::CallId;
use turnstile_simulation::visit;
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf};

type Given = InputOf<CacheManager>;

fn lock() -> impl Strategy<Value = LockId> {
    (0..9_u64).prop_map(LockId::new)
}

fn file() -> impl Strategy<Value = FileId> {
    (0..2_u32).prop_map(FileId)
}

/// Short ones at both ends of the address space, and all of it.
fn range() -> impl Strategy<Value = ByteRange> {
    let near = (0..4_u64, 1..5_u64, any::<bool>()).prop_map(|(offset, length, is_high)| {
        let base = if is_high { u64::MAX - 7 } else { 0 };
        ByteRange::new(base + offset, length).expect("it ends at the last address at most")
    });
    prop_oneof![9 => near, 1 => Just(ByteRange::ALL)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let kind = prop_oneof![Just(LockType::Shared), Just(LockType::Exclusive)];
    prop_oneof![
        4 => (kind, range()).prop_map(|(kind, range)| Operation::Lock(kind, range)),
        2 => lock().prop_map(Operation::Unlock),
        1 => lock().prop_map(Operation::Abandon),
        1 => range().prop_map(Operation::Read),
        1 => range().prop_map(Operation::Write),
    ]
}

fn reply() -> impl Strategy<Value = ServerReply> {
    let contents = || (0..2_u64).prop_map(DataVersion::new);
    prop_oneof![
        2 => contents().prop_map(|contents| ServerReply::Set(ServerLock::LockRead, contents)),
        4 => contents().prop_map(|contents| ServerReply::Set(ServerLock::LockWrite, contents)),
        2 => contents().prop_map(ServerReply::Extended),
        1 => Just(ServerReply::Released),
        2 => Just(ServerReply::Refused),
        1 => Just(ServerReply::None),
    ]
}

fn timer() -> impl Strategy<Value = Timer> {
    prop_oneof![
        2 => file().prop_map(Timer::Check),
        1 => file().prop_map(Timer::Lease),
        1 => (file(), lock()).prop_map(|(file, lock)| Timer::Wait(file, lock)),
    ]
}

fn input() -> impl Strategy<Value = Given> {
    let lease = prop_oneof![4 => Just(Lease::Live), 1 => Just(Lease::Lapsed)];
    let call = || (0..3_u16).prop_map(CallId::new);
    let heard = (call(), reply(), lease).prop_map(|(call, reply, lease)| Input::Message {
        from: FileServerPeer,
        message: Message::Reply { call, reply, lease },
    });
    let asked = (file(), 1..4_u32, operation()).prop_map(|(file, key, operation)| {
        Input::Command(Command { file, key: ClientKey(key), operation })
    });
    prop_oneof![3 => asked, 3 => heard, 1 => timer().prop_map(Input::Fired)]
}

fn step(state: &mut <CacheManager as Core>::State, input: Given) -> OutOf<CacheManager> {
    let mut out = Out::default();
    CacheManager::new().step(state, input, &mut out);
    out
}

fn told(out: &OutOf<CacheManager>) -> Vec<Notice> {
    let told = out.effects.iter().filter_map(|effect| match effect {
        Effect::Notify(notice) => Some(*notice),
        Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
    });
    told.collect()
}

proptest! {
    #[test]
    fn any_input_leaves_the_locks_as_the_invariants_say(
        inputs in prop::collection::vec(input(), 0..60),
    ) {
        let mut state = CacheManager::new().start();
        for input in inputs {
            let out = step(&mut state, input);
            visit::check(&state);
            for (_, file) in state.files() {
                for invariant in Invariant::ALL {
                    prop_assert!(file.keeps(&Machine, *invariant), "{invariant:?}: {file:?}");
                }
                prop_assert!(file.locks.iter().all(|(_, lock)| lock.at != At::Deleted));
            }
            let sent = out.effects.iter().filter(|one| matches!(one, Effect::Send { .. }));
            prop_assert!(sent.count() <= 1, "one file, one call");
        }
    }
}

fn asked(file: u32, key: u32, operation: Operation) -> Given {
    Input::Command(Command { file: FileId(file), key: ClientKey(key), operation })
}

fn heard(call: u16, reply: ServerReply) -> Given {
    let message = Message::Reply { call: CallId::new(call), reply, lease: Lease::Live };
    Input::Message { from: FileServerPeer, message }
}

const GRANTED: ServerReply = ServerReply::Set(ServerLock::LockWrite, DataVersion::new(0));

#[test]
fn what_is_gone_is_given_up_once() {
    let mut state = CacheManager::new().start();
    let operation = Operation::Lock(LockType::Exclusive, ByteRange::byte(u64::MAX));
    step(&mut state, asked(1, 1, operation));
    let out = step(&mut state, heard(0, GRANTED));
    let id = LockId::new(1);
    assert!(told(&out).iter().any(|notice| notice.outcome == Outcome::Granted(id)));

    let out = step(&mut state, asked(1, 2, Operation::Unlock(id)));
    assert_eq!(told(&out).iter().map(|told| told.outcome).collect::<Vec<_>>(), [Outcome::Refused]);
    step(&mut state, asked(1, 1, Operation::Unlock(id)));
    let before = state.clone();
    for operation in
        [Operation::Unlock(id), Operation::Abandon(id), Operation::Unlock(LockId::new(77))]
    {
        for key in [1, 2] {
            let out = step(&mut state, asked(1, key, operation));
            assert!(out.effects.is_empty(), "{out:?}");
        }
    }
    assert_eq!(state, before);
}

#[test]
fn what_nobody_asked_for_is_not_heard() {
    let mut state = CacheManager::new().start();
    let before = state.clone();
    let late = [
        heard(0, GRANTED),
        heard(9, ServerReply::Refused),
        Input::Fired(Timer::Check(FileId(1))),
        Input::Fired(Timer::Lease(FileId(1))),
        Input::Fired(Timer::Wait(FileId(1), LockId::new(1))),
        asked(1, 1, Operation::Abandon(LockId::new(1))),
    ];
    for input in late {
        let out = step(&mut state, input.clone());
        assert!(out.effects.is_empty() && out.rows.is_empty(), "{input:?}: {out:?}");
    }
    assert_eq!(state, before);
}

#[test]
fn an_answer_to_another_question_grants_nothing() {
    let mut state = CacheManager::new().start();
    let operation = Operation::Lock(LockType::Shared, ByteRange::byte(0));
    step(&mut state, asked(1, 1, operation));
    let out = step(&mut state, heard(0, ServerReply::Extended(DataVersion::new(0))));
    assert_eq!(told(&out), []);
    let (_, lock) = state.file(FileId(1)).and_then(|file| file.locks.iter().next()).expect("it");
    assert_eq!(lock.at, At::Waitlock);
}
