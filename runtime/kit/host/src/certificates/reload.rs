//! What TLS makes of certificate files, and makes again when they are reloaded.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use super::certificate::Certificate;

/// What was read from files.
#[derive(Clone, Debug)]
pub struct Loaded<C> {
    /// What TLS needs of them.
    pub config: C,
    /// The certificates in them.
    pub certificates: Vec<Certificate>,
}

/// Reads the files again.
type Read<C> = Box<dyn Fn() -> io::Result<Loaded<C>> + Send + Sync>;

/// What TLS makes of certificate files. Clones share it.
pub struct Reloadable<C>(Arc<Shared<C>>);

struct Shared<C> {
    /// `None`: it is of no files.
    read: Option<Read<C>>,
    loaded: RwLock<Loaded<C>>,
}

impl<C> Clone for Reloadable<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> std::fmt::Debug for Reloadable<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reloadable")
    }
}

impl<C: Clone> Reloadable<C> {
    /// Reads the files by this function, now and at each reload.
    ///
    /// # Errors
    /// Those of the function.
    pub fn read(
        read: impl Fn() -> io::Result<Loaded<C>> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let loaded = RwLock::new(read()?);
        Ok(Self(Arc::new(Shared { read: Some(Box::new(read)), loaded })))
    }

    /// What is of no files: a reload leaves it as it is.
    pub fn fixed(config: C) -> Self {
        let loaded = RwLock::new(Loaded { config, certificates: Vec::new() });
        Self(Arc::new(Shared { read: None, loaded }))
    }

    /// What is in use, for a new connection.
    #[must_use]
    pub fn current(&self) -> C {
        self.0.loaded.read().unwrap_or_else(PoisonError::into_inner).config.clone()
    }

    /// Replaces what is in use, until the next reload.
    pub fn replace(&self, config: C) {
        self.set(Loaded { config, certificates: Vec::new() });
    }

    fn set(&self, loaded: Loaded<C>) {
        *self.0.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
    }
}

/// Certificate files that can be read again.
pub trait CertificateFiles: Send + Sync {
    /// Reads the files again. Open connections are not affected.
    ///
    /// # Errors
    /// When a file cannot be read or used: what was in use then stays in use.
    fn reload(&self) -> io::Result<()>;

    /// The certificates that are in use.
    fn certificates(&self) -> Vec<Certificate>;
}

impl<C: Clone + Send + Sync> CertificateFiles for Reloadable<C> {
    fn reload(&self) -> io::Result<()> {
        if let Some(read) = &self.0.read {
            self.set(read()?);
        }
        Ok(())
    }

    fn certificates(&self) -> Vec<Certificate> {
        self.0.loaded.read().unwrap_or_else(PoisonError::into_inner).certificates.clone()
    }
}
