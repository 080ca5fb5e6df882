//! The certificates of a program: read from PEM files, read again while it runs, and watched for
//! their end.
//!
//! A [`Reloadable`] is what TLS makes of some files. [`CertificateWatch`] has those of a program:
//! it reloads them together, warns before a certificate expires, and lists their ends for metrics.
//! [`server_verifier`] and [`client_verifier`] say who is trusted, [`remedy`] what to do about a
//! certificate that is not.

mod certificate;
mod reload;
mod remedy;
mod trust;
mod watch;

pub use certificate::{Certificate, Lifetime};
pub use reload::{CertificateFiles, Loaded, Reloadable};
pub use remedy::remedy;
pub use trust::{client_verifier, server_verifier};
pub use watch::CertificateWatch;
