//! What a check is asked and what it found, as data and as text.
//!
//! [`options`] is what every search is given, [`result`] the shape that every search fills; the
//! rest writes results down. Nothing here searches, and nothing here knows a protocol.

pub mod amended;
pub mod fault;
pub mod junit;
pub mod mutated;
pub mod options;
pub mod paint;
pub mod result;
pub mod run;
pub mod sarif;
pub mod status;
pub mod summary;
pub mod text;
pub mod whole;
