//! The cores as their services use them: one program, since each test is compiled with the cores
//! that it runs.

mod bad_input;
mod claim_client;
mod claim_server;
mod keychain;
#[path = "../near/mod.rs"]
mod near;
mod overlaps;
mod ranges;
mod scenarios;
mod tables;
mod together;
mod traces;
mod visit;
