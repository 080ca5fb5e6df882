//! Certificates and keys in PEM files. An error names the file.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The certificates in a file, in their order; there may be none.
///
/// # Errors
/// When the file cannot be read, or is not PEM.
pub fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_reader_iter(open(path)?).collect::<Result<_, _>>();
    found.map_err(|error| invalid(path, &error))
}

/// The certificates in a file, in their order.
///
/// # Errors
/// When the file cannot be read, is not PEM, or has none.
pub fn some_certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    match certificates(path)? {
        found if found.is_empty() => Err(invalid(path, &"the file has no certificate")),
        found => Ok(found),
    }
}

/// The first private key in a file.
///
/// # Errors
/// When the file cannot be read, or has no key.
pub fn private_key(path: &Path) -> io::Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_reader(open(path)?).map_err(|error| invalid(path, &error))
}

/// An error about a file's content.
pub fn invalid(path: &Path, error: &dyn Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
}

fn open(path: &Path) -> io::Result<BufReader<File>> {
    File::open(path).map(BufReader::new).map_err(crate::at(path.display()))
}
