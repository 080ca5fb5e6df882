//! A request of the kernel: handled, and answered.

use std::sync::Arc;

use polyfuse::{Operation, Request};
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::mount::kernel::answer::answer;
use crate::mount::kernel::caller::Caller;
use crate::mount::kernel::trim::trim;
use crate::mount::locks::LockCall;
use crate::mount::volume::Volume;
use crate::mount::xattrs::Attribute;
use crate::mount::{attributes, data, directories, locks, names, xattrs};

fn answer_attribute(request: &Request, outcome: Result<Attribute, Errno>) {
    match outcome {
        Ok(Attribute::Length(length)) => answer(request, Ok(length)),
        Ok(Attribute::Value(value)) => answer(request, Ok(value)),
        Err(error) => answer::<()>(request, Err(error)),
    }
}

fn caller(request: &Request) -> Caller {
    Caller { user: request.uid(), group: request.gid(), process: request.pid() }
}

/// Handles a request.
#[expect(clippy::wildcard_enum_match_arm, reason = "polyfuse may learn more operations")]
pub(crate) fn handle(volume: &Arc<Volume>, request: Request) {
    let Ok(operation) = request.operation() else {
        return answer::<()>(&request, Err(Errno::IO));
    };
    // To drop copies is to wait for reads and writes, which other threads answer.
    if let Operation::Getattr(op) = &operation
        && volume.has_lost(op.ino())
    {
        let (volume, number) = (volume.clone(), op.ino());
        tokio::runtime::Handle::current().spawn_blocking(move || {
            volume.drop_lost(number);
            answer(&request, attributes::read(&volume, number));
        });
        return;
    }
    if let Operation::Lookup(op) = &operation {
        let caller = caller(&request);
        let found = names::look_up(volume, op, caller);
        let Some(pause) = trim(volume, caller) else { return answer(&request, found) };
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            answer(&request, found);
        });
        return;
    }
    let lock = match &operation {
        Operation::Setlk(op) => Some(LockCall::fcntl(op)),
        Operation::Flock(op) => Some(LockCall::flock(op)),
        _ => None,
    };
    match lock {
        Some(Ok(call)) => locks::lock(volume, request, call),
        Some(Err(error)) => answer::<()>(&request, Err(error)),
        None => other(volume, &request, operation),
    }
}

/// Handles a request that is not for a lock.
#[expect(clippy::wildcard_enum_match_arm, reason = "polyfuse may learn more operations")]
fn other(volume: &Arc<Volume>, request: &Request, operation: Operation<'_, polyfuse::Data<'_>>) {
    let caller = caller(request);
    match operation {
        Operation::Read(op) => answer(request, data::read(volume, &op)),
        Operation::Write(op, data) => answer(request, data::write(volume, &op, data, caller)),
        Operation::Open(op) => answer(request, data::open(volume, &op, caller)),
        Operation::Flush(op) => answer(request, data::flush(volume, &op)),
        Operation::Release(op) => {
            data::release(volume, op.fh());
            answer(request, Ok(()));
        }
        Operation::Fsync(op) => answer(request, data::sync(volume, op.fh(), op.datasync())),
        Operation::Fallocate(op) => answer(request, data::allocate(volume, &op, caller)),
        Operation::Getlk(op) => answer(request, locks::test(volume, &op)),
        // An interruption has no answer.
        Operation::Interrupt(op) => locks::interrupt(volume, op.unique()),
        Operation::Forget(forgets) => names::forget(volume, &forgets),
        Operation::Statfs(op) => answer(request, data::statistics(volume, op.ino())),
        Operation::Getattr(op) => answer(request, attributes::read(volume, op.ino())),
        Operation::Setattr(op) => answer(request, attributes::set(volume, &op, caller)),
        Operation::Getxattr(op) => answer_attribute(request, xattrs::read(&volume.inodes, &op)),
        Operation::Listxattr(op) => {
            answer_attribute(request, xattrs::list(&volume.inodes, &op, caller))
        }
        Operation::Setxattr(op) => answer(request, xattrs::set(&volume.inodes, &op, caller)),
        Operation::Removexattr(op) => answer(request, xattrs::remove(&volume.inodes, &op)),
        _ => name(volume, request, operation, caller),
    }
}

/// Handles a request about names and directories.
#[expect(clippy::wildcard_enum_match_arm, reason = "polyfuse may learn more operations")]
fn name(
    volume: &Arc<Volume>,
    request: &Request,
    operation: Operation<'_, polyfuse::Data<'_>>,
    caller: Caller,
) {
    match operation {
        Operation::Create(op) => answer(request, names::create(volume, &op, caller)),
        Operation::Mknod(op) => answer(request, names::make_node(volume, &op, caller)),
        Operation::Mkdir(op) => answer(request, names::make_directory(volume, &op, caller)),
        Operation::Symlink(op) => answer(request, names::make_link(volume, &op, caller)),
        Operation::Readlink(op) => answer(request, names::read_link(volume, &op)),
        Operation::Link(op) => answer(request, names::link(volume, &op, caller)),
        Operation::Rename(op) => answer(request, names::rename(volume, &op)),
        Operation::Unlink(op) => {
            answer(request, names::remove(volume, op.parent(), op.name(), AtFlags::empty()));
        }
        Operation::Rmdir(op) => {
            answer(request, names::remove(volume, op.parent(), op.name(), AtFlags::REMOVEDIR));
        }
        Operation::Opendir(op) => answer(request, directories::open(volume, &op, caller)),
        Operation::Readdir(op) => {
            answer(request, directories::read(volume, &op, caller));
            let _pause = trim(volume, caller);
        }
        Operation::Releasedir(op) => {
            data::release(volume, op.fh());
            answer(request, Ok(()));
        }
        Operation::Fsyncdir(op) => answer(request, data::sync(volume, op.fh(), op.datasync())),
        // The kernel does without, or does it itself.
        _ => answer::<()>(request, Err(Errno::NOSYS)),
    }
}
