//! The manager in one program: beside a model, with servers that answer late or not at all, and
//! with locks of the operating system.

mod local;
mod managers;
mod model;
mod servers;
