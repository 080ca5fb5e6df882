//! Pages as responses.

use askama::Template;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue};

use crate::server::state::reply::Reply;
use crate::server::web::response::{Response, respond, text};

/// No scripts, no external content, no framing, and forms only to this server.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'";

/// A page, which no cache keeps.
pub(crate) fn html(status: u16, page: &impl Template) -> Response {
    let page = match page.render() {
        Ok(page) => page,
        Err(error) => return respond(Reply::message(500, &error.to_string())),
    };
    let mut response = text(status, "text/html; charset=utf-8", page);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
