//! How long a file may be that is replayed.

use std::fs::File;
use std::io::{BufReader, Take};

/// The longest file that is read, in bytes: a device has no end.
pub(super) const BYTES_MAX: u64 = 1 << 30;

/// Whether more was read than may be.
pub(super) fn is_longer(file: &BufReader<Take<File>>) -> bool {
    file.get_ref().limit() == 0
}

pub(super) fn too_long(name: &str) -> String {
    format!("{name} is longer than 1 GiB: replay a prefix of it")
}
