//! The operations of requests: each is one input of the core, with its context.
//!
//! It does no IO. It refuses requests only for quotas, owners and idempotency keys; the core
//! decides everything else.

use std::ops::{Deref, DerefMut};

use tokio::sync::oneshot;
use turnstile_claim_core::message::{Caller, Message, Request, RequestKind, ResourceName};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::Command;
use turnstile_host::HostState;
use turnstile_ids::number::CallId;
use turnstile_step::Input;

use crate::server::access::origin::RequestOrigin;
use crate::server::audit::AuditCause;
use crate::server::state::index::NumberedResource;
use crate::server::state::record::{ClaimRecord, NewClaim};
use crate::server::state::reply::{CallKind, Reply};
use crate::server::state::service::ClaimService;
use crate::server::web::call::{
    Call, ClaimRequest, EngineReply, OutgoingReply, PendingReply, RequestContext, RequestData,
};
use crate::server::web::digest;
use crate::server::web::listing::Listing;
use crate::wire::request::{Patch, Post};

/// The engine while the host is locked.
#[derive(Debug)]
pub(crate) struct ClaimEngine<'a>(pub(crate) &'a mut HostState<ClaimService>);

impl Deref for ClaimEngine<'_> {
    type Target = ClaimService;

    fn deref(&self) -> &ClaimService {
        &self.0.engine.service
    }
}

impl DerefMut for ClaimEngine<'_> {
    fn deref_mut(&mut self) -> &mut ClaimService {
        &mut self.0.engine.service
    }
}

impl ClaimEngine<'_> {
    /// Takes a request.
    pub(crate) fn execute(&mut self, request: ClaimRequest, origin: &RequestOrigin) -> EngineReply {
        match request {
            ClaimRequest::Post { post, key } => self.post(post, key, origin),
            ClaimRequest::Patch { id, patch } => self.patch(id, patch, origin),
        }
    }

    /// Creates a claim.
    fn post(
        &mut self,
        post: Post,
        key: Option<IdempotencyKey>,
        origin: &RequestOrigin,
    ) -> EngineReply {
        if self.0.is_failed() {
            return EngineReply::Ready(Reply::storage_in_trouble());
        }
        let digest = digest::of_post(&post);
        let owner = origin.identity.name.clone();
        if let Some(first) = key.and_then(|key| self.keyed(key))
            && (*first.resource != *post.resource || first.digest != digest || first.owner != owner)
        {
            // Another owner may have a key with the same hash.
            let text =
                "The idempotency key was used with another resource, ttl, or other user data";
            return self.answer_read(Reply::message(422, text));
        }
        if let Some(refused) = self.refuse_beyond_quotas(&post.resource, key, origin) {
            return self.answer_read(refused);
        }
        let NumberedResource { number, name, is_new } = self.index.number(&post.resource);
        let resource = name.clone();
        let ask = RequestKind::Post {
            resource: ResourceName(number),
            key,
            wait: origin.wait_us.is_some(),
        };
        let call = Call {
            kind: CallKind::Post,
            claim: None,
            resource: Some(number),
            origin: origin.clone(),
            reply: None,
        };
        let Post { resource: _, ttl_us, user_data } = post;
        let new = NewClaim { number, resource, ttl_us, user_data, digest, owner };
        let pending = self.submit(ask, call, Some(new), None);
        if is_new {
            self.index.release_number(number, &name);
        }
        pending
    }

    /// The claim of an earlier POST with this key.
    fn keyed(&self, key: IdempotencyKey) -> Option<&ClaimRecord> {
        let first = self.0.engine.state().keyed(key)?;
        self.index.entry(first.number())
    }

    /// Changes a claim.
    fn patch(&mut self, id: u64, patch: Patch, origin: &RequestOrigin) -> EngineReply {
        if self.0.is_failed() {
            return EngineReply::Ready(Reply::storage_in_trouble());
        }
        let entry = self.index.entry(id);
        if entry.is_some_and(|entry| !origin.identity.may_change(entry.owner.as_deref())) {
            return self.answer_read(Reply::forbidden(id));
        }
        let claim = ClaimId::new(id);
        let (ask, kind, ttl_us) = match patch {
            Patch::Ttl(ttl_us) => {
                (RequestKind::Ttl { claim }, CallKind::Patch("ttl"), Some(ttl_us))
            }
            Patch::Status(to) => (RequestKind::Status { claim, to }, CallKind::PATCH_STATUS, None),
        };
        let call = Call {
            kind,
            claim: Some(id),
            resource: entry.map(|entry| entry.number),
            origin: origin.clone(),
            reply: None,
        };
        self.submit(ask, call, None, ttl_us)
    }

    /// Shows a claim.
    pub(crate) fn show(&mut self, id: u64, origin: &RequestOrigin) -> EngineReply {
        let reply = match self.index.entry(id) {
            Some(entry) => Reply::claim(200, id, entry, origin, self.now_us()),
            None => Reply::message(404, "No claim found"),
        };
        self.answer_read(reply)
    }

    /// Reads the next slice of a listing. Returns a response when there is enough to send or the
    /// listing is complete.
    pub(crate) fn list(&mut self, listing: &mut Listing) -> Option<EngineReply> {
        let seen = listing.read(&self.index, self.now_us());
        let goes_on = !listing.is_full() && !listing.is_over();
        self.metrics.listed(seen, !goes_on);
        (!goes_on).then(|| self.answer_read(Reply::text(200, listing.take())))
    }

    /// An empty response that is ready when the current state is durable.
    pub(crate) fn read_nothing(&mut self) -> EngineReply {
        self.answer_read(Reply::text(200, Vec::new()))
    }

    /// Up to `max` waiting and active claims, from an id on, for the status page.
    pub(crate) fn live<T>(
        &self,
        from: u64,
        max: usize,
        each: impl Fn(u64, &ClaimRecord, u64) -> T,
    ) -> Vec<T> {
        let now_us = self.now_us();
        self.index.live(from).take(max).map(|(id, entry)| each(id, entry, now_us)).collect()
    }

    pub(crate) fn calls_open(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn counts(&self) -> (usize, usize) {
        self.index.counts()
    }

    /// Cancels a request whose client has disconnected or has its response.
    pub(crate) fn hang_up(&mut self, caller: u64) {
        if self.end_watch(caller).is_some() {
            return;
        }
        let Some(call) = self.calls.remove(&caller) else { return };
        if let Some(claim) = call.claim.map(ClaimId::new) {
            let cause = Some(AuditCause::new(call.origin.identity, "hang-up", call.claim));
            let (from, call) = (Caller(caller), CallId::new(0));
            let input = Input::Command(Command::HungUp { claim, from, call });
            self.0.apply(input, &mut RequestContext { cause, ..RequestContext::default() });
        }
    }

    /// Ends all long polls, because the server is about to stop.
    pub(crate) fn end_waits(&mut self) {
        self.is_ending = true;
        self.0.end_waits();
    }

    pub(crate) const fn now_us(&self) -> u64 {
        self.0.now().at_us
    }

    /// A response about the current state, which is ready when that is durable.
    pub(crate) fn answer_read(&mut self, reply: Reply) -> EngineReply {
        if self.0.is_as_opened() {
            return EngineReply::Ready(reply);
        }
        if self.0.is_failed() {
            return EngineReply::Ready(Reply::storage_in_trouble());
        }
        self.settle(reply)
    }

    fn settle(&mut self, reply: Reply) -> EngineReply {
        if self.0.is_durable() {
            return EngineReply::Ready(reply);
        }
        let (sender, receiver) = oneshot::channel();
        self.0.push(OutgoingReply(sender, reply));
        EngineReply::Pending(PendingReply { caller: 0, reply: receiver, until: None })
    }

    fn submit(
        &mut self,
        ask: RequestKind,
        call: Call,
        new: Option<NewClaim>,
        ttl_us: Option<u64>,
    ) -> EngineReply {
        self.last_caller += 1;
        let caller = self.last_caller;
        let cause = Some(AuditCause::of(&ask, &call.origin));
        let RequestOrigin { wait_us, timeout_us, .. } = call.origin;
        self.calls.insert(caller, call);
        let wait_us = wait_us.unwrap_or(0);
        let request = Some(RequestData { caller, new, ttl_us, wait_us, timeout_us });
        let mut context = RequestContext { cause, request, reply: None };
        let message = Message::Request(Request { call: CallId::new(0), kind: ask });
        self.0.apply(Input::Message { from: Caller(caller), message }, &mut context);
        match context.reply {
            Some(reply) => self.settle(reply),
            None => {
                let (sender, receiver) = oneshot::channel();
                let call = self.calls.get_mut(&caller).expect("a call stays until answered");
                call.reply = Some(sender);
                EngineReply::Pending(PendingReply { caller, reply: receiver, until: None })
            }
        }
    }
}
