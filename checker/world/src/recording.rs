//! The recording of a World, and the judgement of its variants: [`Recording`] for the parts of a
//! World, compiled here once.

use turnstile_search::bounds::{Limits, Progress, Reductions};
use turnstile_search::interned::OperationId;
use turnstile_search::variants::{Changes, Judged, Recording, Tags, VariantLimits, VariantOutcome};

use crate::parts::Tag;
use crate::search::AnyWorld;

/// The complete state graph of a World. Its methods are those of [`Recording`].
pub struct WorldRecording(Recording<AnyWorld>);

/// The judgement of a variant of a World.
pub struct JudgedVariant(Judged<AnyWorld>);

impl WorldRecording {
    /// See [`Recording::of`].
    #[must_use]
    pub fn of(
        world: &AnyWorld,
        reduce: Reductions,
        limits: Limits,
        progress: &dyn Progress,
    ) -> Option<Self> {
        Recording::of(world, reduce, limits, progress).map(Self)
    }

    /// See [`Recording::states`].
    #[must_use]
    pub fn states(&self) -> usize {
        self.0.states()
    }

    /// See [`Recording::tags`].
    #[must_use]
    pub fn tags(&self) -> Vec<&Tag> {
        self.0.tags().collect()
    }

    /// See [`Recording::operations`].
    #[must_use]
    pub fn operations(&self) -> Vec<OperationId> {
        self.0.operations()
    }

    /// See [`Recording::is_same`].
    #[must_use]
    pub fn is_same(&self, world: &AnyWorld, id: OperationId) -> bool {
        self.0.is_same(world, id)
    }

    /// See [`Recording::changes`].
    #[must_use]
    pub fn changes(&self, variant: &AnyWorld, operations: Vec<OperationId>) -> Option<Changes> {
        self.0.changes(variant, operations)
    }

    /// See [`Recording::holding_by`].
    #[must_use]
    pub fn holding_by(&self, variant: &AnyWorld) -> Vec<u64> {
        self.0.holding_by(variant)
    }

    /// See [`Recording::is_holding`].
    #[must_use]
    pub fn is_holding(&self, holding: &[u64]) -> bool {
        self.0.is_holding(holding)
    }

    /// See [`Recording::judge`].
    #[must_use]
    pub fn judge(
        &self,
        variant: &AnyWorld,
        changes: (&Changes, Option<&[u64]>),
        limits: VariantLimits<'_>,
        tags: Tags<'_, Tag>,
    ) -> JudgedVariant {
        JudgedVariant(self.0.judge(variant, changes, limits, tags))
    }
}

impl JudgedVariant {
    /// The judgement.
    #[must_use]
    pub fn outcome(&self) -> &VariantOutcome<Tag> {
        &self.0.outcome
    }

    /// See [`Judged::is_of`].
    #[must_use]
    pub fn is_of(&self, recording: &WorldRecording, variant: &AnyWorld) -> bool {
        self.0.is_of(&recording.0, variant)
    }
}
