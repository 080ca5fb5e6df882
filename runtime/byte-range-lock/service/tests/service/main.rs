//! The manager in one program: beside a model, with servers that answer late or not at all, with
//! locks of the operating system; and what `rangefs` says when it cannot mount.

mod local;
mod managers;
mod model;
#[cfg(feature = "mount")]
mod program;
mod servers;
