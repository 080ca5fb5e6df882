//! A process-wide cache of parsed tables and systems: worlds, jobs and mutants use the same few.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use turnstile_spec::{AmendedTable, Diagnostics, Source, System, WrittenTable};

/// A table as written.
///
/// # Errors
///
/// Errors of the reader.
pub fn literal(source: &Source) -> Result<Arc<WrittenTable>, Diagnostics> {
    static READ: LazyLock<ParseCache<WrittenTable>> = LazyLock::new(ParseCache::default);
    READ.once(source, || WrittenTable::read(source.clone()))
}

/// An amended table.
///
/// # Errors
///
/// Errors of the reader, and findings that no amendment fixes.
pub fn sound(source: &Source) -> Result<Arc<AmendedTable>, Diagnostics> {
    static READ: LazyLock<ParseCache<AmendedTable>> = LazyLock::new(ParseCache::default);
    READ.once(source, || literal(source)?.amended())
}

/// A system.
///
/// # Errors
///
/// Errors of the reader.
pub fn system(source: &Source) -> Result<Arc<System>, Diagnostics> {
    static READ: LazyLock<ParseCache<System>> = LazyLock::new(ParseCache::default);
    READ.once(source, || System::read(source.clone()))
}

/// The result of parsing a text.
type Parsed<T> = Result<Arc<T>, Diagnostics>;

/// The results, by name and text.
struct ParseCache<T>(Mutex<HashMap<Source, Parsed<T>>>);

impl<T> Default for ParseCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> ParseCache<T> {
    /// Parses a text once: a second caller waits for the first.
    fn once(&self, source: &Source, read: impl FnOnce() -> Result<T, Diagnostics>) -> Parsed<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(source) {
            return known.clone();
        }
        let new = read().map(Arc::new);
        all.insert(source.clone(), new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use turnstile_bundled::Bundled;
    use turnstile_spec::Source;

    use super::{literal, sound, system};

    fn bundled(file: &Bundled) -> Source {
        Source::new(file.file, file.text)
    }

    #[test]
    fn a_text_is_read_once() {
        let table = bundled(turnstile_bundled::table("claim").expect("it is bundled"));
        let [first, second] = [(), ()].map(|()| literal(&table).expect("it is a table"));
        assert!(Arc::ptr_eq(&first, &second));
        let [first, second] = [(), ()].map(|()| sound(&table).expect("it is sound"));
        assert!(Arc::ptr_eq(&first, &second));
        let file = bundled(turnstile_bundled::system("claim").expect("it is bundled"));
        let [first, second] = [(), ()].map(|()| system(&file).expect("it is a system"));
        assert!(Arc::ptr_eq(&first, &second));
    }

    /// The same text under another name has other diagnostics: they name the file.
    #[test]
    fn a_text_under_another_name_is_another_one() {
        let mut table = bundled(turnstile_bundled::table("claim").expect("it is bundled"));
        let first = literal(&table).expect("it is a table");
        table.name.push('x');
        let second = literal(&table).expect("it is a table");
        assert_eq!([&first.source.name, "x"].concat(), second.source.name);
        table.text.truncate(100);
        assert_eq!(literal(&table).expect_err("it is cut").source.name, table.name);
    }
}
