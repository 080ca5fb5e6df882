//! The network of a scenario: its nodes, and every message that one of them has sent to another.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::error::InputError;
use super::node::{Deliverable, Node, StepOutput};

/// The nodes of a scenario and the messages between them. A sent message may be delivered late,
/// more than once, or never.
pub struct Network<M> {
    nodes: BTreeMap<String, Box<dyn Node<M>>>,
    sent: Vec<SentMessage<M>>,
    /// Whether nodes may receive messages from names that are not declared.
    allows_unknown_senders: bool,
}

struct SentMessage<M> {
    from: String,
    to: String,
    message: M,
}

impl<M: Deliverable> Default for Network<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Deliverable> Network<M> {
    /// A network without nodes.
    #[must_use]
    pub const fn new() -> Self {
        Self { nodes: BTreeMap::new(), sent: Vec::new(), allows_unknown_senders: false }
    }

    /// Adds a node; it replaces a node of the same name.
    pub fn add(&mut self, name: &str, node: Box<dyn Node<M>>) {
        self.nodes.insert(name.to_owned(), node);
    }

    /// From here on, nodes may receive any valid message from a name that is not declared.
    pub const fn allow_unknown_senders(&mut self) {
        self.allows_unknown_senders = true;
    }

    /// Gives one node one input.
    ///
    /// # Errors
    ///
    /// The node is not declared, the text is no input, or the message or timer is not there.
    pub fn take_input(&mut self, name: &str, text: &str) -> Result<StepOutput<M>, InputError> {
        let message = match text.strip_prefix("hears ") {
            None => None,
            Some(text) => {
                let (from, text) = text.split_once(": ").ok_or_else(|| {
                    InputError::new("expected `hears SENDER: MESSAGE`", "name the sender")
                })?;
                Some((from, self.find(from, name, text)?))
            }
        };
        let undeclared = || InputError::new("undeclared node", "`NAME is a KIND` declares a node");
        let node = self.nodes.get_mut(name).ok_or_else(undeclared)?;
        let output = match message {
            None => node.take_input(text)?,
            Some((from, message)) => node.receive(from, message)?,
        };
        for (to, message) in &output.sent {
            // A message to an undeclared name is never delivered.
            if !self.allows_unknown_senders || self.nodes.contains_key(to) {
                let (from, to) = (name.to_owned(), to.clone());
                self.sent.push(SentMessage { from, to, message: message.clone() });
            }
        }
        Ok(output)
    }

    /// The last step of a node as a line of a trace.
    pub(super) fn last_step(&self, name: &str) -> Option<String> {
        self.nodes.get(name)?.last_step(name)
    }

    /// The deliverable message with this text: one that was sent, possibly altered by the network,
    /// or one that stands for the missing reply to a request. It may be delivered more than once.
    fn find(&self, from: &str, to: &str, text: &str) -> Result<M, InputError> {
        if self.allows_unknown_senders && !self.nodes.contains_key(from) {
            let message = M::parse(text).filter(|message| format!("{message}") == text);
            let help = "write the message as a `sends` line shows it";
            return message.ok_or_else(|| InputError::new("not a message", help));
        }
        let between = |a: &str, b: &str| {
            let (a, b) = (a.to_owned(), b.to_owned());
            self.sent.iter().filter(move |sent| sent.from == a && sent.to == b)
        };
        let sent = between(from, to).flat_map(|sent| {
            let mut all = sent.message.altered();
            all.insert(0, sent.message.clone());
            all
        });
        let unanswered = between(to, from).flat_map(|sent| sent.message.unanswered());
        let mut all = sent.chain(unanswered);
        all.find(|message| format!("{message}") == text).ok_or_else(|| {
            let last = between(from, to).last().map(|sent| format!("{}", sent.message));
            let last = last.map_or("none".into(), |last| format!("`{last}`"));
            let reason = format!("`{from}` has not sent this message to `{to}`");
            InputError::new(reason, format!("the last message that it sent: {last}"))
        })
    }
}
