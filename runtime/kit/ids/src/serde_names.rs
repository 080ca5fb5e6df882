//! The serde form of machines' states and resources: the names that their documents give them.
//!
//! It uses the trait `Name` of every machine, so that the machines do not depend on serde.

use alloc::format;
use alloc::string::String;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use turnstile_machine::Name;

/// Writes a name.
///
/// # Errors
///
/// Those of the writer.
pub fn serialize<N: Name, W: Serializer>(name: &N, to: W) -> Result<W::Ok, W::Error> {
    to.serialize_str(name.name())
}

/// Reads a name.
///
/// # Errors
///
/// It is no text, or the machine has no such name.
pub fn deserialize<'de, N: Name, D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
    let name = String::deserialize(from)?;
    N::from_name(&name).ok_or_else(|| D::Error::custom(format!("the machine has no `{name}`")))
}

#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Named<N: Name>(#[serde(with = "self")] N);

/// The same for a list of pairs with a name.
pub mod each {
    use alloc::vec::Vec;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use turnstile_machine::Name;

    use super::Named;

    /// Writes the pairs.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn serialize<T: Serialize, N: Name, W: Serializer>(
        each: &[(T, N)],
        to: W,
    ) -> Result<W::Ok, W::Error> {
        to.collect_seq(each.iter().map(|(of, name)| (of, Named(*name))))
    }

    /// Reads the pairs.
    ///
    /// # Errors
    ///
    /// They are none, or the machine has no such name.
    pub fn deserialize<'de, T: Deserialize<'de>, N: Name, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(T, N)>, D::Error> {
        let each: Vec<(T, Named<N>)> = Vec::deserialize(from)?;
        Ok(each.into_iter().map(|(of, Named(name))| (of, name)).collect())
    }
}
