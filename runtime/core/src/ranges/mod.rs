//! Byte-range locks of a cache manager: the locks of a file, and the one server lock behind them.

mod overlaps;
mod range;

pub use overlaps::{Over, Overlaps};
pub use range::{ByteRange, RangeError};
