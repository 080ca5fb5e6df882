//! Files embedded in the program: those of its tables and systems.

use turnstile_spec::Source;

use crate::tables::source_file::SourceFile;

/// A file embedded in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// `claim`.
    pub name: &'static str,
    /// Its path, for diagnostics: `spec/tables/claim.yaml`.
    pub file: &'static str,
    /// Its content.
    pub text: &'static str,
}

impl Embedded {
    /// The file, to be parsed.
    #[must_use]
    pub fn source_file(&self) -> SourceFile {
        SourceFile::new(self.name, Source::new(self.file, self.text))
    }
}

/// An embedded file: the path from the source file to the parent of the folder, the folder, and the
/// file's name without its extension.
#[macro_export]
macro_rules! embedded {
    ($root:literal $folder:literal $name:literal) => {
        $crate::Embedded {
            name: $name,
            file: concat!($folder, $name, ".yaml"),
            text: include_str!(concat!($root, $folder, $name, ".yaml")),
        }
    };
}
