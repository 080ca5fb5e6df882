//! The keychain: claims of several resources over one connection, none disturbing another.

use turnstile_claim_core::client;
use turnstile_claim_core::keychain::{CLAIMS_MAX, Command, Keychain, Notice, State, Timer};
use turnstile_claim_core::message::{
    Message, Request, RequestKind, ResourceName, Response, Server, TargetStatus,
};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_machines::claim::Resource;
use turnstile_ids::number::CallId;
use turnstile_simulation::visit;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out};

type Effects = Vec<EffectOf<Keychain>>;

const DOOR: ResourceName = ResourceName(1);
const GATE: ResourceName = ResourceName(2);

struct Run {
    core: Keychain,
    state: State,
}

impl Run {
    fn new() -> Self {
        let core = Keychain::new();
        let state = core.start();
        Self { core, state }
    }

    /// Takes an input. The numbers of the state are not visited.
    fn take(&mut self, input: InputOf<Keychain>) -> Effects {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        out.effects
    }

    fn step(&mut self, input: InputOf<Keychain>) -> Effects {
        let effects = self.take(input);
        visit::check(&self.state);
        effects
    }

    fn told(&mut self, command: Command) -> Effects {
        self.step(Input::Command(command))
    }

    fn claims(&mut self, resource: ResourceName, key: u64) -> Effects {
        self.told(Command::Claim { resource, key: IdempotencyKey::new(key) })
    }

    fn hears(&mut self, response: Response) -> Effects {
        self.step(Input::Message { from: Server::Claims, message: Message::Response(response) })
    }

    fn fires(&mut self, resource: ResourceName, timer: Resource) -> Effects {
        self.step(Input::Fired(Timer { resource, timer }))
    }

    /// Gets the lock of a resource at once, as the claim with the id of the resource.
    fn acquires(&mut self, resource: ResourceName) {
        let id = u64::from(resource.0);
        let effects = self.claims(resource, id);
        let granted = Response::bare(asked(&effects).0, 201);
        let effects = self.hears(Response { claim: Some(ClaimId::new(id)), ..granted });
        let notice = client::Notice::Acquired { token: None };
        let told = Effect::Notify(Notice::Told { resource, notice });
        assert!(effects.contains(&told), "{effects:?}");
    }
}

/// The one request among the effects.
#[track_caller]
fn asked(effects: &Effects) -> (CallId, RequestKind) {
    let request = |effect: &EffectOf<Keychain>| {
        let Effect::Send { to: Server::Claims, message: Message::Request(request) } = effect else {
            return None;
        };
        let Request { call, kind } = *request;
        Some((call, kind))
    };
    let requests: Vec<_> = effects.iter().filter_map(request).collect();
    let [request] = requests[..] else { panic!("one request: {effects:?}") };
    request
}

fn status(resource: ResourceName, to: TargetStatus) -> RequestKind {
    RequestKind::Status { claim: ClaimId::new(u64::from(resource.0)), to }
}

#[test]
fn a_second_claim_of_a_resource_is_refused_and_the_first_named() {
    let mut run = Run::new();
    run.claims(DOOR, 11);
    let before = run.state.clone();
    let refused = Notice::AlreadyClaimed {
        resource: DOOR,
        key: IdempotencyKey::new(12),
        first: IdempotencyKey::new(11),
    };
    assert_eq!(run.claims(DOOR, 12), [Effect::Notify(refused)]);
    assert_eq!(run.state, before, "and the first one is not disturbed");
    assert_ne!(run.claims(GATE, 13), []);
}

#[test]
fn a_resource_may_be_claimed_again_once_its_claim_has_ended() {
    let mut run = Run::new();
    run.acquires(DOOR);
    let effects = run.told(Command::Release { resource: DOOR });
    run.hears(Response::bare(asked(&effects).0, 204));
    assert_eq!(run.state.claimed().count(), 0);
    run.acquires(DOOR);
}

#[test]
fn calls_of_two_claims_have_different_numbers_and_find_their_way() {
    let mut run = Run::new();
    let door = asked(&run.claims(DOOR, 1)).0;
    let gate = asked(&run.claims(GATE, 2)).0;
    assert_ne!(door, gate);
    let queued = Response { claim: Some(ClaimId::new(5)), ..Response::bare(gate, 202) };
    let effects = run.hears(queued);
    let timer = Timer { resource: GATE, timer: Resource::ActivateTimer };
    assert!(effects.contains(&Effect::Arm(timer)), "{effects:?}");
    let claim = |run: &Run, resource| run.state.claim(resource).expect("claimed").claim;
    assert_eq!((claim(&run, DOOR), claim(&run, GATE)), (None, Some(ClaimId::new(5))));
}

#[test]
fn the_end_of_the_pipe_gives_back_what_is_held_and_gives_up_what_is_not() {
    let mut run = Run::new();
    run.acquires(DOOR);
    let effects = run.claims(GATE, 2);
    let queued = Response::bare(asked(&effects).0, 202);
    run.hears(Response { claim: Some(ClaimId::new(2)), ..queued });
    let effects = run.told(Command::Close);
    let sent: Vec<RequestKind> = effects
        .iter()
        .filter_map(|effect| {
            let Effect::Send { to: _, message: Message::Request(request) } = effect else {
                return None;
            };
            Some(request.kind)
        })
        .collect();
    assert_eq!(sent, [status(DOOR, TargetStatus::Released), status(GATE, TargetStatus::Withdrawn)]);
    assert_eq!(run.told(Command::Close), [], "once is enough");
    assert_eq!(run.told(Command::Release { resource: DOOR }), []);
}

#[test]
fn what_a_post_has_made_is_withdrawn_though_its_program_has_left() {
    let mut run = Run::new();
    let call = asked(&run.claims(DOOR, 1)).0;
    run.told(Command::Release { resource: DOOR });
    assert_eq!(run.state.claimed().count(), 1, "its answer is waited for");
    let granted = Response { claim: Some(ClaimId::new(1)), ..Response::bare(call, 201) };
    let effects = run.hears(granted);
    assert_eq!(asked(&effects).1, status(DOOR, TargetStatus::Withdrawn));
    run.hears(Response::bare(asked(&effects).0, 204));
    assert_eq!(run.state.claimed().count(), 0);
}

#[test]
fn who_was_told_that_the_time_is_over_has_nothing_more_to_give_up() {
    let mut run = Run::new();
    let call = asked(&run.claims(DOOR, 1)).0;
    run.hears(Response { claim: Some(ClaimId::new(1)), ..Response::bare(call, 202) });
    let effects = run.fires(DOOR, Resource::TimeoutTimer);
    assert_eq!(asked(&effects).1, status(DOOR, TargetStatus::Withdrawn));
    assert_eq!(run.told(Command::Release { resource: DOOR }), [], "it is withdrawn already");
}

#[test]
fn an_answer_to_a_claim_that_has_ended_is_nobodys() {
    let mut run = Run::new();
    let call = asked(&run.claims(DOOR, 1)).0;
    run.hears(Response::bare(call, 400));
    assert_eq!(run.state.claimed().count(), 0, "the server refused it");
    let before = run.state.clone();
    assert_eq!(run.hears(Response::bare(call, 201)), []);
    assert_eq!(run.state, before);
}

#[test]
fn a_timer_of_a_resource_that_is_not_claimed_does_nothing() {
    let mut run = Run::new();
    assert_eq!(run.fires(DOOR, Resource::RenewTimer), []);
    assert_eq!(run.told(Command::Release { resource: DOOR }), []);
    assert_eq!(run.told(Command::Act { resource: DOOR }), []);
}

#[test]
fn there_is_a_most_and_who_comes_after_is_told() {
    let mut run = Run::new();
    for number in 0..CLAIMS_MAX {
        let number = u32::try_from(number).expect("few");
        let key = IdempotencyKey::new(number.into());
        run.take(Input::Command(Command::Claim { resource: ResourceName(number), key }));
    }
    let resource = ResourceName(u32::MAX);
    let key = IdempotencyKey::new(u64::MAX);
    let refused = Effect::Notify(Notice::TooMany { resource, key });
    assert_eq!(run.claims(resource, u64::MAX), [refused]);
}
