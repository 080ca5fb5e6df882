//! Whether a file is by itself: a step that is about one file leaves the others as they are, and
//! does what it would do if there were none. So a key in two files is two clients.

use turnstile_core::number::CallId;
use turnstile_core::ranges::manager::{Command, File, Notice, State, Timer};
use turnstile_core::ranges::message::{FileId, Message, Server};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf};

/// Whether what a core did with an input is what the input's file alone accounts for.
pub(super) fn is_apart<C>(
    core: &C,
    (before, input): (&State, InputOf<C>),
    (after, out): (&State, &OutOf<C>),
) -> bool
where
    C: Core<
            State = State,
            Peer = Server,
            Message = Message,
            Timer = Timer,
            Command = Command,
            Notice = Notice,
            Saved = (),
        >,
{
    let Some(id) = about(before, &input) else { return true };
    let (mut alone, mut said) = (before.only(id), Out::default());
    core.step(&mut alone, input, &mut said);
    let others = |state: &State| -> Vec<(FileId, File)> {
        let others = state.files().filter(|(other, _)| *other != id);
        others.map(|(other, file)| (other, file.clone())).collect()
    };
    let effects = |out: &OutOf<C>| out.effects.iter().map(uncounted::<C>).collect::<Vec<_>>();
    others(before) == others(after)
        && has(after, id) == has(&alone, id)
        && effects(out) == effects(&said)
}

/// The file that an input is about.
fn about<M>(state: &State, input: &Input<M, Message, Timer, Command, ()>) -> Option<FileId> {
    match input {
        Input::Message { message: Message::Answer { call: of, .. }, .. } => {
            let is_it = |file: &File| file.open.is_some_and(|open| open.call == *of);
            state.files().find(|(_, file)| is_it(file)).map(|(id, _)| id)
        }
        Input::Fired(Timer::Check(file) | Timer::Lease(file) | Timer::Wait(file, _)) => Some(*file),
        Input::Command(command) => Some(command.file),
        Input::Message { message: Message::Call { .. }, .. } | Input::Restart(_) => None,
    }
}

/// What there is of a file. Calls are counted over all files.
fn has(state: &State, id: FileId) -> Option<File> {
    let mut file = state.file(id).cloned()?;
    if let Some(open) = &mut file.open {
        open.call = CallId::default();
    }
    Some(file)
}

fn uncounted<C: Core<Message = Message>>(effect: &EffectOf<C>) -> EffectOf<C> {
    match effect {
        Effect::Send { to, message: Message::Call { file, ask, .. } } => {
            let message = Message::Call { call: CallId::default(), file: *file, ask: *ask };
            Effect::Send { to: *to, message }
        }
        Effect::Send { .. }
        | Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Save(_)
        | Effect::Notify(_) => effect.clone(),
    }
}

#[cfg(test)]
mod tests {
    use turnstile_core::ranges::ByteRange;
    use turnstile_core::ranges::locks::{Key, LockType};
    use turnstile_core::ranges::manager::{CacheManager, News, Wish};
    use turnstile_core::ranges::message::{Answer, Lease, Whole};
    use turnstile_machines::byte_range_lock::State as At;

    use super::*;

    /// What a cache manager would do if a key were one client in all files.
    #[derive(Clone, Copy, Debug)]
    enum Mixes {
        /// As it is.
        Nothing,
        /// A client that lost a lock of one file is refused one of another.
        Refusals,
        /// A client that loses its locks of one file loses those of all.
        Losses,
    }

    struct Mixed(Mixes);

    impl Core for Mixed {
        type State = State;
        type Peer = Server;
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
                (Mixes::Refusals, Input::Command(Command { file, key, wish: Wish::Lock(..) }))
                    if has_lost(*key) =>
                {
                    let (file, key, what) = (*file, *key, News::Refused);
                    out.effects.push(Effect::Notify(Notice { file, key, what }));
                }
                (Mixes::Losses, Input::Fired(Timer::Lease(_))) => {
                    let files: Vec<FileId> = state.files().map(|(id, _)| id).collect();
                    for file in files {
                        let input = Input::Fired(Timer::Lease(file));
                        CacheManager::new().step(state, input, out);
                    }
                }
                (Mixes::Nothing | Mixes::Refusals | Mixes::Losses, _) => {
                    CacheManager::new().step(state, input, out);
                }
            }
        }
    }

    /// Client 1 locks two files, loses its lock of the first, and wants another lock of the second.
    /// Says before which step it is seen that the files are not apart.
    fn first_mixed(mixes: Mixes) -> Option<&'static str> {
        let (core, mut state) = (Mixed(mixes), State::default());
        let asks = |file, offset| {
            let range = ByteRange::new(offset, 1).expect("one byte");
            let wish = Wish::Lock(LockType::Exclusive, range);
            Input::Command(Command { file: FileId(file), key: Key(1), wish })
        };
        let granted = || {
            let (answer, lease) = (Answer::Set(Whole::LockWrite, Default::default()), Lease::Live);
            let message = Message::Answer { call: CallId::default(), answer, lease };
            Input::Message { from: Server, message }
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
            if !is_apart(&core, (&before, input), (&state, &out)) {
                return Some(name);
            }
        }
        let locks = state.file(FileId(1)).map(|file| file.locks.len());
        assert_eq!(locks, Some(2), "what it lost of one file keeps it from nothing of the other");
        None
    }

    #[test]
    fn a_key_that_is_one_client_in_all_files_is_seen() {
        assert_eq!(first_mixed(Mixes::Nothing), None);
        assert_eq!(first_mixed(Mixes::Refusals), Some("lock more elsewhere"));
        assert_eq!(first_mixed(Mixes::Losses), Some("lapse"));
    }
}
