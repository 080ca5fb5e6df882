//! A node on network: a core with its state, its armed timers and what it saved, behind words.

#[cfg(feature = "trace")]
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf, RowOutcome};

/// Why something cannot happen on network, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong.
    pub because: String,
    /// What would be right.
    pub help: String,
}

impl Wrong {
    /// This is wrong, and that would be right.
    pub fn new(because: impl Into<String>, help: impl Into<String>) -> Self {
        Self { because: because.into(), help: help.into() }
    }
}

/// What the network may do to a message.
pub trait Deliverable: Clone + Display {
    /// What may arrive in its place where it was sent to.
    fn altered(&self) -> Vec<Self>;
    /// What its sender may hear instead of an answer.
    fn unanswered(&self) -> Vec<Self>;
    /// The message that is shown so, if a stranger's can be read.
    fn read(_words: &str) -> Option<Self> {
        None
    }
}

/// A core whose inputs and effects can be written down. What is shown is read back, or, for
/// messages and timers, compared with what was sent and armed before.
pub trait TextFormat:
    Core<Message: Deliverable, Timer: Display, Command: Display, Notice: Display>
{
    /// What may be told to it, for whoever has told it something else.
    const COMMANDS: &'static str = "what it can be told stands in its other scenarios";

    /// What this node calls another one.
    fn peer_name(peer: Self::Peer) -> String;
    /// The other way round.
    fn peer(name: &str) -> Option<Self::Peer>;
    /// The command that is shown so.
    fn command(words: &str) -> Option<Self::Command>;
    /// What is shown of a save.
    fn saved(saved: &Self::Saved) -> String;
}

/// Messages that a step sent: to whom, and what.
pub type Sent<M> = Vec<(String, M)>;

/// What a step came to, in words.
#[derive(Clone, Debug)]
pub struct Did<M> {
    /// The effects, after what a reader must not miss.
    pub effects: Vec<String>,
    /// The messages among the effects.
    pub sent: Sent<M>,
}

/// A node of any core whose messages are of one type.
pub trait Node<M> {
    /// A message arrives.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    fn hear(&mut self, from: &str, message: M) -> Result<Did<M>, Wrong>;
    /// Anything else happens: `is told …`, `fires …`, `restarts`.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    fn happen(&mut self, words: &str) -> Result<Did<M>, Wrong>;
    /// Its last step as a line of a trace, under this name; none where it has none, or is no data.
    fn last_step(&self, _name: &str) -> Option<String> {
        None
    }
    /// The same node for a trace; none where its inputs and effects are no data.
    #[cfg(feature = "trace")]
    fn traced(self: Box<Self>) -> Option<Box<dyn crate::trace::Traced>> {
        None
    }
}

/// A node of one core.
#[derive(Clone, Debug)]
pub struct CoreNode<C: Core> {
    core: C,
    state: C::State,
    armed: BTreeSet<C::Timer>,
    /// Those that were disarmed: whose time may have been over already.
    disarmed: BTreeSet<C::Timer>,
    saved: Option<C::Saved>,
}

impl<C: Core> CoreNode<C> {
    /// A node that has never run.
    pub fn new(core: C) -> Self {
        let state = core.start();
        Self::with(core, state)
    }

    /// A node in the middle of its life, with no timer armed.
    pub fn with(core: C, state: C::State) -> Self {
        Self { core, state, armed: BTreeSet::new(), disarmed: BTreeSet::new(), saved: None }
    }

    /// One step, and what it does to the timers.
    pub(super) fn step(&mut self, input: InputOf<C>) -> OutOf<C> {
        if matches!(input, Input::Restart(_)) {
            self.armed.clear();
            self.disarmed.clear();
        }
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        for effect in &out.effects {
            match effect {
                Effect::Arm(timer) => {
                    self.armed.insert(*timer);
                }
                Effect::Disarm(timer) => self.disarmed.extend(self.armed.take(timer)),
                Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => {}
            }
        }
        out
    }

    /// Takes a timer that is armed.
    pub(super) fn fire(&mut self, timer: &C::Timer) -> bool {
        self.armed.remove(timer)
    }

    /// Takes a timer that was disarmed when its time was over already.
    pub(super) fn fire_late(&mut self, timer: &C::Timer) -> bool {
        self.disarmed.remove(timer)
    }

    /// Some of the timers that are armed, in these words.
    pub(super) fn armed(&self, words: impl Fn(&C::Timer) -> String) -> String {
        let armed: Vec<String> = self.armed.iter().take(8).map(words).collect();
        let armed = if armed.is_empty() { "none is".into() } else { armed.join(", ") };
        format!("armed here: {armed}")
    }
}

impl<C: TextFormat> CoreNode<C> {
    /// What is heard from whom.
    pub(super) fn heard(from: &str, message: C::Message) -> Result<InputOf<C>, Wrong> {
        let from = C::peer(from).ok_or_else(|| {
            let because = format!("{from} is nobody that it hears");
            Wrong::new(because, "a client hears `server` and `store`, a server `client N`")
        })?;
        Ok(Input::Message { from, message })
    }

    /// What else happens.
    pub(super) fn read(&mut self, words: &str) -> Result<InputOf<C>, Wrong> {
        if words == "restarts" {
            return Ok(Input::Restart(self.saved.clone()));
        }
        if let Some(words) = words.strip_prefix("is told ") {
            let command = C::command(words);
            let command =
                command.ok_or_else(|| Wrong::new("no such command is known here", C::COMMANDS))?;
            if command.to_string() != words {
                let because = format!("this command is written `{command}`");
                return Err(Wrong::new(because, "write it so"));
            }
            return Ok(Input::Command(command));
        }
        if let Some(words) = words.strip_prefix("fires late ") {
            return self.late_timer(words);
        }
        if let Some(words) = words.strip_prefix("fires ") {
            return self.timer(words);
        }
        let because = "neither `is told`, `hears`, `fires` nor `restarts`";
        let help = "a node's name is followed by one of these; effects are indented";
        Err(Wrong::new(because, help))
    }

    /// What a step came to, in words; what it saves is kept for a restart.
    pub(super) fn tell(&mut self, out: OutOf<C>) -> Did<C::Message> {
        let mut effects: Vec<String> = out.rows.iter().filter_map(trouble).collect();
        effects.extend(out.effects.iter().map(effect_words::<C>));
        let mut sent = Vec::new();
        for effect in out.effects {
            match effect {
                Effect::Send { to, message } => sent.push((C::peer_name(to), message)),
                Effect::Save(saved) => C::keep(&mut self.saved, saved),
                Effect::Arm(_) | Effect::Disarm(_) | Effect::Notify(_) => {}
            }
        }
        Did { effects, sent }
    }

    fn timer(&mut self, words: &str) -> Result<InputOf<C>, Wrong> {
        let timer = self.armed.iter().copied().find(|timer| timer.to_string() == words);
        let timer = timer
            .filter(|timer| self.fire(timer))
            .ok_or_else(|| Wrong::new("no such timer is armed", self.armed(ToString::to_string)))?;
        Ok(Input::Fired(timer))
    }

    fn late_timer(&mut self, words: &str) -> Result<InputOf<C>, Wrong> {
        let timer = self.disarmed.iter().copied().find(|timer| timer.to_string() == words);
        let help = "what `fires late` was armed, and then disarmed";
        let timer = timer.filter(|timer| self.fire_late(timer));
        Ok(Input::Fired(timer.ok_or_else(|| Wrong::new("no such timer was disarmed", help))?))
    }
}

impl<C: TextFormat> Node<C::Message> for CoreNode<C> {
    fn hear(&mut self, from: &str, message: C::Message) -> Result<Did<C::Message>, Wrong> {
        let out = self.step(Self::heard(from, message)?);
        Ok(self.tell(out))
    }

    fn happen(&mut self, words: &str) -> Result<Did<C::Message>, Wrong> {
        let input = self.read(words)?;
        let out = self.step(input);
        Ok(self.tell(out))
    }
}

/// How an effect reads: `arms renew timer`.
pub fn effect_words<C: TextFormat>(effect: &EffectOf<C>) -> String {
    match effect {
        Effect::Send { to, message } => format!("sends {}: {message}", C::peer_name(*to)),
        Effect::Arm(timer) => format!("arms {timer}"),
        Effect::Disarm(timer) => format!("disarms {timer}"),
        Effect::Save(saved) => format!("saves {}", C::saved(saved)),
        Effect::Notify(notice) => format!("notifies {notice}"),
    }
}

/// What a table said that a reader must not miss. Rows that are taken only a trace shows.
fn trouble(taken: &RowOutcome) -> Option<String> {
    match taken {
        RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => None,
        RowOutcome::Unexpected { machine, state, event, number: 0 } => {
            Some(format!("! {machine} has no row for {event} in {state}"))
        }
        RowOutcome::Unexpected { machine, state, event, number } => {
            Some(format!("! {machine} has no row for {event} ({number}) in {state}"))
        }
        RowOutcome::ActionFailed { machine, action, because } => {
            Some(format!("! {machine} leaves {action} undone: {because}"))
        }
    }
}
