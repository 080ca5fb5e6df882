//! A disk that is lost, or as it was before, while the member that led is away: a third member
//! lacks what those two have acknowledged.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use turnstile_host::Rng;
use turnstile_host::store::Medium;

use crate::net::Net;

/// How long the third member hears nothing.
const BEHIND_MOST: Duration = Duration::from_millis(800);
/// How long a member is away: for an election, and for operations without it.
const AWAY: Duration = Duration::from_secs(2);
/// How the reason begins for which a member stops that has what the others have lost.
const LOST: &str = "acknowledged changes are lost";

/// What becomes of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It is empty.
    Wiped,
    /// It is as it was when the third member began to hear nothing.
    RolledBack,
    /// It is that of the leader, as it was before an election, and there is another election: the
    /// same one may lead in the same term.
    LedTwice,
}

impl Loss {
    /// What a seed decides; two of them in runs in which a member is replaced.
    #[must_use]
    pub fn of_seed(seed: u64) -> Option<Self> {
        match seed % 8 {
            1 => Some(Self::Wiped),
            3 => Some(Self::LedTwice),
            5 => Some(Self::RolledBack),
            _ => None,
        }
    }

    /// Whether a member has stopped since what it has answered for is lost.
    pub fn is_noticed(failure: Option<&String>) -> bool {
        failure.is_some_and(|why| why.starts_with(LOST))
    }
}

/// What is done at a time.
struct Disturbance {
    part: Part,
    /// These processes end.
    ends: Vec<u64>,
    /// Then these begin.
    begins: Vec<u64>,
}

/// What becomes of the process of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ends.
    Ends,
    /// It begins.
    Begins,
}

/// A part of the loss of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing is lost yet.
    Before,
    /// Once the processes have ended, the disk is lost.
    Loss,
    /// Whoever has what is lost is back.
    Over,
}

/// A disk that is being lost.
pub struct LosingDisk {
    /// What becomes of it.
    pub loss: Loss,
    /// The member whose disk it is.
    pub lost: u64,
    older: BTreeMap<String, Vec<u8>>,
    steps: VecDeque<(Duration, Disturbance)>,
}

impl LosingDisk {
    /// The leader or one of these others loses its disk. Of those that do not, one lacks what is
    /// acknowledged until then, and one has it.
    pub fn begin(
        (net, media): (&Net, &BTreeMap<u64, Medium>),
        (leader, [one, behind]): (u64, [u64; 2]),
        loss: Loss,
        now: Duration,
        rng: &mut Rng,
    ) -> Self {
        net.heal();
        let step = |part, ends: &[u64], begins: &[u64]| Disturbance {
            part,
            ends: ends.to_vec(),
            begins: begins.to_vec(),
        };
        let (lost, steps) = if loss == Loss::LedTwice {
            let before = step(Part::Before, &[leader, one, behind], &[leader, one]);
            let lose = step(Part::Loss, &[leader, one], &[leader, behind]);
            let over = step(Part::Over, &[], &[one]);
            let at = now + AWAY;
            (leader, [(now, before), (at, lose), (at + AWAY, over)].into())
        } else {
            net.isolate(behind, media.keys().copied());
            let lose = step(Part::Loss, &[leader, one], &[one]);
            let over = step(Part::Over, &[], &[leader]);
            let at = now + rng.between(BEHIND_MOST / 2, BEHIND_MOST);
            (one, [(at, lose), (at + AWAY, over)].into())
        };
        Self { loss, lost, older: media[&lost].files(), steps }
    }

    /// Does what is due: ends and begins processes, and changes the disk between the two. Returns
    /// which part it was.
    pub fn strike(
        &mut self,
        (net, media): (&Net, &BTreeMap<u64, Medium>),
        now: Duration,
        mut meet: impl FnMut(u64, Fate),
    ) -> Option<Part> {
        let (_, Disturbance { part, ends, begins }) =
            self.steps.pop_front_if(|(at, _)| *at <= now)?;
        ends.into_iter().for_each(|id| meet(id, Fate::Ends));
        if part == Part::Loss {
            self.lose(&media[&self.lost]);
            net.heal();
        }
        begins.into_iter().for_each(|id| meet(id, Fate::Begins));
        Some(part)
    }

    /// Changes the disk, whose member does not run.
    fn lose(&self, medium: &Medium) {
        medium.files().keys().for_each(|file| medium.put(file, None));
        if self.loss != Loss::Wiped {
            for (file, bytes) in &self.older {
                medium.put(file, Some(bytes.clone()));
            }
        }
    }
}
