//! An example of a crate whose files use each other in a circle.

mod by_crate;
mod by_super;
mod inner;

pub use inner::Deep;

#[cfg(test)]
mod tests {
    use crate::by_crate::turn;
}
