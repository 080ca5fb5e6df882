//! The nodes and their wiring.

use turnstile_core::number::ViewId;
use turnstile_core::view::{self, Handler, MemberId, Message, Request, View, Wants};
use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machine::Rules as _;
use turnstile_machines::view_handler;
use turnstile_step::{Core, Effect, Input};
use turnstile_world::system::{EffectOf, InputOf, ObservationOf, OutOf, System};
use turnstile_world::{Cut, NodeId};

use crate::types::{Command, Monitor, Notice, State, Timer, ViewTypes};
use crate::{predicates, types, words, world};

use crate::network::Network;

/// The table that runs, chosen at run time.
pub type HandlerRules = Chosen<view_handler::Machine>;

/// The input of a member's core.
pub(crate) type MemberInput = Input<MemberId, Message, view::Timer, view::Command, ()>;

/// What members can rely on.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What is on its way between two partitions is lost, or else waits.
    pub loses: bool,
    /// How often coords find each other is limited.
    pub rations_merges: bool,
    /// A Resumer resumes whoever is suspended too long. Where nothing fails, nobody needs it.
    pub resumes: bool,
}

/// The members of the view handling system.
#[derive(Clone, Debug)]
pub struct Views {
    /// How many members each group has at the beginning. Whoever comes after these is in none.
    pub groups: Vec<usize>,
    /// How many members there are.
    pub members: usize,
    /// How many members, the first ones, one partition has when the network falls apart.
    pub side: usize,
    /// What they can rely on.
    pub terms: Terms,
    /// The table of each member.
    pub rules: HandlerRules,
}

/// The member that a node is.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(u8::try_from(node + 1).expect("a world has few nodes"))
}

/// The node that a member is.
pub(crate) fn node(member: MemberId) -> NodeId {
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
        (groups, side): (Vec<usize>, usize),
        terms: Terms,
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        Ok(Self { groups, members, side, terms, rules: HandlerRules::among(tables)? })
    }

    /// A member's core.
    pub fn handler(&self, node: NodeId, choice: u8) -> Handler<HandlerRules> {
        Handler { rules: self.rules.choosing(choice), me: member(node) }
    }

    /// What is an input of a member's core: what the network says comes from below.
    pub fn of_member(&self, input: InputOf<ViewTypes>) -> Option<MemberInput> {
        Some(match input {
            Input::Message { from, message: Message::Request(Request::Suspect { member }) }
                if from == self.network() =>
            {
                Input::Command(view::Command::Suspect { member })
            }
            Input::Message { from, message } => Input::Message { from: member(from), message },
            Input::Fired(Timer::Member(timer)) => Input::Fired(timer),
            Input::Command(Command::Member(command)) => Input::Command(command),
            Input::Restart(saved) => Input::Restart(saved),
            Input::Fired(Timer::Detect | Timer::Heal) | Input::Command(Command::Part) => {
                return None;
            }
        })
    }

    /// The view that a member begins with. Earlier groups have greater numbers.
    pub fn first_view(&self, node: NodeId) -> Option<View> {
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

    /// What a member may be told now.
    pub fn commands_to(&self, node: NodeId, state: &view::State) -> Vec<Command> {
        let wishes = match &state.view {
            Some(view) => self.wishes(node, state, view),
            None if state.wants == Wants::Nothing && self.first_view(node).is_none() => {
                let firsts = (0..self.members).filter(|one| {
                    let group = self.first_view(*one);
                    group.and_then(|group| group.coordinator()) == Some(member(*one))
                });
                let ways = |via| [false, true].map(|state| (member(via), state));
                let join = |(via, with_state)| view::Command::Join { via, with_state };
                firsts.flat_map(ways).map(join).collect()
            }
            None => Vec::new(),
        };
        wishes.into_iter().map(Command::Member).collect()
    }

    /// What the layers below may say to a coord, and what its user may ask.
    fn wishes(&self, node: NodeId, state: &view::State, view: &View) -> Vec<view::Command> {
        use view::Command;
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

    const BUDGETS: &'static [&'static str] = <Self as SystemSpec>::BUDGETS;

    fn start(&self, node: NodeId) -> State {
        if node == self.network() {
            return State::Network(Network::Whole);
        }
        let view = self.first_view(node);
        State::Member(Box::new(view::State::new(member(node), self.rules.initial(), view)))
    }

    fn step(
        &self,
        of: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<ViewTypes>,
        out: &mut OutOf<ViewTypes>,
    ) {
        let state = match state {
            State::Member(state) => state,
            State::Network(state) => return self.step_network(state, &input, &mut out.effects),
        };
        let Some(input) = self.of_member(input) else { return };
        let mut is_asked = false;
        if let Input::Message { message, .. } = &input {
            is_asked = matches!(message, Message::MergeReq { .. });
            if let Message::View(view) = message {
                out.effects.push(Effect::Notify(Notice::Hears(view.clone())));
            }
        }
        let mut inner = turnstile_step::Out::default();
        self.handler(of, choice).step(state, input, &mut inner);
        let answers =
            |one: &_| matches!(one, Effect::Send { message: Message::MergeRsp { .. }, .. });
        if is_asked && !inner.effects.iter().any(answers) {
            out.effects.push(Effect::Notify(Notice::OwesAnAnswer));
        }
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().map(|effect| match effect {
            Effect::Send { to, message } => Effect::Send { to: node(to), message },
            Effect::Arm(timer) => Effect::Arm(Timer::Member(timer)),
            Effect::Disarm(timer) => Effect::Disarm(Timer::Member(timer)),
            Effect::Save(saved) => Effect::Save(saved),
            Effect::Notify(notice) => Effect::Notify(Notice::Member(notice)),
        }));
        if !self.terms.resumes {
            out.effects.retain(|effect| {
                !matches!(effect, Effect::Arm(Timer::Member(view::Timer::Resumer(_))))
            });
        }
    }

    fn choices(&self, _node: NodeId) -> u8 {
        self.rules.choices()
    }

    fn commands(&self, node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Member(state) => self.commands_to(node, state),
            State::Network(Network::Whole) => vec![Command::Part],
            State::Network(Network::Apart) => Vec::new(),
        }
    }

    fn cut(&self, node: NodeId, input: &InputOf<ViewTypes>) -> Option<Cut> {
        if node == self.network() { self.way(input) } else { None }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        use view::Command;
        let types::Command::Member(command) = command else { return Some(world::PARTITION) };
        match command {
            Command::Join { with_state: false, .. } => Some("join"),
            Command::Join { with_state: true, .. } => Some("join with state"),
            Command::Leave => Some("leave"),
            Command::Suspect { .. } => Some("suspect"),
            Command::InstallationFails => Some("failed installation"),
            Command::Announce { .. } if self.terms.rations_merges => Some(world::MERGE),
            Command::Announce { .. } => Some(world::MERGE_AGAIN),
        }
    }

    fn insists(&self, command: &Command) -> bool {
        matches!(command, Command::Member(view::Command::Announce { .. }))
    }

    fn is_background(&self, message: &Message) -> bool {
        *message == Message::Coord
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match timer {
            Timer::Member(view::Timer::Queue) => "queue",
            Timer::Member(view::Timer::Merge) => "merge",
            Timer::Member(view::Timer::Resumer(_)) => "Resumer",
            Timer::Detect => "detect",
            Timer::Heal => "heal",
        }
    }

    fn monitor(&self) -> Monitor {
        Monitor::new((0..self.members).map(|node| self.first_view(node)))
    }

    fn observe(&self, monitor: &mut Monitor, seen: &ObservationOf<ViewTypes>) {
        predicates::observe(monitor, seen);
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
            Effect::Notify(Notice::Member(notice)) => words::notice(notice),
            Effect::Notify(Notice::Hears(_) | Notice::OwesAnAnswer)
            | Effect::Save(())
            | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        Some(state.member()?.at.name().to_owned())
    }
}
