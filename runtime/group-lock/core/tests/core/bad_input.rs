//! A member of the group lock, by itself and on top of its view handling.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use turnstile_group_lock_core::message::{
    GrantNumber, LockInfo, LockName, LockRequest, Message, MessageBody, Round,
};
use turnstile_group_lock_core::stack::{self, Stack};
use turnstile_group_lock_core::{Command, Member, State, Timer};
use turnstile_group_lock_machines::group_lock_client::State as Client;
use turnstile_group_lock_machines::group_lock_coordinator::State as Coordinator;
use turnstile_simulation::steps::{follow, knows_what_is_armed, step};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, Intent, MemberId, Members, View};

/// The view in which each test begins.
const HERE: ViewId = ViewId::new(5);
const ME: MemberId = MemberId(1);
const STRANGER: MemberId = MemberId(9);

fn lock() -> impl Strategy<Value = LockName> {
    (5_u64..7).prop_map(LockName)
}

fn request() -> impl Strategy<Value = LockRequest> {
    prop_oneof![lock().prop_map(LockRequest::Lock), lock().prop_map(LockRequest::Unlock)]
}

fn body() -> impl Strategy<Value = MessageBody> {
    let info = (vec(lock(), 0..3), vec(request(), 0..3))
        .prop_map(|(locks, requests)| MessageBody::LockInfoRsp(LockInfo { locks, requests }));
    prop_oneof![
        request().prop_map(MessageBody::Request),
        (lock(), any::<bool>(), prop::option::of((0_u64..3).prop_map(GrantNumber))).prop_map(
            |(lock, is_successful, number)| MessageBody::LockRsp { lock, is_successful, number }
        ),
        lock().prop_map(MessageBody::UnlockRsp),
        lock().prop_map(MessageBody::DuplicateLock),
        lock().prop_map(MessageBody::DuplicateLockRsp),
        Just(MessageBody::LockInfoReq),
        info,
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let round = prop_oneof![
        1 => Just(None),
        4 => (HERE.number() - 1..HERE.number() + 2).prop_map(|id| Some(ViewId::new(id))),
    ];
    (body(), round).prop_map(|(body, round): (MessageBody, Round)| Message { body, round })
}

/// Of anybody, of nobody, without oneself, older than the last one.
fn view() -> impl Strategy<Value = View> {
    let members =
        || vec(0_u64..4, 0..4).prop_map(|all| Members::new(all.into_iter().map(MemberId)));
    (HERE.number() - 1..HERE.number() + 4, vec(members(), 0..3)).prop_map(|(id, mut groups)| {
        let id = ViewId::new(id);
        if groups.len() > 1 {
            return View::merge(id, groups);
        }
        View::new(id, groups.pop().unwrap_or_default().iter())
    })
}

fn timer() -> impl Strategy<Value = Timer> {
    prop_oneof![lock().prop_map(Timer::Lock), Just(Timer::Reconciliation)]
}

fn input() -> impl Strategy<Value = InputOf<Member>> {
    prop_oneof![
        8 => (0_u64..4, message()).prop_map(|(from, message)| {
            Input::Message { from: MemberId(from), message }
        }),
        2 => timer().prop_map(Input::Fired),
        2 => lock().prop_map(|lock| Input::Command(Command::Lock(lock))),
        2 => lock().prop_map(|lock| Input::Command(Command::Unlock(lock))),
        2 => view().prop_map(|view| Input::Command(Command::View(view))),
    ]
}

/// What the states of the machines hold.
fn held(state: &State) -> BTreeSet<Timer> {
    let waits = |at: Client| matches!(at, Client::Locking | Client::Relocking);
    let locks = state.locks().filter(|(_, lock)| waits(lock.at));
    let mut held: BTreeSet<Timer> = locks.map(|(name, _)| Timer::Lock(name)).collect();
    if state.coordinator().at == Coordinator::Reconciling {
        held.insert(Timer::Reconciliation);
    }
    held
}

/// A member of a view of two that has asked the other one what it holds.
fn asked() -> (Member, State) {
    let member = Member::new(ME);
    let mut state = member.start();
    let view = View::new(HERE, [ME, MemberId(2)]);
    step(&member, &mut state, Input::Command(Command::View(view)));
    (member, state)
}

/// The same, which holds a lock and waits for another one that member 2 holds.
fn served() -> (Member, State) {
    let (member, mut state) = asked();
    let info = LockInfo { locks: vec![LockName(6)], requests: Vec::new() };
    hear(&member, &mut state, MemberId(2), MessageBody::LockInfoRsp(info));
    step(&member, &mut state, Input::Command(Command::Lock(LockName(5))));
    (member, state)
}

fn hear(
    member: &Member,
    state: &mut State,
    from: MemberId,
    body: MessageBody,
) -> Vec<EffectOf<Member>> {
    let message = Message { body, round: Some(HERE) };
    step(member, state, Input::Message { from, message })
}

proptest! {
    #[test]
    fn a_member_knows_what_is_armed(inputs in vec(input(), 0..60)) {
        let (member, state) = asked();
        let armed = held(&state);
        knows_what_is_armed(&member, state, armed, inputs, held)?;
    }

    #[test]
    fn a_stranger_is_not_heeded(body in body(), is_served in any::<bool>()) {
        let (member, mut state) = if is_served { served() } else { asked() };
        let before = state.clone();
        prop_assert_eq!(hear(&member, &mut state, STRANGER, body), []);
        prop_assert_eq!(before, state);
    }

    #[test]
    fn an_answer_that_comes_twice_is_not_heeded(body in body()) {
        if matches!(
            body,
            MessageBody::Request(_) | MessageBody::LockInfoReq | MessageBody::DuplicateLock(_)
        ) {
            return Ok(());
        }
        let (member, mut state) = asked();
        step(&member, &mut state, Input::Command(Command::Lock(LockName(5))));
        hear(&member, &mut state, MemberId(2), body.clone());
        let before = state.clone();
        prop_assert_eq!(hear(&member, &mut state, MemberId(2), body), []);
        prop_assert_eq!(before, state);
    }

    #[test]
    fn a_stack_knows_what_is_armed(inputs in vec(stacked(), 0..60)) {
        let core = Stack::new(ME);
        let mut out = Out::default();
        let mut state = core.begin(View::new(HERE, [ME, MemberId(2)]), &mut out);
        let mut armed = BTreeSet::new();
        follow(&mut armed, &out.effects);
        for input in inputs {
            if let Input::Fired(timer) = &input
                && !armed.remove(timer)
            {
                continue;
            }
            follow(&mut armed, &step(&core, &mut state, input));
            let locks = armed.iter().filter_map(|timer| match timer {
                stack::Timer::Locks(timer) => Some(*timer),
                stack::Timer::Views(_) => None,
            });
            prop_assert_eq!(locks.collect::<BTreeSet<_>>(), held(&state.locks));
        }
    }
}

proptest! {
    #[test]
    fn a_stack_saves_the_number_of_a_view_before_anything_else(inputs in vec(stacked(), 0..60)) {
        let core = Stack::new(ME);
        let mut state = core.start();
        let mut saved = ViewId::default();
        for input in inputs {
            let is_member = state.views.view.is_some() || state.views.intent != Intent::Nothing;
            let is_vain = is_member && input == Input::Command(stack::Command::Begin);
            let before = state.clone();
            let effects = step(&core, &mut state, input);
            prop_assert!(!is_vain || effects.is_empty() && state == before);
            let last_view = state.views.last_view;
            let saves = effects.iter().position(|effect| matches!(effect, Effect::Save(_)));
            prop_assert_eq!(saves, (saved < last_view).then_some(0));
            if let Some(Effect::Save(first)) = effects.first() {
                prop_assert_eq!(*first, last_view);
            }
            saved = last_view;
        }
        core.step(&mut state, Input::Restart(Some(saved)), &mut Out::default());
        let begun = step(&core, &mut state, Input::Command(stack::Command::Begin));
        prop_assert_eq!(&begun[0], &Effect::Save(ViewId::new(saved.number() + 1)));
    }
}

/// What a stack may hear: about locks, whatever it is; about views, what its user and the layers
/// below say.
fn stacked() -> impl Strategy<Value = InputOf<Stack>> {
    let member = || (0_u64..4).prop_map(MemberId);
    let views = prop_oneof![
        (member(), any::<bool>())
            .prop_map(|(via, with_state)| view::Command::Join { via, with_state }),
        Just(view::Command::Leave),
        member().prop_map(|member| view::Command::Suspect { member }),
        member().prop_map(|to| view::Command::Announce { to }),
        Just(view::Command::InstallationFails),
    ];
    prop_oneof![
        6 => (member(), message()).prop_map(|(from, message)| {
            Input::Message { from, message: stack::Message::Locks(message) }
        }),
        2 => (member(), view()).prop_map(|(from, view)| {
            Input::Message { from, message: stack::Message::Views(view::Message::View(view)) }
        }),
        3 => views.prop_map(|command| Input::Command(stack::Command::Views(command))),
        1 => Just(Input::Fired(stack::Timer::Views(view::Timer::Queue))),
        1 => Just(Input::Command(stack::Command::Begin)),
        1 => timer().prop_map(|timer| Input::Fired(stack::Timer::Locks(timer))),
        2 => lock().prop_map(|lock| Input::Command(stack::Command::Lock(lock))),
        2 => lock().prop_map(|lock| Input::Command(stack::Command::Unlock(lock))),
    ]
}
