//! Byte-range locks of a cache manager: the locks of a file, and the one server lock behind them.

pub mod locks;
pub mod manager;
pub mod message;
mod overlaps;
mod range;
pub mod server;
mod words;

pub use overlaps::{Over, Overlaps};
pub use range::{ByteRange, RangeError};
