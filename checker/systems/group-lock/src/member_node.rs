//! A member and its callers as a node: passes commands and messages to the core, and checks its
//! steps against the notifications of the callers.

use std::sync::Arc;

use turnstile_group_lock_core::message::LockName;
use turnstile_group_lock_core::{self as group, Command, stack};
use turnstile_step::not_symbolic;
use turnstile_system_view_handler::is_exclusion;
use turnstile_view_handler_core::{self as view, MemberId};
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{NodeId, Ordered, Value};

use crate::formed::Formed;
use crate::group_lock::{ClientRules, member, node};
use crate::layer_message::LayerMessage;
use crate::member_state::{Call, Departed, MemberState, Unborn, locks_of};
use crate::step_check::StepCheck;

/// A member crashes, undetected so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Crash;

/// A member crashes, and its process starts again: its next life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Restart;

not_symbolic!(Crash, Restart);

/// A member of a world, and its callers.
#[derive(Debug)]
pub(crate) struct MemberNode {
    pub(crate) me: MemberId,
    /// How many locks its callers use.
    pub(crate) locks: u64,
    /// The node of the layer below.
    pub(crate) lower_layer: NodeId,
    /// Its core.
    pub(crate) runs: Box<dyn NodeCore>,
    /// The table of its locks.
    pub(crate) client: ClientRules,
    /// Whether its callers keep the tokens of their last grants.
    pub(crate) keeps_tokens: bool,
    /// Whether the views that exclude their receivers are lost.
    pub(crate) loses_exclusions: bool,
    /// Whether the core is a stack.
    pub(crate) is_stack: bool,
    /// The nodes of its process, if that starts again.
    pub(crate) lives: Lives,
    /// Its first state, where the group has formed before.
    pub(crate) formed: Option<Arc<Formed>>,
}

/// A process that starts again is another member, at another node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lives {
    /// Whether this is a later life than the first one.
    pub(crate) is_later: bool,
    /// The node of the next one.
    pub(crate) next: Option<NodeId>,
}

impl MemberNode {
    /// An input of the node as an input of its core; `None` for one that ends the member.
    fn to_core(&self, input: &Input) -> Option<Input> {
        match input {
            Input::Message { from, message } => {
                if let Some(message) = message.get() {
                    return told(message).map(Input::Command);
                }
                let Some(message) = message.get::<view::Message>() else {
                    return Some(input.clone());
                };
                let message = Ordered::new(stack::Message::Views(message.clone()));
                Some(Input::Message { from: *from, message })
            }
            Input::Command(command)
                if command.get() == Some(&Crash) || command.get() == Some(&Restart) =>
            {
                None
            }
            Input::Command(command) => match command.get() {
                Some(call) => Some(Input::Command(self.asks(*call))),
                None => Some(input.clone()),
            },
            Input::Fired(_) | Input::Restart(_) => Some(input.clone()),
        }
    }

    /// A caller's command as a command of the core.
    fn asks(&self, call: Call) -> Ordered {
        match (call, self.is_stack) {
            (Call::Lock(lock) | Call::LockHeld(lock), false) => Ordered::new(Command::Lock(lock)),
            (Call::Lock(lock) | Call::LockHeld(lock), true) => {
                Ordered::new(stack::Command::Lock(lock))
            }
            (Call::Unlock(lock) | Call::UnlockUnheld(lock), false) => {
                Ordered::new(Command::Unlock(lock))
            }
            (Call::Unlock(lock) | Call::UnlockUnheld(lock), true) => {
                Ordered::new(stack::Command::Unlock(lock))
            }
        }
    }

    /// Its process ends.
    fn ends(&self, state: &mut Value, input: &Input, out: &mut Out) {
        let member_state: &MemberState = state.of();
        out.effects.extend(self.timers(member_state).into_iter().map(Effect::Disarm));
        if let Input::Command(command) = input {
            let message = Ordered::new(LayerMessage::Ended(self.me));
            out.effects.push(Effect::Send { to: self.lower_layer, message });
            let next = self.lives.next.filter(|_| command.get() == Some(&Restart));
            out.effects.extend(next.map(|to| {
                let message = Ordered::new(LayerMessage::Restarted(member_state.remains()));
                Effect::Send { to, message }
            }));
        }
        *state = Value::new(Departed);
    }

    /// Its process starts after a former life; a member that is not there hears nothing else.
    fn is_born(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let Input::Message { message, .. } = input else { return };
        let Some(LayerMessage::Restarted(remains)) = message.get() else { return };
        let mut born = MemberState::after(remains.clone(), self.runs.start());
        let saved = born.saved.map(Value::new);
        self.runs.step(choice, &mut born.runs, Input::Restart(saved), out);
        *state = Value::new(born);
    }

    /// All timers that may be armed at it.
    fn timers(&self, member_state: &MemberState) -> Vec<Ordered> {
        let locks = (0..self.locks).map(|lock| group::Timer::Lock(LockName(lock)));
        let locks = locks.chain([group::Timer::Reconciliation]);
        let Some(views) = member_state.handler() else { return locks.map(Ordered::new).collect() };
        let resumer = view::Timer::Resumer(views.suspension);
        let views = [view::Timer::Queue, view::Timer::Merge, resumer];
        let views = views.into_iter().map(stack::Timer::Views);
        locks.map(stack::Timer::Locks).chain(views).map(Ordered::new).collect()
    }
}

/// A message of the layer below as a command of the core; `None` for one that ends the member.
fn told(message: &LayerMessage) -> Option<Ordered> {
    match message {
        LayerMessage::View(view) => Some(Ordered::new(Command::View(view.clone()))),
        LayerMessage::Crashed(member) => {
            let command = view::Command::Suspect { member: *member };
            Some(Ordered::new(stack::Command::Views(command)))
        }
        LayerMessage::Stop | LayerMessage::Ended(_) | LayerMessage::Restarted(_) => None,
    }
}

impl NodeCore for MemberNode {
    fn start(&self) -> Value {
        match &self.formed {
            _ if self.lives.is_later => Value::new(Unborn),
            Some(formed) => formed.member(node(self.me)).state.clone(),
            None => Value::new(MemberState::new(self.runs.start())),
        }
    }

    fn armed(&self) -> Vec<Ordered> {
        let timers = |formed: &Arc<Formed>| formed.member(node(self.me)).timers.clone();
        self.formed.as_ref().map(timers).unwrap_or_default()
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        if state.get::<MemberState>().is_none() {
            return self.is_born(choice, state, input, out);
        }
        let Some(inner) = self.to_core(&input) else {
            return self.ends(state, &input, out);
        };
        let member_state: &mut MemberState = state.of_mut();
        if let Input::Command(command) = &input
            && let Some(call) = command.get()
        {
            member_state.is_asked(*call);
        }
        let before = member_state.runs.clone();
        if let Input::Restart(_) = inner {
            member_state.runs = self.runs.begin(out);
        } else {
            self.runs.step(choice, &mut member_state.runs, inner, out);
        }
        let (before, after, effects) = (locks_of(&before), member_state.core(), &out.effects);
        let (me, client, input) = (self.me, &self.client, &input);
        StepCheck { me, client, before, after, input, effects }.add_to(&mut out.breaches);
        member_state.did(me, effects, &mut out.breaches);
        if self.keeps_tokens {
            member_state.keep_tokens(effects);
        }
        if self.loses_exclusions {
            out.effects.retain(|effect| !excludes(effect));
        }
    }

    fn choices(&self) -> u8 {
        self.runs.choices()
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        let Some(member_state) = state.get::<MemberState>() else { return Vec::new() };
        let calls = member_state.calls(self.locks).map(Ordered::new).chain([Ordered::new(Crash)]);
        let restart = self.lives.next.map(|_| Ordered::new(Restart));
        calls.chain(restart).chain(self.runs.commands(&member_state.runs)).collect()
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.runs.timer_name(timer)
    }

    fn input_words(&self, input: &Input) -> String {
        match (self.to_core(input), input) {
            (Some(input), _) => self.runs.input_words(&input),
            (None, Input::Message { message, .. }) => self.message_words(message),
            (None, Input::Command(command)) if command.get() == Some(&Restart) => {
                format!("{} crashes, and its process starts again", self.me)
            }
            (None, _) => format!("{} crashes", self.me),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        match message.get::<LayerMessage>() {
            Some(message) => message.to_string(),
            None => self.runs.message_words(message),
        }
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        self.runs.effect_words(effect)
    }

    fn state_words(&self, state: &Value) -> Option<String> {
        match state.get() {
            Some(MemberState { runs, .. }) => self.runs.state_words(runs),
            None if state.get() == Some(&Unborn) => Some("not started".to_owned()),
            None => Some("departed".to_owned()),
        }
    }
}

/// Whether an effect tells another member that it is excluded.
fn excludes(effect: &Effect) -> bool {
    let Effect::Send { to, message } = effect else { return false };
    match message.get() {
        Some(stack::Message::Views(message)) => is_exclusion(member(*to), message),
        Some(stack::Message::Locks(_)) | None => false,
    }
}
