//! What a check is asked and what it found, as data and as text.
//!
//! [`options`] is what every search is given, [`result`] the shape that every search fills.
//! Nothing here searches, and nothing here knows a protocol.

pub mod options;
pub mod result;
