//! A second process that ends the connection of a mount whose process was killed, and unmounts it.
//!
//! The kernel ends a connection when the device is closed, which a killed process does when its
//! last thread ends. A thread that makes the kernel drop its copies of a file may wait for a read
//! that the killed threads have taken and never answer; then neither ends, nor do the programs.
//! Only an abort by another process helps.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::sleep;
use std::time::Duration;

use super::place::take_out;

/// The folder by which connections are aborted.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// How often the process is looked at.
const PERIOD: Duration = Duration::from_millis(500);

/// Opens what ends a connection, while that is there: a later one may have its number.
///
/// # Errors
/// When the system does not show its connections.
pub fn abort_of(connection: u32) -> io::Result<File> {
    let abort = Path::new(CONNECTIONS).join(connection.to_string()).join("abort");
    if !abort.exists() {
        // Not every system has it from its start.
        let mut mount = Command::new("mount");
        let _tried = mount.args(["-t", "fusectl", "fusectl", CONNECTIONS]).output();
    }
    OpenOptions::new().write(true).open(&abort).map_err(turnstile_host::at(abort.display()))
}

/// Watches a process, aborts the connection of its mount when it has been killed, and unmounts it.
/// Returns when the process is gone, which the end of `tied` tells, that it writes to.
///
/// # Errors
/// When the mount cannot be unmounted.
pub fn watch(
    process: u32,
    connection: u32,
    mountpoint: &Path,
    tied: impl Read + Send + 'static,
    mut abort: File,
) -> io::Result<()> {
    let (untie, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let _read = io::copy(&mut { tied }, &mut io::sink());
        drop(untie);
    });
    let started = started(process);
    let is_tied = || ended.recv_timeout(PERIOD) == Err::<(), _>(RecvTimeoutError::Timeout);
    while is_tied() && started.is_some() && self::started(process) == started {}
    // It fails if the connection has ended by itself, as it should.
    let _ended = abort.write_all(b"1");
    // A connection that is gone has a number that a later one may have.
    while abort.metadata()?.nlink() > 0 && !take_out(mountpoint, connection)? {
        sleep(PERIOD);
    }
    Ok(())
}

/// When a process that runs was started; `None` if it is gone, or dead with threads that are left.
fn started(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.nth(STARTED))?.map(str::to_owned)
}

/// The place of the start among the fields after the state.
const STARTED: usize = 18;
