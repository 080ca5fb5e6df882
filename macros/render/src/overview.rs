//! A diagram with less in it: where the machine ends and what only retries become notes in the
//! box of the state that leads there, and an arrow has its events without actions.
//!
//! Each event stands on an arrow or in a note, but for the timer that leads back from a retry and
//! for the rows of a state that can only lead to a final one.

use crate::diagram::{Arrow, Cause, Diagram, Entry, Node, Note, NoteKind, Phase, View};

/// What stands for a condition.
const CONDITION: &str = "\u{2026}";

/// With more arrows than this, those that are alike are drawn as one.
const ARROWS_MAX: usize = 16;

/// So many arrows with the same events into one state are drawn as one.
const JOINED_MIN: usize = 3;

/// The overview of a diagram.
#[must_use]
pub fn overview(diagram: &Diagram) -> Diagram {
    let fold = Fold::of(diagram);
    let mut nodes = Vec::new();
    // The place of each state that is still drawn.
    let mut place = vec![usize::MAX; diagram.nodes.len()];
    for (index, node) in diagram.nodes.iter().enumerate() {
        if fold.is_drawn(index) {
            place[index] = nodes.len();
            nodes.push(Node {
                holds: Vec::new(),
                loops: Vec::new(),
                notes: fold.notes(index),
                amended: false,
                ..node.clone()
            });
        }
    }
    let mut arrows: Vec<Arrow> = Vec::new();
    for arrow in &diagram.arrows {
        let (from, to) = (fold.host(arrow.from), arrow.to);
        if from == to || !fold.is_drawn(from) || !fold.is_drawn(to) {
            continue;
        }
        let (from, to) = (place[from], place[to]);
        match arrows.iter_mut().find(|known| (known.from, known.to) == (from, to)) {
            Some(known) => known.entries.extend(arrow.entries.iter().cloned()),
            None => arrows.push(Arrow { from, to, entries: arrow.entries.clone() }),
        }
    }
    for arrow in &mut arrows {
        arrow.entries = events(&arrow.entries);
    }
    let title = format!("{}: overview", diagram.title);
    let small = Diagram { title, nodes, arrows, view: View::Overview, ..diagram.clone() };
    if small.arrows.len() > ARROWS_MAX { join(small) } else { small }
}

/// Draws many arrows with the same events into one state as one, from a box that lists the states
/// that they leave.
fn join(diagram: Diagram) -> Diagram {
    let names = |arrow: &Arrow| -> Vec<String> {
        arrow.entries.iter().map(|entry| entry.event.clone()).collect()
    };
    let mut joined = Diagram { arrows: Vec::new(), ..diagram.clone() };
    for arrow in &diagram.arrows {
        let is_like = |other: &&Arrow| other.to == arrow.to && names(other) == names(arrow);
        let like: Vec<&Arrow> = diagram.arrows.iter().filter(is_like).collect();
        if like.len() < JOINED_MIN {
            joined.arrows.push(arrow.clone());
        } else if like[0] == arrow {
            let states = like.iter().map(|arrow| diagram.nodes[arrow.from].name.clone());
            let entries: Vec<Entry> = like.iter().flat_map(|arrow| arrow.entries.clone()).collect();
            let entries = events(&entries);
            joined.arrows.push(Arrow { from: joined.nodes.len(), to: arrow.to, entries });
            joined.nodes.push(Node {
                name: String::new(),
                about: String::new(),
                holds: states.collect(),
                phase: Phase::Several,
                initial: false,
                amended: false,
                loops: Vec::new(),
                notes: Vec::new(),
            });
        }
    }
    joined
}

/// Which states are notes of others.
struct Fold<'a> {
    diagram: &'a Diagram,
    /// Whether the machine ends there.
    ends: Vec<bool>,
    /// The state that each state retries.
    retried: Vec<Option<usize>>,
}

impl<'a> Fold<'a> {
    fn of(diagram: &'a Diagram) -> Self {
        let states = diagram.nodes.len();
        let mut fold = Self { diagram, ends: Vec::new(), retried: vec![None; states] };
        fold.ends = (0..states).map(|state| fold.is_end(state)).collect();
        for state in 0..states {
            fold.retried[state] = fold.retries(state);
        }
        fold
    }

    fn is_drawn(&self, state: usize) -> bool {
        !self.ends[state] && self.retried[state].is_none()
    }

    /// The state whose box a state's arrows leave.
    fn host(&self, state: usize) -> usize {
        self.retried[state].unwrap_or(state)
    }

    fn leaving(&self, state: usize) -> impl Iterator<Item = &'a Arrow> {
        self.diagram.arrows.iter().filter(move |arrow| arrow.from == state)
    }

    /// Whether the machine ends here: the state is final, or holds nothing and only leads to final
    /// states.
    fn is_end(&self, state: usize) -> bool {
        let node = &self.diagram.nodes[state];
        let is_final = |arrow: &Arrow| self.diagram.nodes[arrow.to].is_final();
        let is_over = node.phase == Phase::Rest && node.holds.is_empty();
        !node.initial
            && (node.is_final()
                || (is_over
                    && self.leaving(state).next().is_some()
                    && self.leaving(state).all(is_final)))
    }

    /// The state that this one only retries: the only one that leads here, to which a timer leads
    /// back, and which leads wherever else this one leads.
    fn retries(&self, state: usize) -> Option<usize> {
        let node = &self.diagram.nodes[state];
        if node.initial || node.phase != Phase::Time || self.ends[state] {
            return None;
        }
        let mut entering = self.diagram.arrows.iter().filter(|arrow| arrow.to == state);
        let host = entering.next()?.from;
        if entering.next().is_some() || self.retried[host].is_some() {
            return None;
        }
        let is_timer = |arrow: &Arrow| arrow.cause() == Some(Cause::Time);
        let mut back = self.leaving(state).filter(|arrow| arrow.to == host);
        let mut others = self.leaving(state).filter(|arrow| arrow.to != host);
        let leads_too = |to| self.ends[to] || self.leaving(host).any(|arrow| arrow.to == to);
        (back.next().is_some_and(is_timer) && others.all(|arrow| leads_too(arrow.to)))
            .then_some(host)
    }

    fn notes(&self, state: usize) -> Vec<Note> {
        let mut notes = Vec::new();
        let own = |arrow: &&Arrow| self.host(arrow.from) == state;
        let mut put = |kind, entries: &[Entry], to: Option<&Node>| {
            let list = listed(&events(entries));
            let text = to.map_or(list.clone(), |node| format!("{}: {list}", node.name));
            if !list.is_empty() {
                notes.push(Note { kind, text });
            }
        };
        let all: Vec<usize> = (0..self.diagram.nodes.len()).collect();
        let to = |end: usize| -> Vec<Entry> {
            let arrows = self.diagram.arrows.iter().filter(own);
            arrows.filter(|arrow| arrow.to == end).flat_map(|arrow| arrow.entries.clone()).collect()
        };
        let node = |state: usize| &self.diagram.nodes[state];
        for retry in all.iter().filter(|other| self.retried[**other] == Some(state)) {
            put(NoteKind::Retry, &to(*retry), Some(node(*retry)));
        }
        for end in all.iter().filter(|other| self.ends[**other]) {
            put(NoteKind::End, &to(*end), Some(node(*end)));
        }
        let stay = all.iter().filter(|other| self.host(**other) == state);
        let stay: Vec<Entry> = stay.flat_map(|other| node(*other).loops.clone()).collect();
        put(NoteKind::Stay, &stay, None);
        notes
    }
}

/// The events of some rows, each once, without actions; the condition is a sign.
fn events(entries: &[Entry]) -> Vec<Entry> {
    let mut events: Vec<Entry> = Vec::new();
    for entry in entries {
        let guard = if entry.guard.is_empty() { String::new() } else { CONDITION.to_owned() };
        match events.iter_mut().find(|known| known.event == entry.event) {
            Some(known) => {
                known.row = format!("{}, {}", known.row, entry.row);
                known.guard = if known.guard.is_empty() { String::new() } else { guard };
            }
            None => {
                events.push(Entry { guard, does: Vec::new(), amended_by: None, ..entry.clone() })
            }
        }
    }
    events
}

/// Events in one line; those that differ in their payloads alone name the event once.
fn listed(entries: &[Entry]) -> String {
    let mut list: Vec<(String, String)> = Vec::new();
    for entry in entries {
        let words = entry.words();
        let name = words.split_once(" (").map_or(words.as_str(), |(name, _)| name).to_owned();
        match list.last_mut() {
            Some((known, line)) if *known == name && words.len() > name.len() => {
                *line += &format!(",{}", &words[name.len()..]);
            }
            _ => list.push((name, words)),
        }
    }
    list.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(", ")
}
