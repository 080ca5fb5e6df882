//! Whether the file server keeps what it answers that a host has.

use turnstile_core::ranges::message::{Answer, Ask, Message};
use turnstile_core::ranges::server::{FileServer, Lapse, State};
use turnstile_step::{Effect, EffectOf, RowOutcome};

use super::HOST;

/// What is wrong with an answer after which the file server does not have for the host what the
/// answer says, or not for the whole time from now on, or still has what it says is released.
pub(super) fn unkept(
    state: &State,
    call: Message,
    effects: &[EffectOf<FileServer>],
) -> Option<RowOutcome> {
    let Message::Call { file, ask, .. } = call else { return None };
    let kept = state.of(file, HOST);
    let is_armed = effects.contains(&Effect::Arm(Lapse { file, host: HOST }));
    let is_kept = |answer: &Answer| match answer {
        Answer::Set(whole, _) => kept == Some(*whole) && ask == Ask::Set(*whole) && is_armed,
        Answer::Extended(_) => kept.is_some() && is_armed,
        Answer::Released => kept.is_none(),
        Answer::Refused | Answer::None => true,
    };
    let is_said = effects.iter().all(|effect| match effect {
        Effect::Send { message: Message::Answer { answer, .. }, .. } => is_kept(answer),
        Effect::Send { message: Message::Call { .. }, .. }
        | Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Save(())
        | Effect::Notify(_) => true,
    });
    let because = "the file server does not keep what it answers";
    (!is_said).then_some(RowOutcome::ActionFailed {
        machine: "server-lock",
        action: "answer",
        because,
    })
}
