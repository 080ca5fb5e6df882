//! The cores of claims as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod client;
mod keychain;
#[path = "../../../../kit/ids/tests/near/mod.rs"]
mod near;
mod server;
mod tables;
#[path = "../../../../kit/ids/tests/visit/mod.rs"]
mod visit;
