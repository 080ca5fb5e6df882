//! The filter of the programs' logs, which the variable `TURNSTILE_LOG` sets.
//!
//! A value that is not a level is an error: the log library would take it for the name of a module
//! and log nothing.

use std::env::{self, VarError};
use std::str::FromStr as _;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// The variable that sets the filter.
pub const VARIABLE: &str = "TURNSTILE_LOG";

/// The filter that [`VARIABLE`] sets, or `default` if it is not set or empty, with what `complete`
/// adds to it.
///
/// # Errors
/// When the value is neither a level nor a list of levels by module.
pub fn from_environment(
    default: &str,
    complete: impl Fn(&str) -> String,
) -> Result<EnvFilter, String> {
    match env::var(VARIABLE) {
        Ok(value) if !value.trim().is_empty() => parse(&value, complete),
        Ok(_) | Err(VarError::NotPresent) => parse(default, complete),
        Err(VarError::NotUnicode(value)) => Err(invalid(&value.to_string_lossy())),
    }
}

fn parse(value: &str, complete: impl Fn(&str) -> String) -> Result<EnvFilter, String> {
    // The log library takes an empty level for `error`.
    let is_level = |text: &str| !text.is_empty() && LevelFilter::from_str(text).is_ok();
    let is_valid = value.split(',').all(|part| {
        let (_, level) = part.rsplit_once('=').unwrap_or(("", part));
        is_level(level)
    });
    let filter = EnvFilter::try_new(complete(value)).ok().filter(|_| is_valid);
    filter.ok_or_else(|| invalid(value))
}

fn invalid(value: &str) -> String {
    format!(
        "{VARIABLE}={value}: it must be off, error, warn, info, debug or trace, or a list such as \
         info,turnstile_host=debug"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_levels_are_a_filter() {
        for good in ["off", "ERROR", "warn", "info,turnstile_host=debug", "warn,claim=info"] {
            assert!(parse(good, str::to_owned).is_ok(), "{good}");
        }
        for bad in ["blah", "info,blah", "turnstile_host=blah", "=", ",", "turnstile_host"] {
            let error = parse(bad, str::to_owned).expect_err("it is no level");
            assert!(error.contains("off, error, warn, info, debug or trace"), "{error}");
        }
    }

    #[test]
    fn a_value_overrides_the_levels_of_modules() {
        let complete = |value: &str| format!("engine=error,{value}");
        let filter = |value| parse(value, complete).expect("it is a filter").to_string();
        assert!(filter("info").contains("engine=error") && filter("info").contains("info"));
        assert!(filter("info,engine=debug").contains("engine=debug"));
        assert!(!filter("info,engine=debug").contains("engine=error"));
    }
}
