//! A claim server in a test: what it is asked, what it answers, what a crash leaves of it.

use turnstile_claim_core::message::{
    Caller, Message, Request, RequestKind, ResourceName, Response, TargetStatus,
};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Command, Limits, Notice, Records, Saved, State, Status, Timer};
use turnstile_ids::number::CallId;
use turnstile_simulation::visit;
use turnstile_step::{Core, Effect, EffectOf, Input, Out};

pub(crate) type Done = EffectOf<Records>;
pub(crate) type Effects = Vec<Done>;

pub(crate) const DOOR: ResourceName = ResourceName(1);
pub(crate) const GATE: ResourceName = ResourceName(2);
pub(crate) const ACTIVE: TargetStatus = TargetStatus::Active { wait: false };
pub(crate) const FINAL: [TargetStatus; 4] =
    [TargetStatus::Released, TargetStatus::Aborted, TargetStatus::Withdrawn, TargetStatus::Revoked];

/// A server, with what it saved.
pub(crate) struct Run {
    pub(crate) core: Records,
    pub(crate) state: State,
    pub(crate) saved: Option<Saved>,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self::with(Limits::DEFAULT)
    }

    pub(crate) fn with(limits: Limits) -> Self {
        let core = Records::new(limits);
        let state = core.start();
        Self { core, state, saved: None }
    }

    pub(crate) fn step(&mut self, input: Input<Caller, Message, Timer, Command, Saved>) -> Effects {
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        for effect in &out.effects {
            if let Effect::Save(saved) = effect {
                <Records>::merge_saved(&mut self.saved, saved.clone());
            }
        }
        visit::check(&self.state);
        visit::check(&self.saved);
        out.effects
    }

    /// Asks, and gives what is answered and all that was done for it.
    pub(crate) fn asks(&mut self, kind: RequestKind) -> (Response, Effects) {
        let effects = self.calls(9, kind);
        let &[answer] = &answers(&effects, 9)[..] else { panic!("one answer: {effects:?}") };
        (answer, effects)
    }

    /// One of several callers asks, and perhaps is not answered yet.
    pub(crate) fn calls(&mut self, caller: u64, kind: RequestKind) -> Effects {
        let message = Message::Request(Request { call: CallId::new(0), kind });
        self.step(Input::Message { from: Caller(caller), message })
    }

    pub(crate) fn post(&mut self, resource: ResourceName) -> (u16, ClaimId) {
        let (answer, _) = self.asks(RequestKind::Post { resource, key: None, wait: false });
        (answer.status, answer.claim.expect("the answer to a POST names the claim"))
    }

    pub(crate) fn patch(&mut self, claim: ClaimId, to: TargetStatus) -> u16 {
        self.asks(RequestKind::Status { claim, to }).0.status
    }

    pub(crate) fn renew(&mut self, claim: ClaimId) -> u16 {
        self.asks(RequestKind::Ttl { claim }).0.status
    }

    pub(crate) fn lapses(&mut self, claim: ClaimId) {
        let effects = self.step(Input::Fired(Timer::Ttl(claim)));
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Notify(_))), "{effects:?}");
    }

    pub(crate) fn status(&self, claim: ClaimId) -> Option<Status> {
        self.state.claim(claim)?.status()
    }

    pub(crate) fn crashes(&mut self) -> Effects {
        let saved = self.saved.clone();
        self.step(Input::Restart(saved))
    }
}

pub(crate) fn became(claim: ClaimId, status: Status) -> impl Fn(&Done) -> bool {
    move |effect| {
        matches!(effect, Effect::Notify(Notice::Became { claim: of, status: now, .. })
            if *of == claim && *now == status)
    }
}

/// What a caller is answered.
pub(crate) fn answers(effects: &[Done], caller: u64) -> Vec<Response> {
    let answer = |effect: &Done| {
        let Effect::Send { to: Caller(to), message: Message::Response(response) } = effect else {
            return None;
        };
        (*to == caller).then_some(*response)
    };
    effects.iter().filter_map(answer).collect()
}
