//! A path from the root of the crate.

pub fn turn() -> u8 {
    assert!(crate::by_super::is_odd(1));
    0
}

/// A path of another crate.
pub fn quoted() -> TokenStream {
    quote!(super::inner::Deep)
}
