//! Checks that files are independent: a step on one file leaves the others unchanged, and does the
//! same as without them. So a key in two files means two clients.

use turnstile_byte_range_lock_core::manager::{Command, File, Notice, State, Timer};
use turnstile_byte_range_lock_core::message::{FileId, FileServerPeer, Message};
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf};

/// Whether a step depends on the input's file only, and changes only that.
#[must_use]
pub fn is_isolated<C>(
    core: &C,
    (before, input): (&State, InputOf<C>),
    (after, out): (&State, &OutOf<C>),
) -> bool
where
    C: Core<
            State = State,
            Peer = FileServerPeer,
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

/// The file that an input concerns.
pub(super) fn about<M>(
    state: &State,
    input: &Input<M, Message, Timer, Command, ()>,
) -> Option<FileId> {
    match input {
        Input::Message { message: Message::Reply { call: of, .. }, .. } => {
            let is_it = |file: &File| file.pending_call.is_some_and(|open| open.call == *of);
            state.files().find(|(_, file)| is_it(file)).map(|(id, _)| id)
        }
        Input::Fired(Timer::Check(file) | Timer::Lease(file) | Timer::Wait(file, _)) => Some(*file),
        Input::Command(command) => Some(command.file),
        Input::Message { message: Message::Call { .. }, .. } | Input::Restart(_) => None,
    }
}

/// The state of a file, without the number of its call, which counts over all files.
fn has(state: &State, id: FileId) -> Option<File> {
    let mut file = state.file(id).cloned()?;
    if let Some(open) = &mut file.pending_call {
        open.call = CallId::default();
    }
    Some(file)
}

fn uncounted<C: Core<Message = Message>>(effect: &EffectOf<C>) -> EffectOf<C> {
    match effect {
        Effect::Send { to, message: Message::Call { file, request, .. } } => {
            let message = Message::Call { call: CallId::default(), file: *file, request: *request };
            Effect::Send { to: *to, message }
        }
        Effect::Send { .. }
        | Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Save(_)
        | Effect::Notify(_) => effect.clone(),
    }
}
