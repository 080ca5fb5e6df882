//! The state of claims as an operator's file: that of a cluster or of a single server, from which
//! either begins.

use std::fmt;
use std::io;

use turnstile_host::store::{Batch, Store};
use turnstile_raft::{Backup, Member, Members};

use super::limits::LimitsInForce;
use super::options::ClusterOptions;
use super::replica::{Head, Replica};
use super::snapshot::{self, Captured};
use crate::server::access::origin::MemberRun;
use crate::server::options::Options;
use crate::server::state::index::ClaimIndex;
use crate::server::state::outlet::ReplyOutlet;
use crate::server::state::saved::{self, Loaded, Meta};

/// How a file of claims begins.
const FILE_HEAD: &[u8] = b"turnstile claims\n";
/// The numbers that a restored state leaves out: more than the claims and tokens that can have been
/// given after it was saved, so that both grow.
const SKIPPED: u64 = 1 << 40;

/// The claims of a cluster or of a single server at one time, as one file keeps them.
pub struct Snapshot {
    index: ClaimIndex,
    meta: Meta,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("meta", &self.meta).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are damaged, or of another version.
    pub fn decode(bytes: &[u8]) -> io::Result<Self> {
        let Some(bytes) = bytes.strip_prefix(FILE_HEAD) else {
            let text = match Backup::decode(bytes.to_vec()) {
                Ok(_) => {
                    "the file is a snapshot of another service, such as `raftlock`, and cannot be \
                     used here"
                }
                Err(_) => "the file is no snapshot of claims: `turnstiled snapshot save` makes one",
            };
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        };
        let claims = snapshot::claims_of(bytes)?;
        saved::read_from(|each| Batch::read(claims, each)).map(Self::of)
    }

    /// Reads the store of a single server.
    ///
    /// # Errors
    /// When the store cannot be read, or is that of a member.
    pub fn of_store(store: &mut dyn Store) -> io::Result<Self> {
        saved::read(store).map(Self::of)
    }

    fn of(found: Loaded) -> Self {
        let Loaded { meta, mut index, .. } = found;
        let meta = meta.unwrap_or_default();
        index.prolong(meta.outages_us);
        Self { index, meta }
    }

    /// The bytes of the file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        file(&Captured::at_rest(Head::default(), &self.index, self.meta))
    }

    /// Writes the claims into the empty store of a single server. Those that it grants have greater
    /// numbers and tokens than any that was granted before.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn restore(&self, store: &mut dyn Store) -> io::Result<()> {
        let mut synced = Ok(());
        snapshot::put_all(&self.index.entries(), self.next_meta()?, |part| {
            if synced.is_ok() {
                store.write(part);
                synced = store.sync();
            }
            part.clear();
        });
        synced
    }

    /// Writes the claims into the empty store of a member, which begins a cluster alone. The claims
    /// that it grants have greater numbers and tokens than any that was granted before.
    ///
    /// # Errors
    /// When the store is not empty or cannot be written, or the list is not that of this member.
    pub async fn restore_member(
        &self,
        cluster: &ClusterOptions,
        store: Box<dyn Store>,
        members: &Members,
    ) -> io::Result<()> {
        let options = Options::default();
        cluster.check(options.body_max)?;
        let limits = LimitsInForce::new(&options.retention(true), &options.bounds);
        let meta = self.next_meta()?;
        let head = Head::restored(&cluster.raft.group, meta.alive, limits);
        let mut state = Vec::new();
        Captured::at_rest(head, &self.index, meta).encode(&mut state);
        // What a start would refuse is not written.
        let own = MemberRun { member: cluster.raft.id, run: 0 };
        Replica::new(own, cluster.raft.group.clone(), limits, ReplyOutlet(None)).install(&state)?;
        Member::restore(&cluster.raft, store, &Backup::of_state(state), members).await
    }

    fn next_meta(&self) -> io::Result<Meta> {
        let skip = |number: u64| {
            let next = number.checked_add(SKIPPED);
            next.ok_or_else(|| io::Error::other("the snapshot of claims has no numbers left"))
        };
        let (last_claim, last_token) = (skip(self.meta.last_claim)?, skip(self.meta.last_token)?);
        Ok(Meta { last_claim, last_token, ..self.meta })
    }
}

/// The bytes of a file of a state.
pub(super) fn file(state: &Captured) -> Vec<u8> {
    let mut file = FILE_HEAD.to_vec();
    state.encode(&mut file);
    file
}
