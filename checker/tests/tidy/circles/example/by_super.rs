//! A path from the parent.

use super::Deep;

pub fn is_odd(number: u8) -> bool {
    Deep::of(number).is_odd
}
