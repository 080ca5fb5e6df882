//! The store on a real file system and on disks that fail, forget or are tampered with.

mod log;
mod new;
mod power;
#[path = "../seeds/mod.rs"]
mod seeds;
mod tampering;
mod version_two;
