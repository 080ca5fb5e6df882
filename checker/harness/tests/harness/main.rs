//! Mutants of small programs, and tables that run without being compiled.

mod agree;
mod code;
