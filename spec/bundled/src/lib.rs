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
    ($dir:literal: $($name:literal),* $(,)?) => {
        &[$(Bundled {
            name: $name,
            file: concat!("spec/", $dir, "/", $name, ".yaml"),
            text: include_str!(concat!("../../", $dir, "/", $name, ".yaml")),
        }),*]
    };
}

/// Tables, by name.
pub const TABLES: &[Bundled] = bundled!(
    "tables":
    "byte-range-lock",
    "claim",
    "claim-record",
    "group-lock-client",
    "group-lock-coordinator",
    "lock-member",
    "lock-mutex",
    "lock-status",
    "server-lock",
    "view-handler",
);

/// The bundled table of a name.
#[must_use]
pub fn table(name: &str) -> Option<&'static Bundled> {
    TABLES.iter().find(|bundled| bundled.name == name)
}

/// Systems, by name.
pub const SYSTEMS: &[Bundled] = bundled!(
    "systems":
    "byte-range-lock",
    "claim",
    "group-lock",
    "replicated-lock",
    "view-handler",
);

/// The bundled system of a name.
#[must_use]
pub fn system(name: &str) -> Option<&'static Bundled> {
    SYSTEMS.iter().find(|bundled| bundled.name == name)
}
