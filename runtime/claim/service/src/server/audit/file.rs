//! The file of the audit log, and what becomes of lines that it does not take.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use turnstile_host::at;

use super::line::put_line;
use crate::wire::date::Date;

/// The maximum size in bytes of the lines that are kept.
const KEPT_MAX: usize = 1 << 20;

/// The file of an audit log.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// The last line was written only in part.
    is_torn: bool,
    /// The last lines could not be written.
    pub(super) is_failing: bool,
    /// Lines that cannot be written are kept until they can.
    pub(super) is_required: bool,
    /// These lines, whole.
    kept: Vec<u8>,
    /// The lines and bytes that are lost and that the file does not report yet.
    lost: (u64, usize),
    /// The lines that are lost since the start.
    pub(super) lost_in_all: u64,
}

impl AuditFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (file, is_torn) = open(path)?;
        Ok(Self {
            path: path.into(),
            file,
            is_torn,
            is_failing: false,
            is_required: false,
            kept: Vec::new(),
            lost: (0, 0),
            lost_in_all: 0,
        })
    }

    pub(super) fn reopen(&mut self) -> io::Result<()> {
        (self.file, self.is_torn) = open(&self.path)?;
        Ok(())
    }

    /// Appends complete lines after those that are kept. What cannot be written is kept or lost;
    /// the program's log and the next line report what is lost.
    pub(super) fn write(&mut self, lines: &[u8]) {
        let mut text = Vec::new();
        if self.is_torn {
            text.push(b'\n');
        }
        let (lost_lines, lost_bytes) = self.lost;
        if lost_lines > 0 {
            let time = Date(turnstile_host::wall_us()).rfc3339();
            let (lines, bytes) = (lost_lines, lost_bytes);
            let line =
                serde_json::json!({ "time": time, "lost_bytes": bytes, "lost_lines": lines });
            put_line(&mut text, &line);
        }
        let head = text.len();
        text.extend_from_slice(&self.kept);
        text.extend_from_slice(lines);
        let (taken, error) = append(&self.file, &text);
        let Some(error) = error else {
            if std::mem::take(&mut self.is_failing) {
                tracing::warn!(lost_lines, "the audit log is writable again");
            }
            (self.is_torn, self.lost) = (false, (0, 0));
            self.kept = Vec::new();
            return;
        };
        if !std::mem::replace(&mut self.is_failing, true) {
            let (path, is_required) = (self.path.display(), self.is_required);
            let fate = if is_required { "changes are refused" } else { "lines are lost" };
            tracing::error!(%path, %error, "cannot write to the audit log: {fate}");
        }
        self.is_torn = if taken > 0 { text[taken - 1] != b'\n' } else { self.is_torn };
        // A line that was written in part is written again.
        let whole = text[..taken].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole >= head {
            self.lost = (0, 0);
        }
        self.put_off(&text[whole.max(head)..], lines.len());
    }

    /// Keeps lines, the last bytes of which are new, or loses them.
    fn put_off(&mut self, lines: &[u8], new: usize) {
        let (old, new) = lines.split_at(lines.len().saturating_sub(new));
        self.kept = old.to_vec();
        if self.is_required && lines.len() <= KEPT_MAX {
            self.kept.extend_from_slice(new);
            return;
        }
        let count = new.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.lost = (self.lost.0 + count, self.lost.1 + new.len());
        self.lost_in_all += count;
    }
}

/// The file, and whether its last line is incomplete.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut options = File::options();
    options.append(true).create(true).mode(0o600);
    let file = options.open(path).map_err(at(path.display()))?;
    let mut last = [b'\n'];
    if file.metadata()?.is_file() && file.metadata()?.len() > 0 {
        let mut file = File::open(path).map_err(at(path.display()))?;
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok((file, last != [b'\n']))
}

/// The number of bytes written, and the error that stopped the write.
fn append(mut file: &File, text: &[u8]) -> (usize, Option<io::Error>) {
    let mut taken = 0;
    while taken < text.len() {
        match file.write(&text[taken..]) {
            Ok(0) => return (taken, Some(io::ErrorKind::WriteZero.into())),
            Ok(len) => taken += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (taken, Some(error)),
        }
    }
    (taken, None)
}
