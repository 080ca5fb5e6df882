//! What the programs of members are told: other members, and times.

use std::time::Duration;

use turnstile_host::seconds;
use turnstile_host::transport::tcp::Address;

/// The least and the greatest interval of heartbeats.
const HEARTBEAT: [Duration; 2] = [Duration::from_millis(10), Duration::from_secs(60)];

/// What a program logs of the engine, in front of the filter that it is told. The engine logs
/// elections as warnings, and each request that an absent member does not answer, and the beginning
/// of a group that another member has begun, as errors; what matters of it is logged here.
pub const LOG_FILTER: &str = "openraft=error,openraft::engine=off,openraft::replication=off";

/// Reads a member and the address that the others connect to: `N=HOST:PORT`.
///
/// # Errors
/// What it is not, in words.
pub fn peer(text: &str) -> Result<(u64, Address), String> {
    let (id, address) = text.split_once('=').ok_or("N=HOST:PORT is expected")?;
    let id = id.parse().map_err(|_| format!("{id:?} is no number of a member"))?;
    let address = address.parse().map_err(|_| format!("{address:?} is not HOST:PORT"))?;
    Ok((id, address))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_a_number_and_an_address() {
        assert_eq!(peer("1=h:7011"), Ok((1, Address::new("h", 7_011))));
        assert_eq!(peer("2=[::1]:7011"), Ok((2, Address::new("::1", 7_011))));
        for (text, why) in [
            ("h:7011", "N=HOST:PORT is expected"),
            ("x=h:7011", "\"x\" is no number of a member"),
            ("-1=h:7011", "\"-1\" is no number of a member"),
            ("1=h", "\"h\" is not HOST:PORT"),
            ("1=::1:7011", "\"::1:7011\" is not HOST:PORT"),
        ] {
            assert_eq!(peer(text), Err(why.to_owned()), "{text}");
        }
    }

    #[test]
    fn heartbeats_are_neither_endless_nor_all_there_is() {
        assert_eq!(heartbeat("0.01"), Ok(Duration::from_millis(10)));
        assert_eq!(heartbeat("60"), Ok(Duration::from_secs(60)));
        for text in ["0", "0.009", "60.1"] {
            assert_eq!(heartbeat(text), Err("0.01 to 60 seconds are possible".to_owned()));
        }
        assert!(heartbeat("soon").is_err_and(|why| why.contains("not a number of seconds")));
    }
}
