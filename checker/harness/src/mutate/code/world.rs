//! A recorded world of a program with mutants, and the judgement of one of them in it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use turnstile_search::bounds::{Limits, NoProgress, Reductions, StopCondition};
use turnstile_search::breadth_first::Truncation;
use turnstile_search::engine::CheckRequest;
use turnstile_search::interned::OperationId;
use turnstile_search::judgement::{Judgement, Verdict};
use turnstile_search::variants::{Changes, Tags, VariantLimits, VariantOutcome};
use turnstile_world::parts::Tag;
use turnstile_world::{World, WorldRecording};

use turnstile_search::transition_system::TransitionSystem as _;

use super::fate::Fate;
use super::noted::Noted;
use super::switches::Switches;

/// The bound of a mutant: this factor times the recorded states, plus this number.
const GROWTH: (usize, usize) = (3, 10_000);

/// What makes a world, by the code of the mutant that is on.
pub type Build<'w> = Box<dyn Fn() -> Result<World, String> + Send + Sync + 'w>;

/// A world without a mutant.
pub struct CodeWorld<'w> {
    name: String,
    build: Build<'w>,
    switches: &'static dyn Switches,
    world: Noted,
    recording: WorldRecording,
    /// The operations that reach a place.
    operations: BTreeMap<u32, Vec<OperationId>>,
    predicates: BTreeSet<u32>,
    /// Reached when the world is built.
    construction: BTreeSet<u32>,
    /// Reached when its initial states are made, the first time they are asked for.
    starts: BTreeSet<u32>,
    /// Reached where a recording cannot tell what a mutant changes.
    elsewhere: BTreeSet<u32>,
}

/// What a mutant does in a world.
enum Effect {
    /// No trace differs.
    None,
    /// A property fails.
    Fails,
    /// None fails, and some outcome differs.
    Holds,
    /// A search grew too large.
    Open,
    /// A recording cannot tell.
    Unknown,
}

impl<'w> CodeWorld<'w> {
    /// Records a world.
    ///
    /// # Errors
    ///
    /// It cannot be searched, or does not hold.
    pub fn new(
        name: String,
        build: Build<'w>,
        switches: &'static dyn Switches,
    ) -> Result<Self, String> {
        switches.switch_to(None);
        switches.reached();
        let world = build().map_err(|refusal| format!("{name}: {refusal}"))?;
        let world = Noted::new(world, switches);
        let construction: BTreeSet<u32> = switches.reached().into_iter().collect();
        let (_, starts) = world.reaching(|| world.initial());
        let recording = WorldRecording::of(&world, Reductions::ALL, Limits::default(), &NoProgress);
        let recording = recording.ok_or_else(|| format!("{name}: no end"))?;
        let elsewhere = world.elsewhere();
        let mut operations: BTreeMap<u32, Vec<OperationId>> = BTreeMap::new();
        for id in recording.operations() {
            let (is_same, reached) = world.reaching(|| recording.is_same(&world, id));
            if !is_same {
                return Err(format!("{name}: a core is not a pure function of its input"));
            }
            reached.into_iter().for_each(|place| operations.entry(place).or_default().push(id));
        }
        let predicates = world.predicates();
        let recorded = Self {
            name,
            build,
            switches,
            world,
            recording,
            operations,
            predicates,
            construction,
            starts,
            elsewhere,
        };
        match recorded.by_changes(&recorded.world, &Changes::none(), None) {
            Effect::Holds => Ok(recorded),
            Effect::None | Effect::Fails | Effect::Open | Effect::Unknown => {
                Err(format!("{} does not hold without a mutant", recorded.name))
            }
        }
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.recording.states()
    }

    /// Whether it reaches the place of a mutant.
    #[must_use]
    pub fn reaches(&self, mutant: u32) -> bool {
        self.operations.contains_key(&mutant)
            || self.predicates.contains(&mutant)
            || self.construction.contains(&mutant)
            || self.starts.contains(&mutant)
            || self.elsewhere.contains(&mutant)
    }

    /// Judges a mutant. `None`: no trace differs.
    #[must_use]
    pub fn judge(&self, mutant: u32) -> Option<Fate> {
        let world = || self.name.clone();
        self.switches.switch_to(Some(mutant));
        // What is shared with other mutants is not changed while one runs.
        let effect = catch_unwind(AssertUnwindSafe(|| match self.effect(mutant) {
            Effect::Unknown => self.searched_anew(),
            known @ (Effect::None | Effect::Fails | Effect::Holds | Effect::Open) => known,
        }));
        self.switches.switch_to(None);
        match effect {
            Ok(Effect::None) => None,
            Ok(Effect::Holds) => Some(Fate::Survived { differs_in: Some(world()) }),
            Ok(Effect::Open | Effect::Unknown) => Some(Fate::Undecided { world: world() }),
            Ok(Effect::Fails) | Err(_) => Some(Fate::Killed { world: world() }),
        }
    }

    fn effect(&self, mutant: u32) -> Effect {
        if self.elsewhere.contains(&mutant) {
            return Effect::Unknown;
        }
        if self.construction.contains(&mutant) {
            // Whatever uses what was built differently may have another outcome.
            let Ok(world) = (self.build)() else { return Effect::Open };
            let world = Noted::new(world, self.switches);
            if !world.has_frame_of(&self.world) {
                return Effect::Unknown;
            }
            return self.effect_on(&world, self.recording.operations(), true);
        }
        let operations = self.operations.get(&mutant).cloned().unwrap_or_default();
        let reaches_predicates = self.predicates.contains(&mutant);
        if self.starts.contains(&mutant) {
            // Its initial states are made anew, and compared with those recorded.
            let Ok(world) = (self.build)() else { return Effect::Open };
            let world = Noted::new(world, self.switches);
            return self.effect_on(&world, operations, reaches_predicates);
        }
        self.effect_on(&self.world, operations, reaches_predicates)
    }

    fn effect_on(
        &self,
        world: &Noted,
        operations: Vec<OperationId>,
        reaches_predicates: bool,
    ) -> Effect {
        let Some(changes) = self.recording.changes(world, operations) else {
            return Effect::Unknown;
        };
        let holding = reaches_predicates.then(|| self.recording.holding_by(world));
        let holding = holding.filter(|holding| !self.recording.is_holding(holding));
        if changes.is_empty() && holding.is_none() {
            return Effect::None;
        }
        self.by_changes(world, &changes, holding.as_deref())
    }

    fn by_changes(&self, world: &Noted, changes: &Changes, holding: Option<&[u64]>) -> Effect {
        let limits = VariantLimits { new_states: self.states_max(), progress: &NoProgress };
        let tags = Tags { is_incomplete: &is_incomplete, is_wanted: &|_| false };
        match self.recording.judge(world, (changes, holding), limits, tags).outcome() {
            VariantOutcome::Fails => Effect::Fails,
            VariantOutcome::Open => Effect::Open,
            VariantOutcome::Holds { .. } => Effect::Holds,
        }
    }

    /// The most states of a mutant.
    fn states_max(&self) -> usize {
        self.states().saturating_mul(GROWTH.0).saturating_add(GROWTH.1)
    }

    /// Searches the world of the mutant that is on, until something fails. Its construction may
    /// differ, too.
    fn searched_anew(&self) -> Effect {
        let Ok(world) = (self.build)() else { return Effect::Open };
        let world = Noted::new(world, self.switches);
        let limits = Limits { max_states: Some(self.states_max() as u64), ..Limits::default() };
        let until = &StopCondition::AnyFailure;
        let request = CheckRequest {
            limits,
            until,
            reduce: Reductions::ALL,
            ..CheckRequest::new(&NoProgress)
        };
        let found = turnstile_world::search(&world, request);
        let fails = |of: &Judgement| matches!(of.verdict, Verdict::Fails | Verdict::Vacuous);
        match found.truncation {
            Some(Truncation::Found) => Effect::Fails,
            None if found.impure.is_some() || found.tags.iter().any(is_incomplete) => Effect::Open,
            None if found.judgements.iter().any(fails) => Effect::Fails,
            None => Effect::Holds,
            Some(_) => Effect::Open,
        }
    }
}

/// Whether a step with this tag may have had other outcomes.
fn is_incomplete(tag: &Tag) -> bool {
    match tag {
        Tag::Overflowed { .. } | Tag::CutsExceeded { .. } => true,
        Tag::Row(_) | Tag::Spent(_) => false,
    }
}
