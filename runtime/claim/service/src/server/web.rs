//! HTTP: requests as they come in, routes, pages and responses.

pub(crate) mod call;
pub(crate) mod digest;
pub(crate) mod host;
pub(crate) mod html;
pub(crate) mod http;
pub(crate) mod incoming;
pub(crate) mod listing;
pub(crate) mod login_page;
#[cfg(feature = "cluster")]
pub(crate) mod members;
pub(crate) mod metrics;
pub(crate) mod page;
pub(crate) mod response;
pub(crate) mod route;
pub(crate) mod streamed;
