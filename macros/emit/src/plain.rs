//! What a plain core needs of a table beside its rows: the handler's trait, the durations, and the
//! declarations as data.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use turnstile_spec::table::{
    ActionCall, ActionId, Comparison, Event, EventId, GuardId, Name, Op, Operand, PayloadDomain,
    Relation, ResourceId, ResourceKind, VariableChange, VariableId,
};

use crate::Machine;
use crate::text::document::{self, doc, ident, number, prose, snake};

/// The trait, the struct, and the machine's implementation of `PlainMachine`.
pub(crate) fn plain(machine: &Machine<'_>) -> TokenStream {
    let mut taken = BTreeSet::new();
    let methods = Methods::new(machine, &mut taken);
    let (handler, calls) = (methods.handler(), methods.calls());
    let (durations, duration) = durations(machine);
    let table = table(machine);
    quote! {
        #handler
        #durations

        impl ::turnstile_machine::PlainMachine for Machine {
            type Handler = dyn Handler + ::core::marker::Send;
            type Durations = Durations;

            const PLAIN: ::turnstile_machine::PlainTable<Self> = #table;

            fn event(kind: EventKind, number: u16) -> Event {
                kind.event(number)
            }

            #calls
            #duration
        }
    }
}

/// The methods of the handler.
struct Methods<'a> {
    actions: Vec<(Ident, &'a Name)>,
    guards: Vec<(Ident, &'a Name)>,
    counts: (usize, usize),
    /// Whether the table has errors: then a method that is missing is not another one.
    is_skeleton: bool,
}

impl<'a> Methods<'a> {
    fn new(machine: &Machine<'a>, taken: &mut BTreeSet<String>) -> Self {
        let words = machine.vocabulary;
        let mut method = |name: &'a Name| {
            let mut method = snake(&name.ident);
            while !taken.insert(method.to_string()) {
                method = ident(&format!("{method}_"));
            }
            (method, name)
        };
        let actions = (0..).map(ActionId).zip(&words.actions);
        let actions = actions.filter(|(id, _)| is_of_handler(machine, *id));
        let actions = actions.map(|(_, name)| method(name)).collect();
        let guards = (0..).map(GuardId).zip(&words.guards);
        let guards = guards.filter(|(id, _)| comparison(machine, *id).is_none());
        let guards = guards.map(|(_, name)| method(name)).collect();
        let counts = (words.actions.len(), words.guards.len());
        Self { actions, guards, counts, is_skeleton: machine.table.rows.is_empty() }
    }

    fn handler(&self) -> TokenStream {
        let end =
            |value: TokenStream| if self.is_skeleton { quote!({ #value }) } else { quote!(;) };
        let parameter = ident(if self.is_skeleton { "_event" } else { "event" });
        let actions = self.actions.iter().map(|(method, name)| {
            let (about, end) = (doc(&document::name(name)), end(quote!()));
            quote!(#about fn #method(&mut self, #parameter: Event) #end)
        });
        let guards = self.guards.iter().map(|(method, name)| {
            let (about, end) = (doc(&document::name(name)), end(quote!(false)));
            quote!(#about fn #method(&mut self, #parameter: Event) -> bool #end)
        });
        let is_empty = self.actions.is_empty() && self.guards.is_empty();
        let nothing = is_empty.then(|| quote!(impl Handler for () {}));
        quote! {
            /// What the embedder does where the table alone runs: a method for each action that is
            /// not a timer, a variable's change or a message, and for each guard without a
            /// comparison. Each gets the event of the step.
            pub trait Handler {
                #(#actions)*
                #(#guards)*
            }

            #nothing
        }
    }

    /// `perform` and `answer`.
    fn calls(&self) -> TokenStream {
        let arms = |what: &str, list: &[(Ident, &Name)]| {
            let what = ident(what);
            let arms = list.iter().map(|(method, name)| {
                let variant = ident(&name.ident);
                quote!(#what::#variant => handler.#method(event),)
            });
            arms.collect::<Vec<_>>()
        };
        let actions = arms("Action", &self.actions);
        let guards = arms("Guard", &self.guards);
        let perform = chosen("action", &actions, self.counts.0, quote!({}));
        let answer = chosen("guard", &guards, self.counts.1, quote!(false));
        let names = |what: &str, arms: &[TokenStream]| {
            let names = ["handler", what, "event"];
            names.map(|name| match arms.is_empty() {
                true => ident(&format!("_{name}")),
                false => ident(name),
            })
        };
        let [to, action, event] = names("action", &actions);
        let [of, guard, given] = names("guard", &guards);
        quote! {
            fn perform(#to: &mut Self::Handler, #action: Action, #event: Event) {
                #perform
            }

            fn answer(#of: &mut Self::Handler, #guard: Guard, #given: Event) -> bool {
                #answer
            }
        }
    }
}

/// A match whose other arms have one value.
fn chosen(of: &str, arms: &[TokenStream], count: usize, other: TokenStream) -> TokenStream {
    if arms.is_empty() {
        return other;
    }
    let of = ident(of);
    let rest = (arms.len() < count).then(|| quote!(_ => #other,));
    quote!(match #of { #(#arms)* #rest })
}

/// Whether the handler carries out an action: it sends nothing, changes no variable, and does to
/// resources nothing but send and abandon requests.
fn is_of_handler(machine: &Machine<'_>, id: ActionId) -> bool {
    let table = machine.table;
    let is_request =
        |id: &ResourceId| machine.vocabulary.resources[id.index()].kind == ResourceKind::Request;
    let asks = |op: &Op| match op {
        Op::Create(id) | Op::Restart(id) | Op::Abandon(id) => is_request(id),
        Op::Delete(_) => false,
    };
    let calls = || table.rows.iter().flat_map(|row| &row.actions).filter(|call| call.action == id);
    let has_ops = calls().any(|ActionCall { ops, .. }| !ops.is_empty());
    let is_sent = table.sends.iter().any(|sends| sends.action == id);
    let is_update = table.updates.iter().any(|update| update.action == id);
    let has_request = calls().any(|ActionCall { ops, .. }| ops.iter().any(asks));
    !is_sent && (has_request || !has_ops && !is_update)
}

/// The formula of a guard that compares variables.
fn comparison<'a>(machine: &Machine<'a>, id: GuardId) -> Option<&'a Comparison> {
    machine.table.comparisons.get(id.index())?.as_ref()
}

/// `Durations`, and the look-up in it.
fn durations(machine: &Machine<'_>) -> (TokenStream, TokenStream) {
    let resources = machine.vocabulary.resources.iter();
    let timers = resources.filter(|one| one.kind == ResourceKind::Timer).map(|one| &one.name);
    let mut taken = BTreeSet::new();
    let timers = timers.map(|name| {
        let mut field = snake(&name.ident);
        while !taken.insert(field.to_string()) {
            field = ident(&format!("{field}_"));
        }
        (field, name)
    });
    let timers: Vec<(Ident, &Name)> = timers.collect();
    let fields = timers.iter().map(|(field, name)| {
        let about = doc(&[format!("The duration of `{}`.", prose(&name.name))]);
        quote!(#about pub #field: ::core::time::Duration,)
    });
    let arms = timers.iter().map(|(field, name)| {
        let variant = ident(&name.ident);
        quote!(Resource::#variant => durations.#field,)
    });
    let arms: Vec<TokenStream> = arms.collect();
    let count = machine.vocabulary.resources.len();
    let duration = chosen("timer", &arms, count, quote!(::core::time::Duration::ZERO));
    let [of, timer] = match arms.is_empty() {
        true => ["_durations", "_timer"].map(ident),
        false => ["durations", "timer"].map(ident),
    };
    let durations = quote! {
        /// The duration of each timer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Durations { #(#fields)* }
    };
    let duration = quote! {
        fn duration(#of: &Durations, #timer: Resource) -> ::core::time::Duration {
            #duration
        }
    };
    (durations, duration)
}

/// The declarations as data.
fn table(machine: &Machine<'_>) -> TokenStream {
    let (words, table) = (machine.vocabulary, machine.table);
    let resources = words.resources.iter().map(|one| match one.kind {
        ResourceKind::Timer => quote!(ResourceKind::Timer),
        ResourceKind::Request => quote!(ResourceKind::Request),
        ResourceKind::Note => quote!(ResourceKind::Note),
    });
    let events = (0..).map(EventId).zip(&words.events).map(|(id, one)| event(machine, id, one));
    let variables = words.variables.iter().map(|variable| {
        let (name, initial) = (&variable.name.name, number(variable.initial));
        let values = values(&variable.domain);
        quote!(::turnstile_machine::VariableInfo {
            name: #name,
            initial: #initial,
            values: #values,
        })
    });
    let action = |id: ActionId| {
        let name = ident(&words.actions[id.index()].ident);
        quote!(Action::#name)
    };
    let updates = table.updates.iter().map(|update| {
        let (action, variable) = (action(update.action), place(update.variable));
        let change = match update.change {
            VariableChange::Set(to) => {
                let to = operand(to);
                quote!(Set(#to))
            }
            VariableChange::Add(more) => {
                let more = Literal::i32_unsuffixed(more);
                quote!(Add(#more))
            }
        };
        let change = quote!(::turnstile_machine::VariableChange::#change);
        quote!((#action, ::turnstile_machine::Update { variable: #variable, change: #change }))
    });
    let guards = (0..).map(GuardId).zip(&words.guards);
    let comparisons = guards.filter_map(|(id, name)| {
        let (guard, formula) = (ident(&name.ident), formula(comparison(machine, id)?));
        Some(quote!((Guard::#guard, #formula)))
    });
    let sends = table.sends.iter().map(|sends| {
        let (action, event) = (action(sends.action), &sends.event);
        quote!((#action, #event))
    });
    let completion = completion(machine);
    quote! {
        ::turnstile_machine::PlainTable {
            resources: &[#(#resources),*],
            events: &[#(#events),*],
            completion: #completion,
            variables: &[#(#variables),*],
            updates: &[#(#updates),*],
            comparisons: &[#(#comparisons),*],
            sends: &[#(#sends),*],
        }
    }
}

/// The event of rows without one.
fn completion(machine: &Machine<'_>) -> TokenStream {
    let Some(id) = machine.vocabulary.completion() else {
        return quote!(::core::option::Option::None);
    };
    let name = ident(&machine.vocabulary.events[id.index()].name.ident);
    quote!(::core::option::Option::Some(EventKind::#name))
}

fn event(machine: &Machine<'_>, id: EventId, event: &Event) -> TokenStream {
    let is_declared = machine.table.events.contains(&id);
    let consumes = event.consumes.iter().map(|id| {
        let name = ident(&machine.vocabulary.resources[id.index()].name.ident);
        quote!(Resource::#name)
    });
    let payload = match &event.payload {
        None => quote!(None),
        Some(payload) => {
            let values = values(&payload.domain);
            quote!(Some(#values))
        }
    };
    quote! {
        ::turnstile_machine::EventInfo {
            is_declared: #is_declared,
            consumes: &[#(#consumes),*],
            payload: ::core::option::Option::#payload,
        }
    }
}

fn values(domain: &PayloadDomain) -> TokenStream {
    let values = match domain {
        PayloadDomain::Number(range) => {
            let (least, greatest) = (number(*range.start()), number(*range.end()));
            quote!(Number(#least, #greatest))
        }
        PayloadDomain::Bool => quote!(Bool),
        PayloadDomain::Words(words) => {
            let words = words.iter().map(|word| &word.name);
            quote!(Words(&[#(#words),*]))
        }
    };
    quote!(::turnstile_machine::ValueSet::#values)
}

fn formula(of: &Comparison) -> TokenStream {
    let part = match of {
        Comparison::Is(one, relation, other) => {
            let (one, other) = (operand(*one), operand(*other));
            let relation = ident(match relation {
                Relation::Equal => "Equal",
                Relation::NotEqual => "NotEqual",
                Relation::Less => "Less",
                Relation::AtMost => "AtMost",
                Relation::Greater => "Greater",
                Relation::AtLeast => "AtLeast",
            });
            quote!(Is(#one, ::turnstile_machine::Relation::#relation, #other))
        }
        Comparison::All(parts) => {
            let parts = parts.iter().map(formula);
            quote!(All(&[#(#parts),*]))
        }
        Comparison::Any(parts) => {
            let parts = parts.iter().map(formula);
            quote!(Any(&[#(#parts),*]))
        }
        Comparison::Not(part) => {
            let part = formula(part);
            quote!(Not(&#part))
        }
    };
    quote!(::turnstile_machine::Comparison::#part)
}

fn operand(of: Operand) -> TokenStream {
    let operand = match of {
        Operand::Number(value) => {
            let value = number(value);
            quote!(Number(#value))
        }
        Operand::Variable(id) => {
            let place = place(id);
            quote!(Variable(#place))
        }
        Operand::Payload => quote!(Payload),
    };
    quote!(::turnstile_machine::Operand::#operand)
}

fn place(variable: VariableId) -> TokenStream {
    number(variable.index() as u64)
}
