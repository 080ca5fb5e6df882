//! The nodes of a scenario, and every message that one of them has sent to another.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::node::{Deliverable, Did, Node, Wrong};

/// Where a scenario is played.
pub struct Network<M> {
    nodes: BTreeMap<String, Box<dyn Node<M>>>,
    sent: Vec<Letter<M>>,
    /// Whether nodes hear from others that have not entered.
    has_strangers: bool,
}

struct Letter<M> {
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
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { nodes: BTreeMap::new(), sent: Vec::new(), has_strangers: false }
    }

    /// Puts a node on it, in the place of one that has the same name.
    pub fn enter(&mut self, name: &str, node: Box<dyn Node<M>>) {
        self.nodes.insert(name.to_owned(), node);
    }

    /// From here on nodes may hear whatever they are said to hear from who has not entered.
    pub const fn admit_strangers(&mut self) {
        self.has_strangers = true;
    }

    /// One input happens to one node.
    ///
    /// # Errors
    ///
    /// Why it cannot happen.
    pub fn happen(&mut self, name: &str, words: &str) -> Result<Did<M>, Wrong> {
        let heard = match words.strip_prefix("hears ") {
            None => None,
            Some(words) => {
                let (from, words) = words.split_once(": ").ok_or_else(|| {
                    Wrong::new("from whom does it hear it?", "`hears WHOM: WHAT`")
                })?;
                Some((from, self.find(from, name, words)?))
            }
        };
        let entered = || Wrong::new("no such node has entered", "it enters by `NAME is a WHAT`");
        let node = self.nodes.get_mut(name).ok_or_else(entered)?;
        let did = match heard {
            None => node.happen(words)?,
            Some((from, message)) => node.hear(from, message)?,
        };
        for (to, message) in &did.sent {
            // What a stranger is sent nobody hears.
            if !self.has_strangers || self.nodes.contains_key(to) {
                let (from, to) = (name.to_owned(), to.clone());
                self.sent.push(Letter { from, to, message: message.clone() });
            }
        }
        Ok(did)
    }

    /// The last step of a node as a line of a trace.
    pub(super) fn last_step(&self, name: &str) -> Option<String> {
        self.nodes.get(name)?.last_step(name)
    }

    /// The message that reads so and that may arrive: one that was sent, altered by the network at
    /// most; or what stands for the answer to a request. Once sent it may arrive more than once.
    fn find(&self, from: &str, to: &str, words: &str) -> Result<M, Wrong> {
        if self.has_strangers && !self.nodes.contains_key(from) {
            let message = M::read(words).filter(|message| format!("{message}") == words);
            let help = "it is written as in a `sends` line";
            return message.ok_or_else(|| Wrong::new("no message reads so", help));
        }
        let between = |a: &str, b: &str| {
            let (a, b) = (a.to_owned(), b.to_owned());
            self.sent.iter().filter(move |letter| letter.from == a && letter.to == b)
        };
        let sent = between(from, to).flat_map(|letter| {
            let mut all = letter.message.altered();
            all.insert(0, letter.message.clone());
            all
        });
        let unanswered = between(to, from).flat_map(|letter| letter.message.unanswered());
        let mut all = sent.chain(unanswered);
        all.find(|message| format!("{message}") == words).ok_or_else(|| {
            let last = between(from, to).last().map(|letter| format!("{}", letter.message));
            let last = last.map_or("nothing".into(), |last| format!("last: `{last}`"));
            let because = format!("{from} never sent it to {to}");
            Wrong::new(because, format!("it has sent {last}"))
        })
    }
}
