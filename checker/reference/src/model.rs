//! Any [`TransitionSystem`] as a stateright model: the reference for the interned engine.
//!
//! Stateright's own searches, its simulation and its Explorer run on it unchanged. Nothing is
//! interned, memoised or reduced here.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use turnstile_search::transition_system::{Place, PropertyKind, TransitionSystem, cascade};

/// A system as a stateright model.
#[derive(Debug)]
pub struct Model<W: TransitionSystem> {
    /// The system.
    pub system: Arc<W>,
    /// The properties of single states.
    properties: Arc<[StaterightProperty]>,
    /// The text of an action in the Explorer, by the operation that starts it.
    action_text: fn(&W, Place, &W::Op) -> String,
}

/// A property in the form that stateright takes.
#[derive(Debug)]
struct StaterightProperty {
    /// Leaked, since stateright requires a static name.
    name: &'static str,
    predicate: usize,
    is_always: bool,
}

/// The error of a system with more properties than stateright can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyProperties {
    /// Their number.
    pub count: usize,
}

impl fmt::Display for TooManyProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count } = self;
        write!(f, "{count} properties are too many for Explorer: at most {CONDITIONS_MAX}")
    }
}

impl std::error::Error for TooManyProperties {}

impl<W: TransitionSystem> Model<W> {
    /// A system as a stateright model.
    ///
    /// # Errors
    ///
    /// It has more properties than stateright can be given.
    pub fn new(system: Arc<W>) -> Result<Self, TooManyProperties> {
        let all = system.properties();
        if all.len() > CONDITIONS_MAX {
            return Err(TooManyProperties { count: all.len() });
        }
        let properties = all.into_iter().filter_map(|property| {
            let (predicate, is_always) = match property.kind {
                PropertyKind::Always(predicate) => (predicate, true),
                PropertyKind::Sometimes(predicate) => (predicate, false),
                // Stateright's own `eventually` misses cycles; it is not used.
                PropertyKind::CanReach(..)
                | PropertyKind::Eventually(_)
                | PropertyKind::LeadsTo(..) => return None,
            };
            Some(StaterightProperty { name: String::leak(property.name), predicate, is_always })
        });
        let properties = properties.collect();
        Ok(Self { system, properties, action_text: |_, at, op| format!("{op:?} at {}", at.0) })
    }

    /// Replaces the text of actions.
    #[must_use]
    pub fn with_action_text(self, action_text: fn(&W, Place, &W::Op) -> String) -> Self {
        Self { action_text, ..self }
    }
}

impl<W: TransitionSystem> Clone for Model<W> {
    fn clone(&self) -> Self {
        let (system, properties) = (Arc::clone(&self.system), Arc::clone(&self.properties));
        Self { system, properties, action_text: self.action_text }
    }
}

/// A state as stateright keeps it.
#[derive(Debug)]
pub struct State<W: TransitionSystem>(pub Vec<W::Part>);

impl<W: TransitionSystem> Clone for State<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: TransitionSystem> PartialEq for State<W> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<W: TransitionSystem> Hash for State<W> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

/// An action with its successor, so that it is computed once.
#[derive(Debug)]
pub struct ResolvedAction<W: TransitionSystem> {
    /// The place where it starts.
    pub at: Place,
    /// The operation that starts it.
    pub op: W::Op,
    /// The index of the successor among the action's.
    pub branch: usize,
    /// The successor.
    pub to: State<W>,
}

impl<W: TransitionSystem> Clone for ResolvedAction<W> {
    fn clone(&self) -> Self {
        Self { at: self.at, op: self.op.clone(), branch: self.branch, to: self.to.clone() }
    }
}

impl<W: TransitionSystem> PartialEq for ResolvedAction<W> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.op == other.op && self.branch == other.branch
    }
}

impl<W: TransitionSystem> stateright::Model for Model<W> {
    type State = State<W>;
    type Action = ResolvedAction<W>;

    fn init_states(&self) -> Vec<Self::State> {
        self.system.initial().into_iter().map(State).collect()
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        for (at, part) in (0..).map(Place).zip(&state.0) {
            for enabled in self.system.enabled(at, part) {
                let ends = cascade(&*self.system, &state.0, at, &enabled.op);
                actions.extend(ends.into_iter().enumerate().filter_map(|(branch, end)| {
                    let to = State(end.state);
                    (to != *state).then(|| ResolvedAction {
                        at,
                        op: enabled.op.clone(),
                        branch,
                        to,
                    })
                }));
            }
        }
    }

    fn next_state(&self, _last: &Self::State, action: Self::Action) -> Option<Self::State> {
        Some(action.to)
    }

    fn format_action(&self, action: &Self::Action) -> String {
        (self.action_text)(&self.system, action.at, &action.op)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        // Stateright stops once every property is decided; it cannot decide this one early.
        let mut all = vec![stateright::Property::always("exhaustive search", |_, _| true)];
        let listed = self.properties.iter().zip(conditions());
        all.extend(listed.map(|(StaterightProperty { name, is_always, .. }, condition)| {
            match is_always {
                true => stateright::Property::always(name, condition),
                false => stateright::Property::sometimes(name, condition),
            }
        }));
        all
    }
}

/// The predicate of the property at `INDEX`.
fn condition<W: TransitionSystem, const INDEX: usize>(model: &Model<W>, state: &State<W>) -> bool {
    let predicate = model.properties[INDEX].predicate;
    let mut holds = false;
    let parts: Vec<_> = state.0.iter().collect();
    model.system.evaluate(&[predicate], &parts, &mut |_, value| holds = value);
    holds
}

macro_rules! conditions {
    ($($index:literal)*) => {
        /// The most properties: stateright's conditions are plain functions, which cannot capture
        /// an index.
        const CONDITIONS_MAX: usize = [$($index),*].len();

        fn conditions<W: TransitionSystem>() -> [fn(&Model<W>, &State<W>) -> bool; CONDITIONS_MAX] {
            [$(condition::<W, $index>),*]
        }
    };
}

conditions!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);
