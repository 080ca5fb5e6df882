//! The values of `--engine`, `--reduce` and `--set`.

use turnstile_harness::check::SearchFn;
use turnstile_search::bounds::Reductions;

/// `clients=3`.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE, for example clients=3".to_owned()),
    }
}

/// The engine that searches systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Turnstile's: interned state parts, memoised transitions.
    Interned,
    /// Stateright's breadth-first search over the same World: the reference.
    Stateright,
}

impl Engine {
    pub(super) fn search(self) -> SearchFn {
        match self {
            Self::Interned => turnstile_harness::check::check,
            Self::Stateright => turnstile_reference::check,
        }
    }
}

pub(super) fn engine(text: &str) -> Result<Engine, String> {
    match text {
        "interned" => Ok(Engine::Interned),
        "stateright" => Ok(Engine::Stateright),
        _ => Err("expected interned or stateright".to_owned()),
    }
}

pub(super) fn reductions(text: &str) -> Result<Reductions, String> {
    let mut reductions = Reductions::NONE;
    if text == "none" {
        return Ok(reductions);
    }
    for word in text.split(',') {
        match word {
            "dead" => reductions.dead = true,
            "symmetry" => reductions.symmetry = true,
            "loss" => reductions.loss = true,
            _ => {
                return Err(
                    "expected none, or a comma-separated list of dead, symmetry, loss".to_owned()
                );
            }
        }
    }
    Ok(reductions)
}
