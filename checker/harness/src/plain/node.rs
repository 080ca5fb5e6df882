//! A table as a node of a World: the plain core, and what its environment may give it.

use std::marker::PhantomData;
use std::sync::Arc;

use turnstile_machine::{Dynamic, DynamicEvent, DynamicName, Name as _, Rules as _};
use turnstile_plain::{Command, Outgoing, Peer, Plain, PlainRules as _, SavedParts, State, Timer};
use turnstile_spec::table::{EventId, EventKind};
use turnstile_step::{Core as _, Input, InputOf};
use turnstile_world::{CoreNode, NodeId, Start};

use super::rules::TableRules;
use super::words;

/// The most instances of one resource that may be active at once at the table level; beyond it the
/// search is truncated.
pub(crate) const MAX_OF_A_KIND: u8 = 2;

/// The most resources that may be active at the table level beyond those that the state holds.
pub(crate) const MAX_LEAKED: usize = 4;

/// The core of a table.
pub type TableCore = Plain<Dynamic, TableRules>;

/// A node that runs a table.
#[derive(Clone, Debug)]
pub(crate) struct TableNode {
    pub(crate) core: TableCore,
    /// The events that its environment gives it, in order; the others come from timers and links.
    pub(crate) given: Vec<EventId>,
    /// Whether it stops where more resources are active than the table level follows.
    is_bounded: bool,
    /// The most outcomes of one input.
    choices: u8,
}

impl TableNode {
    /// A node of a system: its environment gives commands, and the answers to requests that no node
    /// of the system sends.
    pub(crate) fn new(
        rules: TableRules,
        sends: Arc<[Option<Outgoing>]>,
        saved: Option<SavedParts>,
        is_sent: impl Fn(&str) -> bool,
    ) -> Self {
        let events = &rules.vocabulary().events;
        let is_given = |id: &EventId| !is_sent(&events[id.index()].name.name);
        let answers = rules.events(EventKind::Consuming).filter(is_given);
        let given = answers.chain(rules.events(EventKind::Command)).collect();
        let choices = rules.most_choices();
        let core = Plain { rules, sends, saved, machine: PhantomData };
        Self { core, given, is_bounded: false, choices }
    }

    /// The one node of a table that runs alone: its environment gives every event.
    pub(crate) fn alone(rules: TableRules) -> Self {
        let given = rules.all_events();
        let choices = rules.most_choices();
        let core = Plain { rules, sends: Arc::new([]), saved: None, machine: PhantomData };
        Self { core, given, is_bounded: true, choices }
    }

    pub(crate) fn rules(&self) -> &TableRules {
        &self.core.rules
    }

    /// Whether its environment may give it an event that takes a row.
    pub(crate) fn goes_on(&self, state: &State<Dynamic>) -> bool {
        let mut commands = CoreNode::commands(self, state).into_iter();
        commands.any(|command| self.rules().takes_row(state, command.event))
    }

    /// Whether the machine has ended, or may stay where it is.
    pub(crate) fn may_end(&self, state: &State<Dynamic>) -> bool {
        self.rules().may_end(state.at)
    }

    /// Whether more resources are active than the table level follows.
    pub(crate) fn is_beyond(&self, state: &State<Dynamic>) -> bool {
        let leaked = |(resource, count): (&DynamicName, &u8)| {
            let (_, most) = self.rules().bounds(state.at, *resource);
            usize::from(count.saturating_sub(most))
        };
        let leaked: usize =
            self.rules().wiring().resources.iter().zip(&state.held).map(leaked).sum();
        leaked > MAX_LEAKED || state.held.iter().any(|count| *count > MAX_OF_A_KIND)
    }

    /// Whether each resource is active as often as the state holds it.
    pub(crate) fn matches_state(&self, state: &State<Dynamic>) -> bool {
        self.rules().matches_state(state)
    }
}

impl CoreNode for TableNode {
    type Core = TableCore;

    fn core(&self, choice: u8) -> TableCore {
        Plain { rules: self.rules().choosing(choice), ..self.core.clone() }
    }

    fn choices(&self) -> u8 {
        self.choices
    }

    fn choices_of(&self, state: &State<Dynamic>, input: &InputOf<TableCore>) -> u8 {
        let keeps_state = self.core.saved.as_ref().is_some_and(|parts| parts.state);
        match input {
            // A node whose state has not changed has saved nothing.
            Input::Restart(saved) => self.rules().restarts(saved.is_some() && keeps_state),
            Input::Message { .. } | Input::Fired(_) | Input::Command(_) => {
                self.rules().choices(state, &self.core.events(input)).max(1)
            }
        }
    }

    fn armed(&self) -> Vec<Timer<Dynamic>> {
        self.core.armed(&self.core.start()).collect()
    }

    fn start_count(&self) -> usize {
        self.rules().restarts(false).into()
    }

    fn start_in(&self, nth: usize) -> Start<TableCore> {
        let choice = u8::try_from(nth).expect("it is one of them");
        let state = CoreNode::core(self, choice).start();
        let timers = self.core.armed(&state).collect();
        (state, timers)
    }

    fn node(&self, peer: Peer) -> NodeId {
        usize::from(peer.0)
    }

    fn peer(&self, node: NodeId) -> Peer {
        Peer(u16::try_from(node).expect("a world has few nodes"))
    }

    fn commands(&self, state: &State<Dynamic>) -> Vec<Command<Dynamic>> {
        let rules = self.rules();
        let mut commands = Vec::new();
        if self.is_bounded && self.is_beyond(state) {
            return commands;
        }
        let is_final = rules.is_final(state.at);
        for event in &self.given {
            let mut give = |answers| {
                let given = rules.given(state.at, *event).into_iter();
                commands.extend(given.map(|event| Command { event, answers }));
            };
            match rules.vocabulary().events[event.index()].kind {
                EventKind::Consuming => {
                    let causes = rules.causes(*event).iter();
                    causes
                        .filter(|one| state.held[one.index()] > 0)
                        .for_each(|one| give(Some(*one)));
                }
                EventKind::Completion => {}
                EventKind::Command | EventKind::Message if is_final => {}
                EventKind::Command | EventKind::Message => give(None),
            }
        }
        commands
    }

    fn ignores(&self, state: &State<Dynamic>, command: &Command<Dynamic>) -> bool {
        self.rules().ignores(state, command.event)
    }

    fn timer_name(&self, timer: &Timer<Dynamic>) -> &'static str {
        timer.0.name()
    }

    fn command_words(&self, command: &Command<Dynamic>) -> String {
        self.rules().event_words(command.event)
    }

    fn fired_words(&self, timer: &Timer<Dynamic>) -> String {
        match self.rules().wiring().fired(timer.0) {
            [DynamicEvent { kind, .. }] => kind.name().to_owned(),
            _ => format!("{timer} fires"),
        }
    }

    fn unhandled_words(&self, event: &str, number: u16) -> String {
        let mut events = self.rules().vocabulary().events.iter();
        let known = events.find(|known| known.name.name == event);
        known.map_or_else(|| event.to_owned(), |known| words::event(known, number))
    }

    fn state_words(&self, state: &State<Dynamic>) -> Option<String> {
        let of = |(resource, count): (&DynamicName, &u8)| {
            let (least, most) = self.rules().bounds(state.at, *resource);
            let is_held = (least..=most).contains(count);
            (!is_held).then(|| format!("{resource}: {count}"))
        };
        let odd: Vec<String> =
            self.rules().wiring().resources.iter().zip(&state.held).filter_map(of).collect();
        let values = self.rules().wiring().variables.iter().zip(&state.variables);
        let values = values
            .map(|(variable, number)| format!("{} = {}", variable.name, variable.text(*number)));
        let more: Vec<String> = values.chain(odd).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        Some(format!("{}{more}", state.at))
    }
}
