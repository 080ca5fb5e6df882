//! A request of the kernel: handled, and answered.

use std::sync::Arc;

use polyfuse::{Operation, Request};
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::mount::kernel::answer::answer;
use crate::mount::kernel::caller::Caller;
use crate::mount::locks::LockCall;
use crate::mount::volume::Volume;
use crate::mount::xattrs::Attribute;

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
            answer(&request, volume.attributes(number));
        });
        return;
    }
    if let Operation::Lookup(op) = &operation {
        let caller = caller(&request);
        let found = volume.look_up(op, caller);
        let Some(pause) = volume.trim(caller) else { return answer(&request, found) };
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
        Some(Ok(call)) => volume.lock(request, call),
        Some(Err(error)) => answer::<()>(&request, Err(error)),
        None => other(volume, &request, operation),
    }
}

/// Handles a request that is not for a lock.
#[expect(clippy::wildcard_enum_match_arm, reason = "polyfuse may learn more operations")]
fn other(volume: &Arc<Volume>, request: &Request, operation: Operation<'_, polyfuse::Data<'_>>) {
    let caller = caller(request);
    match operation {
        Operation::Read(op) => answer(request, volume.read(&op)),
        Operation::Write(op, data) => answer(request, volume.write(&op, data, caller)),
        Operation::Open(op) => answer(request, volume.open(&op, caller)),
        Operation::Flush(op) => answer(request, volume.flush(&op)),
        Operation::Release(op) => {
            volume.release(op.fh());
            answer(request, Ok(()));
        }
        Operation::Fsync(op) => answer(request, volume.sync(op.fh(), op.datasync())),
        Operation::Fallocate(op) => answer(request, volume.allocate(&op, caller)),
        Operation::Getlk(op) => answer(request, volume.test_lock(&op)),
        // An interruption has no answer.
        Operation::Interrupt(op) => volume.interrupt(op.unique()),
        Operation::Forget(forgets) => volume.forget(&forgets),
        Operation::Statfs(op) => answer(request, volume.statistics(op.ino())),
        Operation::Getattr(op) => answer(request, volume.attributes(op.ino())),
        Operation::Setattr(op) => answer(request, volume.set_attributes(&op, caller)),
        Operation::Getxattr(op) => answer_attribute(request, volume.attribute(&op)),
        Operation::Listxattr(op) => answer_attribute(request, volume.attribute_names(&op, caller)),
        Operation::Setxattr(op) => answer(request, volume.set_attribute(&op, caller)),
        Operation::Removexattr(op) => answer(request, volume.remove_attribute(&op)),
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
        Operation::Create(op) => answer(request, volume.create(&op, caller)),
        Operation::Mknod(op) => answer(request, volume.make_node(&op, caller)),
        Operation::Mkdir(op) => answer(request, volume.make_directory(&op, caller)),
        Operation::Symlink(op) => answer(request, volume.make_link(&op, caller)),
        Operation::Readlink(op) => answer(request, volume.read_link(&op)),
        Operation::Link(op) => answer(request, volume.link(&op, caller)),
        Operation::Rename(op) => answer(request, volume.rename(&op)),
        Operation::Unlink(op) => {
            answer(request, volume.remove(op.parent(), op.name(), AtFlags::empty()));
        }
        Operation::Rmdir(op) => {
            answer(request, volume.remove(op.parent(), op.name(), AtFlags::REMOVEDIR));
        }
        Operation::Opendir(op) => answer(request, volume.open_directory(&op, caller)),
        Operation::Readdir(op) => {
            answer(request, volume.read_directory(&op, caller));
            let _pause = volume.trim(caller);
        }
        Operation::Releasedir(op) => {
            volume.release(op.fh());
            answer(request, Ok(()));
        }
        Operation::Fsyncdir(op) => answer(request, volume.sync(op.fh(), op.datasync())),
        // The kernel does without, or does it itself.
        _ => answer::<()>(request, Err(Errno::NOSYS)),
    }
}
