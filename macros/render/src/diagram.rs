//! A table as a picture has it: states as boxes, rows between the same two states as one arrow.
//!
//! It knows neither where a box stands nor how an arrow runs; that is the layout's.

/// What a picture shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// Above the picture.
    pub title: String,
    /// Below the title, smaller.
    pub subtitle: String,
    /// States in the table's order.
    pub nodes: Vec<Node>,
    /// Arrows in the order of their first rows.
    pub arrows: Vec<Arrow>,
    /// How much of the table it shows.
    pub view: View,
}

impl Diagram {
    /// An arrow into a final state recedes, so that the machine's course stands out.
    pub(crate) fn is_dim(&self, arrow: &Arrow) -> bool {
        self.view == View::Whole && self.nodes[arrow.to].is_final()
    }
}

/// How much of a table a diagram shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Every row with its actions.
    #[default]
    Whole,
    /// Every event; ends and retries as notes.
    Overview,
    /// One state, at this place in [`Diagram::nodes`], with its neighbours.
    Focus(usize),
}

/// A state as a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The document's prose on it, or empty.
    pub about: String,
    /// What it holds, a line each.
    pub holds: Vec<String>,
    /// What it waits for, which gives its colour.
    pub phase: Phase,
    /// A machine begins here.
    pub initial: bool,
    /// An amendment adds it or changes what it is.
    pub amended: bool,
    /// Rows that do not leave it.
    pub loops: Vec<Entry>,
    /// The notes of an overview, which stand for states and arrows that it does not draw.
    pub notes: Vec<Note>,
}

impl Node {
    /// Whether a machine ends here.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.phase == Phase::End
    }
}

/// A line in a box that stands for arrows and states that are not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it stands for.
    pub kind: NoteKind,
    /// The line.
    pub text: String,
}

/// What a note stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A state that a timer leads back from, and the events that lead to it.
    Retry,
    /// A state in which the machine ends, and the events that lead to it.
    End,
    /// The events that do not leave the state.
    Stay,
}

/// What a state waits for, by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// A request is out: an answer.
    Answer,
    /// Only timers: time.
    Time,
    /// Neither: the user or the environment.
    Rest,
    /// Nothing: it is final.
    End,
    /// It is named but not declared.
    Undeclared,
    /// No state but several, from which the same events lead to one other.
    Several,
}

/// All rows from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The place of the source in [`Diagram::nodes`].
    pub from: usize,
    /// The place of the destination, another state.
    pub to: usize,
    /// The rows.
    pub entries: Vec<Entry>,
}

impl Arrow {
    /// Who causes all of its rows, if it is the same for all.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        let first = self.entries.first()?.cause;
        self.entries.iter().all(|entry| entry.cause == first).then_some(first)
    }
}

/// One row on an arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row's id.
    pub row: String,
    /// The event and its payload.
    pub event: String,
    /// The condition, or empty.
    pub guard: String,
    /// Who causes it, which gives its colour.
    pub cause: Cause,
    /// What is done.
    pub does: Vec<String>,
    /// The amendment that adds or changes the row.
    pub amended_by: Option<String>,
}

impl Entry {
    /// The event, and the condition in square brackets.
    #[must_use]
    pub fn words(&self) -> String {
        match self.guard.as_str() {
            "" => self.event.clone(),
            guard => format!("{} [{guard}]", self.event),
        }
    }
}

/// Who causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A request's answer, or a message.
    Answer,
    /// A timer.
    Time,
    /// The user or the environment.
    Command,
    /// Nobody: the row has no event.
    Completion,
}
