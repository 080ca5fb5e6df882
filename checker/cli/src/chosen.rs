//! The tables that a verb is asked about, by their names, those of systems, or files; read, with
//! the systems that may run them.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use turnstile_harness::Systems;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::read;
use turnstile_harness::status::Status;
use turnstile_spec::literal::Literal;
use turnstile_spec::{Faults, System};

use super::bounds::Bounds;
use super::library::{self, Library, Origin, Text};
use super::lint;
use super::output::{complain, put};
use super::terminal::{self, Line};

/// What is asked about.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// In the order asked, each once.
    pub(crate) tables: Vec<Arc<Literal>>,
    /// The systems that can be run.
    pub(crate) known: Systems,
    /// The files of systems that can be read, by name.
    pub(crate) systems: Vec<System>,
    /// The tables that are not what was compiled in, and that therefore run in its place.
    pub(crate) edited: Vec<Replacement>,
    /// What is wrong with the names and the files; it was said on standard error.
    pub(crate) status: Status,
    /// Whether anything comes from the library, not from a file that was named.
    pub(crate) is_of_library: bool,
}

/// What a verb that searches the tables it is asked about works with.
pub(crate) struct Work<'w> {
    /// What is asked about.
    pub(crate) chosen: &'w Chosen,
    /// Within the bounds, with the tables that run in place of the compiled ones.
    pub(crate) options: Options<'w>,
    /// The line that shows how far it is.
    pub(crate) line: &'w Line,
    /// When the command began.
    pub(crate) begun: Instant,
}

/// Reads what the words mean and does the work, if there is a table to do it on.
pub(crate) fn work(
    systems: Systems,
    words: &[String],
    is_json: bool,
    bounds: &Bounds,
    work: impl FnOnce(&Work<'_>) -> Status,
) -> Status {
    let begun = Instant::now();
    let library = match Library::load(systems) {
        Ok(library) => library,
        Err(error) => return complain(&error),
    };
    let chosen = Chosen::of(&library, words);
    let mut status = chosen.status;
    if chosen.tables.is_empty() {
        return status;
    }
    terminal::stop_on_interrupt();
    let line = Line::new();
    let tables = chosen.edited.clone();
    let options = Options { tables, ..bounds.options(begun, &line) };
    if let Some(remark) = library.remark().filter(|_| chosen.is_of_library && !is_json) {
        status = status.and(put(&format!("{}\n\n", terminal::paint().dim(&remark))));
    }
    status.and(work(&Work { chosen: &chosen, options, line: &line, begun }))
}

impl Chosen {
    /// Reads what the words mean; no word: every table known here.
    pub(crate) fn of(library: &Library, words: &[String]) -> Self {
        let is_of_library = words.is_empty();
        let mut chosen = Self { known: library.known, is_of_library, ..Self::default() };
        for text in &library.systems {
            if let Some(system) = chosen.said(&text.source.name, read::system(&text.source)) {
                chosen.systems.push(System::clone(&system));
            }
        }
        chosen.edit(library);
        if words.is_empty() {
            library.tables.iter().for_each(|text| chosen.add(text));
        }
        for word in words {
            if library.is_file(word) {
                chosen.file(Path::new(word));
            } else {
                chosen.name(library, word);
            }
        }
        chosen
    }

    /// Reads the tables of the checkout that are others than in the binary.
    fn edit(&mut self, library: &Library) {
        for text in library.tables.iter().filter(|text| text.origin == Origin::Other) {
            if let Some(sound) = self.said(&text.source.name, read::sound(&text.source)) {
                let (vocabulary, table) = (sound.vocabulary.clone(), sound.table.clone());
                self.edited.push(Replacement { vocabulary, table, source: text.source.clone() });
            }
        }
    }

    fn file(&mut self, path: &Path) {
        match library::read(path) {
            Ok(text) if lint::is_system(&text) => {
                let what = format!("{} is a system; this is asked of tables", text.source.name);
                self.status = self.status.and(complain(&what));
            }
            Ok(text) => self.add(&text),
            Err(error) => self.status = self.status.and(complain(&error)),
        }
    }

    /// A table, or those that a system's cores run, or both.
    fn name(&mut self, library: &Library, word: &str) {
        self.is_of_library = true;
        let entry = library.known.entry(word);
        let is_meant =
            |text: &&Text| text.name == word || entry.is_some_and(|entry| entry.runs(&text.name));
        let meant: Vec<&Text> = library.tables.iter().filter(is_meant).collect();
        if meant.is_empty() {
            let all = [&library.tables[..], &library.systems];
            let what = library::unknown("table, system or file", word, &all);
            self.status = self.status.and(complain(&what));
        }
        meant.into_iter().for_each(|text| self.add(text));
    }

    fn add(&mut self, text: &Text) {
        if self.tables.iter().all(|known| known.source.name != text.source.name) {
            let literal = self.said(&text.source.name, read::literal(&text.source));
            self.tables.extend(literal);
        }
    }

    /// What was read; what is wrong with it is said.
    fn said<T>(&mut self, name: &str, read: Result<T, Faults>) -> Option<T> {
        match read {
            Ok(read) => Some(read),
            Err(faults) => {
                complain(&format!("cannot read {name}:\n{faults}"));
                self.status = self.status.and(Status::Fails);
                None
            }
        }
    }
}
