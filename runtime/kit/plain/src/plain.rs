//! The core: one step by the rows of a table.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;

use turnstile_machine::{
    Event as _, Machine, Name, Op, Operand, ResourceKind, Rules as _, Step, Update, VariableChange,
};
use turnstile_step::{
    Core, Effect, EffectOf, Input, InputOf, OutOf, RowOutcome, settle_machine, step_machine,
};

use crate::rules::{PlainRules, Values, Variable};
use crate::types::{Command, Message, Notice, Peer, State, Timer};

/// Any table as a core.
#[derive(Clone, Debug)]
pub struct Plain<M: Machine, R: PlainRules<M>> {
    /// The table.
    pub rules: R,
    /// The message of each action that sends one, by the action's position.
    pub sends: Arc<[Option<Outgoing>]>,
    /// What survives a restart; `None`: nothing.
    pub saved: Option<SavedParts>,
    /// The machine.
    pub machine: PhantomData<M>,
}

/// The parts of a state that survive a restart. Each change of them is saved before its effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedParts {
    /// Whether the state of the machine is saved.
    pub state: bool,
    /// Whether each variable is saved, in the table's order.
    pub variables: Arc<[bool]>,
}

/// A message that an action sends, and its receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The event, as the receiver's table spells it.
    pub event: Arc<str>,
    /// The value of its payload.
    pub payload: SentValue,
    /// The receivers.
    pub to: Receivers,
}

/// The payload of a message that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentValue {
    /// The event has none.
    Nothing,
    /// This value.
    Value(Arc<str>),
    /// The value of a variable, by its position.
    Variable(usize),
    /// The payload of the event that the step handles.
    Payload,
}

/// The receivers of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// These nodes.
    Nodes(Vec<Peer>),
    /// The node whose message the step handles.
    Sender,
}

/// What a step handles.
struct Cause<M: Machine, R> {
    event: M::Event,
    rules: R,
    /// The resource that the event uses up: the timer that fired, the request that is answered.
    resource: Option<M::Resource>,
    from: Option<Peer>,
}

impl<M: Machine, R: PlainRules<M>> Core for Plain<M, R> {
    type State = State<M>;
    type Peer = Peer;
    type Message = Message;
    type Timer = Timer<M>;
    type Command = Command<M>;
    type Notice = Notice<M>;
    type Saved = State<M>;

    fn start(&self) -> State<M> {
        self.start_in(self.rules.rows().initial())
    }

    fn step(&self, state: &mut State<M>, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let input = match input {
            Input::Restart(saved) => {
                *state = self.restarted(saved);
                None
            }
            input @ (Input::Message { .. } | Input::Fired(_) | Input::Command(_)) => Some(input),
        };
        let before = state.clone();
        let first = out.effects.len();
        match input.map(|input| self.cause(state, &input)) {
            None => {
                out.effects.extend(self.armed(state).map(Effect::Arm));
                self.settle(state, (&self.rules, None), out);
            }
            Some(Some(cause)) => self.take(state, &cause, out),
            Some(None) => out.rows.push(RowOutcome::Unexpected {
                machine: self.rules.rows().machine(),
                state: state.at.name(),
                event: "a message that the table does not declare",
                number: 0,
            }),
        }
        if let Some(parts) = &self.saved {
            let [before, after] = [&before, state].map(|state| self.kept(parts, state));
            if before != after {
                out.effects.insert(first, Effect::Save(after));
            }
        }
    }
}

impl<M: Machine, R: PlainRules<M>> Plain<M, R> {
    /// The state of a node that has never run, in one of several initial states.
    pub fn start_in(&self, initial: M::State) -> State<M> {
        let variables =
            self.rules.wiring().variables.iter().map(|variable| variable.initial).collect();
        self.begun(initial, variables)
    }

    /// A state of the machine with what it holds.
    fn begun(&self, at: M::State, variables: Vec<u16>) -> State<M> {
        let resources = self.rules.wiring().resources.iter();
        let held =
            resources.map(|one| u8::from(self.rules.rows().holds(at).contains(one))).collect();
        State { at, held, variables }
    }

    /// The state after a restart.
    fn restarted(&self, saved: Option<State<M>>) -> State<M> {
        let Some(saved) = saved else { return self.start() };
        let keeps_state = self.saved.as_ref().is_none_or(|parts| parts.state);
        if keeps_state { saved } else { self.begun(self.rules.rows().initial(), saved.variables) }
    }

    /// The state after a restart from what is saved of a state.
    fn kept(&self, parts: &SavedParts, state: &State<M>) -> State<M> {
        let at = if parts.state { state.at } else { self.rules.rows().initial_states()[0] };
        let variables =
            self.rules.wiring().variables.iter().zip(&*parts.variables).zip(&state.variables);
        let variables = variables.map(
            |((variable, is_saved), number)| {
                if *is_saved { *number } else { variable.initial }
            },
        );
        self.begun(at, variables.collect())
    }

    /// The timers that are armed in a state and can fire, each once.
    pub fn armed<'s>(&'s self, state: &'s State<M>) -> impl Iterator<Item = Timer<M>> + 's {
        let there = self.rules.wiring().resources.iter().filter(|one| state.held[one.index()] > 0);
        there.filter(|one| self.may_fire(**one)).map(|one| Timer(*one))
    }

    /// Whether a resource is a timer whose firing the table knows.
    fn may_fire(&self, resource: M::Resource) -> bool {
        let is_timer = self.rules.wiring().kind(resource) == ResourceKind::Timer;
        is_timer && !self.rules.wiring().fired(resource).is_empty()
    }

    /// What an input is; `None`: a message that the table does not declare.
    fn cause(&self, state: &State<M>, input: &InputOf<Self>) -> Option<Cause<M, R>> {
        let (event, rules) = self.rules.chosen(state, &self.events(input))?;
        let (resource, from) = match input {
            Input::Message { from, .. } => {
                let mut outstanding = self.rules.wiring().answers(event).iter().copied();
                (outstanding.find(|one| state.held[one.index()] > 0), Some(*from))
            }
            Input::Fired(Timer(timer)) => (Some(*timer), None),
            Input::Command(Command { answers, .. }) => (*answers, None),
            Input::Restart(_) => (None, None),
        };
        Some(Cause { event, rules, resource, from })
    }

    /// The events that an input may be; none for a restart, and for a message that the table does
    /// not declare.
    #[must_use]
    pub fn events(&self, input: &InputOf<Self>) -> Vec<M::Event> {
        match input {
            Input::Message { message, .. } => {
                let event = self.rules.wiring().event(message).into_iter();
                event.map(|(kind, number)| self.rules.event_of(kind, number)).collect()
            }
            Input::Fired(Timer(timer)) => self.rules.wiring().fired(*timer).to_vec(),
            Input::Command(Command { event, .. }) => [*event].into(),
            Input::Restart(_) => Vec::new(),
        }
    }

    /// Takes the row of an event.
    fn take(&self, state: &mut State<M>, cause: &Cause<M, R>, out: &mut OutOf<Self>) {
        let machine = self.rules.rows().machine();
        if cause.resource.is_none() && self.rules.rows().is_final(state.at) {
            let (state, event) = (state.at.name(), cause.event.kind().name());
            out.rows.push(RowOutcome::Ignored { machine, state, event });
            return;
        }
        if let Some(used) = cause.resource {
            let count = &mut state.held[used.index()];
            *count = count.saturating_sub(1);
            if *count > 0 && self.may_fire(used) {
                out.effects.push(Effect::Arm(Timer(used)));
            }
        }
        let payload = cause.event.number();
        let values = Values { variables: &state.variables, payload };
        // A guard without a formula is the checker's to try both ways.
        let guards = |guard| cause.rules.compare(guard, &values).unwrap_or(false);
        let Some(step) =
            step_machine(cause.rules.rows(), state.at, cause.event, &guards).report(&mut out.rows)
        else {
            return;
        };
        self.carry_out(state, &step, (Some(cause.event), cause.from), out);
        if step.row.is_some() {
            self.settle(state, (&cause.rules, cause.from), out);
        }
    }

    /// Takes rows without an event until the machine rests. `from`: the sender of the message that
    /// the step handles.
    fn settle(
        &self,
        state: &mut State<M>,
        (rules, from): (&R, Option<Peer>),
        out: &mut OutOf<Self>,
    ) {
        let mut rules = rules.clone();
        let mut left = Vec::new();
        while rules.rows().is_transient(state.at) {
            rules = rules.settling(state);
            let values = Values { variables: &state.variables, payload: 0 };
            let guards = |guard| rules.compare(guard, &values).unwrap_or(false);
            let Some(taken) = settle_machine(rules.rows(), state.at, &guards) else { return };
            if left.contains(&state.at) {
                // Only of a table with findings.
                let (machine, action) = (self.rules.rows().machine(), state.at.name());
                let reason = "a cycle of rows without an event";
                out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
                return;
            }
            left.push(state.at);
            let Some(step) = taken.report(&mut out.rows) else { return };
            self.carry_out(state, &step, (None, from), out);
        }
    }

    /// Carries out the actions of a row, given the event that it handles and the sender.
    fn carry_out(
        &self,
        state: &mut State<M>,
        step: &Step<'_, M>,
        (event, from): (Option<M::Event>, Option<Peer>),
        out: &mut OutOf<Self>,
    ) {
        let payload = event.map_or(0, |event| event.number());
        state.at = step.to;
        for call in step.actions {
            for op in call.ops {
                self.operate(state, *op, out);
            }
            let updates = &*self.rules.wiring().updates[call.action.index()];
            for update in updates {
                self.update(state, (*update, payload), call.action, out);
            }
            match self.sends.get(call.action.index()).and_then(Option::as_ref) {
                Some(sent) => self.send(state, sent, (event, from, call.action), out),
                None if self.is_of_user(call.ops, updates) => {
                    out.effects.push(Effect::Notify(Notice(call.action)));
                }
                None => {}
            }
        }
    }

    /// Whether the user carries an action out: it does nothing to timers, notes and variables, or
    /// it sends a request to a node that runs no table, or abandons it.
    fn is_of_user(&self, ops: &[Op<M>], updates: &[Update]) -> bool {
        let asks = |op: &Op<M>| {
            !matches!(op, Op::Delete(_))
                && self.rules.wiring().kind(op.resource()) == ResourceKind::Request
        };
        ops.is_empty() && updates.is_empty() || ops.iter().any(asks)
    }

    fn update(
        &self,
        state: &mut State<M>,
        (Update { variable, change }, payload): (Update, u16),
        action: M::Action,
        out: &mut OutOf<Self>,
    ) {
        let values = Values { variables: &state.variables, payload };
        let number = match change {
            VariableChange::Set(operand) => Some(values.of(operand)),
            VariableChange::Add(more) => {
                let sum = i32::from(values.of(Operand::Variable(variable))).saturating_add(more);
                u16::try_from(sum).ok()
            }
        };
        let &Variable { bounds: (least, greatest), .. } = &self.rules.wiring().variables[variable];
        match number.filter(|number| (least..=greatest).contains(number)) {
            Some(number) => state.variables[variable] = number,
            None => {
                let (machine, action) = (self.rules.rows().machine(), action.name());
                let reason = "a variable would leave its range";
                out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
            }
        }
    }

    fn operate(&self, state: &mut State<M>, op: Op<M>, out: &mut OutOf<Self>) {
        let resource = op.resource();
        let count = &mut state.held[resource.index()];
        let is_absent = *count == 0;
        *count = match op {
            Op::Create(_) => count.saturating_add(1),
            Op::Delete(_) | Op::Abandon(_) => count.saturating_sub(1),
            Op::Restart(_) => (*count).max(1),
        };
        let is_there = *count > 0;
        if is_absent && !matches!(op, Op::Create(_)) {
            let reason = match self.rules.wiring().kind(resource) {
                ResourceKind::Timer => "it is not armed",
                ResourceKind::Request => "it is not outstanding",
                ResourceKind::Note => "it is not noted",
            };
            let (machine, action) = (self.rules.rows().machine(), resource.name());
            out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
        }
        if self.may_fire(resource) {
            let timer = Timer(resource);
            out.effects.push(if is_there { Effect::Arm(timer) } else { Effect::Disarm(timer) });
        }
    }

    fn send(
        &self,
        state: &State<M>,
        sent: &Outgoing,
        (event, from, action): (Option<M::Event>, Option<Peer>, M::Action),
        out: &mut OutOf<Self>,
    ) {
        let payload = match &sent.payload {
            SentValue::Nothing => None,
            SentValue::Value(value) => Some(value.clone()),
            SentValue::Variable(place) => {
                Some(self.rules.wiring().variables[*place].text(state.variables[*place]))
            }
            SentValue::Payload => event.and_then(|event| self.rules.wiring().payload(event)),
        };
        let message = Message { event: sent.event.clone(), payload };
        let send =
            |to: &Peer| -> EffectOf<Self> { Effect::Send { to: *to, message: message.clone() } };
        match (&sent.to, from) {
            (Receivers::Nodes(nodes), _) => out.effects.extend(nodes.iter().map(send)),
            (Receivers::Sender, Some(from)) => out.effects.push(send(&from)),
            (Receivers::Sender, None) => {
                let (machine, action) = (self.rules.rows().machine(), action.name());
                let reason = "it answers a sender, and no message is handled";
                out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
            }
        }
    }
}
