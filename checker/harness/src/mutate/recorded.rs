//! A recorded world of a system without any change, with what each of its operations reads of the
//! tables; and the judgement of a mutant by the operations that read what it changes.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_search::bounds::Progress;
use turnstile_search::interned::OperationId;
use turnstile_search::variants::{Changes, Tags, VariantLimits, VariantOutcome};
use turnstile_spec::system::{self, System};
use turnstile_step::RowOutcome;
use turnstile_world::parts::Tag;
use turnstile_world::{JudgedVariant, World, WorldRecording};

use super::merged::Merged;
use crate::options::{Options, Refusal};
use crate::registry::SystemEntry;
use crate::results::observations::taken;
use crate::tables::reads::{Read, noting};

/// The bound of the new states of a mutant: this factor times the recorded states, plus this
/// number. A larger search is truncated.
const GROWTH: (usize, usize) = (4, 20_000);

/// A world without any change.
pub(super) struct RecordedWorld {
    /// Its index in the system's file.
    pub(super) place: usize,
    /// Whether its properties hold.
    pub(super) holds: bool,
    /// The outcomes of rows.
    pub(super) taken: BTreeSet<RowOutcome>,
    /// The most states of a search, if there is a limit.
    max_states: Option<usize>,
    world: Merged,
    recording: WorldRecording,
    /// What its construction reads.
    construction: BTreeSet<Read>,
    /// The operations that read a part of a table.
    readers: BTreeMap<Read, Vec<OperationId>>,
    /// What its predicates read.
    predicates: BTreeSet<Read>,
}

/// Why a world is not recorded.
pub(super) enum NotRecorded {
    /// It cannot be searched.
    Refused(Refusal),
    /// The search was stopped by a limit.
    Limit,
    /// A core is not a pure function of its input: no verdict is valid.
    Impure,
}

/// The effect of a mutant on a recorded world.
pub(super) enum Effect {
    /// No trace differs.
    None,
    /// Some operations or predicates have other outcomes.
    Changes(Box<MutantWorld>),
    /// It cannot be judged by the recording.
    Unknown,
    /// It cannot run.
    Refused,
}

/// A world of a mutant, and how it differs from the recorded one.
pub(super) struct MutantWorld {
    world: Merged,
    pub(super) changes: Changes,
    /// The propositions that hold in the recorded states, if they are others.
    holding: Option<Vec<u64>>,
    /// What the mutant changes.
    reads: BTreeSet<Read>,
}

impl MutantWorld {
    /// What differs of the state graph, if something does: a digest, which mutants share that have
    /// the same one.
    pub(super) fn graph(&self) -> Option<Option<[u64; 2]>> {
        self.changes.is_of_graph().then(|| self.digest())
    }

    /// Equal for mutants that may be judged as one.
    pub(super) fn digest(&self) -> Option<[u64; 2]> {
        self.holding.is_none().then(|| self.changes.digest())
    }
}

/// The judgement of a mutant in a world.
pub(super) struct WorldJudgement {
    judged: JudgedVariant,
    /// Whether some outcome may be missing.
    is_inexact: bool,
    /// What new operations read.
    operations: BTreeSet<Read>,
    /// What predicates read in new states.
    predicates: BTreeSet<Read>,
}

impl WorldJudgement {
    /// The outcome. `None`: the mutant is to be searched from nothing.
    pub(super) fn outcome(&self) -> Option<VariantOutcome<Tag>> {
        (!self.is_inexact).then(|| self.judged.outcome().clone())
    }

    /// Whether it is the judgement of another mutant with the same digest, too.
    pub(super) fn is_of(&self, recorded: &RecordedWorld, other: &MutantWorld) -> bool {
        let reads = |of: &BTreeSet<Read>| !other.reads.is_disjoint(of);
        self.is_inexact
            || !reads(&self.predicates)
                && (!reads(&self.operations)
                    || self.judged.is_of(&recorded.recording, &other.world)
                        && !other.world.is_inexact())
    }
}

impl RecordedWorld {
    /// Searches a world.
    ///
    /// # Errors
    ///
    /// Why there is no recording.
    pub(super) fn new(
        (entry, file): (&SystemEntry, &System),
        (place, named): (usize, &system::World),
        options: &Options<'_>,
    ) -> Result<Self, NotRecorded> {
        let (world, construction) = noting(|| entry.world(file, named, options));
        let world = Merged::new(world.map_err(NotRecorded::Refused)?);
        let Options { reduce, limits, progress, .. } = options;
        let recording = WorldRecording::of(&world, *reduce, *limits, *progress);
        let recording = recording.ok_or(NotRecorded::Limit)?;
        let predicates = world.take_read();
        let mut readers: BTreeMap<Read, Vec<OperationId>> = BTreeMap::new();
        for id in recording.operations() {
            let (is_same, reads) = noting(|| recording.is_same(&world, id));
            if !is_same {
                return Err(NotRecorded::Impure);
            }
            reads.into_iter().for_each(|read| readers.entry(read).or_default().push(id));
        }
        let mut recorded = Self {
            place,
            holds: false,
            taken: taken(recording.tags().into_iter().cloned().collect()),
            max_states: limits.max_states.and_then(|most| usize::try_from(most).ok()),
            world,
            recording,
            construction,
            readers,
            predicates,
        };
        let changes = (&Changes::none(), None);
        let unchanged = recorded.judge_by(&recorded.world, changes, &|_| false, *progress);
        recorded.holds = matches!(unchanged.outcome(), VariantOutcome::Holds { .. });
        Ok(recorded)
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.recording.states()
    }

    /// The effect of a mutant that changes these parts. `build`: its world.
    pub(super) fn effect(
        &self,
        reads: &BTreeSet<Read>,
        build: impl FnOnce() -> Result<World, Refusal>,
    ) -> Effect {
        let readers = || reads.iter().filter_map(|read| self.readers.get(read));
        let reads_predicates = !reads.is_disjoint(&self.predicates);
        if !reads.is_disjoint(&self.construction) {
            return Effect::Unknown;
        }
        if readers().next().is_none() && !reads_predicates {
            return Effect::None;
        }
        let Ok(world) = build() else { return Effect::Refused };
        if !world.has_frame_of(&self.world.world) {
            return Effect::Unknown;
        }
        let world = Merged::new(world);
        let operations = readers().flatten().copied().collect();
        let changes = self.recording.changes(&world, operations);
        let Some(changes) = changes.filter(|_| !world.is_inexact()) else {
            return Effect::Unknown;
        };
        let holding = reads_predicates.then(|| self.recording.holding_by(&world));
        let holding = holding.filter(|holding| !self.recording.is_holding(holding));
        if changes.is_empty() && holding.is_none() {
            return Effect::None;
        }
        let reads = reads.clone();
        Effect::Changes(Box::new(MutantWorld { world, changes, holding, reads }))
    }

    /// Judges a mutant. `is_wanted`: whether it matters if an outcome of a row is taken.
    pub(super) fn judge(
        &self,
        mutant: &MutantWorld,
        is_wanted: &dyn Fn(&RowOutcome) -> bool,
        progress: &dyn Progress,
    ) -> WorldJudgement {
        let changes = (&mutant.changes, mutant.holding.as_deref());
        mutant.world.take_read();
        let (judged, operations) =
            noting(|| self.judge_by(&mutant.world, changes, is_wanted, progress));
        let predicates = mutant.world.take_read();
        WorldJudgement { judged, is_inexact: mutant.world.is_inexact(), operations, predicates }
    }

    fn judge_by(
        &self,
        world: &Merged,
        changes: (&Changes, Option<&[u64]>),
        is_wanted: &dyn Fn(&RowOutcome) -> bool,
        progress: &dyn Progress,
    ) -> JudgedVariant {
        let new_states = self.states().saturating_mul(GROWTH.0).saturating_add(GROWTH.1);
        let asked = self.max_states.map_or(usize::MAX, |most| most.saturating_sub(self.states()));
        let new_states = new_states.min(asked);
        let is_incomplete = |tag: &Tag| match tag {
            Tag::Overflowed { .. } | Tag::CutsExceeded { .. } => true,
            Tag::Row(_) | Tag::Spent(_) => false,
        };
        let is_wanted = |tag: &Tag| match tag {
            Tag::Row(row) => is_wanted(row),
            Tag::Overflowed { .. } | Tag::CutsExceeded { .. } | Tag::Spent(_) => false,
        };
        let limits = VariantLimits { new_states, progress };
        let tags = Tags { is_incomplete: &is_incomplete, is_wanted: &is_wanted };
        self.recording.judge(world, changes, limits, tags)
    }
}
