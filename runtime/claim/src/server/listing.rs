//! A listing of claims, read in slices: each looks at few claims, and none is longer than a few
//! pages of memory.
//!
//! Ids increase, so a listing goes on behind the last claim that it has looked at. It is not of one
//! instant: each claim is listed as it was when its slice was read. It lists none twice, and none
//! that is younger than its first slice.

use super::book::Book;
use super::call::Origin;
use crate::wire::filter::Filter;

/// How many claims a slice looks at, at most.
pub(crate) const SLICE_CLAIMS: usize = 256;
/// A slice that has so many bytes takes no further claim.
pub(crate) const SLICE_BYTES: usize = 64 << 10;

/// What is listed, and how far it has come.
#[derive(Debug)]
pub(crate) struct Listing {
    filter: Filter,
    /// Who asks, who may not read everything.
    origin: Origin,
    /// The first id that was not looked at.
    next: u64,
    /// The last id there is to look at; not known before the first slice.
    last: Option<u64>,
    /// JSON that was not taken yet.
    text: Vec<u8>,
    /// Whether any claim has been written.
    has_claims: bool,
    is_over: bool,
}

impl Listing {
    pub(crate) fn new(filter: Filter, origin: Origin) -> Self {
        let (next, last, text) = (0, None, Vec::new());
        Self { filter, origin, next, last, text, has_claims: false, is_over: false }
    }

    /// Reads a slice; how many claims it has looked at.
    pub(crate) fn read(&mut self, book: &Book, now_us: u64) -> usize {
        let last = *self.last.get_or_insert_with(|| book.last());
        if self.next == 0 {
            self.text.push(b'[');
        }
        let mut seen = 0;
        let mut is_over = true;
        for (id, entry) in book.from(&self.filter, self.next, last) {
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

    /// Whether what was read is to go out before more is read.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= SLICE_BYTES
    }

    /// Whether everything has been read.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// What was read since this was asked last.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use turnstile_core::claim::record::Status;

    use super::super::auth::Identity;
    use super::super::entry::Entry;
    use super::*;
    use turnstile_host::Moment;

    const CLAIMS: u64 = 100_000;

    fn entry(number: u32, status: Status) -> Entry {
        Entry {
            number,
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

    /// Adds a claim as a request does, whose resource has got a number.
    fn add(book: &mut Book, id: u64, mut entry: Entry) {
        (entry.number, entry.resource) = book.number(&entry.resource);
        book.add(id, entry);
    }

    fn origin() -> Origin {
        let from = ([127, 0, 0, 1], 1).into();
        let identity = Identity { name: None, has_all_rights: true, from };
        Origin { base: "/".into(), wait_us: None, timeout_us: None, identity }
    }

    /// Every tenth is over, every second is of one resource.
    fn book() -> Book {
        let mut book = Book::default();
        for id in 1..=CLAIMS {
            let status = if id % 10 == 0 { Status::Released } else { Status::Waiting };
            add(&mut book, id, entry(if id % 2 == 0 { 0 } else { id as u32 }, status));
        }
        book
    }

    /// Reads all of a listing, slice by slice: its ids, and how many claims were looked at.
    fn read(book: &Book, query: &str) -> (Vec<u64>, usize) {
        let filter = Filter::read(query).expect("well formed");
        let mut listing = Listing::new(filter, origin());
        let (mut text, mut looked_at) = (Vec::new(), 0);
        while !listing.is_over() {
            let before = text.len();
            let seen = listing.read(book, 0);
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
        let book = book();
        let (ids, _) = read(&book, "limit=1000000");
        assert!(ids.into_iter().eq(1..=CLAIMS));
        let (ids, looked_at) = read(&book, "minimum_active_duration=1");
        assert_eq!((ids.len(), looked_at as u64), (0, CLAIMS));
        let (ids, looked_at) = read(&book, "resource=r0&status=released&limit=1000000");
        assert!(ids.into_iter().eq((10..=CLAIMS).step_by(10)));
        assert_eq!(looked_at as u64, CLAIMS / 2);
        let (ids, _) = read(&book, "status=waiting&limit=3&offset=50000");
        assert_eq!(ids, [55_556, 55_557, 55_558]);
        assert_eq!(read(&book, "limit=0"), (Vec::new(), 0));
        assert_eq!(read(&book, "resource=unknown"), (Vec::new(), 0));
    }

    #[test]
    fn a_listing_ends_although_claims_come_and_go_under_it() {
        let mut book = book();
        let filter = Filter { limit: usize::MAX, ..Filter::default() };
        let mut listing = Listing::new(filter, origin());
        let mut added = CLAIMS;
        let mut text = Vec::new();
        while !listing.is_over() {
            listing.read(&book, 0);
            text.extend(listing.take());
            assert!(added < 10 * CLAIMS, "it runs after those that come");
            for _ in 0..2 * SLICE_CLAIMS {
                added += 1;
                add(&mut book, added, entry(1, Status::Waiting));
            }
            book.remove(CLAIMS);
        }
        let claims: Vec<Value> = serde_json::from_slice(&text).expect("one array");
        assert_eq!(claims.len() as u64, CLAIMS - 1, "what was there and stays");
    }

    #[test]
    fn no_slice_shows_a_stranger_what_is_another_s() {
        let mut book = Book::default();
        for id in 1..=3 * SLICE_CLAIMS as u64 {
            let user_data = serde_json::value::to_raw_value("private").ok();
            let owner = Some(if id % 2 == 0 { "deploy" } else { "ci" }.into());
            add(&mut book, id, Entry { user_data, owner, ..entry(1, Status::Waiting) });
        }
        let identity =
            Identity { name: Some("ci".into()), has_all_rights: false, ..origin().identity };
        let filter = Filter { limit: usize::MAX, ..Filter::default() };
        let mut listing = Listing::new(filter, Origin { identity, ..origin() });
        let mut text = Vec::new();
        while !listing.is_over() {
            listing.read(&book, 0);
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
        listing.read(&Book::default(), 0);
        assert!(listing.is_over());
        assert_eq!(listing.take(), b"[]");
    }
}
