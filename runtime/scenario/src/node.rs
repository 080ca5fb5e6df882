//! A node on network: a core with its state, its armed timers and what it saved, behind words.

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
    /// All saves together, if they can be read.
    fn restored(_words: &str) -> Option<Self::Saved> {
        None
    }
}

/// Messages that a step sent: to whom, and what.
pub type Sent<M> = Vec<(String, M)>;

/// What a step came to, in words.
#[derive(Clone, Debug)]
pub struct Did<M> {
    /// The rows that were taken.
    pub rows: Vec<String>,
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
    /// Anything else happens: `is told …`, `fires …`, `restarts`, `restarts with …`.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    fn happen(&mut self, words: &str) -> Result<Did<M>, Wrong>;
}

/// A node of one core.
#[derive(Clone, Debug)]
pub struct CoreNode<C: TextFormat> {
    core: C,
    state: C::State,
    armed: BTreeSet<C::Timer>,
    /// Those that were disarmed: whose time may have been over already.
    disarmed: BTreeSet<C::Timer>,
    saved: Option<C::Saved>,
}

impl<C: TextFormat> CoreNode<C> {
    /// A node that has never run.
    pub fn new(core: C) -> Self {
        let state = core.start();
        Self::with(core, state)
    }

    /// A node in the middle of its life, with no timer armed.
    pub fn with(core: C, state: C::State) -> Self {
        Self { core, state, armed: BTreeSet::new(), disarmed: BTreeSet::new(), saved: None }
    }

    fn step(&mut self, input: InputOf<C>) -> Did<C::Message> {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        let (rows, effects) = out_words::<C>(&out);
        let mut sent = Vec::new();
        for effect in out.effects {
            match effect {
                Effect::Send { to, message } => sent.push((C::peer_name(to), message)),
                Effect::Arm(timer) => {
                    self.armed.insert(timer);
                }
                Effect::Disarm(timer) => {
                    self.disarmed.extend(self.armed.take(&timer));
                }
                Effect::Save(saved) => C::keep(&mut self.saved, saved),
                Effect::Notify(_) => {}
            }
        }
        Did { rows, effects, sent }
    }

    /// What a node starts again with: what it has saved, or what its scenario says.
    fn restart(&mut self, with: Option<&str>) -> Result<InputOf<C>, Wrong> {
        self.armed.clear();
        self.disarmed.clear();
        self.saved = match with {
            None => self.saved.take(),
            Some(NOTHING) => None,
            Some(words) => {
                let saved = C::restored(words).filter(|saved| C::saved(saved) == words);
                let help = "it is written as in a `saves` line, or `restarts with nothing`";
                Some(saved.ok_or_else(|| Wrong::new("nothing that it saves reads so", help))?)
            }
        };
        Ok(Input::Restart(self.saved.clone()))
    }

    fn timer(&mut self, words: &str) -> Result<InputOf<C>, Wrong> {
        let timer = self.armed.iter().copied().find(|timer| timer.to_string() == words);
        let timer = timer.ok_or_else(|| {
            let armed: Vec<String> = self.armed.iter().take(8).map(ToString::to_string).collect();
            let help = if armed.is_empty() { "none is".into() } else { armed.join(", ") };
            Wrong::new("no such timer is armed", format!("armed here: {help}"))
        })?;
        self.armed.remove(&timer);
        Ok(Input::Fired(timer))
    }

    /// A timer that was disarmed when its time was over already.
    fn late_timer(&mut self, words: &str) -> Result<InputOf<C>, Wrong> {
        let timer = self.disarmed.iter().copied().find(|timer| timer.to_string() == words);
        let help = "what `fires late` was armed, and then disarmed";
        let timer = timer.ok_or_else(|| Wrong::new("no such timer was disarmed", help))?;
        self.disarmed.remove(&timer);
        Ok(Input::Fired(timer))
    }
}

const NOTHING: &str = "nothing";

impl<C: TextFormat> Node<C::Message> for CoreNode<C> {
    fn hear(&mut self, from: &str, message: C::Message) -> Result<Did<C::Message>, Wrong> {
        let from = C::peer(from).ok_or_else(|| {
            let because = format!("{from} is nobody that it hears");
            Wrong::new(because, "a client hears `server` and `store`, a server `client N`")
        })?;
        Ok(self.step(Input::Message { from, message }))
    }

    fn happen(&mut self, words: &str) -> Result<Did<C::Message>, Wrong> {
        let input = if words == "restarts" {
            self.restart(None)?
        } else if let Some(words) = words.strip_prefix("restarts with ") {
            self.restart(Some(words))?
        } else if let Some(words) = words.strip_prefix("is told ") {
            let command = C::command(words);
            let command =
                command.ok_or_else(|| Wrong::new("no such command is known here", C::COMMANDS))?;
            if command.to_string() != words {
                let because = format!("this command is written `{command}`");
                return Err(Wrong::new(because, "write it so"));
            }
            Input::Command(command)
        } else if let Some(words) = words.strip_prefix("fires late ") {
            self.late_timer(words)?
        } else if let Some(words) = words.strip_prefix("fires ") {
            self.timer(words)?
        } else {
            let because = "neither `is told`, `hears`, `fires` nor `restarts`";
            let help = "a node's name is followed by one of these; effects are indented";
            return Err(Wrong::new(because, help));
        };
        Ok(self.step(input))
    }
}

impl<C: TextFormat + 'static> From<C> for Box<dyn Node<C::Message>> {
    fn from(core: C) -> Self {
        Box::new(CoreNode::new(core))
    }
}

/// One step of a node as it stands in a scenario: its input, its rows, its effects; a line each.
pub fn step_words<C: TextFormat>(name: &str, input: &InputOf<C>, out: &OutOf<C>) -> String {
    let (rows, effects) = out_words::<C>(out);
    let mut text = format!("\n{name} {}\n", input_words::<C>(input));
    for line in rows.into_iter().chain(effects) {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Rows, and effects after what a reader must not miss.
fn out_words<C: TextFormat>(out: &OutOf<C>) -> (Vec<String>, Vec<String>) {
    let mut effects: Vec<String> = out.rows.iter().filter_map(trouble).collect();
    effects.extend(out.effects.iter().map(effect_words::<C>));
    (out.rows.iter().filter_map(row_words).collect(), effects)
}

/// How an input of a node reads, without the node's name: `fires renew timer`.
pub fn input_words<C: TextFormat>(input: &InputOf<C>) -> String {
    match input {
        Input::Message { from, message } => format!("hears {}: {message}", C::peer_name(*from)),
        Input::Fired(timer) => format!("fires {timer}"),
        Input::Command(command) => format!("is told {command}"),
        Input::Restart(Some(saved)) => format!("restarts with {}", C::saved(saved)),
        Input::Restart(None) => format!("restarts with {NOTHING}"),
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

/// What a line that shows a row begins with.
pub(super) const TAKES: &str = "takes row ";

/// What a table said that only a trace shows.
fn row_words(taken: &RowOutcome) -> Option<String> {
    match taken {
        RowOutcome::Row { machine, row } => Some(format!("{TAKES}{row} of {machine}")),
        RowOutcome::Ignored { .. }
        | RowOutcome::Unexpected { .. }
        | RowOutcome::ActionFailed { .. } => None,
    }
}

/// What a table said that a reader must not miss; rows that are taken only a trace shows.
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
