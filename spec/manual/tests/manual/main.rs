//! The manual says what the reader does: its schema accepts what the reader does, and each code has
//! a page.

mod explain;
mod schema;
