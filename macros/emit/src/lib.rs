//! Writes a table as Rust tokens.
