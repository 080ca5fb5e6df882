//! The view handling system: members of groups that change their views and merge.
//!
//! Wiring and predicates only; what the members do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/view-handler.yaml`.

mod predicates;
pub mod types;
mod words;
mod world;

use turnstile_core::number::ViewId;
use turnstile_core::step::{Core, Effect, Input};
use turnstile_core::view::{
    Command, Handler, MemberId, Message, Notice, State, Timer, View, Wants,
};
use turnstile_machines::view_handler::Rules as _;

use crate::report::options::{Refusal, Replacement};
use crate::systems::rules::chosen;
use crate::world::system::{EffectOf, InputOf, NodeId, OutOf, System};
use crate::world::watch::Seen;

pub use self::types::{ViewTypes, Watch};
pub use world::{ENTRY, world};

chosen!(HandlerRules, view_handler);

/// The members of the view handling system.
#[derive(Clone, Debug)]
pub struct Views {
    /// How many members each group has at the beginning. Whoever comes after these is in none.
    pub groups: Vec<usize>,
    /// How many members there are.
    pub members: usize,
    /// How often coords find each other is limited.
    pub rations_merges: bool,
    /// The table of each member.
    pub rules: HandlerRules,
}

/// The member that a node is.
pub(super) fn member(node: NodeId) -> MemberId {
    MemberId(u8::try_from(node + 1).expect("a world has few nodes"))
}

/// The node that a member is.
pub(super) fn node(member: MemberId) -> NodeId {
    usize::from(member.0) - 1
}

impl Views {
    /// Members by the table given.
    ///
    /// # Errors
    ///
    /// Names of a table that the core was not compiled with.
    pub fn new(
        members: usize,
        groups: Vec<usize>,
        rations_merges: bool,
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        Ok(Self { groups, members, rations_merges, rules: HandlerRules::among(tables)? })
    }

    fn handler(&self, node: NodeId, choice: u8) -> Handler<HandlerRules> {
        Handler { rules: self.rules.choosing(choice), me: member(node) }
    }

    /// The view that a member begins with. Earlier groups have greater numbers.
    pub(super) fn first_view(&self, node: NodeId) -> Option<View> {
        let mut first = 0;
        for (place, size) in self.groups.iter().enumerate() {
            if node < first + size {
                let id = ViewId::new((self.groups.len() - place) as u64);
                return Some(View::new(id, (first..first + size).map(member)));
            }
            first += size;
        }
        None
    }

    /// What the layers below may say to a coord, and what its user may ask.
    fn wishes(&self, node: NodeId, state: &State, view: &View) -> Vec<Command> {
        let me = member(node);
        let mut wishes = vec![Command::Leave];
        let others = view.members.iter().filter(|other| *other != me);
        let in_charge = others.filter(|gone| state.coordinator_without(Some(*gone)) == Some(me));
        wishes.extend(in_charge.map(|member| Command::Suspect { member }));
        if view.coordinator() == Some(me) {
            let strangers = (0..self.members).map(member).filter(|other| !view.contains(*other));
            wishes.extend(strangers.map(|to| Command::Announce { to }));
        }
        if state.work.is_some() {
            wishes.push(Command::InstallationFails);
        }
        wishes
    }
}

impl System for Views {
    type Types = ViewTypes;

    fn start(&self, node: NodeId) -> State {
        State::new(member(node), self.rules.initial(), self.first_view(node))
    }

    fn step(
        &self,
        of: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<ViewTypes>,
        out: &mut OutOf<ViewTypes>,
    ) {
        let input = match input {
            Input::Message { from, message } => Input::Message { from: member(from), message },
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(command) => Input::Command(command),
            Input::Restart(saved) => Input::Restart(saved),
        };
        let mut inner = turnstile_core::Out::default();
        self.handler(of, choice).step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().map(|effect| match effect {
            Effect::Send { to, message } => Effect::Send { to: node(to), message },
            Effect::Arm(timer) => Effect::Arm(timer),
            Effect::Disarm(timer) => Effect::Disarm(timer),
            Effect::Save(saved) => Effect::Save(saved),
            Effect::Notify(notice) => Effect::Notify(notice),
        }));
    }

    fn choices(&self, _node: NodeId) -> u8 {
        self.rules.choices()
    }

    fn commands(&self, node: NodeId, state: &State) -> Vec<Command> {
        match &state.view {
            Some(view) => self.wishes(node, state, view),
            None if state.wants == Wants::Nothing && self.first_view(node).is_none() => {
                let via = member(0);
                [false, true].map(|with_state| Command::Join { via, with_state }).into()
            }
            None => Vec::new(),
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Join { with_state: false, .. } => Some("join"),
            Command::Join { with_state: true, .. } => Some("join with state"),
            Command::Leave => Some("leave"),
            Command::Suspect { .. } => Some("suspect"),
            Command::InstallationFails => Some("failed installation"),
            Command::Announce { .. } if self.rations_merges => Some(world::MERGE),
            Command::Announce { .. } => Some(world::MERGE_AGAIN),
        }
    }

    fn insists(&self, command: &Command) -> bool {
        matches!(command, Command::Announce { .. })
    }

    fn is_background(&self, message: &Message) -> bool {
        *message == Message::Coord
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match timer {
            Timer::Queue => "queue",
            Timer::Resumer(_) => "Resumer",
        }
    }

    fn watch(&self) -> Watch {
        Watch::new((0..self.members).map(|node| self.first_view(node)))
    }

    fn observe(&self, watch: &mut Watch, seen: &Seen<ViewTypes>) {
        predicates::observe(watch, seen);
    }

    fn input_words(&self, _node: NodeId, input: &InputOf<ViewTypes>) -> String {
        words::input(input)
    }

    fn message_words(&self, message: &Message) -> String {
        words::message(message)
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<ViewTypes>) -> Option<String> {
        match effect {
            Effect::Arm(timer) => Some(format!("arms {}", self.timer_name(timer))),
            Effect::Disarm(timer) => Some(format!("disarms {}", self.timer_name(timer))),
            Effect::Notify(Notice::Installed(view)) => Some(format!("installs {view}")),
            Effect::Notify(Notice::GotState) => Some("has got the state".to_owned()),
            Effect::Notify(Notice::Suspended(_) | Notice::Resumed { .. })
            | Effect::Save(())
            | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        Some(state.at.name().to_owned())
    }
}
