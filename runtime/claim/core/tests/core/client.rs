//! The claim client by the table that is baked in: one hand-written expectation per step.

use turnstile_claim_core::client::{Client, Command, Notice, State, Timer};
use turnstile_claim_core::message::{
    Message, Request, RequestKind, ResourceName, Response, Server, TargetStatus,
};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_machines::claim::Resource;
use turnstile_ids::number::{CallId, Token};
use turnstile_simulation::visit;
use turnstile_step::{Core, Effect, EffectOf, Input, Out, RowOutcome};

type Done = EffectOf<Client>;
type Effects = Vec<Done>;

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
        input: Input<Server, Message, Timer, Command, ()>,
    ) -> (Effects, Vec<RowOutcome>) {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        visit::check(&self.state);
        (out.effects, out.rows)
    }

    fn told(&mut self, command: Command) -> Effects {
        self.step(Input::Command(command)).0
    }

    fn fires(&mut self, timer: Resource) -> Effects {
        self.step(Input::Fired(Timer(timer))).0
    }

    fn hears(&mut self, response: Response) -> Effects {
        let message = Message::Response(response);
        self.step(Input::Message { from: Server::Claims, message }).0
    }

    /// A claim that holds its lock: it was granted at once.
    fn active() -> Self {
        let mut run = Self::new();
        run.told(Command::Claim { key: KEY });
        let effects = run.hears(Response { claim: Some(CLAIM), ..granted(0, 201) });
        assert!(effects.contains(&ACQUIRED), "{effects:?}");
        run
    }

    /// A claim that waits for its lock.
    fn waiting() -> Self {
        let mut run = Self::new();
        run.told(Command::Claim { key: KEY });
        let effects = run.hears(Response { claim: Some(CLAIM), ..plain(0, 202) });
        assert_eq!(effects, [Effect::Arm(Timer(Resource::ActivateTimer))]);
        run
    }
}

const TOKEN: Token = Token::new(3);
const CONFIRMS: Done = Effect::Arm(Timer(Resource::ConfirmTimer));
const ACQUIRED: Done = Effect::Notify(Notice::Acquired { token: Some(TOKEN) });

fn plain(call: u16, status: u16) -> Response {
    Response::bare(CallId::new(call), status)
}

fn granted(call: u16, status: u16) -> Response {
    Response { token: Some(TOKEN), ..plain(call, status) }
}

fn asks(call: u16, kind: RequestKind) -> Done {
    let message = Message::Request(Request { call: CallId::new(call), kind });
    Effect::Send { to: Server::Claims, message }
}

fn sets(call: u16, to: TargetStatus) -> Done {
    asks(call, RequestKind::Status { claim: CLAIM, to })
}

fn posts(call: u16) -> Done {
    asks(call, RequestKind::Post { resource: RESOURCE, key: Some(KEY), wait: false })
}

#[test]
fn a_claim_begins_with_a_post_and_a_timeout() {
    let mut run = Run::new();
    let effects = run.told(Command::Claim { key: KEY });
    assert_eq!(effects, [posts(0), Effect::Arm(Timer(Resource::TimeoutTimer))]);
}

#[test]
fn a_post_that_is_not_answered_is_repeated_with_the_same_key() {
    for status in [404, 503, Response::UNANSWERED] {
        let mut run = Run::new();
        run.told(Command::Claim { key: KEY });
        let effects = run.hears(plain(0, status));
        assert_eq!(effects, [Effect::Arm(Timer(Resource::RetryRegisterTimer))], "{status}");
        assert_eq!(run.fires(Resource::RetryRegisterTimer), [posts(0)], "{status}");
    }
}

#[test]
fn a_claim_granted_at_once_is_held_from_then_on() {
    let mut run = Run::new();
    run.told(Command::Claim { key: KEY });
    assert!(!run.state.is_held());
    let effects = run.hears(Response { claim: Some(CLAIM), ..granted(0, 201) });
    for effect in [
        ACQUIRED,
        Effect::Disarm(Timer(Resource::TimeoutTimer)),
        Effect::Arm(Timer(Resource::RenewTimer)),
        Effect::Arm(Timer(Resource::LeaseTimer)),
    ] {
        assert!(effects.contains(&effect), "{effect:?} in {effects:?}");
    }
    assert!(run.state.is_held());
    assert_eq!(run.state.key, None, "it is known by its id from here on");
}

#[test]
fn a_grant_that_comes_too_late_is_confirmed_before_it_is_believed() {
    let mut run = Run::new();
    run.told(Command::Claim { key: KEY });
    let late = Response { claim: Some(CLAIM), ..granted(0, 201) }.lapsed();
    assert_eq!(run.hears(late), [CONFIRMS, asks(0, RequestKind::Ttl { claim: CLAIM })]);
    assert!(!run.state.is_held());
    assert!(run.hears(granted(0, 200)).contains(&ACQUIRED));
}

#[test]
fn a_queued_claim_asks_again_by_the_id_that_the_server_gave() {
    let mut run = Run::waiting();
    let effects = run.fires(Resource::ActivateTimer);
    assert_eq!(effects, [sets(0, TargetStatus::Active { wait: false })]);
    assert_eq!(run.hears(plain(0, 409)), [Effect::Arm(Timer(Resource::ActivateTimer))], "wait on");
    run.fires(Resource::ActivateTimer);
    let effects = run.hears(granted(0, 200));
    assert_eq!(
        effects,
        [CONFIRMS, asks(0, RequestKind::Ttl { claim: CLAIM })],
        "its ttl may be over already"
    );
    assert!(!run.state.is_held());
    assert!(run.hears(granted(0, 200)).contains(&ACQUIRED));
}

#[test]
fn a_confirmation_that_comes_too_late_is_asked_for_again() {
    let mut run = Run::waiting();
    run.fires(Resource::ActivateTimer);
    run.hears(granted(0, 200));
    assert_eq!(
        run.hears(granted(0, 200).lapsed()),
        [Effect::Arm(Timer(Resource::RetryRenewTimer))]
    );
    assert!(!run.state.is_held());
    assert_eq!(run.fires(Resource::RetryRenewTimer), [asks(0, RequestKind::Ttl { claim: CLAIM })]);
}

#[test]
fn a_grant_that_leaves_no_time_for_a_renewal_is_confirmed_and_then_given_up() {
    let mut run = Run::new();
    run.told(Command::Claim { key: KEY });
    let brief = Response { claim: Some(CLAIM), ..granted(0, 201) }.brief();
    assert_eq!(run.hears(brief), [CONFIRMS, asks(0, RequestKind::Ttl { claim: CLAIM })]);
    run.hears(granted(0, 200).brief());
    assert!(!run.state.is_held());
    let effects = run.fires(Resource::ConfirmTimer);
    assert!(effects.contains(&Effect::Notify(Notice::TooSlow)), "{effects:?}");
    assert!(effects.contains(&sets(0, TargetStatus::Withdrawn)), "{effects:?}");
}

#[test]
fn a_holder_takes_each_renewal_that_comes_before_its_end() {
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    let effects = run.hears(granted(0, 200).brief());
    assert!(effects.contains(&Effect::Arm(Timer(Resource::LeaseTimer))), "{effects:?}");
    assert!(run.state.is_held());
}

#[test]
fn a_throttled_request_is_sent_again() {
    let mut run = Run::new();
    run.told(Command::Claim { key: KEY });
    assert_eq!(run.hears(plain(0, 429)), [Effect::Arm(Timer(Resource::RetryRegisterTimer))]);
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    assert_eq!(run.hears(plain(0, 429)), [Effect::Arm(Timer(Resource::RetryRenewTimer))]);
    assert!(run.state.is_held());
    run.told(Command::Release);
    assert_eq!(run.hears(plain(0, 429)), [Effect::Arm(Timer(Resource::RetryReleaseTimer))]);
}

#[test]
fn a_holder_renews_and_its_lease_is_counted_anew() {
    let mut run = Run::active();
    assert_eq!(run.fires(Resource::RenewTimer), [asks(0, RequestKind::Ttl { claim: CLAIM })]);
    let effects = run.hears(granted(0, 200));
    assert_eq!(
        effects,
        [Effect::Arm(Timer(Resource::RenewTimer)), Effect::Arm(Timer(Resource::LeaseTimer))]
    );
}

#[test]
fn a_renewal_that_is_not_answered_is_tried_again() {
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    let effects = run.hears(Response::unanswered(CallId::new(0)));
    assert_eq!(effects, [Effect::Arm(Timer(Resource::RetryRenewTimer))], "the lease runs on");
    assert_eq!(run.fires(Resource::RetryRenewTimer), [asks(0, RequestKind::Ttl { claim: CLAIM })]);
    assert!(run.state.is_held());
}

#[test]
fn a_lease_that_is_over_is_lost_for_ever() {
    let lost = Effect::Notify(Notice::Lost);
    let mut run = Run::active();
    assert!(run.fires(Resource::LeaseTimer).contains(&lost));
    assert!(!run.state.is_held());
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    assert!(run.fires(Resource::LeaseTimer).contains(&lost));
    assert_eq!(run.hears(granted(0, 200)), [], "a late answer does not bring it back");
    assert!(!run.state.is_held());
}

#[test]
fn a_release_is_told_once_the_server_has_acknowledged_it() {
    let mut run = Run::active();
    let effects = run.told(Command::Release);
    assert!(effects.contains(&sets(0, TargetStatus::Released)), "{effects:?}");
    assert!(!run.state.is_held(), "the user gave it back, whatever the server says");
    assert_eq!(run.hears(plain(0, 503)), [Effect::Arm(Timer(Resource::RetryReleaseTimer))]);
    assert_eq!(run.fires(Resource::RetryReleaseTimer), [sets(0, TargetStatus::Released)]);
    let effects = run.hears(plain(0, 204));
    assert!(effects.contains(&Effect::Notify(Notice::Released)), "{effects:?}");
}

#[test]
fn a_release_during_a_renewal_does_not_wait_for_it() {
    let mut run = Run::active();
    run.fires(Resource::RenewTimer);
    let effects = run.told(Command::Release);
    assert!(effects.contains(&sets(1, TargetStatus::Released)), "{effects:?}");
    let before = run.state.at;
    assert_eq!(run.hears(granted(0, 200)), [], "the renewal's answer is nobody's");
    assert_eq!(run.state.at, before);
    assert!(run.hears(plain(1, 204)).contains(&Effect::Notify(Notice::Released)));
}

#[test]
fn a_wait_that_takes_too_long_is_told_and_the_claim_withdrawn() {
    let mut run = Run::waiting();
    let effects = run.fires(Resource::TimeoutTimer);
    let told = effects.iter().position(|it| *it == Effect::Notify(Notice::TimedOut));
    let sent = effects.iter().position(|it| *it == sets(0, TargetStatus::Withdrawn));
    assert!(told.is_some() && sent.is_some(), "{effects:?}");
    assert!(run.hears(plain(0, 204)).contains(&Effect::Disarm(Timer(Resource::TimeoutTimer))));
}

#[test]
fn a_signal_aborts_and_what_was_asked_before_is_nobodys() {
    let mut run = Run::waiting();
    run.fires(Resource::ActivateTimer);
    let effects = run.told(Command::Signal);
    assert!(effects.contains(&sets(1, TargetStatus::Aborted)), "{effects:?}");
    assert_eq!(run.hears(granted(0, 200)), []);
    assert!(!run.state.is_held());
}

#[test]
fn an_act_carries_the_token_and_only_a_holder_acts() {
    assert_eq!(Run::new().told(Command::Act), []);
    let mut run = Run::active();
    let message = Message::Act { token: Some(TOKEN) };
    assert_eq!(run.told(Command::Act), [Effect::Send { to: Server::Store, message }]);
    run.told(Command::Release);
    assert_eq!(run.told(Command::Act), []);
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
    let (effects, rows) = run.step(Input::Fired(Timer(Resource::RenewTimer)));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Send { .. })), "{effects:?}");
    assert!(rows.iter().any(|taken| matches!(taken, RowOutcome::ActionFailed { .. })), "{rows:?}");
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
    let (effects, rows) = run.step(Input::Fired(Timer(Resource::RenewTimer)));
    assert_eq!(effects, []);
    assert!(
        matches!(rows[..], [RowOutcome::Unexpected { machine: "claim", state: "new", .. }]),
        "{rows:?}"
    );
    assert_eq!(run.state, before);
}
