//! What has happened to each message, as only a test can see it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use turnstile_host::transport::{Counts, Receiver, Unsent};

/// The life of a node that sends, and a number that grows in it.
pub(super) type Text = (u64, u64);

/// A message: who sends it to whom, and what it says.
type Sent = (u32, u32, Text);

/// All that has happened in a simulation.
#[derive(Default)]
pub(super) struct Record {
    /// The lives that have begun.
    pub(super) lives: u64,
    /// What is wrong.
    pub(super) faults: Vec<String>,
    /// Who has heard whom say something new since all is calm.
    pub(super) calm: BTreeSet<(u32, u32)>,
    /// The last counts of each life.
    pub(super) counts: BTreeMap<u64, Counts>,
    is_calm: bool,
    /// Those that were sent when all was calm.
    sent_calm: BTreeSet<Sent>,
    handed_back: BTreeSet<Sent>,
    heard: BTreeSet<Sent>,
    /// The last number heard of each life, at each node.
    last: BTreeMap<(u64, u32), u64>,
}

impl Record {
    pub(super) fn begin_life(&mut self) -> u64 {
        self.lives += 1;
        self.lives
    }

    pub(super) fn be_calm(&mut self) {
        self.is_calm = true;
    }

    pub(super) fn sent(&mut self, from: u32, to: u32, life: u64, number: u64, is_taken: bool) {
        let sent = (from, to, (life, number));
        if !is_taken {
            self.hand_back(sent);
        } else if self.is_calm {
            self.sent_calm.insert(sent);
        }
    }

    fn hand_back(&mut self, sent: Sent) {
        if self.heard.contains(&sent) {
            self.faults.push(format!("{sent:?} is handed back, and has arrived"));
        }
        if !self.handed_back.insert(sent) {
            self.faults.push(format!("{sent:?} is handed back twice"));
        }
    }

    fn hear(&mut self, sent @ (from, to, (life, number)): Sent) {
        if self.handed_back.contains(&sent) {
            self.faults.push(format!("{sent:?} arrives, and was handed back"));
        }
        if !self.heard.insert(sent) {
            self.faults.push(format!("{sent:?} arrives twice"));
        }
        if let Some(before) = self.last.insert((life, to), number).filter(|last| *last >= number) {
            self.faults.push(format!("{sent:?} arrives after {before}"));
        }
        if self.sent_calm.contains(&sent) {
            self.calm.insert((from, to));
        }
    }
}

/// Writes down what a node hears and gets back.
#[derive(Clone)]
pub(super) struct Recorder {
    own: u32,
    seen: Arc<Mutex<Record>>,
}

impl Recorder {
    pub(super) fn new(own: u32, seen: Arc<Mutex<Record>>) -> Self {
        Self { own, seen }
    }
}

impl Receiver<u32, Text> for Recorder {
    async fn deliver(&self, from: u32, text: Text) {
        self.seen.lock().expect("no panic").hear((from, self.own, text));
    }

    fn unsent(&self, unsent: Unsent<u32, Text>) {
        self.seen.lock().expect("no panic").hand_back((self.own, unsent.to, unsent.message));
    }
}
