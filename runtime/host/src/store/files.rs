//! Which files a directory holds, by their names.

use std::io;

use super::directory::Directory;
use super::manifest;

/// An image that is not finished.
pub(super) const NEW_IMAGE: &str = "image.new";

/// The names of the logs and images of a directory.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// In order.
    pub images: Vec<u64>,
    /// In order.
    pub logs: Vec<u64>,
    /// Whether there is a manifest.
    pub has_manifest: bool,
    /// Whether there is an image that is not finished.
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

    /// The image that counts.
    pub(super) fn image(&self) -> Option<u64> {
        self.images.last().copied()
    }

    /// The first log that the image does not stand for.
    pub(super) fn first_log(&self) -> u64 {
        self.image().unwrap_or(0) + 1
    }

    /// Removes what the image of this number stands for, and what was never finished.
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
