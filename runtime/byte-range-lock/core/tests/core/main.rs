//! The cores of ranges as their services use them: one program, since each test is compiled
//! with the cores that it runs.

mod manager;
mod overlaps;
