//! Any [`Parts`] as a stateright model: the reference that the interned engine is held against.
//!
//! Stateright's own searches, its simulation and its Explorer run on it as they are. Nothing is
//! interned, remembered or left out here.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use turnstile_search::parts::{Claim, Parts, Place, cascade};

/// A system as a stateright model.
#[derive(Debug)]
pub struct Model<W: Parts> {
    /// The system.
    pub system: Arc<W>,
    /// The properties that stateright is asked about.
    asked: Arc<[Asked]>,
    /// An operation that begins an action, as the Explorer shows it.
    words: fn(&W, Place, &W::Op) -> String,
}

/// A property that stateright is asked about.
#[derive(Debug)]
struct Asked {
    /// Stateright wants a name that lives as long as the process.
    name: &'static str,
    predicate: usize,
    is_always: bool,
}

/// More properties than stateright can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// How many there are.
    pub count: usize,
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count } = self;
        write!(f, "{count} properties are too many for Explorer: at most {CONDITIONS_MAX}")
    }
}

impl std::error::Error for TooMany {}

impl<W: Parts> Model<W> {
    /// A system as a stateright model.
    ///
    /// # Errors
    ///
    /// It has more properties than stateright can be asked about.
    pub fn new(system: Arc<W>) -> Result<Self, TooMany> {
        let properties = system.properties();
        if properties.len() > CONDITIONS_MAX {
            return Err(TooMany { count: properties.len() });
        }
        let asked = properties.into_iter().filter_map(|property| {
            let (predicate, is_always) = match property.claim {
                Claim::Always(predicate) => (predicate, true),
                Claim::Sometimes(predicate) => (predicate, false),
                // Stateright's own `eventually` misses cycles; it is not used.
                Claim::CanReach(..) | Claim::Eventually(_) | Claim::LeadsTo(..) => return None,
            };
            Some(Asked { name: String::leak(property.name), predicate, is_always })
        });
        let asked = asked.collect();
        Ok(Self { system, asked, words: |_, at, op| format!("{op:?} at {}", at.0) })
    }

    /// With other words for what begins an action.
    #[must_use]
    pub fn in_words(self, words: fn(&W, Place, &W::Op) -> String) -> Self {
        Self { words, ..self }
    }
}

impl<W: Parts> Clone for Model<W> {
    fn clone(&self) -> Self {
        let (system, asked) = (Arc::clone(&self.system), Arc::clone(&self.asked));
        Self { system, asked, words: self.words }
    }
}

/// A state as stateright keeps it.
#[derive(Debug)]
pub struct State<W: Parts>(pub Vec<W::Part>);

impl<W: Parts> Clone for State<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: Parts> PartialEq for State<W> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<W: Parts> Hash for State<W> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

/// An action with the state it leads to, so that it is worked out once.
#[derive(Debug)]
pub struct Move<W: Parts> {
    /// Where it begins.
    pub at: Place,
    /// With which operation.
    pub op: W::Op,
    /// Which of the states that it may lead to.
    pub branch: usize,
    /// That state.
    pub to: State<W>,
}

impl<W: Parts> Clone for Move<W> {
    fn clone(&self) -> Self {
        Self { at: self.at, op: self.op.clone(), branch: self.branch, to: self.to.clone() }
    }
}

impl<W: Parts> PartialEq for Move<W> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.op == other.op && self.branch == other.branch
    }
}

impl<W: Parts> stateright::Model for Model<W> {
    type State = State<W>;
    type Action = Move<W>;

    fn init_states(&self) -> Vec<Self::State> {
        self.system.initial().into_iter().map(State).collect()
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        for (at, part) in (0..).map(Place).zip(&state.0) {
            for offer in self.system.offers(at, part) {
                let ends = cascade(&*self.system, &state.0, at, &offer.op);
                actions.extend(ends.into_iter().enumerate().filter_map(|(branch, end)| {
                    let to = State(end.state);
                    (to != *state).then(|| Move { at, op: offer.op.clone(), branch, to })
                }));
            }
        }
    }

    fn next_state(&self, _last: &Self::State, action: Self::Action) -> Option<Self::State> {
        Some(action.to)
    }

    fn format_action(&self, action: &Self::Action) -> String {
        (self.words)(&self.system, action.at, &action.op)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        // Stateright stops when nothing is left to be found; this one it cannot find.
        let mut all = vec![stateright::Property::always("search to the end", |_, _| true)];
        let listed = self.asked.iter().zip(conditions());
        all.extend(listed.map(|(Asked { name, is_always, .. }, condition)| match is_always {
            true => stateright::Property::always(name, condition),
            false => stateright::Property::sometimes(name, condition),
        }));
        all
    }
}

/// The predicate of the property at `INDEX` of those asked.
fn condition<W: Parts, const INDEX: usize>(model: &Model<W>, state: &State<W>) -> bool {
    let predicate = model.asked[INDEX].predicate;
    let mut is_so = false;
    let parts: Vec<_> = state.0.iter().collect();
    model.system.test(&[predicate], &parts, &mut |_, answer| is_so = answer);
    is_so
}

macro_rules! conditions {
    ($($index:literal)*) => {
        /// As many properties as stateright is asked about: its conditions are plain functions,
        /// which can capture nothing.
        const CONDITIONS_MAX: usize = [$($index),*].len();

        fn conditions<W: Parts>() -> [fn(&Model<W>, &State<W>) -> bool; CONDITIONS_MAX] {
            [$(condition::<W, $index>),*]
        }
    };
}

conditions!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);
