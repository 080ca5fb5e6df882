//! The input of every format: one version of a table, as written or amended, with its findings.

use turnstile_spec::cell_index::CellIndex;
use turnstile_spec::diagnostic::Diagnostic;
use turnstile_spec::table::{
    Event, EventId, ResourceId, ResourceKind, Row, RowId, RowSource, State, StateId, Table,
    Vocabulary,
};
use turnstile_spec::versions::{Amendment, Document};
use turnstile_spec::{AmendedTable, Source, WrittenTable};

use crate::payload::{self, Class};

/// Which of the two tables of a file is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The document's.
    AsWritten,
    /// The one that its amendments make of it.
    Amended,
}

/// A table, ready to be written.
#[derive(Clone, Debug)]
pub struct Sheet<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) table: Table,
    /// The document's, where it is known.
    pub(crate) literal: Option<&'a WrittenTable>,
    pub(crate) document: Option<&'a Document>,
    pub(crate) amendments: &'a [Amendment],
    /// What is wrong with the document's table.
    pub(crate) findings: &'a [Diagnostic],
    pub(crate) source: Option<&'a Source>,
    pub(crate) version: Version,
    /// The ids of the rows that a part shows.
    part: Option<Vec<String>>,
}

impl<'a> Sheet<'a> {
    /// The amended table of a file; as written if it has findings that no amendment removes.
    #[must_use]
    pub fn of(literal: &'a WrittenTable) -> Self {
        let sheet = Self::as_written(literal);
        match literal.amended() {
            Ok(sound) if !literal.amendments.is_empty() => {
                Self { table: sound.table, version: Version::Amended, ..sheet }
            }
            _ => sheet,
        }
    }

    /// The document's table.
    #[must_use]
    pub fn as_written(literal: &'a WrittenTable) -> Self {
        Self {
            vocabulary: &literal.vocabulary,
            table: literal.table.clone(),
            literal: Some(literal),
            document: literal.document.as_ref(),
            amendments: &literal.amendments,
            findings: &literal.findings,
            source: Some(&literal.source),
            version: Version::AsWritten,
            part: None,
        }
    }

    /// An amended table without its source text.
    #[must_use]
    pub fn of_sound(sound: &'a AmendedTable) -> Self {
        Self {
            vocabulary: &sound.vocabulary,
            table: sound.table.clone(),
            literal: None,
            document: sound.document.as_ref(),
            amendments: &sound.amendments,
            findings: &[],
            source: None,
            version: Version::Amended,
            part: None,
        }
    }

    /// The document's table, where it is known.
    pub(crate) fn back_as_written(&self) -> Self {
        let Some(literal) = self.literal else { return self.clone() };
        Self { table: literal.table.clone(), version: Version::AsWritten, ..self.clone() }
    }

    /// Only the rows of these ids, and the states that they touch.
    #[must_use]
    pub fn part(mut self, ids: &[&str]) -> Self {
        let vocabulary = self.vocabulary;
        self.table.rows.retain(|row| ids.contains(&vocabulary.rows[row.id.index()].id.as_str()));
        for index in 0..self.table.states.len() {
            let touches = |row: &Row| row.from.index() == index || row.to.index() == index;
            if !self.table.rows.iter().any(touches) {
                self.table.states[index] = None;
            }
        }
        self.part = Some(ids.iter().map(|id| (*id).to_owned()).collect());
        self
    }

    /// The machine's name.
    pub(crate) fn machine(&self) -> &str {
        &self.vocabulary.machine
    }

    /// The machine's name and which table this is.
    pub(crate) fn title(&self) -> String {
        let version = match self.version {
            _ if self.amendments.is_empty() => "",
            Version::AsWritten => ", as its document has it",
            Version::Amended => ", as amended",
        };
        let part = match &self.part {
            Some(ids) => format!(", rows {}", ids.join(", ")),
            None => String::new(),
        };
        format!("{}{version}{part}", self.machine())
    }

    /// The states of this table, in the vocabulary's order.
    pub(crate) fn states(&self) -> impl Iterator<Item = StateId> + '_ {
        let is_here = |index: &usize| {
            let touches = |row: &Row| row.from.index() == *index || row.to.index() == *index;
            let state = self.table.states.get(*index).and_then(Option::as_ref);
            state.is_some_and(|_| self.is_declared(*index)) || self.table.rows.iter().any(touches)
        };
        (0..self.vocabulary.states.len()).filter(is_here).map(|index| StateId(number(index)))
    }

    fn is_declared(&self, state: usize) -> bool {
        self.vocabulary.states[state].declared
    }

    /// The events, in the vocabulary's order.
    pub(crate) fn events(&self) -> impl Iterator<Item = (EventId, &'a Event)> + use<'a> {
        let events = self.vocabulary.events.iter().enumerate();
        events.map(|(index, event)| (EventId(number(index)), event))
    }

    pub(crate) fn state(&self, state: StateId) -> Option<&State> {
        self.table.states.get(state.index())?.as_ref()
    }

    pub(crate) fn state_name(&self, state: StateId) -> &'a str {
        &self.vocabulary.states[state.index()].name
    }

    /// Whether an event never occurs in a state: rows without an event leave it at once, or the
    /// event is that of such rows.
    pub(crate) fn is_absent(&self, state: StateId, event: EventId) -> bool {
        let words = self.vocabulary;
        words.completion().is_some_and(|completion| {
            completion == event || CellIndex::new(words, &self.table).never_rests(state)
        })
    }

    pub(crate) fn is_final(&self, state: StateId) -> bool {
        self.state(state).is_some_and(|state| state.is_final)
    }

    /// What is said about a state, and the actions of rows that enter or leave it.
    pub(crate) fn about(&self, state: StateId) -> String {
        let mut parts = vec![self.vocabulary.states[state.index()].about.clone()];
        if let Some(of) = self.state(state) {
            for (what, actions) in [("entry", &of.entry), ("exit", &of.exit)] {
                let names = actions.iter().map(|id| &*self.vocabulary.actions[id.index()].name);
                let names: Vec<&str> = names.collect();
                if !names.is_empty() {
                    parts.push(format!("{what}: {}", names.join(", ")));
                }
            }
        }
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }

    /// What a state holds, in words.
    pub(crate) fn holds(&self, state: StateId) -> Vec<String> {
        let Some(state) = self.state(state) else { return Vec::new() };
        let name = |id: &ResourceId| self.vocabulary.resources[id.index()].name.name.clone();
        let maybe = state.may_hold.iter().map(|id| format!("perhaps {}", name(id)));
        state.holds.iter().map(name).chain(maybe).collect()
    }

    /// The kinds of what a state holds.
    pub(crate) fn held_kinds(&self, state: StateId) -> Vec<ResourceKind> {
        let Some(state) = self.state(state) else { return Vec::new() };
        let held = state.holds.iter().chain(&state.may_hold);
        held.map(|id| self.vocabulary.resources[id.index()].kind).collect()
    }

    /// A row in the words of the file.
    pub(crate) fn written(&self, row: RowId) -> &'a RowSource {
        &self.vocabulary.rows[row.index()]
    }

    /// The written rows of this table, in the order of the table, each once.
    pub(crate) fn written_rows(&self) -> Vec<&'a RowSource> {
        let mut ids: Vec<RowId> = Vec::new();
        for row in &self.table.rows {
            if !ids.contains(&row.id) {
                ids.push(row.id);
            }
        }
        ids.into_iter().map(|id| self.written(id)).collect()
    }

    /// The event of a row: the file's words, unless the file names several in one row.
    pub(crate) fn event_words(&self, row: &Row) -> String {
        let same = self.table.rows.iter().filter(|other| other.id == row.id);
        if same.clone().all(|other| other.event == row.event) {
            return self.written(row.id).event.clone();
        }
        self.class_name(&Class { event: row.event, pattern: row.pattern.clone() })
    }

    /// An event and its payloads in words.
    pub(crate) fn class_name(&self, class: &Class) -> String {
        let event = &self.vocabulary.events[class.event.index()];
        let words = event.payload.as_ref().map(|one| payload::words(&one.domain, &class.pattern));
        match words.filter(|words| !words.is_empty()) {
            Some(words) => format!("{} ({words})", event.name.name),
            None => event.name.name.clone(),
        }
    }

    /// A line under the title: where the table comes from and how big it is.
    pub(crate) fn subtitle(&self) -> String {
        let document = self.document.map_or(String::new(), |document| {
            let section = if document.section.is_empty() { "" } else { ", " };
            let title = if document.title.is_empty() { &document.file } else { &document.title };
            format!("{title}{section}{}: ", document.section)
        });
        let counts = counts(self.states().count(), "state")
            + ", "
            + &counts(self.written_rows().len(), "row");
        let changes = self.written_rows().iter().filter(|row| row.amended_by.is_some()).count();
        match changes {
            0 => format!("{document}{counts}"),
            _ => format!("{document}{counts}, {} of them amended", changes),
        }
    }
}

fn number(index: usize) -> u16 {
    u16::try_from(index).expect("the reader's limits keep every list below 65,536")
}

/// A count and its noun.
pub(crate) fn counts(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
