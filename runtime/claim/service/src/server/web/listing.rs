//! A listing of claims, read in slices of bounded work and memory.
//!
//! Ids increase, so a listing continues after the last claim that it has scanned. It is not a
//! snapshot: each claim is listed as it was when its slice was read. It lists no claim twice, and
//! none that is newer than its first slice.

use crate::server::access::origin::RequestOrigin;
use crate::server::state::index::ClaimIndex;
use crate::wire::filter::Filter;

/// The maximum number of claims that a slice scans.
pub(crate) const SLICE_CLAIMS: usize = 256;
/// The size in bytes at which a slice ends.
pub(crate) const SLICE_BYTES: usize = 64 << 10;

/// The state of a listing.
#[derive(Debug)]
pub(crate) struct Listing {
    filter: Filter,
    /// The client, which may not see all user data.
    origin: RequestOrigin,
    /// The first id that was not scanned.
    next: u64,
    /// The last id to scan; unknown before the first slice.
    last: Option<u64>,
    /// JSON that was not sent yet.
    text: Vec<u8>,
    /// Whether any claim was written.
    has_claims: bool,
    is_over: bool,
}

impl Listing {
    pub(crate) fn new(filter: Filter, origin: RequestOrigin) -> Self {
        let (next, last, text) = (0, None, Vec::new());
        Self { filter, origin, next, last, text, has_claims: false, is_over: false }
    }

    /// Reads a slice; returns the number of claims scanned.
    pub(crate) fn read(&mut self, index: &ClaimIndex, now_us: u64) -> usize {
        let last = *self.last.get_or_insert_with(|| index.last());
        if self.next == 0 {
            self.text.push(b'[');
        }
        let mut seen = 0;
        let mut is_over = true;
        for (id, entry) in index.from(&self.filter, self.next, last) {
            if self.filter.limit == 0 {
                break;
            }
            if seen == SLICE_CLAIMS || self.is_full() {
                is_over = false;
                break;
            }
            seen += 1;
            self.next = id + 1;
            if !entry.is_wanted(&self.filter, now_us) {
                continue;
            }
            if self.filter.offset > 0 {
                self.filter.offset -= 1;
                continue;
            }
            self.filter.limit -= 1;
            if std::mem::replace(&mut self.has_claims, true) {
                self.text.push(b',');
            }
            let body = entry.body(id, &self.origin, now_us);
            serde_json::to_writer(&mut self.text, &body).expect("bodies are plain data");
        }
        if is_over {
            self.is_over = true;
            self.text.push(b']');
        }
        self.next = self.next.max(1);
        seen
    }

    /// Whether there is enough JSON to send.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= SLICE_BYTES
    }

    /// Whether all claims have been scanned.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes the JSON since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }
}
