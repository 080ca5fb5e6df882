//! A cache manager that takes a key for one client in all files violates the isolation of files.

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{
    CacheManager, Command, Notice, Operation, Outcome, State, Timer,
};
use turnstile_byte_range_lock_core::message::{
    FileId, FileServerPeer, Lease, Message, ServerLock, ServerReply,
};
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf};
use turnstile_system_byte_range_lock::isolation::is_isolated;

/// A cache manager that takes a key for one client in all files.
#[derive(Clone, Copy, Debug)]
enum CrossTalk {
    /// The real cache manager.
    Nothing,
    /// A client that lost a lock of one file is refused locks of another.
    Refusals,
    /// A client that loses its locks of one file loses those of all files.
    Losses,
}

struct CrossTalking(CrossTalk);

impl Core for CrossTalking {
    type State = State;
    type Peer = FileServerPeer;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        CacheManager::new().start()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let has_lost = |key| {
            let mut locks = state.files().flat_map(|(_, file)| file.locks.of(key));
            locks.any(|(_, lock)| lock.at == At::Lost)
        };
        match (self.0, &input) {
            (
                CrossTalk::Refusals,
                Input::Command(Command { file, key, operation: Operation::Lock(..) }),
            ) if has_lost(*key) => {
                let (file, key, outcome) = (*file, *key, Outcome::Refused);
                out.effects.push(Effect::Notify(Notice { file, key, outcome }));
            }
            (CrossTalk::Losses, Input::Fired(Timer::Lease(_))) => {
                let files: Vec<FileId> = state.files().map(|(id, _)| id).collect();
                for file in files {
                    let input = Input::Fired(Timer::Lease(file));
                    CacheManager::new().step(state, input, out);
                }
            }
            (CrossTalk::Nothing | CrossTalk::Refusals | CrossTalk::Losses, _) => {
                CacheManager::new().step(state, input, out);
            }
        }
    }
}

/// Client 1 locks two files, loses its lock of the first, and requests another lock of the
/// second. Returns the first step that violates independence.
fn first_mixed(mixes: CrossTalk) -> Option<&'static str> {
    let (core, mut state) = (CrossTalking(mixes), State::default());
    let asks = |file, offset| {
        let range = ByteRange::new(offset, 1).expect("one byte");
        let operation = Operation::Lock(LockType::Exclusive, range);
        Input::Command(Command { file: FileId(file), key: ClientKey(1), operation })
    };
    let granted = || {
        let (reply, lease) =
            (ServerReply::Set(ServerLock::LockWrite, Default::default()), Lease::Live);
        let message = Message::Reply { call: CallId::default(), reply, lease };
        Input::Message { from: FileServerPeer, message }
    };
    let inputs = [
        ("lock", asks(0, 0)),
        ("grant", granted()),
        ("lock elsewhere", asks(1, 0)),
        ("grant elsewhere", granted()),
        ("lapse", Input::Fired(Timer::Lease(FileId(0)))),
        ("lock more elsewhere", asks(1, 1)),
    ];
    for (name, input) in inputs {
        let (before, mut out) = (state.clone(), Out::default());
        core.step(&mut state, input.clone(), &mut out);
        if !is_isolated(&core, (&before, input), (&state, &out)) {
            return Some(name);
        }
    }
    let locks = state.file(FileId(1)).map(|file| file.locks.len());
    assert_eq!(locks, Some(2), "what it lost of one file keeps it from nothing of the other");
    None
}

#[test]
fn a_key_that_is_one_client_in_all_files_is_seen() {
    assert_eq!(first_mixed(CrossTalk::Nothing), None);
    assert_eq!(first_mixed(CrossTalk::Refusals), Some("lock more elsewhere"));
    assert_eq!(first_mixed(CrossTalk::Losses), Some("lapse"));
}
