//! A list in braces, and a name in place of another.

use crate::{by_crate::{self as by, turn as once},};

pub struct Deep {
    pub is_odd: bool,
}

impl Deep {
    pub fn of(number: u8) -> Self {
        Self { is_odd: number % 2 == 1 && once() == by::turn() }
    }
}
