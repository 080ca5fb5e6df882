//! The nodes and their wiring.

use turnstile_core::group::message::{LockName, Says};
use turnstile_core::group::{self, Command as Told, Member, Notice};
use turnstile_core::stack;
use turnstile_core::view::{MemberId, Members};
use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machines::{group_lock_client, group_lock_coordinator};
use turnstile_step::{Core, Effect, Input, InputOf as CoreInput, Out};
use turnstile_system_view_handler::Views;
use turnstile_world::system::{EffectOf, InputOf, OutOf, System};
use turnstile_world::{Cut, NodeId};

use crate::types::{Command, GroupTypes, Letter, Runs, Seat, State, Timer};
use crate::{founded, queue, stacked, words, world};

use crate::founded::Rest;
use crate::membership::{Change, Membership, Sent};
use crate::stacked::Beneath;

/// The table that runs, chosen at run time.
pub type ClientRules = Chosen<group_lock_client::Machine>;
/// The table that runs, chosen at run time.
pub type CoordinatorRules = Chosen<group_lock_coordinator::Machine>;

/// The cores of the group lock. Members come first, then the membership.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many members.
    pub members: usize,
    /// How many locks they want.
    pub locks: u16,
    /// The group has not formed when it begins, and the last member is no founder.
    pub joins: bool,
    /// What is on its way between members that are no longer together is lost; else it comes late.
    pub loses: bool,
    /// What the members handle their views by, if they do so themselves.
    pub views: Option<Views>,
    /// The members as they begin, where the group has formed before.
    founded: Vec<Rest>,
    /// The table of a lock at a member.
    pub client: ClientRules,
    /// The table of a coordinator.
    pub coordinator: CoordinatorRules,
}

pub(crate) type Of = Member<ClientRules, CoordinatorRules>;

/// A node's number as a member's name, and back.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(u8::try_from(node + 1).expect("a group is small"))
}

pub(crate) fn node(member: MemberId) -> NodeId {
    NodeId::from(member.0) - 1
}

impl Group {
    /// A group by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(
        members: usize,
        locks: u16,
        (joins, loses): (bool, bool),
        views: Option<Views>,
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        let client = ClientRules::among(tables)?;
        let coordinator = CoordinatorRules::among(tables)?;
        let founded = Vec::new();
        let mut group = Self { members, locks, joins, loses, views, founded, client, coordinator };
        if !joins {
            group.founded = founded::founded(&group);
        }
        Ok(group)
    }

    pub(crate) fn core(&self, me: NodeId, choice: u8) -> Of {
        let client = self.client.choosing(choice);
        let coordinator = self.coordinator.choosing(choice);
        Member { me: member(me), client, coordinator }
    }

    fn step_member(
        &self,
        (me, choice): (NodeId, u8),
        seat: &mut Seat,
        input: InputOf<GroupTypes>,
        out: &mut OutOf<GroupTypes>,
    ) {
        let Some(input) = of_member(input) else { return };
        let Runs::Locks(state) = &mut seat.runs else { return };
        let mut inner = Out::default();
        let before = state.clone();
        self.core(me, choice).step(state, input, &mut inner);
        let sent = inner.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => Some((*to, message)),
            Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) | Effect::Notify(_) => None,
        });
        seat.passed_over |= !queue::is_in_order(member(me), (&before, state), sent);
        out.rows.append(&mut inner.rows);
        let mut told = None;
        for effect in inner.effects {
            out.effects.push(match effect {
                Effect::Send { to, message } => {
                    if let Says::DuplicateLockRsp(lock) = message.says {
                        seat.confirmed_untold |= told != Some(Notice::Duplicate(lock));
                    }
                    Effect::Send { to: node(to), message: Letter::Member(message) }
                }
                Effect::Arm(timer) => Effect::Arm(Timer::Locks(timer)),
                Effect::Disarm(timer) => Effect::Disarm(Timer::Locks(timer)),
                Effect::Save(()) => continue,
                Effect::Notify(notice) => {
                    told = Some(notice);
                    seat.is_told(notice);
                    Effect::Notify(stack::Notice::Locks(notice))
                }
            });
        }
    }
}

/// An input of a member as its core has it.
pub(crate) fn of_member(input: InputOf<GroupTypes>) -> Option<CoreInput<Of>> {
    Some(match input {
        Input::Message { from, message: Letter::Member(message) } => {
            Input::Message { from: member(from), message }
        }
        Input::Message { message: Letter::View(view), .. } => Input::Command(Told::View(view)),
        Input::Fired(Timer::Locks(timer)) => Input::Fired(timer),
        Input::Command(Command::Member(command)) => Input::Command(command),
        Input::Command(Command::Again(lock)) => Input::Command(Told::Lock(lock)),
        Input::Command(Command::Needless(lock)) => Input::Command(Told::Unlock(lock)),
        Input::Restart(_) => Input::Restart(None),
        Input::Message {
            message: Letter::Handler(_) | Letter::Crashed(_) | Letter::Ended(_) | Letter::Stop,
            ..
        }
        | Input::Fired(Timer::Handler(_))
        | Input::Command(
            Command::Membership(_) | Command::Handler(_) | Command::Crash | Command::Noticed(_),
        ) => return None,
    })
}

impl System for Group {
    type Types = GroupTypes;

    const BUDGETS: &'static [&'static str] = <Self as SystemSpec>::BUDGETS;

    fn start(&self, node: NodeId) -> State {
        if node < self.members {
            let rest = self.founded.get(node);
            let seat = rest.map_or_else(|| self.seat(node), |rest| rest.seat.clone());
            return State::Member(Box::new(seat));
        }
        if self.views.is_some() {
            return State::Beneath(Beneath::whole());
        }
        let founders = self.members - usize::from(self.joins);
        let outside = Members::new((founders..self.members).map(member));
        let founders = Members::new((0..founders).map(member));
        State::Membership(Membership::new(founders, outside, !self.joins))
    }

    fn armed(&self, node: NodeId) -> Vec<Timer> {
        self.founded.get(node).map(|rest| rest.timers.clone()).unwrap_or_default()
    }

    fn step(
        &self,
        me: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<GroupTypes>,
        out: &mut OutOf<GroupTypes>,
    ) {
        let seat = match state {
            State::Gone => return,
            State::Member(seat) => seat,
            State::Membership(membership) => return step_membership(membership, &input, out),
            State::Beneath(beneath) => return self.step_beneath(beneath, input, out),
        };
        match &input {
            Input::Message { message: Letter::Stop, .. } | Input::Command(Command::Crash) => {
                out.effects.extend(self.all_timers(seat).into_iter().map(Effect::Disarm));
                if matches!(input, Input::Command(_)) {
                    let message = Letter::Ended(member(me));
                    out.effects.push(Effect::Send { to: self.members, message });
                }
                *state = State::Gone;
                return;
            }
            Input::Command(Command::Member(Told::Lock(lock))) => seat.asks_to_lock(*lock),
            Input::Command(Command::Again(lock)) => seat.asks_again(*lock),
            Input::Command(Command::Member(Told::Unlock(lock)) | Command::Needless(lock)) => {
                seat.asks_to_unlock(*lock);
            }
            Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => {}
        }
        match &seat.runs {
            Runs::Locks(_) => self.step_member((me, choice), seat, input, out),
            Runs::Stack(_) => self.step_stack((me, choice), seat, input, out),
        }
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node >= self.members {
            return 1;
        }
        let views = self.views.as_ref().map_or(1, |views| views.choices(node));
        self.client.choices().max(self.coordinator.choices()).max(views)
    }

    fn commands(&self, node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Member(seat) => {
                let mut wishes = seat.wishes(self.locks);
                wishes.push(Command::Crash);
                wishes.extend(self.view_wishes(node, seat));
                wishes
            }
            State::Gone => Vec::new(),
            State::Membership(membership) => {
                membership.changes().into_iter().map(Command::Membership).collect()
            }
            State::Beneath(beneath) => self.wishes_beneath(node, beneath),
        }
    }

    fn cut(&self, node: NodeId, input: &InputOf<GroupTypes>) -> Option<Cut> {
        let change = match input {
            Input::Command(Command::Membership(change)) => change,
            Input::Command(Command::Crash) => {
                return self.loses.then(|| Cut::Lost(vec![node]));
            }
            Input::Command(_) | Input::Message { .. } | Input::Fired(_) | Input::Restart(_) => {
                return self.cut_beneath(node, input);
            }
        };
        match change {
            Change::Leave(gone) | Change::CutOff(gone) => {
                self.loses.then(|| Cut::Lost(vec![self::node(*gone)]))
            }
            Change::Doubt { .. } => None,
            Change::Merge(_) => self.loses.then_some(Cut::Together),
            Change::Form | Change::Join(_) => None,
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Member(Told::Lock(_)) => Some("lock call"),
            Command::Member(Told::Unlock(_)) => Some("unlock call"),
            Command::Member(Told::View(_)) => None,
            Command::Needless(_) => Some(world::NEEDLESS),
            Command::Again(_) => Some(world::AGAIN),
            Command::Handler(command) => self.views.as_ref()?.command_budget(command),
            Command::Crash => Some("crash"),
            Command::Noticed(_) => None,
            Command::Membership(change) => match change {
                Change::Form | Change::Merge(_) => None,
                Change::Leave(_) => Some("leave"),
                Change::Join(_) => Some("join"),
                Change::CutOff(_) => Some("partition"),
                Change::Doubt { .. } => Some("doubt"),
            },
        }
    }

    fn insists(&self, command: &Command) -> bool {
        let change = match command {
            Command::Membership(change) => change,
            Command::Handler(command) => {
                return self.views.as_ref().is_some_and(|views| views.insists(command));
            }
            Command::Noticed(_) => return true,
            Command::Member(_) | Command::Needless(_) | Command::Again(_) | Command::Crash => {
                return false;
            }
        };
        match change {
            Change::Form | Change::Merge(_) => true,
            Change::Leave(_) | Change::Join(_) | Change::CutOff(_) | Change::Doubt { .. } => false,
        }
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        match timer {
            Timer::Locks(group::Timer::Lock(_)) => Some("time-out"),
            Timer::Locks(group::Timer::Reconciliation) => Some("reconciliation time-out"),
            Timer::Handler(_) => None,
        }
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match (timer, &self.views) {
            (Timer::Handler(timer), Some(views)) => views.timer_name(timer),
            (Timer::Handler(_), None) | (Timer::Locks(_), _) => "",
        }
    }

    fn is_background(&self, letter: &Letter) -> bool {
        match (letter, &self.views) {
            (Letter::Handler(message), Some(views)) => views.is_background(message),
            (Letter::Crashed(_), _) => true,
            (Letter::Handler(_), None)
            | (Letter::Member(_) | Letter::Ended(_) | Letter::View(_) | Letter::Stop, _) => false,
        }
    }

    fn monitor(&self) {}

    fn input_words(&self, node: NodeId, input: &InputOf<GroupTypes>) -> String {
        self.words_of_input(node, input)
    }

    fn message_words(&self, letter: &Letter) -> String {
        self.words_of_letter(letter)
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<GroupTypes>) -> Option<String> {
        self.words_of_effect(effect)
    }

    fn state_words(&self, state: &State) -> Option<String> {
        words::state(state)
    }
}

/// What a change of the membership sends.
pub(crate) fn step_membership(
    membership: &mut Membership,
    input: &InputOf<GroupTypes>,
    out: &mut OutOf<GroupTypes>,
) {
    let sent = match input {
        Input::Command(Command::Membership(change)) => membership.change(*change),
        Input::Message { message: Letter::Ended(gone), .. } => membership.exclude(*gone),
        Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => return,
    };
    out.effects.extend(sent.into_iter().map(|(to, sent)| {
        let message = match sent {
            Sent::View(view) => Letter::View(view),
            Sent::Stop => Letter::Stop,
        };
        Effect::Send { to: node(to), message }
    }));
}

impl Group {
    /// A member that has never run.
    pub(crate) fn seat(&self, node: NodeId) -> Seat {
        match &self.views {
            None => Seat::of(Runs::Locks(self.core(node, 0).start())),
            Some(views) => self.begin(views, node, &mut Out::default()),
        }
    }

    /// All that may be armed at a member.
    fn all_timers(&self, seat: &Seat) -> Vec<Timer> {
        let locks = (0..self.locks).map(|lock| group::Timer::Lock(LockName(lock)));
        let locks = locks.chain([group::Timer::Reconciliation]).map(Timer::Locks);
        locks.chain(stacked::timers(seat)).collect()
    }
}
