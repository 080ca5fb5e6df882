//! The cores of a group as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod bad_input;
mod together;
