//! Changes of the members, by joint consensus.

use std::collections::BTreeSet;
use std::time::Duration;

use openraft::ChangeMembers;
use openraft::error::RaftError;
use tokio::time::Instant;
use turnstile_host::transport::Refusal;

use super::{Engine, client_error, stopped};
use crate::error::MemberError;
use crate::group::MemberNode;
use crate::identity::Identity;
use crate::network::{CallError, Trouble};

impl Engine {
    /// Adds a member: first without a vote, until it has nearly all of the log.
    /// It must answer within `patience`.
    pub(crate) async fn add_member(
        &self,
        id: u64,
        address: &str,
        patience: Duration,
    ) -> Result<(), MemberError> {
        self.finish_change().await?;
        let has = self.status().members.get(&id).cloned();
        if let Some(has) = has.filter(|has| has != address) {
            let why = format!("member {id} has the address {has} already");
            return Err(MemberError::Membership { why });
        }
        // What former leaders have written is applied then.
        self.read_index().await?;
        let Identity { version, log, .. } = self.candidate(id, address, patience).await?;
        let joining = self.versions.join(version, self.status().term);
        let _joining = joining.map_err(|log| MemberError::Membership {
            why: format!(
                "member {id} applies operations up to version {version}, and the log has those of \
                 version {log}: it needs a later program"
            ),
        })?;
        let mut voters = self.last_voters();
        voters.insert(id);
        self.check_majority(&voters).await?;
        self.membership_synced().await?;
        let node = MemberNode { address: address.to_owned(), log };
        let added = self.raft.add_learner(id, node, true).await;
        added.map_err(write_error)?;
        self.change(ChangeMembers::AddVoterIds(BTreeSet::from([id]))).await
    }

    /// Asks a member that is to be added who it is, until it answers.
    async fn candidate(
        &self,
        id: u64,
        address: &str,
        patience: Duration,
    ) -> Result<Identity, MemberError> {
        let mut members = self.status().members;
        members.insert(id, address.to_owned());
        // A later change of the members replaces it.
        self.network.set_members(&members);
        let until = Instant::now() + patience;
        loop {
            let why = match self.peers.ask(id, |_| false).await {
                Ok(candidate) => return Ok(candidate),
                Err(CallError { why }) => why,
            };
            if self.peers.refused().get(&id) == Some(&why) {
                return Err(MemberError::Membership { why });
            }
            if Instant::now() >= until {
                let why = self.not_there(id, address, &why);
                return Err(MemberError::Membership { why });
            }
            tokio::time::sleep(self.pause).await;
        }
    }

    /// Why a member that is to be added does not answer, and what is to be done.
    fn not_there(&self, id: u64, address: &str, why: &str) -> String {
        match self.network.trouble(id) {
            Some(Trouble::NotFound(_)) => {
                format!("the host of {address} is not found: check the address of member {id}")
            }
            Some(Trouble::NoListener) => format!(
                "nothing listens at {address}: start member {id} first, or check its address"
            ),
            Some(Trouble::Rejected(Refusal::NotThisNode, _)) => format!(
                "another member than {id} answers at {address}: check the number and the address"
            ),
            Some(Trouble::Rejected(Refusal::OwnId, _)) => {
                format!("this member itself answers at {address}: check the address of member {id}")
            }
            Some(Trouble::Rejected(Refusal::UnknownPeer, _)) => format!(
                "what runs at {address} does not know this member: start member {id} with --peer \
                 for each member that is there"
            ),
            Some(Trouble::Rejected(_, text)) => {
                format!("member {id} at {address} and this one do not accept each other: {text}")
            }
            Some(Trouble::Other(_)) | None => {
                format!("no member {id} answers at {address}, so start it first: {why}")
            }
        }
    }

    /// Removes a member.
    pub(crate) async fn remove_member(&self, id: u64) -> Result<(), MemberError> {
        self.finish_change().await?;
        if !self.status().members.contains_key(&id) {
            return Err(MemberError::no_member(id));
        }
        let mut voters = self.last_voters();
        let is_voter = voters.remove(&id);
        let id = BTreeSet::from([id]);
        if !is_voter {
            return self.change(ChangeMembers::RemoveNodes(id)).await;
        }
        self.check_majority(&voters).await?;
        self.change(ChangeMembers::RemoveVoters(id)).await
    }

    /// The voters after the changes so far.
    fn last_voters(&self) -> BTreeSet<u64> {
        self.status().voters.pop().unwrap_or_default()
    }

    /// Whether a majority of these answers. Without one they could not even be changed again.
    async fn check_majority(&self, voters: &BTreeSet<u64>) -> Result<(), MemberError> {
        if voters.is_empty() {
            let why = "the last member cannot be removed".to_owned();
            return Err(MemberError::Membership { why });
        }
        let mut silent = Vec::new();
        for id in voters.iter().filter(|id| **id != self.id) {
            if let Err(CallError { why }) = self.peers.ask(*id, |_| false).await {
                silent.push(format!("member {id}: {why}"));
            }
        }
        let answering = voters.len() - silent.len();
        if 2 * answering > voters.len() {
            return Ok(());
        }
        let why = format!(
            "only {answering} of the {} members that would have a vote answers, which is no \
             majority, so nothing is changed ({})",
            voters.len(),
            silent.join("; ")
        );
        Err(MemberError::Membership { why })
    }

    /// Finishes a change that was interrupted between its two steps.
    pub(crate) async fn finish_change(&self) -> Result<(), MemberError> {
        let voters = self.status().voters;
        match voters.as_slice() {
            [_, target] => self.change(ChangeMembers::ReplaceAllVoters(target.clone())).await,
            [] | [_] | [_, _, _, ..] => Ok(()),
        }
    }

    /// Waits for the sync of the last change: openraft may call it committed before.
    async fn membership_synced(&self) -> Result<(), MemberError> {
        let last = *self.raft.metrics().borrow().membership_config.log_id();
        self.unsynced.wait(last).await.map_err(stopped)
    }

    /// Changes the members. After an error between the two steps of a change, it is repeated.
    async fn change(&self, change: ChangeMembers<u64, MemberNode>) -> Result<(), MemberError> {
        self.membership_synced().await?;
        let changed = self.raft.change_membership(change, false).await;
        let Err(error) = changed.map_err(write_error) else { return Ok(()) };
        let voters = self.status().voters;
        match (&error, voters.as_slice()) {
            (MemberError::Membership { .. }, [_, target]) => {
                let target = ChangeMembers::ReplaceAllVoters(target.clone());
                let repeated = self.raft.change_membership(target, false).await;
                repeated.map(|_| ()).map_err(write_error)
            }
            (_, _) => Err(error),
        }
    }
}

fn write_error(
    error: RaftError<u64, openraft::error::ClientWriteError<u64, MemberNode>>,
) -> MemberError {
    match error {
        RaftError::APIError(error) => client_error(error),
        RaftError::Fatal(fatal) => stopped(fatal),
    }
}
