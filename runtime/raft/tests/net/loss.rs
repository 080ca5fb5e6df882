//! A disk that is lost, or as it was before, while the member that led is away: a third member
//! lacks what those two have acknowledged.

use std::collections::BTreeMap;
use std::time::Duration;

use turnstile_host::Rng;
use turnstile_host::store::Medium;

use super::net::Net;

/// How long the third member hears nothing.
const BEHIND_MOST: Duration = Duration::from_millis(800);
/// How long the leader is away: for an election, and for operations without it.
const AWAY: Duration = Duration::from_secs(2);
/// How the reason begins for which a member stops that has what the others have lost.
const LOST: &str = "acknowledged changes are lost";

/// What becomes of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It is empty.
    Wiped,
    /// It is as it was when the third member began to hear nothing.
    RolledBack,
}

impl Loss {
    /// Whether a member has stopped since what it has answered for is lost.
    pub(crate) fn is_noticed(failure: Option<&String>) -> bool {
        failure.is_some_and(|why| why.starts_with(LOST))
    }
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    /// The leader and the member that loses its disk end; the latter begins again.
    Lose,
    /// The leader begins again.
    Over,
}

pub(crate) struct LosingDisk {
    loss: Loss,
    at: Duration,
    pub(crate) leader: u64,
    pub(crate) lost: u64,
    older: BTreeMap<String, Vec<u8>>,
    is_lost: bool,
}

impl LosingDisk {
    /// One of these other members than the leader loses its disk, another one hears nothing.
    pub(crate) fn begin(
        (net, media): (&Net, &BTreeMap<u64, Medium>),
        (leader, others): (u64, [u64; 2]),
        loss: Loss,
        now: Duration,
        rng: &mut Rng,
    ) -> Self {
        let [lost, behind] = others;
        net.heal();
        net.isolate(behind, media.keys().copied());
        let older = media[&lost].files();
        let at = now + rng.between(BEHIND_MOST / 2, BEHIND_MOST);
        Self { loss, at, leader, lost, older, is_lost: false }
    }

    pub(crate) fn due(&mut self, now: Duration) -> Due {
        if !self.is_lost && now >= self.at {
            self.is_lost = true;
            return Due::Lose;
        }
        if now >= self.at + AWAY { Due::Over } else { Due::Nothing }
    }

    /// Changes the disk, whose member does not run.
    pub(crate) fn lose(&self, medium: &Medium) {
        medium.files().keys().for_each(|file| medium.put(file, None));
        if self.loss == Loss::RolledBack {
            for (file, bytes) in &self.older {
                medium.put(file, Some(bytes.clone()));
            }
        }
    }
}
