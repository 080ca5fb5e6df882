//! Checks that the file server keeps the lock that its answer grants.

use turnstile_core::ranges::message::{Message, ServerReply, ServerRequest};
use turnstile_core::ranges::server::{FileServer, Lapse, State};
use turnstile_step::{Effect, EffectOf, RowOutcome};

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
    let reason = "the file server does not keep what it answers";
    (!is_said).then_some(RowOutcome::ActionFailed {
        machine: "server-lock",
        action: "answer",
        reason,
    })
}
