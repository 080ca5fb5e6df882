// Written by `turnstile render runtime/kit/actor/tests/order.yaml --to rust --out runtime/kit/actor/tests/checked_in` from `../order.yaml`; an edit here is lost.
#[allow(clippy::all, clippy::pedantic, clippy::restriction, unreachable_pub, unused)]
/// The machine `order`.
///
/// 4 states, 3 events, 5 rows. Written by `machine!` from the table; the names are the document's.
#[cfg_attr(doc, doc = "")]
#[cfg_attr(doc, doc = "# Rows")]
#[cfg_attr(doc, doc = "")]
#[cfg_attr(doc, doc = "| row | from | event | to | actions |")]
#[cfg_attr(doc, doc = "|-|-|-|-|-|")]
#[cfg_attr(
    doc,
    doc = "| [r1](order::RowId::R1) | open | place if there is stock | awaiting payment | start payment timer |"
)]
#[cfg_attr(
    doc,
    doc = "| [r2](order::RowId::R2) | open | place if not there is stock | given up | apologise |"
)]
#[cfg_attr(
    doc,
    doc = "| [r3](order::RowId::R3) | awaiting payment | paid | shipped | stop payment timer, ship |"
)]
#[cfg_attr(
    doc,
    doc = "| [r4](order::RowId::R4) | awaiting payment | payment timer fires if a reminder is left | same | count the reminder, start payment timer |"
)]
#[cfg_attr(
    doc,
    doc = "| [r5](order::RowId::R5) | awaiting payment | payment timer fires if not a reminder is left | given up | apologise |"
)]
pub mod order {
    /// A state of the machine.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum State {
        /// `open`.
        ///
        /// Initial.
        Open,
        /// `awaiting payment`.
        ///
        /// Holds: payment timer.
        AwaitingPayment,
        /// `shipped`.
        ///
        /// Final.
        Shipped,
        /// `given up`.
        ///
        /// Final.
        GivenUp,
    }
    impl State {
        /// All of them, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::Open,
            Self::AwaitingPayment,
            Self::Shipped,
            Self::GivenUp,
        ];
        /// The name as the document spells it.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::Open => "open",
                Self::AwaitingPayment => "awaiting payment",
                Self::Shipped => "shipped",
                Self::GivenUp => "given up",
            }
        }
        /// The one that has this name in the document.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "open" => ::core::option::Option::Some(Self::Open),
                "awaiting payment" => ::core::option::Option::Some(Self::AwaitingPayment),
                "shipped" => ::core::option::Option::Some(Self::Shipped),
                "given up" => ::core::option::Option::Some(Self::GivenUp),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::turnstile_machine::Name for State {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            self as usize
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::core::fmt::Display for State {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl State {
        /// The initial state; the first one if there are several.
        pub const INITIAL: Self = Self::Open;
        /// The states in which the machine may begin.
        pub const INITIAL_STATES: &'static [Self] = &[Self::Open];
        /// The resources that the state always holds.
        #[must_use]
        pub const fn holds(self) -> &'static [Resource] {
            match self {
                Self::Open => &[],
                Self::AwaitingPayment => &[Resource::PaymentTimer],
                Self::Shipped => &[],
                Self::GivenUp => &[],
            }
        }
        /// The resources that the state holds only sometimes.
        #[must_use]
        pub const fn may_hold(self) -> &'static [Resource] {
            match self {
                Self::Open => &[],
                Self::AwaitingPayment => &[],
                Self::Shipped => &[],
                Self::GivenUp => &[],
            }
        }
        /// Whether the state is final.
        #[must_use]
        pub const fn is_final(self) -> bool {
            match self {
                Self::Open => false,
                Self::AwaitingPayment => false,
                Self::Shipped => true,
                Self::GivenUp => true,
            }
        }
    }
    /// An action of a row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// `start payment timer`.
        StartPaymentTimer,
        /// `stop payment timer`.
        StopPaymentTimer,
        /// `count the reminder`.
        CountTheReminder,
        /// `ship`.
        ///
        /// The parcel leaves.
        Ship,
        /// `apologise`.
        ///
        /// The customer is told that the order is given up.
        Apologise,
    }
    impl Action {
        /// All of them, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::StartPaymentTimer,
            Self::StopPaymentTimer,
            Self::CountTheReminder,
            Self::Ship,
            Self::Apologise,
        ];
        /// The name as the document spells it.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::StartPaymentTimer => "start payment timer",
                Self::StopPaymentTimer => "stop payment timer",
                Self::CountTheReminder => "count the reminder",
                Self::Ship => "ship",
                Self::Apologise => "apologise",
            }
        }
        /// The one that has this name in the document.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "start payment timer" => {
                    ::core::option::Option::Some(Self::StartPaymentTimer)
                }
                "stop payment timer" => {
                    ::core::option::Option::Some(Self::StopPaymentTimer)
                }
                "count the reminder" => {
                    ::core::option::Option::Some(Self::CountTheReminder)
                }
                "ship" => ::core::option::Option::Some(Self::Ship),
                "apologise" => ::core::option::Option::Some(Self::Apologise),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::turnstile_machine::Name for Action {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            self as usize
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::core::fmt::Display for Action {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    /// A resource that states hold: a timer, a request or a note.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Resource {
        /// `payment timer`.
        ///
        /// A timer.
        PaymentTimer,
    }
    impl Resource {
        /// All of them, in the document's order.
        pub const ALL: &'static [Self] = &[Self::PaymentTimer];
        /// The name as the document spells it.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::PaymentTimer => "payment timer",
            }
        }
        /// The one that has this name in the document.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "payment timer" => ::core::option::Option::Some(Self::PaymentTimer),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::turnstile_machine::Name for Resource {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            self as usize
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::core::fmt::Display for Resource {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl Resource {
        /// The kind of the resource.
        #[must_use]
        pub const fn kind(self) -> ResourceKind {
            match self {
                Self::PaymentTimer => ResourceKind::Timer,
            }
        }
        /// Whether the resource is a timer.
        #[must_use]
        pub const fn is_timer(self) -> bool {
            ::core::matches!(self.kind(), ResourceKind::Timer)
        }
        /// Whether the resource is a request.
        #[must_use]
        pub const fn is_request(self) -> bool {
            ::core::matches!(self.kind(), ResourceKind::Request)
        }
    }
    /// A guard: a named boolean of a row's condition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Guard {
        /// `there is stock`.
        ///
        /// Whether all articles are there.
        ThereIsStock,
        /// `a reminder is left`.
        AReminderIsLeft,
    }
    impl Guard {
        /// All of them, in the document's order.
        pub const ALL: &'static [Self] = &[Self::ThereIsStock, Self::AReminderIsLeft];
        /// The name as the document spells it.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::ThereIsStock => "there is stock",
                Self::AReminderIsLeft => "a reminder is left",
            }
        }
        /// The one that has this name in the document.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "there is stock" => ::core::option::Option::Some(Self::ThereIsStock),
                "a reminder is left" => {
                    ::core::option::Option::Some(Self::AReminderIsLeft)
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::turnstile_machine::Name for Guard {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            self as usize
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::core::fmt::Display for Guard {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    /// An event without its payload.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EventKind {
        /// `place`.
        Place,
        /// `paid`.
        Paid,
        /// `payment timer fires`.
        PaymentTimerFires,
    }
    impl EventKind {
        /// All of them, in the document's order.
        pub const ALL: &'static [Self] = &[
            Self::Place,
            Self::Paid,
            Self::PaymentTimerFires,
        ];
        /// The name as the document spells it.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::Place => "place",
                Self::Paid => "paid",
                Self::PaymentTimerFires => "payment timer fires",
            }
        }
        /// The one that has this name in the document.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            match name {
                "place" => ::core::option::Option::Some(Self::Place),
                "paid" => ::core::option::Option::Some(Self::Paid),
                "payment timer fires" => {
                    ::core::option::Option::Some(Self::PaymentTimerFires)
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    impl ::turnstile_machine::Name for EventKind {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            self as usize
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::core::fmt::Display for EventKind {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    impl EventKind {
        /// The range of payload numbers, both ends included; `(0, 0)` without a payload.
        #[must_use]
        pub const fn bounds(self) -> (u16, u16) {
            match self {
                Self::Place => (0, 0),
                Self::Paid => (0, 0),
                Self::PaymentTimerFires => (0, 0),
            }
        }
        /// The event with this payload number, clamped to [`Self::bounds`].
        #[must_use]
        pub const fn event(self, number: u16) -> Event {
            let (least, greatest) = self.bounds();
            let number = if number < least {
                least
            } else if number > greatest {
                greatest
            } else {
                number
            };
            match self {
                Self::Place => Event::Place,
                Self::Paid => Event::Paid,
                Self::PaymentTimerFires => Event::PaymentTimerFires,
            }
        }
    }
    /// An event, with its payload.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Event {
        /// `place`.
        Place,
        /// `paid`.
        Paid,
        /// `payment timer fires`.
        PaymentTimerFires,
    }
    impl Event {
        /// The event without its payload.
        #[must_use]
        pub const fn kind(self) -> EventKind {
            match self {
                Self::Place => EventKind::Place,
                Self::Paid => EventKind::Paid,
                Self::PaymentTimerFires => EventKind::PaymentTimerFires,
            }
        }
        /// The payload as a number; 0 for an event without a payload.
        #[must_use]
        pub const fn number(self) -> u16 {
            match self {
                Self::Place => 0,
                Self::Paid => 0,
                Self::PaymentTimerFires => 0,
            }
        }
    }
    impl ::turnstile_machine::Event for Event {
        type Kind = EventKind;
        fn kind(self) -> EventKind {
            self.kind()
        }
        fn number(self) -> u16 {
            self.number()
        }
    }
    /// A row of the table, by its position in the file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct RowId(pub u16);
    impl RowId {
        /// open → awaiting payment: place if there is stock; start payment timer.
        pub const R1: Self = Self(0);
        /// open → given up: place if not there is stock; apologise.
        pub const R2: Self = Self(1);
        /// awaiting payment → shipped: paid; stop payment timer, ship.
        pub const R3: Self = Self(2);
        /// awaiting payment → same: payment timer fires if a reminder is left; count the reminder, start payment timer.
        pub const R4: Self = Self(3);
        /// awaiting payment → given up: payment timer fires if not a reminder is left; apologise.
        pub const R5: Self = Self(4);
        /// All rows, in the order of the file.
        pub const ALL: &'static [Self] = &[
            Self::R1,
            Self::R2,
            Self::R3,
            Self::R4,
            Self::R5,
        ];
        const NAMES: [&'static str; 5] = ["r1", "r2", "r3", "r4", "r5"];
        /// The row's stable id: the lines that it cites; empty for a row of another table.
        #[must_use]
        pub const fn name(self) -> &'static str {
            if (self.0 as usize) < Self::NAMES.len() {
                Self::NAMES[self.0 as usize]
            } else {
                ""
            }
        }
        /// The row with this id.
        #[must_use]
        pub fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::ALL.iter().copied().find(|row| row.name() == name)
        }
    }
    impl ::turnstile_machine::Name for RowId {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> usize {
            usize::from(self.0)
        }
        fn name(self) -> &'static str {
            self.name()
        }
        fn from_name(name: &str) -> ::core::option::Option<Self> {
            Self::from_name(name)
        }
    }
    impl ::turnstile_machine::RowId for RowId {
        fn at(place: u16) -> Self {
            Self(place)
        }
    }
    impl ::core::fmt::Display for RowId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.name())
        }
    }
    pub use ::turnstile_machine::{ResourceKind, Term};
    /// An operation of an action on a resource.
    pub type Op = ::turnstile_machine::Op<Machine>;
    /// One action of a row, with what it does to resources.
    pub type ActionCall<'t> = ::turnstile_machine::ActionCall<'t, Machine>;
    /// The actions of a row, in order.
    pub type Actions<'t> = ::turnstile_machine::Actions<'t, Machine>;
    /// A loop of a row (`for each`).
    pub type ForEach = ::turnstile_machine::ForEach<Machine>;
    /// Consecutive actions of a row, done once or once for each element of a collection.
    pub type Block<'t> = ::turnstile_machine::Block<'t, Machine>;
    /// The outcome of an event in a state: the row taken, the next state and the actions.
    pub type Step<'t> = ::turnstile_machine::Step<'t, Machine>;
    /// The row taken and the next state, without the actions.
    pub type Transition = ::turnstile_machine::Transition<Machine>;
    /// The error for an event without a row: the state does not change.
    pub type Unexpected = ::turnstile_machine::Unexpected<Machine>;
    /// The machine: its names as types, and its compiled table as `Rules`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Machine;
    impl ::turnstile_machine::Signature for Machine {
        type Predicate = ::turnstile_machine::Never;
        type Collection = ::turnstile_machine::Never;
        type Rule = ::turnstile_machine::Never;
        type Invariant = ::turnstile_machine::Never;
        type Instance = ::turnstile_machine::Never;
    }
    impl ::turnstile_machine::Machine for Machine {
        type State = State;
        type Event = Event;
        type EventKind = EventKind;
        type Action = Action;
        type Resource = Resource;
        type Guard = Guard;
        type RowId = RowId;
        type OpenGuard = Guard;
        type Subject = ::turnstile_machine::Never;
        type Loop = ::turnstile_machine::Never;
        type Whole = ::turnstile_machine::Never;
        const TABLE: ::turnstile_machine::Table = ::turnstile_machine::Table {
            machine: "order",
            hash: 9353102781260038077,
            cites: &[&[], &[], &[], &[], &[]],
        };
    }
    impl ::turnstile_machine::Rules<Machine> for Machine {
        fn initial(&self) -> State {
            State::INITIAL
        }
        fn initial_states(&self) -> &[State] {
            State::INITIAL_STATES
        }
        fn holds(&self, state: State) -> &[Resource] {
            state.holds()
        }
        fn may_hold(&self, state: State) -> &[Resource] {
            state.may_hold()
        }
        fn is_final(&self, state: State) -> bool {
            state.is_final()
        }
        #[inline]
        fn step(
            &self,
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'_>, Unexpected> {
            step(state, event, guards)
        }
        fn guard(
            &self,
            guard: Guard,
            facts: &impl ::turnstile_machine::GuardFacts<Machine>,
        ) -> bool {
            facts.guard(guard)
        }
        fn rule(
            &self,
            rule: ::turnstile_machine::Never,
            _: &impl ::turnstile_machine::Facts<Machine>,
        ) -> bool {
            match rule {}
        }
        fn invariant(
            &self,
            invariant: ::turnstile_machine::Never,
            _: &impl ::turnstile_machine::Facts<Machine>,
        ) -> bool {
            match invariant {}
        }
        fn whole_rule(
            &self,
            rule: ::turnstile_machine::Never,
            _: &impl ::turnstile_machine::Facts<::turnstile_machine::Never>,
        ) -> bool {
            match rule {}
        }
        fn whole_invariant(
            &self,
            invariant: ::turnstile_machine::Never,
            _: &impl ::turnstile_machine::Facts<::turnstile_machine::Never>,
        ) -> bool {
            match invariant {}
        }
    }
    /// Looks up the step for an event in a state; `guards` gives the value of each guard.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if the table has no row.
    #[inline]
    pub fn step(
        state: State,
        event: Event,
        guards: &impl Fn(Guard) -> bool,
    ) -> ::core::result::Result<Step<'static>, Unexpected> {
        match state {
            State::Open => {
                match event {
                    Event::Place => {
                        if guards(Guard::ThereIsStock) {
                            ::core::result::Result::Ok(steps::R1)
                        } else {
                            ::core::result::Result::Ok(steps::R2)
                        }
                    }
                    Event::Paid => ::core::result::Result::Ok(Step::ignored(State::Open)),
                    Event::PaymentTimerFires => refused(state, event, true),
                }
            }
            State::AwaitingPayment => {
                match event {
                    Event::Place => refused(state, event, true),
                    Event::Paid => ::core::result::Result::Ok(steps::R3),
                    Event::PaymentTimerFires => {
                        if guards(Guard::AReminderIsLeft) {
                            ::core::result::Result::Ok(steps::R4)
                        } else {
                            ::core::result::Result::Ok(steps::R5)
                        }
                    }
                }
            }
            State::Shipped => refused(state, event, false),
            State::GivenUp => refused(state, event, false),
        }
    }
    /// As [`step`], but passes each action to `sink`. Needs the option `step_into` of
    /// `machine!`.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if the table has no row.
    pub fn step_into(
        state: State,
        event: Event,
        guards: &impl Fn(Guard) -> bool,
        _sink: impl FnMut(ActionCall<'static>),
    ) -> ::core::result::Result<Transition, Unexpected>
    where
        for<'a> Machine: ::turnstile_machine::option::StepInto<'a>,
    {
        step(state, event, guards).map(Step::transition)
    }
    const fn refused<T>(
        state: State,
        event: Event,
        impossible: bool,
    ) -> ::core::result::Result<T, Unexpected> {
        ::core::result::Result::Err(Unexpected {
            state,
            event,
            impossible,
        })
    }
    /// What the embedder does where the table alone runs: a method for each action that is
    /// not a timer, a variable's change or a message, and for each guard without a
    /// comparison. Each gets the event of the step.
    pub trait Handler {
        /// `ship`.
        ///
        /// The parcel leaves.
        fn ship(&mut self, event: Event);
        /// `apologise`.
        ///
        /// The customer is told that the order is given up.
        fn apologise(&mut self, event: Event);
        /// `there is stock`.
        ///
        /// Whether all articles are there.
        fn there_is_stock(&mut self, event: Event) -> bool;
    }
    /// The duration of each timer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Durations {
        /// The duration of `payment timer`.
        pub payment_timer: ::core::time::Duration,
    }
    impl ::turnstile_machine::PlainMachine for Machine {
        type Handler = dyn Handler + ::core::marker::Send;
        type Durations = Durations;
        const PLAIN: ::turnstile_machine::PlainTable<Self> = ::turnstile_machine::PlainTable {
            resources: &[ResourceKind::Timer],
            events: &[
                ::turnstile_machine::EventInfo {
                    is_declared: true,
                    consumes: &[],
                    payload: ::core::option::Option::None,
                },
                ::turnstile_machine::EventInfo {
                    is_declared: true,
                    consumes: &[],
                    payload: ::core::option::Option::None,
                },
                ::turnstile_machine::EventInfo {
                    is_declared: true,
                    consumes: &[Resource::PaymentTimer],
                    payload: ::core::option::Option::None,
                },
            ],
            completion: ::core::option::Option::None,
            variables: &[
                ::turnstile_machine::VariableInfo {
                    name: "reminders",
                    initial: 0,
                    values: ::turnstile_machine::ValueSet::Number(0, 2),
                },
            ],
            updates: &[
                (
                    Action::CountTheReminder,
                    ::turnstile_machine::Update {
                        variable: 0,
                        change: ::turnstile_machine::VariableChange::Add(1),
                    },
                ),
            ],
            comparisons: &[
                (
                    Guard::AReminderIsLeft,
                    ::turnstile_machine::Comparison::Is(
                        ::turnstile_machine::Operand::Variable(0),
                        ::turnstile_machine::Relation::Less,
                        ::turnstile_machine::Operand::Number(2),
                    ),
                ),
            ],
            sends: &[],
        };
        fn event(kind: EventKind, number: u16) -> Event {
            kind.event(number)
        }
        fn perform(handler: &mut Self::Handler, action: Action, event: Event) {
            match action {
                Action::Ship => handler.ship(event),
                Action::Apologise => handler.apologise(event),
                _ => {}
            }
        }
        fn answer(handler: &mut Self::Handler, guard: Guard, event: Event) -> bool {
            match guard {
                Guard::ThereIsStock => handler.there_is_stock(event),
                _ => false,
            }
        }
        fn duration(durations: &Durations, timer: Resource) -> ::core::time::Duration {
            match timer {
                Resource::PaymentTimer => durations.payment_timer,
            }
        }
    }
    /// The step of each row.
    mod steps {
        use super::*;
        pub(super) const R1: Step<'static> = Step {
            row: ::core::option::Option::Some(RowId::R1),
            to: State::AwaitingPayment,
            consumes: &[],
            actions: ::turnstile_machine::Actions::new(
                &[
                    ::turnstile_machine::ActionEntry {
                        action: Action::StartPaymentTimer,
                        ops: 1,
                        each: ::core::option::Option::None,
                    },
                ],
                &[Op::Create(Resource::PaymentTimer)],
            ),
        };
        pub(super) const R2: Step<'static> = Step {
            row: ::core::option::Option::Some(RowId::R2),
            to: State::GivenUp,
            consumes: &[],
            actions: ::turnstile_machine::Actions::new(
                &[
                    ::turnstile_machine::ActionEntry {
                        action: Action::Apologise,
                        ops: 0,
                        each: ::core::option::Option::None,
                    },
                ],
                &[],
            ),
        };
        pub(super) const R3: Step<'static> = Step {
            row: ::core::option::Option::Some(RowId::R3),
            to: State::Shipped,
            consumes: &[],
            actions: ::turnstile_machine::Actions::new(
                &[
                    ::turnstile_machine::ActionEntry {
                        action: Action::StopPaymentTimer,
                        ops: 1,
                        each: ::core::option::Option::None,
                    },
                    ::turnstile_machine::ActionEntry {
                        action: Action::Ship,
                        ops: 0,
                        each: ::core::option::Option::None,
                    },
                ],
                &[Op::Delete(Resource::PaymentTimer)],
            ),
        };
        pub(super) const R4: Step<'static> = Step {
            row: ::core::option::Option::Some(RowId::R4),
            to: State::AwaitingPayment,
            consumes: &[Resource::PaymentTimer],
            actions: ::turnstile_machine::Actions::new(
                &[
                    ::turnstile_machine::ActionEntry {
                        action: Action::CountTheReminder,
                        ops: 0,
                        each: ::core::option::Option::None,
                    },
                    ::turnstile_machine::ActionEntry {
                        action: Action::StartPaymentTimer,
                        ops: 1,
                        each: ::core::option::Option::None,
                    },
                ],
                &[Op::Create(Resource::PaymentTimer)],
            ),
        };
        pub(super) const R5: Step<'static> = Step {
            row: ::core::option::Option::Some(RowId::R5),
            to: State::GivenUp,
            consumes: &[Resource::PaymentTimer],
            actions: ::turnstile_machine::Actions::new(
                &[
                    ::turnstile_machine::ActionEntry {
                        action: Action::Apologise,
                        ops: 0,
                        each: ::core::option::Option::None,
                    },
                ],
                &[],
            ),
        };
    }
    /// The typestate form: needs the option `typestate` of `machine!`.
    pub mod typestate {
        /// A machine in its initial state.
        pub const fn begin()
        where
            for<'a> super::Machine: ::turnstile_machine::option::Typestate<'a>,
        {}
    }
}
