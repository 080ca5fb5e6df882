//! The cores of a group as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod bad_input;
#[path = "../../../../kit/ids/tests/near/mod.rs"]
mod near;
#[path = "../../../../kit/ids/tests/steps/mod.rs"]
mod steps;
mod together;
#[path = "../../../../kit/ids/tests/visit/mod.rs"]
mod visit;
