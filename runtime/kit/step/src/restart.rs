//! The serde form of a restart: `"nothing"`, or the `saved` data.
//!
//! A plain `Option` would be `null` in both cases for a core that saves `()`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum With<S> {
    Nothing,
    Saved(S),
}

pub(crate) fn serialize<S: Serialize, W: Serializer>(
    saved: &Option<S>,
    to: W,
) -> Result<W::Ok, W::Error> {
    match saved {
        None => With::Nothing,
        Some(saved) => With::Saved(saved),
    }
    .serialize(to)
}

pub(crate) fn deserialize<'de, S: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<S>, D::Error> {
    Ok(match With::deserialize(from)? {
        With::Nothing => None,
        With::Saved(saved) => Some(saved),
    })
}
