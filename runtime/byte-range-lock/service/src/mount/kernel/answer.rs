//! The answer to a request of the kernel.

use polyfuse::Request;
use polyfuse::bytes::Bytes;
use rustix::io::Errno;

/// Answers a request.
pub(crate) fn answer<T: Bytes>(request: &Request, outcome: Result<T, Errno>) {
    let sent = match outcome {
        Ok(out) => request.reply(out),
        Err(error) => request.reply_error(error.raw_os_error()),
    };
    if let Err(error) = sent
        && error.raw_os_error() != Some(Errno::NOENT.raw_os_error())
    {
        // The kernel does not know the request any more if its program was killed.
        tracing::debug!(%error, "an answer was not taken");
    }
}
