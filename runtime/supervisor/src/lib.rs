#![doc = include_str!("../README.md")]

mod process;
mod reaper;
mod run;
mod signals;
mod terminal;

pub use rustix::process::Signal;

pub use reaper::{REAP, Reaper, reap};
pub use run::{End, Ended, Held, LOST, end_by, supervise};
pub use signals::Signals;
