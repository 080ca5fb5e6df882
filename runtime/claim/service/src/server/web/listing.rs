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

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use turnstile_claim_core::record::Status;
    use turnstile_claim_machines::claim_record as machine;

    use crate::server::access::auth::Identity;
    use crate::server::state::record::ClaimRecord;
    use crate::server::web::listing::*;
    use crate::wire::query::Query;
    use turnstile_host::Moment;

    const CLAIMS: u64 = 100_000;

    fn entry(number: u32, status: Status) -> ClaimRecord {
        ClaimRecord {
            number,
            at: machine::State::New,
            key: None,
            resource: format!("r{number}").into(),
            user_data: None,
            owner: None,
            digest: 0,
            ttl_us: 20_000_000,
            due_us: None,
            until_us: None,
            token: None,
            history: vec![(status, Moment::default())],
        }
    }

    /// Adds a claim like a request whose resource has a number.
    fn add(index: &mut ClaimIndex, id: u64, mut entry: ClaimRecord) {
        let numbered = index.number(&entry.resource);
        (entry.number, entry.resource) = (numbered.number, numbered.name);
        index.add(id, entry);
    }

    fn origin() -> RequestOrigin {
        let from = ([127, 0, 0, 1], 1).into();
        let identity = Identity { name: None, has_all_rights: true, from };
        let (wait_us, timeout_us, received_by) = (None, None, None);
        RequestOrigin { base: "/".into(), wait_us, timeout_us, identity, received_by }
    }

    /// Every tenth claim has ended, every second one is of one resource.
    fn index() -> ClaimIndex {
        let mut index = ClaimIndex::default();
        for id in 1..=CLAIMS {
            let status = if id % 10 == 0 { Status::Released } else { Status::Waiting };
            add(&mut index, id, entry(if id % 2 == 0 { 0 } else { id as u32 }, status));
        }
        index
    }

    /// Reads a whole listing: its ids, and the number of claims scanned.
    fn read(index: &ClaimIndex, query: &str) -> (Vec<u64>, usize) {
        let query = Query::read(query, &Filter::KEYS);
        let filter = query.and_then(|query| Filter::read(&query)).expect("well formed");
        let mut listing = Listing::new(filter, origin());
        let (mut text, mut looked_at) = (Vec::new(), 0);
        while !listing.is_over() {
            let before = text.len();
            let seen = listing.read(index, 0);
            assert!(seen <= SLICE_CLAIMS, "{seen} claims in one slice");
            looked_at += seen;
            text.extend(listing.take());
            assert!(text.len() - before < SLICE_BYTES + 1_000, "a slice is bounded by bytes");
        }
        let claims: Vec<Value> = serde_json::from_slice(&text).expect("one array");
        let id = |claim: &Value| {
            let url = claim["url"].as_str().expect("a URL");
            url.trim_matches('/').parse().expect("an id")
        };
        (claims.iter().map(id).collect(), looked_at)
    }

    #[test]
    fn slices_are_small_and_make_up_the_whole_list() {
        let index = index();
        let (ids, _) = read(&index, "limit=1000000");
        assert!(ids.into_iter().eq(1..=CLAIMS));
        let (ids, looked_at) = read(&index, "minimum_active_duration=1");
        assert_eq!((ids.len(), looked_at as u64), (0, CLAIMS));
        let (ids, looked_at) = read(&index, "resource=r0&status=released&limit=1000000");
        assert!(ids.into_iter().eq((10..=CLAIMS).step_by(10)));
        assert_eq!(looked_at as u64, CLAIMS / 2);
        let (ids, _) = read(&index, "status=waiting&limit=3&offset=50000");
        assert_eq!(ids, [55_556, 55_557, 55_558]);
        assert_eq!(read(&index, "limit=0"), (Vec::new(), 0));
        assert_eq!(read(&index, "resource=unknown"), (Vec::new(), 0));
    }

    #[test]
    fn a_listing_ends_although_claims_come_and_go_under_it() {
        let mut index = index();
        let filter = Filter { limit: usize::MAX, ..Filter::default() };
        let mut listing = Listing::new(filter, origin());
        let mut added = CLAIMS;
        let mut text = Vec::new();
        while !listing.is_over() {
            listing.read(&index, 0);
            text.extend(listing.take());
            assert!(added < 10 * CLAIMS, "it runs after those that come");
            for _ in 0..2 * SLICE_CLAIMS {
                added += 1;
                add(&mut index, added, entry(1, Status::Waiting));
            }
            index.remove(CLAIMS);
        }
        let claims: Vec<Value> = serde_json::from_slice(&text).expect("one array");
        assert_eq!(claims.len() as u64, CLAIMS - 1, "what was there and stays");
    }

    #[test]
    fn no_slice_shows_a_stranger_what_is_another_s() {
        let mut index = ClaimIndex::default();
        for id in 1..=3 * SLICE_CLAIMS as u64 {
            let user_data = serde_json::value::to_raw_value("private").ok();
            let owner = Some(if id % 2 == 0 { "deploy" } else { "ci" }.into());
            add(&mut index, id, ClaimRecord { user_data, owner, ..entry(1, Status::Waiting) });
        }
        let identity =
            Identity { name: Some("ci".into()), has_all_rights: false, ..origin().identity };
        let filter = Filter { limit: usize::MAX, ..Filter::default() };
        let mut listing = Listing::new(filter, RequestOrigin { identity, ..origin() });
        let mut text = Vec::new();
        while !listing.is_over() {
            listing.read(&index, 0);
            text.extend(listing.take());
        }
        let claims: Vec<Value> = serde_json::from_slice(&text).expect("one array");
        assert_eq!(claims.len(), 3 * SLICE_CLAIMS);
        for claim in claims {
            let is_own = claim["owner"] == "ci";
            assert_eq!(claim["user_data"], if is_own { "private".into() } else { Value::Null });
        }
    }

    #[test]
    fn an_empty_list_is_an_array() {
        let mut listing = Listing::new(Filter::default(), origin());
        listing.read(&ClaimIndex::default(), 0);
        assert!(listing.is_over());
        assert_eq!(listing.take(), b"[]");
    }
}
