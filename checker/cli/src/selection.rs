//! The tables that a command selects, by table name, system name or file, with the systems that run
//! them.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use turnstile_harness::options::{Options, Refusal, Replacement};
use turnstile_harness::results::status::Status;
use turnstile_harness::{SourceFile, Systems};
use turnstile_spec::{Diagnostics, System};

use super::bounds::Bounds;
use super::library::{self, Library, Origin};
use super::output::{unreadable, usage_error, write_stdout};
use super::terminal::{self, ProgressLine};

/// The tables and systems that a command selects.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Tables that can be read, in the order of the arguments, each once.
    pub(crate) tables: Vec<Arc<SourceFile>>,
    /// The systems that can be run.
    pub(crate) known: Systems,
    /// The files of systems that can be read, by name.
    pub(crate) systems: Vec<System>,
    /// The tables that differ from the compiled ones, and run in their place.
    pub(crate) edited: Vec<Replacement>,
    /// The status of the errors in names and files, which are on standard error.
    pub(crate) status: Status,
    /// Whether a table or system comes from the library, not from a file that was named.
    pub(crate) uses_library: bool,
}

/// The input of a verb that searches the selected tables.
pub(crate) struct Search<'w> {
    /// The tables and systems that a command selects.
    pub(crate) selection: &'w Selection,
    /// Within the bounds, with the tables that run in place of the compiled ones.
    pub(crate) options: Options<'w>,
    /// The line that shows how far it is.
    pub(crate) line: &'w ProgressLine,
    /// When the command began.
    pub(crate) begun: Instant,
}

/// Reads the selected tables and runs the verb on them, if there are any.
pub(crate) fn work(
    systems: &Systems,
    words: &[String],
    is_json: bool,
    bounds: &Bounds,
    work: impl FnOnce(&Search<'_>) -> Status,
) -> Status {
    let begun = Instant::now();
    let library = match Library::load(systems, Arc::default()) {
        Ok(library) => library,
        Err(error) => return usage_error(&error),
    };
    let selection = Selection::of(&library, words);
    let mut status = selection.status;
    if selection.tables.is_empty() {
        return status;
    }
    terminal::stop_on_interrupt();
    let line = ProgressLine::new();
    let tables = selection.edited.clone();
    let options = Options { tables, ..bounds.options(begun, &line) };
    if let Some(origin_note) = library.origin_note().filter(|_| selection.uses_library && !is_json)
    {
        status = status.and(write_stdout(&format!("{}\n\n", terminal::paint().dim(&origin_note))));
    }
    status.and(work(&Search { selection: &selection, options, line: &line, begun }))
}

impl Selection {
    /// Reads the tables that the words name; without words, every bundled table.
    pub(crate) fn of(library: &Library, words: &[String]) -> Self {
        let uses_library = words.is_empty();
        let known = library.known.clone();
        let mut selection = Self { known, uses_library, ..Self::default() };
        for one in &library.systems {
            if let Some(system) = selection.report_diagnostics(one.file.system()) {
                selection.systems.push(System::clone(system));
            }
        }
        selection.edit(library);
        if words.is_empty() {
            library.tables.iter().for_each(|one| selection.add(&one.file));
        }
        for word in words {
            if library.is_file(word) {
                selection.file(library, Path::new(word));
            } else {
                selection.name(library, word);
            }
        }
        selection
    }

    /// Reads the tables of the checkout that are others than in the binary.
    fn edit(&mut self, library: &Library) {
        for one in library.tables.iter().filter(|one| one.origin == Origin::Other) {
            if let Some(sound) = self.report_diagnostics(one.file.amended()) {
                let (vocabulary, table) = (sound.vocabulary.clone(), sound.table.clone());
                self.edited.push(Replacement::new(vocabulary, table, one.file.source.clone()));
            }
        }
    }

    fn file(&mut self, library: &Library, path: &Path) {
        match library.files.read(path) {
            Ok(file) if file.is_system() => self.own_system(library, &file),
            Ok(file) => self.add(&file),
            Err(error) => self.status = self.status.and(usage_error(&error)),
        }
    }

    /// A system of tables, with its tables.
    fn own_system(&mut self, library: &Library, file: &Arc<SourceFile>) {
        let name = &file.source.name;
        let Some(system) = self.report_diagnostics(file.system()) else {
            return;
        };
        match library.files.table_system(file) {
            Some(Ok(entry)) => {
                self.systems.push(System::clone(system));
                entry.tables.iter().for_each(|table| self.add(&table.file));
                self.known.add(entry);
            }
            None => {
                let what = format!("{name} is a system file: name a table file");
                self.status = self.status.and(usage_error(&what));
            }
            Some(Err(faults)) => {
                usage_error(&format!("cannot read {name}:\n{}", Refusal::Faults(faults)));
                self.status = self.status.and(Status::Fails);
            }
        }
    }

    /// A table, or those that a system's cores run, or both.
    fn name(&mut self, library: &Library, word: &str) {
        self.uses_library = true;
        let entry = library.known.entry(word);
        let is_meant = |file: &&Arc<SourceFile>| {
            file.name == word || entry.is_some_and(|entry| entry.runs(&file.name))
        };
        let tables = library.tables.iter().map(|one| &one.file);
        let meant: Vec<&Arc<SourceFile>> = tables.filter(is_meant).collect();
        if meant.is_empty() {
            let all = [&library.tables[..], &library.systems];
            let what = library::unknown("table, system or file", word, &all);
            self.status = self.status.and(usage_error(&what));
        }
        meant.into_iter().for_each(|file| self.add(file));
    }

    fn add(&mut self, file: &Arc<SourceFile>) {
        if self.tables.iter().all(|known| known.source.name != file.source.name)
            && self.report_diagnostics(file.written()).is_some()
        {
            self.tables.push(Arc::clone(file));
        }
    }

    /// The value that was read; diagnostics are printed.
    fn report_diagnostics<T>(&mut self, read: Result<T, &Diagnostics>) -> Option<T> {
        match read {
            Ok(read) => Some(read),
            Err(faults) => {
                self.status = self.status.and(unreadable(faults));
                None
            }
        }
    }
}
