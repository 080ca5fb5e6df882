//! Parses and validates the bodies of POST and PATCH.
//!
//! Errors are reported by field, all of a body at once. A field that is `null` counts as missing;
//! unknown fields are ignored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use turnstile_claim_core::message::TargetStatus;

/// The errors of a request, by field.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// The limits on a body's fields.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The maximum length of a resource's name, in bytes.
    pub resource_max: usize,
    /// The maximum size of user data, in bytes of JSON.
    pub user_data_max: usize,
    /// The minimum ttl, in microseconds.
    pub ttl_min_us: u64,
    /// The maximum ttl, in microseconds.
    pub ttl_max_us: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            resource_max: 1_024,
            user_data_max: 16 << 10,
            ttl_min_us: 0,
            ttl_max_us: 366 * 86_400 * 1_000_000,
        }
    }
}

/// The body of a POST.
#[derive(Clone, Debug)]
pub struct Post {
    /// The name of the resource.
    pub resource: String,
    /// The ttl in microseconds.
    pub ttl_us: u64,
    /// User data, returned unchanged.
    pub user_data: Option<Box<RawValue>>,
}

/// The body of a PATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch {
    /// Set the ttl, in microseconds from now.
    Ttl(u64),
    /// Change to this status.
    Status(TargetStatus),
}

#[derive(Deserialize, Default)]
struct Fields<'a> {
    #[serde(borrow, default)]
    resource: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ttl: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    user_data: Option<&'a RawValue>,
}

/// A string, or a number as it is written: two numbers that are written in different ways are two
/// names. Clients in languages that convert between the two implicitly send either: Perl sends
/// `"30"` for a number that has been used as text.
fn read_text(raw: &RawValue) -> Option<String> {
    let text = raw.get();
    if text.starts_with('"') {
        return serde_json::from_str(text).ok();
    }
    let is_number = text.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit());
    is_number.then(|| text.to_owned())
}

/// Parses the body of a POST.
///
/// # Errors
/// The field errors for a 400.
pub fn read_post(body: &[u8], bounds: &Bounds) -> Result<Post, FieldErrors> {
    let fields = read_fields(body)?;
    let mut reasons = FieldErrors::new();
    let resource = read_resource(fields.resource, bounds, &mut reasons);
    let ttl_us = match fields.ttl {
        Some(ttl) => read_ttl(ttl, bounds, &mut reasons),
        None => refuse(&mut reasons, "ttl", "No ttl specified".into()),
    };
    if fields.user_data.is_some_and(|data| data.get().len() > bounds.user_data_max) {
        let text = format!(
            "The user data is too large: at most {} bytes are allowed",
            bounds.user_data_max
        );
        reasons.insert("user_data", text);
    }
    match (resource, ttl_us) {
        (Some(resource), Some(ttl_us)) if reasons.is_empty() => {
            Ok(Post { resource, ttl_us, user_data: fields.user_data.map(ToOwned::to_owned) })
        }
        _ => Err(reasons),
    }
}

/// Parses the body of a PATCH; `wait` is whether it is a long poll for the lock.
///
/// # Errors
/// The field errors for a 400.
pub fn read_patch(body: &[u8], bounds: &Bounds, wait: bool) -> Result<Patch, FieldErrors> {
    let fields = read_fields(body)?;
    let mut reasons = FieldErrors::new();
    let status = fields.status.and_then(|status| read_asked(status, wait, &mut reasons));
    let ttl_us = fields.ttl.and_then(|ttl| read_ttl(ttl, bounds, &mut reasons));
    match (fields.status, fields.ttl) {
        (Some(_), Some(_)) => {
            let text = "Only one parameter may be updated per request";
            reasons.insert("extra-parameters", text.into());
        }
        (None, None) => {
            reasons.insert("missing-parameters", "No parameters specified".into());
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let asked = status.map(Patch::Status).or(ttl_us.map(Patch::Ttl));
    Ok(asked.expect("without a reason one of both is there"))
}

fn read_fields(body: &[u8]) -> Result<Fields<'_>, FieldErrors> {
    let refuse = |error: serde_json::Error| {
        FieldErrors::from([("message", format!("The body is not a JSON object: {error}"))])
    };
    let body = std::str::from_utf8(body).map_err(|error| {
        FieldErrors::from([("message", format!("The body is not UTF-8 text: {error}"))])
    })?;
    if body.trim_ascii_start().starts_with('{') {
        return serde_json::from_str(body).map_err(refuse);
    }
    // JSON that is not an object has no fields.
    let _no_object: &RawValue = serde_json::from_str(body).map_err(refuse)?;
    Ok(Fields::default())
}

fn read_resource(
    field: Option<&RawValue>,
    bounds: &Bounds,
    reasons: &mut FieldErrors,
) -> Option<String> {
    let Some(raw) = field else {
        return refuse(reasons, "resource", "No resource specified".into());
    };
    match read_text(raw) {
        None => refuse(reasons, "resource", "The resource must be a string".into()),
        Some(name) if name.is_empty() => {
            refuse(reasons, "resource", "No resource specified".into())
        }
        Some(name) if name.len() > bounds.resource_max => {
            let text = format!(
                "The resource's name is too long: at most {} bytes are allowed",
                bounds.resource_max
            );
            refuse(reasons, "resource", text)
        }
        Some(name) => Some(name),
    }
}

fn read_ttl(raw: &RawValue, bounds: &Bounds, reasons: &mut FieldErrors) -> Option<u64> {
    let text = read_text(raw).unwrap_or_default();
    let Some(seconds) = text.trim().parse().ok().filter(|seconds: &f64| !seconds.is_nan()) else {
        return refuse(reasons, "ttl", "The ttl must be a number of seconds".into());
    };
    if seconds < 0.0 {
        return refuse(reasons, "ttl", "Positive ttl required (in seconds)".into());
    }
    // A float that is too large saturates, which is out of bounds as well.
    let ttl_us = (seconds * 1e6) as u64;
    if ttl_us < bounds.ttl_min_us || ttl_us > bounds.ttl_max_us {
        let (min, max) = (bounds.ttl_min_us as f64 / 1e6, bounds.ttl_max_us as f64 / 1e6);
        return refuse(reasons, "ttl", format!("The ttl must be between {min} and {max} seconds"));
    }
    Some(ttl_us)
}

fn read_asked(raw: &RawValue, wait: bool, reasons: &mut FieldErrors) -> Option<TargetStatus> {
    let name = serde_json::from_str::<String>(raw.get());
    match name.as_deref() {
        Ok("active") => Some(TargetStatus::Active { wait }),
        Ok("released") => Some(TargetStatus::Released),
        Ok("aborted") => Some(TargetStatus::Aborted),
        Ok("withdrawn") => Some(TargetStatus::Withdrawn),
        Ok("revoked") => Some(TargetStatus::Revoked),
        Ok(_) | Err(_) => refuse(reasons, "status", "Invalid value for status".into()),
    }
}

fn refuse<T>(reasons: &mut FieldErrors, field: &'static str, text: String) -> Option<T> {
    reasons.insert(field, text);
    None
}

/// What a client writes into a POST.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PostBody<'a> {
    /// The resource.
    pub resource: &'a str,
    /// Seconds.
    pub ttl: f64,
    /// Whatever the client wants to be given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_data: Option<&'a RawValue>,
}

/// The body of a PATCH of the status.
#[must_use]
pub fn status_body(asked: TargetStatus) -> String {
    format!(r#"{{"status":"{}"}}"#, asked.name())
}

/// The body of a PATCH of the ttl.
#[must_use]
pub fn ttl_body(ttl_us: u64) -> String {
    format!(r#"{{"ttl":{:?}}}"#, ttl_us as f64 / 1e6)
}
