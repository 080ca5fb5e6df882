//! The claim client by the table that is baked in: one hand-written expectation per step.

use turnstile_core::claim::client::{Client, Command, Notice, State};
use turnstile_core::claim::message::{
    Ask, Asked, Message, Request, ResourceName, Response, Server,
};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey, Token};
use turnstile_core::step::{EffectOf, Out, Taken};
use turnstile_core::{Core, Effect, Input};
use turnstile_machines::claim::Resource;

type Effects = Vec<EffectOf<Client>>;

const RESOURCE: ResourceName = ResourceName(7);
const CLAIM: ClaimId = ClaimId::new(31);
const KEY: IdempotencyKey = IdempotencyKey::new(5);

/// One client and what it does.
struct Run {
    core: Client,
    state: State,
}

impl Run {
    fn new() -> Self {
        let core = Client::new(RESOURCE);
        let state = core.start();
        Self { core, state }
    }

    fn step(
        &mut self,
        input: Input<Server, Message, Resource, Command, ()>,
    ) -> (Effects, Vec<Taken>) {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        (out.effects, out.rows)
    }

    fn told(&mut self, command: Command) -> Effects {
        self.step(Input::Command(command)).0
    }

    fn fires(&mut self, timer: Resource) -> Effects {
        self.step(Input::Fired(timer)).0
    }

    fn hears(&mut self, response: Response) -> Effects {
        let message = Message::Response(response);
        self.step(Input::Message { from: Server::Claims, message }).0
    }

    /// A claim that holds its lock.
    fn active() -> Self {
        let mut run = Self::new();
        run.told(Command::Claim { key: KEY });
        run.hears(Response { claim: Some(CLAIM), ..Response::bare(CallId::new(0), 202) });
        run.fires(Resource::ActivateTimer);
        let granted =
            Response { token: Some(Token::new(3)), ..Response::bare(CallId::new(0), 200) };
        let effects = run.hears(granted);
        let notice = Notice::Acquired { token: Some(Token::new(3)) };
        assert!(effects.contains(&Effect::Notify(notice)), "{effects:?}");
        run
    }
}

fn asks(call: u16, ask: Ask) -> EffectOf<Client> {
    let message = Message::Request(Request { call: CallId::new(call), ask });
    Effect::Send { to: Server::Claims, message }
}

fn sets(call: u16, to: Asked) -> EffectOf<Client> {
    asks(call, Ask::Status { claim: CLAIM, to })
}

#[test]
fn a_claim_begins_with_a_post_and_a_timeout() {
    let mut run = Run::new();
    let effects = run.told(Command::Claim { key: KEY });
    assert!(
        matches!(
            effects[..],
            [
                Effect::Send {
                    to: Server::Claims,
                    message:
                        Message::Request(Request {
                            call,
                            ask: Ask::Post { resource: RESOURCE, wait: false, .. },
                        }),
                },
                Effect::Arm(Resource::TimeoutTimer),
            ] if call == CallId::new(0)
        ),
        "{effects:?}"
    );
}

#[test]
fn a_queued_claim_asks_again_by_the_id_that_the_server_gave() {
    let mut run = Run::new();
    run.told(Command::Claim { key: KEY });
    let queued = Response { claim: Some(CLAIM), ..Response::bare(CallId::new(0), 202) };
    assert!(run.hears(queued).contains(&Effect::Arm(Resource::ActivateTimer)));
    let effects = run.fires(Resource::ActivateTimer);
    assert!(effects.contains(&sets(0, Asked::Active { wait: false })), "{effects:?}");
    assert!(!run.state.is_held());
}

#[test]
fn a_holder_renews_and_releases() {
    let mut run = Run::active();
    assert!(run.state.is_held());
    assert!(run.fires(Resource::RenewTimer).contains(&asks(0, Ask::Ttl { claim: CLAIM })));
    assert!(
        run.hears(Response::bare(CallId::new(0), 200)).contains(&Effect::Arm(Resource::RenewTimer))
    );
    let effects = run.told(Command::Release);
    assert!(effects.contains(&sets(0, Asked::Released)), "{effects:?}");
    assert!(effects.contains(&Effect::Disarm(Resource::RenewTimer)), "{effects:?}");
    assert!(!run.state.is_held(), "the user gave it back, whatever the server says");
    let effects = run.hears(Response::bare(CallId::new(0), 204));
    assert!(effects.contains(&Effect::Notify(Notice::Released)), "{effects:?}");
}

#[test]
fn an_act_carries_the_token_and_only_a_holder_acts() {
    assert_eq!(Run::new().told(Command::Act), []);
    let mut run = Run::active();
    let message = Message::Act { token: Some(Token::new(3)) };
    assert_eq!(run.told(Command::Act), [Effect::Send { to: Server::Store, message }]);
    run.told(Command::Release);
    assert_eq!(run.told(Command::Act), []);
}

#[test]
fn a_request_that_is_not_answered_is_tried_again() {
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    let effects = run.hears(Response::unanswered(CallId::new(0)));
    assert!(effects.contains(&Effect::Arm(Resource::RetryRenewTimer)), "{effects:?}");
    let effects = run.fires(Resource::RetryRenewTimer);
    assert!(effects.contains(&asks(0, Ask::Ttl { claim: CLAIM })), "{effects:?}");
}

#[test]
fn an_answer_that_nobody_waits_for_changes_nothing() {
    let mut run = Run::active();
    let before = run.state.clone();
    let message = Message::Response(Response::bare(CallId::new(0), 500));
    let (effects, rows) = run.step(Input::Message { from: Server::Claims, message });
    assert_eq!((effects, rows), (vec![], vec![]));
    assert_eq!(run.state, before);
}

#[test]
fn a_request_without_an_id_is_left_undone_and_said_so() {
    let mut run = Run::active();
    run.state.claim = None;
    let (effects, rows) = run.step(Input::Fired(Resource::RenewTimer));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Send { .. })), "{effects:?}");
    assert!(rows.iter().any(|taken| matches!(taken, Taken::Undone { .. })), "{rows:?}");
}

#[test]
fn a_crash_leaves_nothing() {
    let mut run = Run::active();
    assert_eq!(run.step(Input::Restart(None)), (vec![], vec![]));
    assert_eq!(run.state, Run::new().state);
}

#[test]
fn an_event_without_a_row_changes_nothing_and_is_reported() {
    let mut run = Run::new();
    let before = run.state.clone();
    let (effects, rows) = run.step(Input::Fired(Resource::RenewTimer));
    assert_eq!(effects, []);
    assert!(
        matches!(rows[..], [Taken::Unexpected { machine: "claim", state: "new", .. }]),
        "{rows:?}"
    );
    assert_eq!(run.state, before);
}
