#![doc = include_str!("../README.md")]

mod guarded;
mod process;
mod reaper;
mod record;
mod run;
mod signals;
mod terminal;

pub use rustix::process::Signal;

pub use reaper::{REAP, Reaper, reap, since_boot};
pub use run::{End, Ended, HeldLock, LOST, end_by, supervise};
pub use signals::Signals;
