//! `/v1/cluster/`: the members of the cluster, changes of them by operators, and its state.

use hyper::Method;
use serde::Deserialize;
use turnstile_host::transport::tcp::Address;
use turnstile_raft::{MemberChange, arguments};

use crate::server::access::auth::Identity;
use crate::server::cluster::{ReplicatedEngine, membership};
use crate::server::state::reply::Reply;
use crate::server::web::http::AppState;
use crate::server::web::incoming::IncomingRequest;
use crate::server::web::response::{
    Response, into_response, not_allowed, not_found, respond, text,
};
use crate::wire::query::Query;
use crate::wire::request::FieldErrors;
use crate::wire::{MEMBERS, SNAPSHOT};

/// Without a majority nobody knows what else was answered.
const UNCONFIRMED: &str = "No majority confirms that the snapshot has all that was answered: \
    `snapshot save --stale` (?stale=true) takes what this member has";

/// The body of a PUT.
#[derive(Deserialize)]
struct NewMember {
    address: Option<String>,
}

/// Answers a request whose path begins with that of the cluster.
pub(crate) async fn dispatch(
    app: &AppState,
    incoming: IncomingRequest<'_>,
    query: &Query,
    identity: Identity,
) -> Response {
    let path = incoming.head.uri.path();
    if path == SNAPSHOT {
        return match incoming.is_read() {
            true => send_snapshot(app, query, &identity).await.unwrap_or_else(respond),
            false => not_allowed("GET,HEAD"),
        };
    }
    let Some(rest) = path.strip_prefix(MEMBERS) else {
        let is_known =
            [MEMBERS, SNAPSHOT].iter().any(|known| known.strip_suffix('/') == Some(path));
        return if is_known { app.add_slash(&incoming.head) } else { not_found() };
    };
    match rest.strip_suffix('/') {
        None if rest.is_empty() && incoming.is_read() => {
            into_response(cluster(app).map(membership::list))
        }
        None if rest.is_empty() => not_allowed("GET,HEAD"),
        Some(id) if id.is_empty() || id.contains('/') => not_found(),
        None if rest.contains('/') => not_found(),
        None => app.add_slash(&incoming.head),
        Some(id) if incoming.is(&Method::PUT) || incoming.is(&Method::DELETE) => {
            let id = id.to_owned();
            into_response(change_members(app, &id, incoming, &identity).await)
        }
        Some(_) => not_allowed("PUT,DELETE"),
    }
}

/// The state as a file for `turnstiled snapshot restore`: with all that was answered before, or
/// as this member has it.
async fn send_snapshot(
    app: &AppState,
    query: &Query,
    identity: &Identity,
) -> Result<Response, Reply> {
    let cluster = cluster(app)?;
    if !identity.has_all_rights {
        return Err(Reply::message(403, "Only an operator may read the snapshot"));
    }
    app.refresh(query).await.map_err(|reply| match reply.status {
        503 if !app.shared.is_failed() => Reply::message(503, UNCONFIRMED),
        _ => reply,
    })?;
    let file = cluster.save().await?;
    let (by, from, bytes) = (identity.name.as_deref(), identity.from, file.len());
    tracing::info!(bytes, by, %from, "a snapshot of the claims is sent");
    Ok(text(200, "application/octet-stream", file))
}

/// PUT adds a member, DELETE removes it.
async fn change_members(
    app: &AppState,
    id: &str,
    incoming: IncomingRequest<'_>,
    identity: &Identity,
) -> Result<Reply, Reply> {
    let cluster = cluster(app)?;
    if !identity.has_all_rights {
        return Err(Reply::message(403, "Only an operator may change the members"));
    }
    let id = member_id(id)?;
    let IncomingRequest { head, body, state, .. } = incoming;
    let change = if head.method == Method::PUT {
        let body = app.read_json(&head.headers, body, state).await?;
        MemberChange::Add { id, address: read_address(&body).map_err(Reply::refused)? }
    } else {
        app.refuse_other_site(&head.headers)?;
        app.read_body(&head.headers, body, state).await?;
        MemberChange::Remove { id }
    };
    let reply = membership::change(cluster, &change).await;
    let (by, from) = (identity.name.as_deref(), identity.from);
    tracing::info!(?change, status = reply.status, by, %from, "a change of the members");
    Ok(reply)
}

fn cluster(app: &AppState) -> Result<&ReplicatedEngine, Reply> {
    app.member.as_deref().ok_or_else(|| {
        Reply::message(404, "This server is no member of a cluster: it runs without --cluster")
    })
}

/// The number of a member in a path.
fn member_id(text: &str) -> Result<u64, Reply> {
    arguments::id(text).map_err(|why| Reply::message(404, &why))
}

/// Parses the body of a PUT. The address is as `turnstiled` writes those of its options.
fn read_address(body: &[u8]) -> Result<String, FieldErrors> {
    let refused = |field, text| FieldErrors::from([(field, text)]);
    let no_object =
        |why: &str| refused("message", format!("The body is not an object with an address: {why}"));
    // A list of the fields would do for serde.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(no_object("it is a list"));
    }
    let NewMember { address } =
        serde_json::from_slice(body).map_err(|error| no_object(&error.to_string()))?;
    let address = address
        .ok_or_else(|| refused("address", "No address specified: HOST:PORT is expected".into()))?;
    let parsed: Result<Address, _> = address.parse();
    let parsed = parsed.map_err(|error| refused("address", error.to_string()))?;
    Ok(parsed.to_string())
}
