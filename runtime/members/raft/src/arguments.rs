//! What the programs of members are told: other members, and times.

use std::io;
use std::str::FromStr as _;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use turnstile_host::seconds;
use turnstile_host::store::REMEDY;
use turnstile_host::transport::tcp::Address;

use crate::error::Members;

/// The least and the greatest interval of heartbeats.
const HEARTBEAT: [Duration; 2] = [Duration::from_millis(10), Duration::from_secs(60)];

/// What a program logs of the engine, in front of the filter that it is told: nothing, since what
/// matters of it is logged here. The engine logs elections as warnings, and as errors each request
/// that an absent member does not answer.
const ENGINE: &str = "openraft=off";

/// The filter of a program's log that was told this one, such as `info`. What it says of the engine
/// is in force.
#[must_use]
pub fn log_filter(told: &str) -> String {
    let level = LevelFilter::from_str(told);
    if level.is_ok_and(|level| level == LevelFilter::OFF) {
        told.to_owned()
    } else {
        format!("{ENGINE},{told}")
    }
}

/// Reads a member and the address that the others connect to: `N=HOST:PORT`.
///
/// # Errors
/// What it is not, in words. They do not repeat it: it may be a URL with a password.
pub fn peer(text: &str) -> Result<(u64, Address), String> {
    let (id, address) = text.split_once('=').ok_or("N=HOST:PORT is expected")?;
    let id = self::id(id).map_err(|_| "N is no number of a member: they begin with 1")?;
    let address = address.parse().map_err(|_| "what follows N= is not HOST:PORT")?;
    Ok((id, address))
}

/// Reads the number of a member, which is not 0.
///
/// # Errors
/// What it is not, in words.
pub fn id(text: &str) -> Result<u64, String> {
    // As it is written everywhere, so that a member has one number and one path.
    let id = text.parse().ok().filter(|id: &u64| *id > 0 && id.to_string() == text);
    id.ok_or_else(|| format!("{text:?} is no number of a member: they begin with 1"))
}

/// The members of a list, each of which has a number and an address of its own.
///
/// # Errors
/// What is there twice, in words.
pub fn members(peers: &[(u64, Address)]) -> Result<Members, String> {
    let mut members = Members::new();
    for (id, address) in peers {
        let address = address.to_string();
        if let Some((other, _)) = members.iter().find(|(_, has)| **has == address) {
            return Err(format!("members {other} and {id} have the address {address}"));
        }
        if members.insert(*id, address).is_some() {
            return Err(format!("member {id} is given twice"));
        }
    }
    Ok(members)
}

/// Why a member does not start with its log, and what is to be done. The remedy of the store's own
/// error is none here: with data from a backup a member forgets what it has acknowledged, and with
/// an empty directory what it has voted for.
#[must_use]
pub fn not_opened(id: u64, error: &io::Error) -> String {
    let text = error.to_string();
    let Some(what) = text.strip_suffix(REMEDY) else { return text };
    format!(
        "{what}never start member {id} again, neither from a backup nor with an empty directory: \
         it would not know what it has acknowledged; remove it, and add a member with a new number"
    )
}

/// Reads the interval of heartbeats, in seconds.
///
/// # Errors
/// What it is not, in words.
pub fn heartbeat(text: &str) -> Result<Duration, String> {
    let interval = seconds::read(text)?;
    let [least, most] = HEARTBEAT;
    let is_possible = least <= interval && interval <= most;
    is_possible.then_some(interval).ok_or_else(|| "0.01 to 60 seconds are possible".to_owned())
}
