//! The core of a member as a node: its locks, with delivered views, or a stack of locks and view
//! handling.

use turnstile_group_lock_core::stack::{self, Stack};
use turnstile_group_lock_core::{self as group, Command, Member, Notice};
use turnstile_step::{Core as _, OutOf};
use turnstile_system_view_handler::{HandlerRules, Views, words};
use turnstile_view_handler_core::{self as view, MemberId};
use turnstile_world::{CoreNode, NodeId};

use crate::group_lock::{ClientRules, CoordinatorRules, member, node};

/// The core of a member's locks.
type Locks = Member<ClientRules, CoordinatorRules>;

/// A member's locks.
#[derive(Clone, Debug)]
pub(crate) struct LocksNode(pub(crate) Locks);

impl CoreNode for LocksNode {
    type Core = Locks;

    fn core(&self, choice: u8) -> Locks {
        let Member { me, client, coordinator } = &self.0;
        let (client, coordinator) = (client.choosing(choice), coordinator.choosing(choice));
        Member { me: *me, client, coordinator }
    }

    fn choices(&self) -> u8 {
        self.0.client.choices().max(self.0.coordinator.choices())
    }

    fn node(&self, peer: MemberId) -> NodeId {
        node(peer)
    }

    fn peer(&self, node: NodeId) -> MemberId {
        member(node)
    }

    fn commands(&self, _state: &group::State) -> Vec<Command> {
        Vec::new()
    }

    fn command_words(&self, command: &Command) -> String {
        match command {
            Command::Lock(lock) => format!("lock({})", lock.0),
            Command::Unlock(lock) => format!("unlock({})", lock.0),
            Command::View(view) => view.to_string(),
        }
    }

    fn fired_words(&self, timer: &group::Timer) -> String {
        timer.to_string()
    }

    fn notice_words(&self, notice: &Notice) -> Option<String> {
        Some(format!("tells caller {notice}"))
    }

    fn state_words(&self, state: &group::State) -> Option<String> {
        Some(state.coordinator().at.name().to_owned())
    }
}

/// A member's locks on top of its view handling.
#[derive(Clone, Debug)]
pub(crate) struct StackNode {
    pub(crate) views: Views,
    pub(crate) locks: LocksNode,
    /// Members of no group are processes that have started again.
    pub(crate) restarts: bool,
}

impl StackNode {
    fn me(&self) -> NodeId {
        node(self.locks.0.me)
    }

    /// How a process that has started again becomes a member of a group: it begins one, or joins
    /// that of another member.
    fn starts(&self, state: &stack::State) -> impl Iterator<Item = stack::Command> + use<> {
        let (me, members) = (self.me(), self.views.members);
        let is_free = state.views.intent == view::Intent::Nothing;
        let others = (0..members).filter(move |one| is_free && *one != me);
        let join = |via| view::Command::Join { via: member(via), with_state: false };
        let begin = is_free.then_some(stack::Command::Begin).into_iter();
        begin.chain(others.map(move |via| stack::Command::Views(join(via))))
    }
}

impl CoreNode for StackNode {
    type Core = Stack<HandlerRules, ClientRules, CoordinatorRules>;

    fn core(&self, choice: u8) -> Self::Core {
        Stack { views: self.views.handler(self.me(), choice), locks: self.locks.core(choice) }
    }

    fn choices(&self) -> u8 {
        CoreNode::choices(&self.locks).max(self.views.rules.choices())
    }

    fn begin(&self, out: &mut OutOf<Self::Core>) -> stack::State {
        match self.views.first_view(self.me()) {
            None => self.core(0).start(),
            Some(view) => self.core(0).begin(view, out),
        }
    }

    fn node(&self, peer: MemberId) -> NodeId {
        node(peer)
    }

    fn peer(&self, node: NodeId) -> MemberId {
        member(node)
    }

    fn commands(&self, state: &stack::State) -> Vec<stack::Command> {
        if self.restarts && state.views.view.is_none() {
            return self.starts(state).collect();
        }
        let commands = self.views.commands_to(self.me(), &state.views);
        commands.into_iter().map(stack::Command::Views).collect()
    }

    fn timer_name(&self, timer: &stack::Timer) -> &'static str {
        match timer {
            stack::Timer::Views(timer) => words::timer(timer),
            stack::Timer::Locks(_) => "",
        }
    }

    fn message_words(&self, message: &stack::Message) -> String {
        match message {
            stack::Message::Views(message) => words::message(message),
            stack::Message::Locks(message) => message.to_string(),
        }
    }

    fn command_words(&self, command: &stack::Command) -> String {
        match command {
            stack::Command::Lock(lock) => self.locks.command_words(&Command::Lock(*lock)),
            stack::Command::Unlock(lock) => self.locks.command_words(&Command::Unlock(*lock)),
            stack::Command::Views(command) => words::command(command),
            stack::Command::Begin => "begins a group of its own".to_owned(),
        }
    }

    fn timer_words(&self, timer: &stack::Timer) -> String {
        match timer {
            stack::Timer::Views(timer) => words::timer(timer).to_owned(),
            stack::Timer::Locks(timer) => timer.to_string(),
        }
    }

    fn fired_words(&self, timer: &stack::Timer) -> String {
        match timer {
            stack::Timer::Views(timer) => words::fired(timer).to_owned(),
            stack::Timer::Locks(timer) => timer.to_string(),
        }
    }

    fn notice_words(&self, notice: &stack::Notice) -> Option<String> {
        match notice {
            stack::Notice::Views(notice) => words::notice(notice),
            stack::Notice::Locks(notice) => self.locks.notice_words(notice),
        }
    }

    fn state_words(&self, state: &stack::State) -> Option<String> {
        let locks = self.locks.state_words(&state.locks)?;
        Some(format!("{locks}, {}", state.views.at.name()))
    }
}
