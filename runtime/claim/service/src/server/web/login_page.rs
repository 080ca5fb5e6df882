//! The login page, which asks a browser for a token.

use askama::Template;

use crate::server::web::html::html;
use crate::server::web::response::Response;

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    /// Why the token was rejected.
    why: Option<&'static str>,
}

/// The login page, which asks for a token.
pub(crate) fn ask_for_token(status: u16, why: Option<&'static str>) -> Response {
    html(status, &Login { why })
}
