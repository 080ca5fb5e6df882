//! The cores of claims as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod client;
mod keychain;
mod server;
mod tables;
