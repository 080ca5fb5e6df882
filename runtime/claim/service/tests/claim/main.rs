//! The driver from outside: its server over real HTTP, its client against it, its store on a disk.

mod additions;
mod audited;
mod browser;
mod certificates;
mod client;
mod clock;
mod closing;
#[cfg(feature = "cluster")]
mod cluster;
mod command;
mod commits;
mod early;
mod faults;
mod guesses;
mod history;
mod http;
mod identity;
mod idle;
mod jobs;
mod keychain;
mod leaving;
mod limits;
mod lives;
mod login;
mod measured;
mod messages;
mod noise;
mod owners;
mod protocol;
mod quotas;
mod reading;
mod real;
mod reconnect;
mod replay;
mod restart;
mod secrets;
mod several;
#[cfg(feature = "cluster")]
mod simulated_cluster;
mod simulation;
mod slots;
mod slow;
mod stopped;
mod strict;
mod terminal;
mod throttled;
mod tokens;
mod traced;
mod trouble;
mod vanished;
mod versions;
mod watching;
mod wire;

use self::http::Running;
