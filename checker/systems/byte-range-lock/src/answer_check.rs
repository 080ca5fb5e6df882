//! Checks that the file server keeps the lock that its answer grants, and those of other hosts and
//! of other files.

use turnstile_byte_range_lock_core::message::{FileId, Message, ServerReply, ServerRequest};
use turnstile_byte_range_lock_core::server::{Command, FileServer, Lapse, State};
use turnstile_step::{Effect, EffectOf, Input, InputOf, RowOutcome};

use super::HOST;

/// The violation of an answer that the file server's state contradicts: it does not keep the
/// granted lock, or not for the whole lease, or keeps a released one.
pub(super) fn mismatch(
    state: &State,
    call: Message,
    effects: &[EffectOf<FileServer>],
) -> Option<RowOutcome> {
    let Message::Call { file, request, .. } = call else { return None };
    let kept = state.of(file, HOST);
    let is_armed = effects.contains(&Effect::Arm(Lapse { file, host: HOST }));
    let is_kept = |reply: &ServerReply| match reply {
        ServerReply::Set(whole, _) => {
            kept == Some(*whole) && request == ServerRequest::Set(*whole) && is_armed
        }
        ServerReply::Extended(_) => kept.is_some() && is_armed,
        ServerReply::Released => kept.is_none(),
        ServerReply::Refused | ServerReply::None => true,
    };
    let is_said = effects.iter().all(|effect| match effect {
        Effect::Send { message: Message::Reply { reply, .. }, .. } => is_kept(reply),
        Effect::Send { message: Message::Call { .. }, .. }
        | Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Save(())
        | Effect::Notify(_) => true,
    });
    (!is_said).then(|| failed("the file server does not keep what it answers"))
}

/// The violation of a step for a host that changes the lock of another one, or of another file.
pub(super) fn interference(
    mut files: impl Iterator<Item = FileId>,
    (before, after): (&State, &State),
    input: &InputOf<FileServer>,
) -> Option<RowOutcome> {
    let (host, other) = match input {
        Input::Message { message: Message::Call { file, .. }, .. }
        | Input::Fired(Lapse { file, .. }) => (Some(*file), None),
        Input::Command(Command::Take(file, _) | Command::Free(file)) => (None, Some(*file)),
        Input::Message { message: Message::Reply { .. }, .. }
        | Input::Command(Command::Change(_)) => (None, None),
        Input::Restart(_) => return None,
    };
    let is_kept = |file: FileId| {
        (host == Some(file) || before.of(file, HOST) == after.of(file, HOST))
            && (other == Some(file) || before.elsewhere(file) == after.elsewhere(file))
    };
    let is_changed = files.any(|file| !is_kept(file));
    is_changed.then(|| failed("the file server changes the lock of another host or file"))
}

const fn failed(reason: &'static str) -> RowOutcome {
    RowOutcome::ActionFailed { machine: "server-lock", action: "answer", reason }
}
