//! A node on stage: a core with its state, its armed timers and what it saved, behind words.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Display;

use crate::step::{Core, Effect, EffectOf, Input, InputOf, Out, Taken};

/// What the network may do to a message.
pub trait Travels: Clone + Display {
    /// What may arrive in its place where it was sent to.
    fn altered(&self) -> Vec<Self>;
    /// What its sender may hear instead of an answer.
    fn unanswered(&self) -> Vec<Self>;
}

/// A core whose inputs and effects can be written down. What is shown is read back, or, for
/// messages and timers, compared with what was sent and armed before.
pub trait Words: Core<Message: Travels, Timer: Display, Command: Display, Notice: Display> {
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

/// A node of any core whose messages are of one type.
pub trait Actor<M> {
    /// A message arrives.
    fn hear(&mut self, from: &str, message: M) -> Result<(Vec<String>, Sent<M>), String>;
    /// Anything else happens: `is told …`, `fires …`, `restarts`.
    fn happen(&mut self, words: &str) -> Result<(Vec<String>, Sent<M>), String>;
}

/// A node of one core.
#[derive(Clone, Debug)]
pub struct Node<C: Words> {
    core: C,
    state: C::State,
    armed: BTreeSet<C::Timer>,
    saved: Option<C::Saved>,
}

impl<C: Words> Node<C> {
    /// A node that has never run.
    pub fn new(core: C) -> Self {
        let state = core.start();
        Self { core, state, armed: BTreeSet::new(), saved: None }
    }

    fn step(&mut self, input: InputOf<C>) -> (Vec<String>, Sent<C::Message>) {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        let mut words: Vec<String> = out.rows.iter().filter_map(trouble).collect();
        words.extend(out.effects.iter().map(effect_words::<C>));
        let mut sent = Vec::new();
        for effect in out.effects {
            match effect {
                Effect::Send { to, message } => sent.push((C::peer_name(to), message)),
                Effect::Arm(timer) => {
                    self.armed.insert(timer);
                }
                Effect::Disarm(timer) => {
                    self.armed.remove(&timer);
                }
                Effect::Save(saved) => C::keep(&mut self.saved, saved),
                Effect::Notify(_) => {}
            }
        }
        (words, sent)
    }
}

impl<C: Words> Actor<C::Message> for Node<C> {
    fn hear(
        &mut self,
        from: &str,
        message: C::Message,
    ) -> Result<(Vec<String>, Sent<C::Message>), String> {
        let from = C::peer(from).ok_or_else(|| format!("{from} is nobody that it hears"))?;
        Ok(self.step(Input::Message { from, message }))
    }

    fn happen(&mut self, words: &str) -> Result<(Vec<String>, Sent<C::Message>), String> {
        let input = if words == "restarts" {
            self.armed.clear();
            Input::Restart(self.saved.clone())
        } else if let Some(words) = words.strip_prefix("is told ") {
            let command = C::command(words).ok_or("no such command is known here")?;
            if command.to_string() != words {
                return Err(format!("this command is written `{command}`"));
            }
            Input::Command(command)
        } else if let Some(words) = words.strip_prefix("fires ") {
            let timer = self.armed.iter().copied().find(|timer| timer.to_string() == words);
            let timer = timer.ok_or("no such timer is armed")?;
            self.armed.remove(&timer);
            Input::Fired(timer)
        } else {
            return Err("neither `is told`, `hears`, `fires` nor `restarts`".to_string());
        };
        Ok(self.step(input))
    }
}

impl<C: Words + 'static> From<C> for Box<dyn Actor<C::Message>> {
    fn from(core: C) -> Self {
        Box::new(Node::new(core))
    }
}

/// How an input of a node reads, without the node's name: `fires renew timer`.
pub fn input_words<C: Words>(input: &InputOf<C>) -> String {
    match input {
        Input::Message { from, message } => format!("hears {}: {message}", C::peer_name(*from)),
        Input::Fired(timer) => format!("fires {timer}"),
        Input::Command(command) => format!("is told {command}"),
        Input::Restart(_) => "restarts".to_string(),
    }
}

/// How an effect reads: `arms renew timer`.
pub fn effect_words<C: Words>(effect: &EffectOf<C>) -> String {
    match effect {
        Effect::Send { to, message } => format!("sends {}: {message}", C::peer_name(*to)),
        Effect::Arm(timer) => format!("arms {timer}"),
        Effect::Disarm(timer) => format!("disarms {timer}"),
        Effect::Save(saved) => format!("saves {}", C::saved(saved)),
        Effect::Notify(notice) => format!("notifies {notice}"),
    }
}

/// What a table said that a reader must not miss; rows that are taken are not shown.
fn trouble(taken: &Taken) -> Option<String> {
    match taken {
        Taken::Row { .. } | Taken::Ignored { .. } => None,
        Taken::Unexpected { machine, state, event, number: 0 } => {
            Some(format!("! {machine} has no row for {event} in {state}"))
        }
        Taken::Unexpected { machine, state, event, number } => {
            Some(format!("! {machine} has no row for {event} ({number}) in {state}"))
        }
        Taken::Undone { machine, action, because } => {
            Some(format!("! {machine} leaves {action} undone: {because}"))
        }
    }
}
