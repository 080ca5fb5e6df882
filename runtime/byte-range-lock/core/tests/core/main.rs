//! The cores of ranges as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod manager;
#[path = "../../../../kit/ids/tests/near/mod.rs"]
mod near;
mod overlaps;
#[path = "../../../../kit/ids/tests/visit/mod.rs"]
mod visit;
