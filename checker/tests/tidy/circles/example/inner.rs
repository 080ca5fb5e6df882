//! Paths to a child.

mod deep;

pub use self::deep::Deep;

pub fn of(number: u8) -> Deep {
    deep::Deep::of(number)
}
