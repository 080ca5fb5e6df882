//! Inputs, messages and effects of the group lock's nodes in the words of their documents.

use turnstile_core::group::Command as Told;
use turnstile_core::stack::Notice;
use turnstile_step::{Effect, Input};
use turnstile_system_view_handler as view;
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, System as _};

use super::types::{Command, GroupTypes, Letter, State, Timer};
use super::{Group, member, stacked};

impl Group {
    pub(super) fn words_of_input(&self, node: NodeId, input: &InputOf<GroupTypes>) -> String {
        if let (Some(views), Some(below)) = (&self.views, stacked::below(input.clone())) {
            return views.input_words(node, &below);
        }
        match input {
            Input::Message { message, .. } => self.words_of_letter(message),
            Input::Fired(Timer::Locks(timer)) => timer.to_string(),
            Input::Fired(Timer::Handler(timer)) => {
                self.timer_name(&Timer::Handler(*timer)).to_owned()
            }
            Input::Command(Command::Member(Told::Lock(lock)) | Command::Again(lock)) => {
                format!("lock({})", lock.0)
            }
            Input::Command(Command::Member(Told::Unlock(lock)) | Command::Needless(lock)) => {
                format!("unlock({})", lock.0)
            }
            Input::Command(Command::Member(Told::View(view))) => view.to_string(),
            Input::Command(Command::Crash) => format!("{} crashes", member(node)),
            Input::Command(Command::Noticed(gone)) => format!("{gone} is found to have crashed"),
            Input::Command(Command::Membership(change)) => change.to_string(),
            Input::Command(Command::Handler(command)) => format!("{command:?}"),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    pub(super) fn words_of_letter(&self, letter: &Letter) -> String {
        match letter {
            Letter::Member(message) => message.to_string(),
            Letter::Handler(message) => match &self.views {
                Some(views) => views.message_words(message),
                None => message.to_string(),
            },
            Letter::Crashed(member) => format!("SUSPECT {member}"),
            Letter::Ended(member) => format!("the end of {member}"),
            Letter::View(view) => view.to_string(),
            Letter::Stop => "the end".to_owned(),
        }
    }

    pub(super) fn words_of_effect(&self, effect: &EffectOf<GroupTypes>) -> Option<String> {
        match effect {
            Effect::Arm(Timer::Locks(timer)) => Some(format!("arms {timer}")),
            Effect::Disarm(Timer::Locks(timer)) => Some(format!("disarms {timer}")),
            Effect::Arm(timer @ Timer::Handler(_)) => {
                Some(format!("arms {}", self.timer_name(timer)))
            }
            Effect::Disarm(timer @ Timer::Handler(_)) => {
                Some(format!("disarms {}", self.timer_name(timer)))
            }
            Effect::Notify(Notice::Locks(notice)) => Some(format!("tells caller {notice}")),
            Effect::Notify(Notice::Views(notice)) => view::words::notice(notice),
            Effect::Save(()) | Effect::Send { .. } => None,
        }
    }
}

pub(super) fn state(state: &State) -> Option<String> {
    match state {
        State::Member(seat) => {
            let lock = seat.core().server().at.name();
            Some(match seat.handler() {
                None => lock.to_owned(),
                Some(handler) => format!("{lock}, {}", handler.at.name()),
            })
        }
        State::Gone => Some("gone".to_owned()),
        State::Membership(_) | State::Beneath(_) => None,
    }
}
