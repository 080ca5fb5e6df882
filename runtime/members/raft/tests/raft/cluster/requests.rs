//! Requests of the application, past the log.

use std::sync::Arc;

use bytes::Bytes;
use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::network::{Boxed, Handler};
use turnstile_raft::{Member, MemberError};

use super::group::options;
use crate::register::Register;

/// Answers with the request, but for an empty one.
struct Echo;

impl Handler for Echo {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(std::future::ready(Some(request).filter(|request| !request.is_empty())))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_answered_by_the_handler_of_the_other_member() {
    let hub = Hub::new();
    let start = |id| {
        let store = Box::new(Disk::default().open());
        let (machine, network) = (Register::default(), hub.join(id));
        Member::start_with(options(id), store, machine, network, Arc::new(Echo))
    };
    let first = start(1).await.expect("its disk is empty");
    let second = start(2).await.expect("its disk is empty");
    assert_eq!(first.call(2, b"whole").await.as_deref(), Ok(&b"whole"[..]));
    let refused = first.call(2, b"").await;
    assert!(matches!(refused, Err(MemberError::Lost { .. })), "{refused:?}");
    hub.cut(2, 1);
    let lost = first.call(2, b"lost").await;
    assert!(matches!(lost, Err(MemberError::Lost { .. })), "{lost:?}");
    first.stop().await;
    second.stop().await;
}
