//! A file of which nobody has said whether it is a table or a system.

use crate::diagnostic::Diagnostics;
use crate::source::Source;
use crate::system::System;
use crate::versions::WrittenTable;
use crate::yaml;

/// A file, read as what it is.
#[derive(Clone, Debug)]
pub enum File {
    /// A table, or neither.
    Table(Box<Result<WrittenTable, Diagnostics>>),
    /// A system: its outermost mapping has the key `system`.
    System(Box<Result<System, Diagnostics>>),
}

impl File {
    /// Reads a text, which is parsed once.
    #[must_use]
    pub fn read(source: Source) -> Self {
        let tree = yaml::parse(&source);
        if tree.has("system") {
            Self::System(Box::new(System::of(source, tree)))
        } else {
            Self::Table(Box::new(WrittenTable::of(source, tree)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::File;
    use crate::source::Source;

    fn is_system(text: &str) -> bool {
        matches!(File::read(Source::new("file.yaml", text)), File::System(_))
    }

    #[test]
    fn a_file_is_a_system_by_its_key() {
        assert!(is_system("system: door\n"));
        assert!(is_system("\u{feff}{about: a door, system: door}\n"));
        // Neither a word inside of a text nor a key of an inner mapping.
        assert!(!is_system("about: |\n  system:\nmachine: door\n"));
        assert!(!is_system("about: \"a\nsystem: b\"\n"));
        assert!(!is_system("states:\n  system: {}\n"));
        assert!(!is_system("- system: door\n"));
        assert!(!is_system(""));
    }

    #[test]
    fn what_cannot_be_read_is_a_system_as_far_as_it_was_read() {
        assert!(is_system("system: door\nroles: [\n"));
        assert!(is_system("system: [\n"));
        assert!(!is_system("machine: [\nsystem: door\n"));
        let File::System(read) = File::read(Source::new("file.yaml", "system: door\nroles: [\n"))
        else {
            panic!("it has the key");
        };
        assert!(read.is_err());
    }
}
