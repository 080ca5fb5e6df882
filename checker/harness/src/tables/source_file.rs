//! Files of tables and systems: jobs, worlds and mutants share what was parsed of one.

use std::sync::{Arc, OnceLock};

use turnstile_spec::{AmendedTable, Diagnostics, File, Source, System, WrittenTable};

/// A file of a table or a system, parsed once, when it is first asked for.
#[derive(Debug)]
pub struct SourceFile {
    /// Its name without folders and ending: `claim`.
    pub name: String,
    /// The text, under the name that diagnostics show.
    pub source: Source,
    is_system: OnceLock<bool>,
    written: OnceLock<Result<WrittenTable, Diagnostics>>,
    amended: OnceLock<Result<AmendedTable, Diagnostics>>,
    system: OnceLock<Result<Arc<System>, Diagnostics>>,
}

impl SourceFile {
    /// A file of this name and text.
    #[must_use]
    pub fn new(name: impl Into<String>, source: Source) -> Self {
        Self {
            name: name.into(),
            source,
            is_system: OnceLock::new(),
            written: OnceLock::new(),
            amended: OnceLock::new(),
            system: OnceLock::new(),
        }
    }

    /// The file of a table that was read, under its own name: in one of its readings.
    #[must_use]
    pub fn of_table(name: impl Into<String>, table: WrittenTable) -> Self {
        let file = Self::new(name, table.source.clone());
        Self { is_system: false.into(), written: Ok(table).into(), ..file }
    }

    /// Whether it is a system; it may have errors.
    pub fn is_system(&self) -> bool {
        *self.is_system.get_or_init(|| match File::read(self.source.clone()) {
            File::Table(read) => {
                self.written.get_or_init(|| *read);
                false
            }
            File::System(read) => {
                self.system.get_or_init(|| read.map(Arc::new));
                true
            }
        })
    }

    /// The table as written.
    ///
    /// # Errors
    ///
    /// Errors of the reader.
    pub fn written(&self) -> Result<&WrittenTable, &Diagnostics> {
        self.written.get_or_init(|| WrittenTable::read(self.source.clone())).as_ref()
    }

    /// The amended table.
    ///
    /// # Errors
    ///
    /// Errors of the reader, and findings that no amendment fixes.
    pub fn amended(&self) -> Result<&AmendedTable, &Diagnostics> {
        let read = || self.written().map_err(Clone::clone)?.amended();
        self.amended.get_or_init(read).as_ref()
    }

    /// The system.
    ///
    /// # Errors
    ///
    /// Errors of the reader.
    pub fn system(&self) -> Result<&Arc<System>, &Diagnostics> {
        self.system.get_or_init(|| System::read(self.source.clone()).map(Arc::new)).as_ref()
    }

    /// The same file under other names, of its own and for diagnostics. What was parsed is not
    /// parsed again.
    #[must_use]
    pub fn renamed(&self, name: String, shown: &str) -> Self {
        let source = Source::new(shown, self.source.text.clone());
        let errors = |errors: &Diagnostics| Diagnostics {
            source: source.clone(),
            list: errors.list.clone(),
        };
        let written = |table: &WrittenTable| {
            let mut table = table.clone();
            table.source.clone_from(&source);
            table
        };
        let system = |system: &Arc<System>| {
            Arc::new(System { source: source.clone(), ..System::clone(system) })
        };
        Self {
            name,
            is_system: self.is_system.clone(),
            written: parsed(&self.written, written, errors),
            amended: parsed(&self.amended, AmendedTable::clone, errors),
            system: parsed(&self.system, system, errors),
            source,
        }
    }
}

/// What was parsed, changed.
fn parsed<T>(
    of: &OnceLock<Result<T, Diagnostics>>,
    read: impl FnOnce(&T) -> T,
    errors: impl FnOnce(&Diagnostics) -> Diagnostics,
) -> OnceLock<Result<T, Diagnostics>> {
    let parsed = of.get().map(|of| of.as_ref().map(read).map_err(errors));
    parsed.map_or_else(OnceLock::new, OnceLock::from)
}

#[cfg(test)]
mod tests {
    use turnstile_spec::Source;

    use crate::tables::source_file::SourceFile;

    const DOOR: &str = "language: 1\nmachine: door\n";

    fn file(text: &str) -> SourceFile {
        SourceFile::new("door", Source::new("door.yaml", text))
    }

    #[test]
    fn a_file_is_parsed_once() {
        let table = turnstile_bundled::table("claim").expect("it is bundled");
        let table = SourceFile::new("claim", Source::new(table.file, table.text));
        assert!(!table.is_system());
        let first = table.written.get().expect("asking what it is has parsed it");
        assert!(std::ptr::eq(first.as_ref().expect("it is one"), table.written().expect("it is")));
        let amended = table.amended().expect("it is sound");
        assert!(std::ptr::eq(amended, table.amended().expect("it is sound")));
        let system = turnstile_bundled::system("claim").expect("it is bundled");
        let system = SourceFile::new("claim", Source::new(system.file, system.text));
        assert!(system.is_system() && system.system.get().is_some());
    }

    #[test]
    fn a_file_of_the_other_kind_has_errors() {
        let system = file("system: door\n");
        assert!(system.is_system());
        let what = system.written().expect_err("it is a system").to_string();
        assert!(what.contains("expected a file with `machine`"), "{what}");
        let what = file(DOOR).system().expect_err("it is a table").to_string();
        assert!(what.contains("expected a file with `system`"), "{what}");
    }

    /// Diagnostics name the file as it was asked for.
    #[test]
    fn a_renamed_file_has_its_own_diagnostics() {
        let table = file(DOOR);
        let errors = table.written().expect_err("it has no states").clone();
        let renamed = table.renamed("gate".to_owned(), "./door.yaml");
        assert!(renamed.written.get().is_some(), "it is not parsed again");
        let again = renamed.written().expect_err("it has no states");
        assert_eq!((again.list.len(), &*again.source.name), (errors.list.len(), "./door.yaml"));
        let system = turnstile_bundled::system("claim").expect("it is bundled");
        let system = SourceFile::new("claim", Source::new(system.file, system.text));
        system.system().expect("it is a system");
        let renamed = system.renamed("claim".to_owned(), "claim.yaml");
        let parsed = renamed.system.get().expect("it is not parsed again").as_ref();
        assert_eq!(parsed.expect("it is a system").source.name, "claim.yaml");
    }
}
