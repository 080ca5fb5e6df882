//! The files of a directory, by name.

use std::fs;
use std::io;
use std::path::Path;

use super::directory::Directory;
use crate::store::format::manifest;

/// The name of an unfinished image.
pub(super) const NEW_IMAGE: &str = "image.new";

/// The other names that a directory may have before it has a store: those of an interrupted first
/// start, and the one that every new file system has.
const OTHER_NAMES: [&str; 3] = ["lock", manifest::NEW, "lost+found"];

/// The names of the logs and images of a directory.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Ascending.
    pub images: Vec<u64>,
    /// Ascending.
    pub logs: Vec<u64>,
    /// Whether there is a manifest.
    pub has_manifest: bool,
    /// Whether there is an unfinished image.
    pub has_new_image: bool,
}

pub(super) fn image_name(number: u64) -> String {
    format!("{number}.image")
}

pub(super) fn log_name(number: u64) -> String {
    format!("{number}.log")
}

/// Refuses a directory that has other files and no store, such as one whose name was mistyped.
pub(super) fn refuse_foreign(path: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        // It is created.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let (mut files, mut foreign) = (Files::default(), None);
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_own = files.note(&name) || OTHER_NAMES.contains(&&*name);
        foreign = foreign.or((!is_own).then_some(name));
    }
    let is_store = files.has_manifest || !files.logs.is_empty() || !files.images.is_empty();
    match foreign.filter(|_| !is_store) {
        None => Ok(()),
        Some(name) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "the directory has no store, but other files such as {name:?}: name an empty \
                     or a new directory, or the one that has the store"
            ),
        )),
    }
}

impl Files {
    pub(super) fn scan(directory: &dyn Directory) -> io::Result<Self> {
        let mut files = Self::default();
        for name in directory.list()? {
            files.note(&name);
        }
        files.images.sort_unstable();
        files.logs.sort_unstable();
        Ok(files)
    }

    /// Notes a file. Returns `false` if it is not part of a store.
    fn note(&mut self, name: &str) -> bool {
        self.has_manifest |= name == manifest::NAME;
        self.has_new_image |= name == NEW_IMAGE;
        let numbered = name.split_once('.');
        match numbered.and_then(|(number, kind)| Some((number.parse().ok()?, kind))) {
            Some((number, "image")) => self.images.push(number),
            Some((number, "log")) => self.logs.push(number),
            _ => return name == manifest::NAME || name == NEW_IMAGE,
        }
        true
    }

    /// The current image.
    pub(super) fn image(&self) -> Option<u64> {
        self.images.last().copied()
    }

    /// The first log that is not part of the image.
    pub(super) fn first_log(&self) -> u64 {
        self.image().unwrap_or(0) + 1
    }

    /// Removes the files that the image of this number replaces, and unfinished images.
    pub(super) fn remove_before(
        &self,
        directory: &dyn Directory,
        image: Option<u64>,
    ) -> io::Result<()> {
        for number in self.logs.iter().filter(|number| Some(**number) <= image) {
            directory.remove(&log_name(*number))?;
        }
        for number in self.images.iter().filter(|number| Some(**number) < image) {
            directory.remove(&image_name(*number))?;
        }
        if self.has_new_image {
            directory.remove(NEW_IMAGE)?;
        }
        Ok(())
    }
}
