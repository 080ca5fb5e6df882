//! The store on a real file system and on disks that fail, forget or are tampered with.

mod log;
mod new;
mod power;
mod tampering;
mod version_two;
