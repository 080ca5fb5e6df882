//! The nodes of a scenario, and every message that one of them has sent to another.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::actor::{Actor, Travels};

/// Where a scenario is played.
pub struct Stage<M> {
    nodes: BTreeMap<String, Box<dyn Actor<M>>>,
    sent: Vec<Letter<M>>,
}

struct Letter<M> {
    from: String,
    to: String,
    message: M,
}

impl<M: Travels> Default for Stage<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Travels> Stage<M> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { nodes: BTreeMap::new(), sent: Vec::new() }
    }

    /// Puts a node on it.
    pub fn enter(&mut self, name: &str, node: Box<dyn Actor<M>>) {
        self.nodes.insert(name.to_owned(), node);
    }

    /// One input happens to one node; the effects, in words.
    ///
    /// # Errors
    ///
    /// Why it cannot happen.
    pub fn happen(&mut self, name: &str, words: &str) -> Result<Vec<String>, String> {
        let heard = match words.strip_prefix("hears ") {
            None => None,
            Some(words) => {
                let (from, words) = words.split_once(": ").ok_or("from whom does it hear it?")?;
                Some((from, self.find(from, name, words)?))
            }
        };
        let node = self.nodes.get_mut(name).ok_or("no such node is on stage")?;
        let (effects, sent) = match heard {
            None => node.happen(words)?,
            Some((from, message)) => node.hear(from, message)?,
        };
        for (to, message) in sent {
            self.sent.push(Letter { from: name.to_owned(), to, message });
        }
        Ok(effects)
    }

    /// The message that reads so and that may arrive: one that was sent, altered by the network at
    /// most; or what stands for the answer to a request. Once sent it may arrive more than once.
    fn find(&self, from: &str, to: &str, words: &str) -> Result<M, String> {
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
        all.find(|message| format!("{message}") == words)
            .ok_or_else(|| format!("{from} never sent it to {to}"))
    }
}
