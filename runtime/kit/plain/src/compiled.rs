//! A compiled machine as the rules of a plain core.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use turnstile_machine::{
    Event as _, EventInfo, Facts, GuardFacts, Machine, Name as _, PlainMachine, ResourceKind,
    Rules, Signature, Step, Unexpected, Update,
};

use crate::rules::{PlainRules, Values, Variable};
use crate::types::{Message, State};

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

/// How events, resources and variables belong together, by their positions.
struct Wiring<M: Machine> {
    variables: Vec<Variable>,
    updates: Vec<Vec<Update>>,
    answers: Vec<Vec<M::Resource>>,
    fired: Vec<Vec<M::Event>>,
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
        let wiring = Arc::new(Wiring::new());
        Self { machine: M::default(), wiring, answer, event: None, asked: RefCell::default() }
    }
}

impl<M: PlainMachine> Wiring<M> {
    fn new() -> Self {
        let kind = |one: &M::Resource| M::PLAIN.resources.get(one.index()).copied();
        let is_timer = |one: &M::Resource| kind(one) == Some(ResourceKind::Timer);
        let requests = |event: &EventInfo<M>| {
            event.consumes.iter().copied().filter(|one| !is_timer(one)).collect()
        };
        let fired = |timer: &M::Resource| {
            let events = M::EventKind::ALL.iter().zip(M::PLAIN.events);
            let is_of = |(_, info): &(&M::EventKind, &EventInfo<M>)| {
                info.is_declared && info.consumes.contains(timer)
            };
            let numbers = events.filter(|one| is_timer(timer) && is_of(one));
            let events = numbers.flat_map(|(kind, info)| {
                let (least, greatest) = info.payload.map_or((0, 0), |values| values.bounds());
                (least..=greatest).map(|number| M::event(*kind, number))
            });
            events.collect()
        };
        let updates = |action: &M::Action| {
            let own = M::PLAIN.updates.iter().filter(|(of, _)| of == action);
            own.map(|(_, update)| *update).collect()
        };
        let variables = M::PLAIN.variables.iter().map(|info| Variable {
            name: info.name,
            initial: info.initial,
            bounds: info.values.bounds(),
            words: info.values.words().iter().map(|word| Arc::from(*word)).collect(),
        });
        Self {
            variables: variables.collect(),
            updates: M::Action::ALL.iter().map(updates).collect(),
            answers: M::PLAIN.events.iter().map(requests).collect(),
            fired: M::Resource::ALL.iter().map(fired).collect(),
        }
    }
}

impl<M: PlainMachine> Rules<M> for Compiled<M> {
    fn initial(&self) -> M::State {
        self.machine.initial()
    }

    fn initial_states(&self) -> &[M::State] {
        self.machine.initial_states()
    }

    fn holds(&self, state: M::State) -> &[M::Resource] {
        self.machine.holds(state)
    }

    fn may_hold(&self, state: M::State) -> &[M::Resource] {
        self.machine.may_hold(state)
    }

    fn is_final(&self, state: M::State) -> bool {
        self.machine.is_final(state)
    }

    fn step(
        &self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>> {
        self.machine.step(state, event, guards)
    }

    fn is_transient(&self, state: M::State) -> bool {
        self.machine.is_transient(state)
    }

    fn settle(&self, state: M::State, guards: &impl Fn(M::Guard) -> bool) -> Option<Step<'_, M>> {
        self.machine.settle(state, guards)
    }

    fn guard(&self, guard: M::Guard, facts: &impl GuardFacts<M>) -> bool {
        Rules::guard(&self.machine, guard, facts)
    }

    fn rule(&self, rule: M::Rule, facts: &impl Facts<M>) -> bool {
        self.machine.rule(rule, facts)
    }

    fn invariant(&self, invariant: M::Invariant, facts: &impl Facts<M>) -> bool {
        self.machine.invariant(invariant, facts)
    }

    fn whole_rule(
        &self,
        rule: <M::Whole as Signature>::Rule,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        self.machine.whole_rule(rule, facts)
    }

    fn whole_invariant(
        &self,
        invariant: <M::Whole as Signature>::Invariant,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        self.machine.whole_invariant(invariant, facts)
    }
}

impl<M: PlainMachine> PlainRules<M> for Compiled<M> {
    fn resources(&self) -> &[M::Resource] {
        M::Resource::ALL
    }

    fn kind(&self, resource: M::Resource) -> ResourceKind {
        M::PLAIN.resources[resource.index()]
    }

    fn event(&self, message: &Message) -> Option<M::Event> {
        let kind = M::EventKind::from_name(&message.event)?;
        if M::PLAIN.completion == Some(kind) {
            return None;
        }
        let number = match (&M::PLAIN.events[kind.index()].payload, &message.payload) {
            (None, None) => 0,
            (Some(values), Some(value)) => values.number(value)?,
            (None, Some(_)) | (Some(_), None) => return None,
        };
        Some(M::event(kind, number))
    }

    fn payload(&self, event: M::Event) -> Option<Arc<str>> {
        let values = M::PLAIN.events[event.kind().index()].payload?;
        let word = values.words().get(usize::from(event.number())).copied();
        Some(word.map_or_else(|| alloc::format!("{}", event.number()).into(), Arc::from))
    }

    fn answers(&self, event: M::Event) -> &[M::Resource] {
        &self.wiring.answers[event.kind().index()]
    }

    fn fired(&self, timer: M::Resource) -> &[M::Event] {
        &self.wiring.fired[timer.index()]
    }

    fn variables(&self) -> &[Variable] {
        &self.wiring.variables
    }

    fn updates(&self, action: M::Action) -> &[Update] {
        &self.wiring.updates[action.index()]
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
