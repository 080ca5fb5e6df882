//! The application's state that the members share: bytes by which half a state, or one of two, is
//! noticed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use turnstile_group_lock::{ApplicationState, StateReader};

/// The size of a state: several pieces.
const BYTES: usize = 150_000;

/// What is counted.
#[derive(Clone, Default)]
pub(crate) struct Transfers {
    /// Where a member has got the whole state.
    pub(crate) whole: Arc<AtomicU64>,
    /// Where a transfer has failed.
    pub(crate) failed: Arc<AtomicU64>,
    /// Where it has got another one: this must not be.
    pub(crate) wrong: Arc<AtomicU64>,
}

/// A state, by its number.
pub(crate) struct Shared {
    pub(crate) number: AtomicU64,
    pub(crate) transfers: Transfers,
}

fn bytes(number: u64) -> Vec<u8> {
    let numbers = (0..BYTES as u64 / 8).flat_map(|place| (place ^ number << 32).to_le_bytes());
    numbers.collect()
}

impl ApplicationState for Shared {
    async fn read(&self) -> io::Result<impl AsyncRead + Send + Unpin + 'static> {
        Ok(io::Cursor::new(bytes(self.number.load(Ordering::Relaxed))))
    }

    async fn replace(&self, mut state: StateReader) -> io::Result<()> {
        let mut read = Vec::new();
        let counted = match state.read_to_end(&mut read).await {
            Ok(_) => {
                let first = read.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
                let number = first >> 32;
                self.number.store(number, Ordering::Relaxed);
                if read == bytes(number) { &self.transfers.whole } else { &self.transfers.wrong }
            }
            Err(_) => &self.transfers.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
