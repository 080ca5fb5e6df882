//! What to do about a certificate that is not trusted.

use tokio_rustls::rustls::CertificateError;
use tokio_rustls::rustls::pki_types::ServerName;

/// What to do about a certificate that was refused for this reason; a part of a sentence. `trust`
/// says how the side that has refused it trusts a certificate: `set TURNSTILE_CA to a PEM file
/// with`.
#[must_use]
pub fn remedy(error: &CertificateError, trust: &str) -> String {
    use CertificateError as Why;
    if matches!(error, Why::UnknownIssuer | Why::BadSignature) {
        return format!(
            "{trust} the certificate of the authority that has signed it; if it is self-signed, \
             that is the certificate itself"
        );
    }
    if let Why::NotValidForNameContext { expected, presented } = error {
        return for_name(expected, !presented.is_empty());
    }
    let text = if matches!(error, Why::Expired | Why::ExpiredContext { .. }) {
        "whoever shows it needs a new one, and reads it on SIGHUP"
    } else if matches!(error, Why::NotValidYet | Why::NotValidYetContext { .. }) {
        "are the clocks of both machines right?"
    } else if matches!(error, Why::InvalidPurpose | Why::InvalidPurposeContext { .. }) {
        "if it has extended key usages, a server needs serverAuth, and a member of a cluster or \
         group clientAuth, too"
    } else {
        "another one is needed, of version 3: `openssl req -x509` makes it, and `openssl x509 \
         -req` with `-extfile`"
    };
    text.into()
}

/// What to do about a certificate that is not valid for a name.
fn for_name(expected: &ServerName<'_>, has_others: bool) -> String {
    let why = match has_others {
        false => "it has no subjectAltName, and its common name (CN) is not used",
        true => "its subjectAltName has other names",
    };
    let kind = if matches!(expected, ServerName::IpAddress(_)) { "IP" } else { "DNS" };
    let name = expected.to_str();
    format!(
        "{why}: make another one, for example by `openssl req -x509 -newkey rsa:2048 -nodes -days \
         365 -keyout key.pem -out cert.pem -subj /CN={name} -addext subjectAltName={kind}:{name}`"
    )
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::pki_types::UnixTime;

    use super::*;

    #[track_caller]
    fn check(error: &CertificateError, expected: &str) {
        let text = remedy(error, "write into the file");
        assert!(text.contains(expected), "{error:?}: {text}");
    }

    #[test]
    fn each_reason_has_its_remedy() {
        let name = |name: &str, presented: &[&str]| CertificateError::NotValidForNameContext {
            expected: ServerName::try_from(name.to_owned()).expect("a name"),
            presented: presented.iter().map(|name| (*name).to_owned()).collect(),
        };
        check(&name("host", &[]), "it has no subjectAltName");
        check(&name("host", &[]), "-subj /CN=host -addext subjectAltName=DNS:host`");
        check(&name("::1", &["DnsName(\"host\")"]), "has other names");
        check(&name("::1", &[]), "-addext subjectAltName=IP:::1`");
        check(&CertificateError::UnknownIssuer, "write into the file the certificate of");
        check(&CertificateError::BadSignature, "write into the file the certificate of");
        let (time, not_after) = (UnixTime::now(), UnixTime::now());
        check(&CertificateError::ExpiredContext { time, not_after }, "needs a new one");
        check(&CertificateError::NotValidYet, "clocks");
        check(&CertificateError::InvalidPurpose, "serverAuth");
        check(&CertificateError::BadEncoding, "another one is needed, of version 3");
    }
}
