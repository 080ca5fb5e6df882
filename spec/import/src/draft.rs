//! The machine between document and table file: what the rows say, and what is concluded from it.

use crate::grid::Word;

/// The event of a row that has none.
pub(crate) const START: &str = "start";

/// A state.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateDraft {
    pub(crate) name: Word,
    pub(crate) about: String,
    pub(crate) holds: Vec<String>,
    pub(crate) may_hold: Vec<String>,
    pub(crate) is_initial: bool,
    pub(crate) is_final: bool,
    /// Used, but missing from the document's table of states.
    pub(crate) is_undeclared: bool,
    pub(crate) cite: Option<(u32, u32)>,
    pub(crate) ident: Option<String>,
    pub(crate) guesses: Vec<String>,
}

/// What a document writes after a state's name: `initial`, `final`.
#[derive(Clone, Debug)]
pub(crate) struct StateMark {
    pub(crate) state: Word,
    /// In lower case.
    pub(crate) mark: String,
}

impl StateMark {
    pub(crate) fn is_initial(&self) -> bool {
        self.has(&["initial", "start"])
    }

    pub(crate) fn is_final(&self) -> bool {
        self.has(&["final", "end"])
    }

    fn has(&self, known: &[&str]) -> bool {
        self.mark.split(", ").any(|word| known.contains(&word))
    }
}

/// Who causes an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventCause {
    #[default]
    Unknown,
    Command,
    Message,
    /// The resource, or the generic name of several, that it uses up.
    Consumes(String),
}

/// A payload: its field and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PayloadDraft {
    pub(crate) field: &'static str,
    /// A range of numbers or `boolean`.
    pub(crate) range: String,
    /// The words, where it is no range.
    pub(crate) words: Vec<String>,
}

impl PayloadDraft {
    pub(crate) fn of_range(field: &'static str, range: impl Into<String>) -> Self {
        Self { field, range: range.into(), words: Vec::new() }
    }
}

/// An event without its pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventDraft {
    pub(crate) name: Word,
    pub(crate) about: String,
    pub(crate) cause: EventCause,
    pub(crate) payload: Option<PayloadDraft>,
    pub(crate) ident: Option<String>,
    pub(crate) guesses: Vec<String>,
}

/// What an action does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Creates,
    Deletes,
    Restarts,
    Abandons,
}

/// An action.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActionDraft {
    pub(crate) name: Word,
    pub(crate) about: String,
    pub(crate) operation: Option<(Operation, String)>,
    pub(crate) ident: Option<String>,
    pub(crate) guesses: Vec<String>,
}

/// The kind of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResourceClass {
    Timer,
    Request,
    Note,
    /// A generic name for these.
    AnyOf(Vec<String>),
}

/// A timer, a request or a note.
#[derive(Clone, Debug)]
pub(crate) struct ResourceDraft {
    pub(crate) name: Word,
    pub(crate) class: ResourceClass,
    pub(crate) ident: Option<String>,
    pub(crate) guesses: Vec<String>,
}

/// A named condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardDraft {
    pub(crate) name: Word,
    pub(crate) ident: Option<String>,
    pub(crate) guesses: Vec<String>,
}

/// The condition of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    Is(String),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// A row.
#[derive(Clone, Debug)]
pub(crate) struct RowDraft {
    /// Whether the document has a place for its event, empty or not; an arrow without words has
    /// none.
    pub(crate) has_place: bool,
    /// One state, several, or `any`.
    pub(crate) from: Vec<Word>,
    /// A state, or `same`.
    pub(crate) to: Word,
    /// The event, with what stands in parentheses after it. Empty: the document names none.
    pub(crate) event: Word,
    /// The name of the event without a pattern, once payloads are known.
    pub(crate) event_name: String,
    pub(crate) guard: Option<Formula>,
    pub(crate) actions: Vec<Word>,
    pub(crate) cite: (u32, u32),
    pub(crate) guesses: Vec<String>,
}

/// What a document says of a cell without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellMark {
    /// Nothing changes.
    Ignored,
    /// It cannot happen.
    Impossible,
    /// It cannot happen, or nothing changes if the event is a command.
    Absent,
}

/// A cell without a row.
#[derive(Clone, Debug)]
pub(crate) struct CellDraft {
    pub(crate) states: Vec<Word>,
    pub(crate) events: Vec<Word>,
    pub(crate) because: String,
    pub(crate) mark: CellMark,
    /// The document's lines; `None` if another file says it.
    pub(crate) cite: Option<(u32, u32)>,
}

/// The whole machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) machine: String,
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) section: String,
    pub(crate) states: Vec<StateDraft>,
    /// The marks of states in rows and headers.
    pub(crate) marks: Vec<StateMark>,
    pub(crate) events: Vec<EventDraft>,
    pub(crate) actions: Vec<ActionDraft>,
    pub(crate) resources: Vec<ResourceDraft>,
    pub(crate) guards: Vec<GuardDraft>,
    pub(crate) rows: Vec<RowDraft>,
    pub(crate) cells: Vec<CellDraft>,
    /// Whether the document has a table of states.
    pub(crate) has_states: bool,
    /// Whether that says what states hold.
    pub(crate) has_holds: bool,
    /// Whether a row without an event got one.
    pub(crate) has_start: bool,
}

impl Draft {
    pub(crate) fn state(&self, name: &str) -> Option<&StateDraft> {
        self.states.iter().find(|state| state.name.text == name)
    }

    pub(crate) fn event(&mut self, name: &str) -> Option<&mut EventDraft> {
        self.events.iter_mut().find(|event| event.name.text == name)
    }

    pub(crate) fn resource(&self, name: &str) -> Option<&ResourceDraft> {
        self.resources.iter().find(|resource| resource.name.text == name)
    }

    /// The states that a row leaves: `any` is every state that is not final.
    pub(crate) fn sources(&self, row: &RowDraft) -> Vec<String> {
        if row.from.iter().any(|word| word.text == "any") {
            let states = self.states.iter().filter(|state| !state.is_final);
            return states.map(|state| state.name.text.clone()).collect();
        }
        row.from.iter().map(|word| word.text.clone()).collect()
    }
}
