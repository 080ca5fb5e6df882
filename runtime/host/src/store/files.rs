//! The files of a directory, by name.

use std::io;

use super::directory::Directory;
use super::manifest;

/// The name of an unfinished image.
pub(super) const NEW_IMAGE: &str = "image.new";

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

impl Files {
    pub(super) fn scan(directory: &dyn Directory) -> io::Result<Self> {
        let mut files = Self::default();
        for name in directory.list()? {
            files.has_manifest |= name == manifest::NAME;
            files.has_new_image |= name == NEW_IMAGE;
            let Some((number, kind)) = name.split_once('.') else { continue };
            let Ok(number) = number.parse() else { continue };
            match kind {
                "image" => files.images.push(number),
                "log" => files.logs.push(number),
                _ => {}
            }
        }
        files.images.sort_unstable();
        files.logs.sort_unstable();
        Ok(files)
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
