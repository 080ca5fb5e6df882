//! The state of the server's cluster, as a file for `turnstiled snapshot restore`.

use std::io::Write;

use super::error::{Error, ErrorKind};
use super::lock_client::LockClient;
use super::query::{REQUEST_TIMEOUT, accepted};

impl LockClient {
    /// Writes the state of the server's cluster as the bytes of a file: with all that was answered
    /// before, or a stale one, which is what this member has applied, without a majority. Only an
    /// operator's token may read it.
    ///
    /// # Errors
    /// When the server is no member of a cluster, cannot be reached, or does not confirm a state
    /// that is not stale (503); or when the writing fails. Then a part may be written.
    pub async fn save_snapshot(
        &self,
        is_stale: bool,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let path = self.shared.caller.server().snapshot_path(is_stale);
        let mut failed = None;
        let part = &mut |bytes: &[u8]| {
            let written = out.write_all(bytes);
            written.inspect_err(|error| failed = Some(ErrorKind::Setting(error.to_string())))
        };
        let called = self.shared.caller.receive(&path, REQUEST_TIMEOUT, part).await;
        match (failed, called) {
            (Some(failed), _) => Err(failed.into()),
            (None, called) => accepted(called).map(drop),
        }
    }
}
