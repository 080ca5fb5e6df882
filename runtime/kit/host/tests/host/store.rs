//! The store on a real file system and on disks that fail, forget or are tampered with.

mod log;
mod new;
mod page;
mod power;
mod tampering;
mod versions;
