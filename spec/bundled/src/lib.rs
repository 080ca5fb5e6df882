//! The tables and systems that ship with Turnstile, as text. Nothing is read from a disk, and no
//! macro depends on this: an edit of a table rebuilds no reader.
#![no_std]

/// One bundled file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// `claim`.
    pub name: &'static str,
    /// `spec/tables/claim.yaml`: its place in a checkout.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! bundled {
    ($folder:literal, $name:literal) => {
        Bundled {
            name: $name,
            file: concat!("spec/", $folder, "/", $name, ".yaml"),
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../",
                $folder,
                "/",
                $name,
                ".yaml"
            )),
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The bundled table of a name.
#[must_use]
pub fn table(name: &str) -> Option<&'static Bundled> {
    TABLES.iter().find(|bundled| bundled.name == name)
}

/// The bundled system of a name.
#[must_use]
pub fn system(name: &str) -> Option<&'static Bundled> {
    SYSTEMS.iter().find(|bundled| bundled.name == name)
}
