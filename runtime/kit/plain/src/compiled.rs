//! A compiled machine as the rules of a plain core.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::cell::RefCell;
use core::fmt;

use turnstile_machine::{EventInfo, Machine, Name as _, PlainMachine, ValueSet};

use crate::rules::{Declared, PlainRules, Values, Variable, Wiring};
use crate::types::State;

/// A function that evaluates the guards without a comparison.
type AnswerGuard<M> = dyn Fn(<M as Machine>::Guard, <M as Machine>::Event) -> bool + Send + Sync;

/// A compiled machine as the rules of a plain core. A copy shares its data.
pub struct Compiled<M: PlainMachine> {
    machine: M,
    wiring: Arc<Wiring<M>>,
    answer: Option<Arc<AnswerGuard<M>>>,
    /// The event of this step; each guard is asked once for it.
    event: Option<M::Event>,
    asked: RefCell<BTreeMap<M::Guard, bool>>,
}

impl<M: PlainMachine> Default for Compiled<M> {
    /// As [`Compiled::new`], with every guard that is not a comparison `false`.
    fn default() -> Self {
        Self::with(None)
    }
}

impl<M: PlainMachine> Clone for Compiled<M> {
    fn clone(&self) -> Self {
        Self {
            machine: self.machine,
            wiring: Arc::clone(&self.wiring),
            answer: self.answer.clone(),
            event: self.event,
            asked: self.asked.clone(),
        }
    }
}

impl<M: PlainMachine> fmt::Debug for Compiled<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Compiled").field(&M::TABLE.machine).finish()
    }
}

impl<M: PlainMachine> Compiled<M> {
    /// The rules of the compiled table. `answer` evaluates the guards that are not comparisons, at
    /// most once each in a step.
    pub fn new(answer: impl Fn(M::Guard, M::Event) -> bool + Send + Sync + 'static) -> Self {
        Self::with(Some(Arc::new(answer)))
    }

    fn with(answer: Option<Arc<AnswerGuard<M>>>) -> Self {
        let wiring = Arc::new(wiring());
        Self { machine: M::default(), wiring, answer, event: None, asked: RefCell::default() }
    }
}

/// What the compiled table declares beside its rows.
fn wiring<M: PlainMachine>() -> Wiring<M> {
    let resources = M::Resource::ALL.iter().zip(M::PLAIN.resources);
    let variable = |name, initial, values: &ValueSet| Variable {
        name,
        initial,
        bounds: values.bounds(),
        words: values.words().iter().map(|word| Arc::from(*word)).collect(),
    };
    let event = |(kind, info): (&M::EventKind, &EventInfo<M>)| Declared {
        kind: *kind,
        is_completion: M::PLAIN.completion == Some(*kind),
        payload: info.payload.map(|values| variable(kind.name(), 0, &values)),
        consumes: info.consumes.to_vec(),
    };
    let fired = |place: usize| {
        let info = &M::PLAIN.events[place];
        let (least, greatest) = info.payload.map_or((0, 0), |values| values.bounds());
        let numbers = (least..=greatest).filter(|_| info.is_declared);
        numbers.map(|number| M::event(M::EventKind::ALL[place], number)).collect()
    };
    let variables = M::PLAIN.variables.iter();
    let variables = variables.map(|info| variable(info.name, info.initial, &info.values));
    let updates = M::Action::ALL.iter().map(|action| {
        let own = M::PLAIN.updates.iter().filter(|(of, _)| of == action);
        own.map(|(_, update)| *update).collect()
    });
    Wiring::new(
        resources.map(|(one, kind)| (*one, *kind)).collect(),
        M::EventKind::ALL.iter().zip(M::PLAIN.events).map(event).collect(),
        (variables.collect(), updates.collect()),
        fired,
    )
}

impl<M: PlainMachine> PlainRules<M> for Compiled<M> {
    type Rows = M;

    fn rows(&self) -> &M {
        &self.machine
    }

    fn wiring(&self) -> &Wiring<M> {
        &self.wiring
    }

    fn event_of(&self, kind: M::EventKind, number: u16) -> M::Event {
        M::event(kind, number)
    }

    fn compare(&self, guard: M::Guard, values: &Values<'_>) -> Option<bool> {
        if let Some((_, formula)) = M::PLAIN.comparisons.iter().find(|(of, _)| *of == guard) {
            return Some(formula.holds(&|operand| values.of(operand)));
        }
        let (answer, event) = (self.answer.as_ref()?, self.event?);
        Some(*self.asked.borrow_mut().entry(guard).or_insert_with(|| answer(guard, event)))
    }

    fn chosen(&self, _state: &State<M>, events: &[M::Event]) -> Option<(M::Event, Self)> {
        let event = *events.first()?;
        let asked = RefCell::default();
        Some((event, Self { event: Some(event), asked, ..self.clone() }))
    }

    /// After a restart no event is handled: guards are asked for that of the rows themselves.
    fn settling(&self, _state: &State<M>) -> Self {
        let completion = M::PLAIN.completion.map(|kind| M::event(kind, 0));
        Self { event: self.event.or(completion), ..self.clone() }
    }
}
