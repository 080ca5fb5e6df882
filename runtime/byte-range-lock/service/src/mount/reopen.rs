//! Directories without a descriptor: opened again by what the file system behind knows them by.
//!
//! That needs a file system that has such handles, and `CAP_DAC_READ_SEARCH`.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use nix::libc::{self, c_int, c_uint, file_handle};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

/// The most bytes of a handle (`MAX_HANDLE_SZ`).
const SIZE: usize = 128;

/// What the file system behind knows a directory by, as the system wants it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    size: c_uint,
    kind: c_int,
    bytes: [u8; SIZE],
}

/// The file system behind.
#[derive(Debug)]
pub(super) struct Behind(OwnedFd);

impl Behind {
    /// That of a directory, which must be readable.
    pub(super) fn of(root: impl AsFd) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat2(root, ".", flags, Mode::empty(), ResolveFlags::NO_XDEV)?))
    }

    /// Opens a directory again.
    #[expect(unsafe_code, reason = "no library that is used here has this call")]
    pub(super) fn open(&self, mut address: Address) -> Result<OwnedFd, Errno> {
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let handle = (&raw mut address).cast::<file_handle>();
        // SAFETY: it is what the system has made, and outlives the call.
        let opened = unsafe { libc::open_by_handle_at(self.0.as_raw_fd(), handle, flags) };
        done(opened)?;
        // SAFETY: nobody else has the new descriptor.
        Ok(unsafe { OwnedFd::from_raw_fd(opened) })
    }
}

impl Address {
    /// That of an open directory.
    #[expect(unsafe_code, reason = "no library that is used here has this call")]
    pub(super) fn of(directory: impl AsFd) -> Result<Self, Errno> {
        let size = c_uint::try_from(SIZE).expect("it is small");
        let (mut address, mut mount) = (Self { size, kind: 0, bytes: [0; SIZE] }, 0);
        let (of, handle) = (directory.as_fd().as_raw_fd(), (&raw mut address).cast());
        // SAFETY: behind the head there are as many bytes as it says, and all outlive the call.
        done(unsafe {
            libc::name_to_handle_at(of, c"".as_ptr(), handle, &raw mut mount, libc::AT_EMPTY_PATH)
        })?;
        Ok(address)
    }
}

fn done(returned: c_int) -> Result<(), Errno> {
    let failed = |error| Errno::from_raw_os_error(error as i32);
    nix::errno::Errno::result(returned).map(|_| ()).map_err(failed)
}
